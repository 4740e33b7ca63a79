"""Scores from factors: one way to multiply them, so that every path gives the same numbers."""

from __future__ import annotations

import numpy as np

from hybridkg.errors import ScoreError
from hybridkg.scoring.base import Factors
from hybridkg.types import AnyArray, FloatArray, IntArray

#: Bytes of scores that one block aims at; a block that stays in cache is counted for free.
BLOCK_BYTES = 16 * 2**20
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
        self._candidates = np.empty((0, 0), dtype=np.float32)
        self._norms = np.empty(0, dtype=np.float32)
        self._mean = np.empty(0, dtype=np.float64)
        self._queries = np.empty((0, 0), dtype=np.float32)

    def __call__(self, factors: Factors, out: FloatArray) -> None:
        """Write the scores of at most ``height`` queries.

        Args:
            factors: of n queries.
            out: (height, entities); its first n rows are the result.

        Raises:
            ScoreError: kind, shapes or ids of the factors do not fit.
        """
        self._check(factors)
        self._prepare(factors)
        n = len(factors.queries)
        self._queries[:n] = factors.queries
        self._queries[n:] = 0
        if factors.kind == "l2":
            self._queries[:n] = factors.queries - self._mean
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
        if self._given is factors.candidates:
            return
        self._given = factors.candidates
        self._candidates = np.ascontiguousarray(factors.candidates, dtype=np.float32)
        self._queries = np.empty((self.height, self._candidates.shape[1]), dtype=np.float32)
        if factors.kind == "l2":
            # Distances do not move with the origin, but far from it the expansion cancels.
            self._mean = factors.candidates.mean(axis=0, dtype=np.float64)
            self._candidates = (factors.candidates - self._mean).astype(np.float32)
            self._norms = np.einsum("nd,nd->n", self._candidates, self._candidates)

    def _check(self, factors: Factors) -> None:
        if factors.kind not in ("dot", "l2"):
            raise ScoreError(
                f"scorer {self._title!r} has factors of kind {factors.kind!r}; expected 'dot' or "
                "'l2'"
            )
        queries, candidates = factors.queries, factors.candidates
        fits = queries.ndim == candidates.ndim == 2 and queries.shape[1] == candidates.shape[1]
        if not fits or len(candidates) != self._n_entities or len(queries) > self.height:
            raise ScoreError(
                f"scorer {self._title!r} has factors of shape {queries.shape} and "
                f"{candidates.shape}; expected (queries, d) and ({self._n_entities}, d)"
            )
        for what, ids, size in (
            ("entities", factors.unscored_entities, self._n_entities),
            ("queries", factors.unscored_queries, len(queries)),
        ):
            if ids is not None and len(ids):
                check_ids(ids, size, f"scorer {self._title!r}: unscored {what}")


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
