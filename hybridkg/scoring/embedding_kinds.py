"""Embedding models that PyKEEN defines, and how their scores become a matrix product.

Every model is trained with reciprocal relations: (?, r, t) is asked as
(t, r_inverse, ?). PyKEEN numbers relation r as 2r and its inverse as 2r + 1.
Complex vectors are stored as PyKEEN stores them: real and imaginary parts
alternate, so that the real part of an inner product with a conjugate is the
plain inner product of two stored rows.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hybridkg.errors import ConfigError, MissingExtraError, UnknownNameError
from hybridkg.graph.queries import Queries
from hybridkg.types import FloatArray, IntArray, LongArray, Target

#: How anchor and relation vectors make the query vector.
Composition = Literal["product", "complex_product", "sum"]
#: "dot": q . c; "l2": -||q - c||.
Form = Literal["dot", "l2"]


@dataclass(frozen=True, slots=True)
class EmbeddingKind:
    """One model definition: score(a, r, c) = form(compose(a, r), c)."""

    #: name in specs and tables.
    name: str
    #: class name in ``pykeen.models``.
    pykeen_class: str
    composition: Composition
    form: Form
    #: whether coordinates come in (real, imaginary) pairs.
    is_complex: bool
    #: settings that switch off what PyKEEN would add to the definition.
    pykeen_options: tuple[tuple[str, Any], ...] = ()

    def check_dimension(self, dimension: int) -> None:
        """Refuse a number of reals per vector that the model cannot have.

        Raises:
            ConfigError: it is not positive, or odd where coordinates come in pairs.
        """
        if dimension < 1 or (self.is_complex and dimension % 2):
            raise ConfigError(
                f"dimension {dimension!r} of {self.name!r}; expected a positive"
                f"{' even' if self.is_complex else ''} number of reals per vector"
            )


EMBEDDING_KINDS: dict[str, EmbeddingKind] = {
    kind.name: kind
    for kind in (
        # PyKEEN's ComplEx and DistMult carry an Lp penalty, DistMult and TransE force entities
        # to unit length: both belong to their papers' training, not to the score function, and
        # a 1-to-all softmax over unit-length vectors cannot get sharp.
        EmbeddingKind(
            "complex", "ComplEx", "complex_product", "dot", True, (("regularizer", None),)
        ),
        EmbeddingKind(
            "distmult",
            "DistMult",
            "product",
            "dot",
            False,
            (("regularizer", None), ("entity_constrainer", None)),
        ),
        EmbeddingKind(
            "transe",
            "TransE",
            "sum",
            "l2",
            False,
            (("scoring_fct_norm", 2), ("entity_constrainer", None)),
        ),
        # RotatE keeps its constraint (|r_i| = 1): that is its definition. PyKEEN's norm is p = 2
        # over all coordinates, which is the l2 form; LibKGE sums moduli (p = 1) instead.
        EmbeddingKind("rotate", "RotatE", "complex_product", "l2", True),
    )
}


def find_kind(name: str) -> EmbeddingKind:
    """Return the kind of a name.

    Raises:
        UnknownNameError: there is none.
    """
    if name not in EMBEDDING_KINDS:
        raise UnknownNameError("embedding model", name, EMBEDDING_KINDS)
    return EMBEDDING_KINDS[name]


def directed_relations(relations: IntArray, target: Target) -> LongArray:
    """Return (n,) row numbers of relation vectors: 2r for tails, 2r + 1 for heads."""
    return relations.astype(np.int64) * 2 + (target == "head")


def compose(composition: Composition, anchors: FloatArray, relations: FloatArray) -> FloatArray:
    """Return (n, d) query vectors from (n, d) anchor and (n, d) relation vectors."""
    if composition == "sum":
        return anchors + relations
    if composition == "product":
        return anchors * relations
    product: FloatArray = (as_complex(anchors) * as_complex(relations)).view(np.float32)
    return product


def as_complex(vectors: FloatArray) -> Any:
    """View (n, 2k) float32 rows as (n, k) complex numbers."""
    return np.ascontiguousarray(vectors).view(np.complex64)


@contextlib.contextmanager
def quiet_pykeen() -> Iterator[None]:
    """Silence PyKEEN's and torch's chatter inside the block only.

    The random state of torch is put back too: PyKEEN draws initial values that
    are then replaced.

    Raises:
        MissingExtraError: torch or PyKEEN is not installed.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("PyKEEN-defined models", "embeddings") from error
    logger = logging.getLogger("pykeen")
    level = logger.level
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            logger.setLevel(level)


def pykeen_model(kind: EmbeddingKind, n_entities: int, n_relations: int, dimension: int) -> Any:
    """Build PyKEEN's model with reciprocal relations, its values still arbitrary.

    Args:
        kind: the definition.
        n_entities: rows of the entity table.
        n_relations: relations without inverses; the table has twice as many rows.
        dimension: real numbers per vector; a complex model has half as many coordinates.

    Raises:
        MissingExtraError: torch or PyKEEN is not installed.
        ConfigError: the dimension does not fit the kind.
    """
    kind.check_dimension(dimension)
    with quiet_pykeen():
        try:
            import pykeen.models
            import torch
            from pykeen.triples import CoreTriplesFactory
            from pykeen.utils import NoRandomSeedNecessary
        except ImportError as error:
            raise MissingExtraError("PyKEEN-defined models", "embeddings") from error
        # The model asks the factory for sizes only, but the factory wants triples.
        factory = CoreTriplesFactory(
            torch.zeros((1, 3), dtype=torch.long),
            num_entities=n_entities,
            num_relations=n_relations,
            create_inverse_triples=True,
        )
        return getattr(pykeen.models, kind.pykeen_class)(
            triples_factory=factory,
            embedding_dim=dimension // 2 if kind.is_complex else dimension,
            # With a seed PyKEEN would reseed Python, NumPy and torch for the whole process.
            random_seed=NoRandomSeedNecessary,
            **dict(kind.pykeen_options),
        )


def model_tables(model: Any) -> tuple[Any, Any]:
    """Return the entity and relation weights of a PyKEEN model, torch parameters of reals."""
    return (
        model.entity_representations[0]._embeddings.weight,
        model.relation_representations[0]._embeddings.weight,
    )


def query_rows(queries: Queries) -> tuple[IntArray, LongArray]:
    """Return the entity and the relation table's rows of a block of queries."""
    return queries.anchors, directed_relations(queries.relations, queries.target)
