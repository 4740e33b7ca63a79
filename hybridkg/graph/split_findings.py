"""What the checks of named splits find, as numbers with a few examples."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from hybridkg.graph.knowledge_graph import LabelTriple


@dataclass(frozen=True, slots=True)
class SplitSize:
    """Rows of one split, and the rows among them that repeat an earlier one."""

    split: str
    rows: int
    distinct: int
    #: rows - distinct.
    repeated: int
    #: some of the triples that are repeated.
    examples: tuple[LabelTriple, ...]


@dataclass(frozen=True, slots=True)
class Overlap:
    """Triples that two splits share."""

    #: the split whose evaluation suffers, and the one it shares triples with.
    split: str
    other: str
    #: distinct shared triples.
    triples: int
    #: rows of ``split`` that stand in ``other``.
    rows: int
    examples: tuple[LabelTriple, ...]


@dataclass(frozen=True, slots=True)
class Unseen:
    """Entities and relations of a split without a training triple."""

    split: str
    #: distinct entities.
    entities: int
    #: rows with an unseen head or tail.
    entity_triples: int
    #: heads and tails that are unseen; a row can count twice.
    entity_positions: int
    #: distinct relations.
    relations: int
    #: rows with an unseen relation.
    relation_triples: int
    #: rows with an unseen entity or relation.
    triples: int
    entity_examples: tuple[str, ...]
    relation_examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reversed:
    """Triples (h, r, t) of a split for which train has some (t, r', h)."""

    split: str
    #: such rows.
    triples: int
    #: triples / rows; 0 for an empty split.
    share: float
    examples: tuple[LabelTriple, ...]


@dataclass(frozen=True, slots=True)
class Entailed:
    """Triples of a split inside the closure of train and an ontology."""

    split: str
    #: distinct triples that stand in train.
    asserted: int
    #: distinct triples that follow and do not stand in train.
    derived: int
    #: distinct triples that contradict train and the ontology.
    inconsistent: int
    #: distinct triples that neither stand in train, nor follow, nor contradict it.
    outside: int
    #: all derived triples.
    derived_triples: tuple[LabelTriple, ...]


@dataclass(frozen=True, slots=True)
class Clean:
    """What remains of a split for an evaluation without any of the findings."""

    split: str
    #: distinct triples in no other split, with no unseen entity or relation.
    triples: int
    #: those of them that do not follow from train either; None without an ontology.
    underivable: int | None


@dataclass(frozen=True, slots=True)
class SplitReport:
    """All checks of a graph's splits; only overlaps and derived triples are leaks."""

    sizes: tuple[SplitSize, ...]
    overlaps: tuple[Overlap, ...]
    unseen: tuple[Unseen, ...]
    reversed: tuple[Reversed, ...]
    #: empty without an ontology.
    entailed: tuple[Entailed, ...]
    clean: tuple[Clean, ...]

    @property
    def n_leaks(self) -> int:
        """Distinct shared triples over all pairs of splits, plus derived triples."""
        shared = sum(overlap.triples for overlap in self.overlaps)
        return shared + sum(one.derived for one in self.entailed)

    def as_document(self) -> dict[str, Any]:
        """Return the report as JSON-able values."""
        return {**asdict(self), "leaks": self.n_leaks}
