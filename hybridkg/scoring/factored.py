"""Scores from factors: one way to multiply them, so that every path gives the same numbers."""

from __future__ import annotations

import numpy as np

from hybridkg.errors import ScoreError
from hybridkg.scoring.base import Factors
from hybridkg.types import AnyArray, FloatArray, IntArray

#: Bytes of scores that one block aims at; a block that stays in cache is counted for free.
BLOCK_BYTES = 64 * 2**20
#: Rows of a block are a multiple of this, where there is room for one.
_TILE = 64


def block_height(n_entities: int) -> int:
    """Return the number of queries a block, a function of the number of entities alone."""
    fitting = min(1024, BLOCK_BYTES // (4 * max(n_entities, 1)))
    return max(1, fitting // _TILE * _TILE or fitting)


class FactorProduct:
    """Multiplies factors in blocks of one height, whatever the number of queries.

    A BLAS adds up in another order for another number of rows. With one height for all products
    a query's scores never depend on what else is asked, nor on the batch size.
    """

    def __init__(self, n_entities: int, title: str) -> None:
        """Multiply for a graph.

        Args:
            n_entities: number of candidates.
            title: name of the scorer, for messages.
        """
        self.height = block_height(n_entities)
        self._n_entities = n_entities
        self._title = title
        self._given: AnyArray | None = None
        self._kind = ""
        self._candidates = np.empty((0, 0), dtype=np.float32)
        self._norms = np.empty(0, dtype=np.float32)
        self._mean = np.empty(0, dtype=np.float64)
        self._queries = np.empty((0, 0), dtype=np.float32)

    def __call__(self, factors: Factors, n_queries: int, out: FloatArray) -> None:
        """Write the scores of at most ``height`` queries.

        Args:
            factors: of the queries.
            n_queries: number of queries that were asked.
            out: (height, entities); its first n rows are the result.

        Raises:
            ScoreError: kind, shapes, number types or ids of the factors do not fit.
        """
        queries = self._checked(factors, n_queries)
        self._prepare(factors)
        self._queries[n_queries:] = 0
        self._queries[:n_queries] = queries - self._mean if factors.kind == "l2" else queries
        np.matmul(self._queries, self._candidates.T, out=out)
        if factors.kind == "l2":
            # ||q - c||^2 = ||q||^2 - 2 q.c + ||c||^2; rounding may take it below zero.
            out *= -2
            out += np.einsum("nd,nd->n", self._queries, self._queries)[:, None]
            out += self._norms
            np.maximum(out, 0, out=out)
            np.sqrt(out, out=out)
            np.negative(out, out=out)
        if factors.unscored_entities is not None:
            out[:, factors.unscored_entities] = -np.inf
        if factors.unscored_queries is not None:
            out[factors.unscored_queries] = -np.inf

    def _prepare(self, factors: Factors) -> None:
        """Take over the candidate vectors once; they are the same for all blocks of a target."""
        if self._given is factors.candidates and self._kind == factors.kind:
            return
        self._given, self._kind = factors.candidates, factors.kind
        candidates = self._real(factors.candidates)
        self._candidates = np.ascontiguousarray(candidates, dtype=np.float32)
        self._queries = np.empty((self.height, candidates.shape[1]), dtype=np.float32)
        if factors.kind == "l2":
            # Distances do not move with the origin, but far from it the expansion cancels.
            self._mean = candidates.mean(axis=0, dtype=np.float64)
            self._candidates = (candidates - self._mean).astype(np.float32)
            self._norms = np.einsum("nd,nd->n", self._candidates, self._candidates)

    def _checked(self, factors: object, n_queries: int) -> AnyArray:
        """Return the query vectors of factors that fit."""
        if not isinstance(factors, Factors) or factors.kind not in ("dot", "l2"):
            raise ScoreError(
                f"scorer {self._title!r} gave {factors!r:.80} as factors; expected "
                "hybridkg.scoring.base.Factors of kind 'dot' or 'l2'"
            )
        queries, candidates = self._real(factors.queries), self._real(factors.candidates)
        shapes = (queries.shape, candidates.shape)
        width = queries.shape[-1] if queries.ndim else 0
        if shapes != ((n_queries, width), (self._n_entities, width)):
            raise ScoreError(
                f"scorer {self._title!r} has factors of shape {shapes[0]} and {shapes[1]} for "
                f"{n_queries} queries; expected ({n_queries}, d) and ({self._n_entities}, d)"
            )
        for what, ids, size in (
            ("entities", factors.unscored_entities, self._n_entities),
            ("queries", factors.unscored_queries, n_queries),
        ):
            if ids is not None:
                check_ids(np.asarray(ids), size, f"scorer {self._title!r}: unscored {what}")
        return queries

    def _real(self, given: AnyArray) -> AnyArray:
        return real_array(given, f"scorer {self._title!r}: a factor")


def real_array(given: object, what: str) -> AnyArray:
    """Return what a scorer gave as an array of real numbers.

    Raises:
        ScoreError: naming ``what``, where it is no array or holds something else.
    """
    try:
        array = np.asarray(given)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ScoreError(
            f"{what} is a {type(given).__name__} that is no array ({error}); expected real "
            "numbers. Detach a tensor, and bring it to the CPU as float32"
        ) from error
    if array.dtype.kind not in "fiub":
        raise ScoreError(f"{what} holds {array.dtype} values; expected real numbers")
    return array


def as_float32(array: AnyArray, what: str) -> FloatArray:
    """Narrow real numbers to float32.

    Raises:
        ScoreError: naming ``what``, where a finite value is beyond float32.
    """
    if array.dtype == np.float32:
        return array
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float32)
    lost = np.isinf(narrow) & np.isfinite(array)
    if lost.any():
        raise ScoreError(
            f"{what} holds {array[lost][0]!r}, which is beyond float32; expected values within "
            "3.4e38: scale them, the order is all that counts"
        )
    return narrow


def check_ids(ids: IntArray, size: int, what: str) -> None:
    """Refuse ids that are no whole numbers within 0..size-1.

    Raises:
        ScoreError: naming ``what`` and the range found.
    """
    if ids.dtype.kind not in "iu":
        raise ScoreError(f"{what} are {ids.dtype} values; expected whole numbers")
    if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= size):
        raise ScoreError(
            f"{what} run from {int(ids.min())} to {int(ids.max())}; expected 0 to {size - 1}"
        )
