"""The protocol: which queries are asked, which candidates compete, what is filtered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from hybridkg.errors import ConfigError, RankTableError, SplitError
from hybridkg.evaluation.candidate_sets import (
    CandidateSets,
    EntitySet,
    QueryLists,
    RelationSets,
)
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.types import FILTERS, BoolArray, FilterName, IntArray, Target

if TYPE_CHECKING:
    from hybridkg.evaluation.inductive import TrainedOn

#: Stands in every field of the protocol of ranks whose making is not known.
UNSTATED = "unstated"
#: Candidates of a file that lists those of each query itself.
LISTED = "listed"

CandidateName = Literal["all", "train"]
UnseenName = Literal["keep", "drop"]
#: A named pool, the path of a file of candidates, or sets that are at hand.
Candidates: TypeAlias = CandidateName | str | Path | CandidateSets
#: When two scores are equal: as stored, or within the tolerance of LibKGE.
EqualityName = Literal["exact", "libkge"]
#: Fields that say in words what digests or other fields tell exactly.
_NOT_COMPARED = ("dataset", "trained_on", "n_outside")


@dataclass(frozen=True, slots=True)
class Protocol:
    """Everything that must agree before two rank columns may stand in one table."""

    #: name of the data set.
    dataset: str
    #: split whose triples were asked.
    split: str
    #: filter name, or "unstated" for foreign ranks.
    filter: str
    #: digest of the vocabularies and the known triples.
    filter_digest: str
    #: candidate pool: "all" entities, those of "train", or what the sets say of themselves.
    candidates: str
    #: size of the pool before filtering; 0 where it is unknown or differs from query to query.
    n_candidates: int
    #: what happened to triples with an entity or relation unseen in training.
    unseen: str
    #: number of such triples, in the table or left out according to ``unseen``.
    n_unseen: int
    #: "both", "tail" or "head".
    targets: str
    #: digest of the queries.
    queries_digest: str
    #: digest of the candidate sets; empty for a named pool.
    candidates_digest: str = ""
    #: queries whose true answer is none of their candidates; it competes all the same.
    n_outside: int = 0
    #: when a score counts as equal to the truth's: "exact", or "libkge" within its tolerance.
    equality: str = "exact"
    #: the graph that an inductive model was trained on, in words; empty where it is this one.
    trained_on: str = ""
    #: digest of that graph's training triples.
    trained_on_digest: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self)

    def sentence(self) -> str:
        """Say the protocol in one line for people."""
        if self.dataset == UNSTATED:
            return "unstated (ranks from files); filter and candidates are the files' own affair"
        unseen = f"{self.n_unseen} triples with unseen entities or relations"
        treated = "kept" if self.unseen == "keep" else "left out"
        size = f" ({self.n_candidates:,} entities)" if self.n_candidates else ""
        outside = f", true answers from outside: {self.n_outside:,}" if self.n_outside else ""
        equal = "" if self.equality == "exact" else f"; scores equal as in {self.equality}"
        trained = f"; trained on {self.trained_on}" if self.trained_on else ""
        # Pools that a file brings have no training split to be unseen in.
        known = f"; {unseen} {treated}" if self.candidates != LISTED else ""
        return (
            f"data set {self.dataset}, split {self.split}, targets {self.targets}; "
            f"filter {filter_words(self.filter)}; candidates {self.candidates}{size}{outside}"
            f"{known}{equal}{trained}"
        )


def filter_words(name: str) -> str:
    """Spell a filter out: ``all`` is train+valid+test."""
    splits = FILTERS.get(name, (name,))  # type: ignore[call-overload]
    return "+".join(splits) or "none"


#: What a digest stands for, and the field that names it.
_DIGESTS = {
    "filter_digest": ("known triples", "dataset"),
    "queries_digest": ("queries", "dataset"),
    "candidates_digest": ("candidates", "candidates"),
    "trained_on_digest": ("training graphs", "trained_on"),
}


def first_difference(first: Protocol, second: Protocol, names: Collection[str]) -> str | None:
    """Return the first field in which two protocols differ, None where they agree.

    Args:
        first: a protocol.
        second: another one.
        names: fields that only name what others tell exactly.
    """
    for field in fields(Protocol):
        # Candidates may have two names; digests tell whether they are the same.
        named = field.name in names or (
            field.name == "candidates"
            and bool(first.candidates_digest and second.candidates_digest)
        )
        if not named and getattr(first, field.name) != getattr(second, field.name):
            return field.name
    return None


def difference_words(field: str, first: Protocol, second: Protocol) -> str:
    """Say how two protocols differ in a field, in words where the field is a digest."""
    start = f"{field} is"
    if field in _DIGESTS:
        what, field = _DIGESTS[field]
        start = f"the {what} differ; {field} is"
    ours, theirs = getattr(first, field), getattr(second, field)
    if ours == theirs:
        return f"{start} called {ours!r} in both"
    return f"{start} {ours!r} in one and {theirs!r} in the other"


def require_same_protocol(first: Protocol, second: Protocol, names: str = "") -> None:
    """Refuse to put ranks of two protocols into one table.

    Args:
        first: a protocol.
        second: another one.
        names: of what follows them, for the message.

    Raises:
        RankTableError: a field differs; both values are named.
    """
    if (first.dataset == UNSTATED) != (second.dataset == UNSTATED):
        raise RankTableError(
            "ranks from files, whose protocol is not stated, do not stand beside evaluated "
            "instances; compare files with files, and instances with instances"
        )
    differing = first_difference(first, second, _NOT_COMPARED)
    if differing is not None:
        raise RankTableError(
            f"ranks of different protocols do not combine{f' ({names})' if names else ''}: "
            f"{difference_words(differing, first, second)}; evaluate the instances again under "
            "one protocol"
        )


@dataclass(frozen=True, slots=True)
class Task:
    """The queries of an evaluation, the known answers and the pool."""

    #: queries with answers, tail first.
    queries: QueryList
    #: (n, 3) distinct known triples.
    known: IntArray
    #: (entities,) True for members of the pool.
    pool: BoolArray
    #: what the numbers mean.
    protocol: Protocol
    #: what restricts the candidates; by relation or by query the pool holds all entities.
    sets: CandidateSets | None = None

    @property
    def is_restricted(self) -> bool:
        """True where not every entity competes in every query."""
        return self.sets is not None or not self.pool.all()

    @property
    def filter_name(self) -> FilterName:
        """Splits whose triples are known answers."""
        return cast("FilterName", self.protocol.filter)

    @property
    def candidates(self) -> Candidates:
        """What :func:`make_task` takes to make the same pools without reading a file again."""
        return self.sets if self.sets is not None else self.protocol.candidates


def unseen_triples(kg: KnowledgeGraph, triples: IntArray) -> BoolArray:
    """Tell which (n, 3) triples hold an entity or relation without a training triple."""
    entity, relation = kg.seen_entities(), kg.seen_relations()
    return ~(entity[triples[:, 0]] & entity[triples[:, 2]] & relation[triples[:, 1]])


def make_task(
    kg: KnowledgeGraph,
    *,
    split: str = "test",
    filter_name: FilterName = "all",
    candidates: Candidates = "all",
    unseen: UnseenName = "keep",
    targets: tuple[Target, ...] = ("tail", "head"),
    trained_on: TrainedOn | None = None,
) -> Task:
    """Fix queries, filter and pool of an evaluation.

    Args:
        kg: graph with the split to be asked.
        split: split whose triples are masked.
        filter_name: splits whose triples count as known answers; always whole splits.
        candidates: "all" entities, those with a training triple ("train"), the path of a file
            of candidates, or sets. A true answer competes whether it is a candidate or not.
        unseen: "keep" or "drop" triples with an entity or relation unseen in training; they
            stay in the filter either way.
        targets: what is asked of each triple.
        trained_on: the checked training graph of an inductive model, where it is another one.

    Raises:
        SplitError: the split is missing or has no triple left.
        ConfigError: an option has a value that does not exist, or candidate lists belong to
            other queries.
        DataError: a file of candidates cannot be used, or an asked relation has no candidate.
    """
    _refuse_options(filter_name, unseen)
    triples = kg.split(split)
    is_unseen = unseen_triples(kg, triples)
    if unseen == "drop":
        triples = triples[~is_unseen]
    if len(triples) == 0:
        raise SplitError(
            f"{kg.name}: split {split!r} has no triple to rank"
            + (" once unseen ones are dropped" if unseen == "drop" else "")
        )
    queries = QueryList.from_triples(triples, targets)
    known = kg.known_triples(filter_name)
    filter_digest = kg.filter_digest(filter_name)
    named, sets = _resolve(candidates, kg, queries, split, filter_name)
    pool, outside = _pool(named, sets, kg, queries)
    if not pool.any():
        raise SplitError(
            f"{kg.name}: no entity stands in a training triple, so that candidates 'train' are "
            "none; expected one or more; rank among all entities"
        )
    asked = set(targets)
    protocol = Protocol(
        dataset=kg.name,
        split=split,
        filter=filter_name,
        filter_digest=filter_digest,
        candidates=named if sets is None else sets.words,
        n_candidates=0 if isinstance(sets, RelationSets | QueryLists) else int(pool.sum()),
        unseen=unseen,
        n_unseen=int(is_unseen.sum()),
        targets="both" if len(asked) == 2 else next(iter(asked)),
        queries_digest=_queries_digest(kg, queries),
        candidates_digest="" if sets is None else sets.digest,
        n_outside=outside,
        trained_on=trained_on.words if trained_on else "",
        trained_on_digest=trained_on.digest if trained_on else "",
    )
    return Task(queries, known, pool, protocol, sets)


def _refuse_options(filter_name: str, unseen: str) -> None:
    if filter_name not in FILTERS:
        raise ConfigError(f"filter {filter_name!r}; expected one of {', '.join(FILTERS)}")
    if unseen not in ("keep", "drop"):
        raise ConfigError(f"unseen {unseen!r}; expected 'keep' or 'drop'")


def _resolve(
    candidates: Candidates,
    kg: KnowledgeGraph,
    queries: QueryList,
    split: str,
    filter_name: FilterName,
) -> tuple[str, CandidateSets | None]:
    """Return the name of the pool, and the sets that restrict it, read from a file or given."""
    if isinstance(candidates, EntitySet | RelationSets | QueryLists):
        return "", candidates
    if not isinstance(candidates, str | Path):
        raise ConfigError(
            f"candidates of type {type(candidates).__name__}; expected 'all', 'train', the path "
            "of a file of candidates, or sets such as EntitySet.build makes"
        )
    if candidates in ("all", "train"):
        return str(candidates), None
    if not str(candidates) or not Path(candidates).is_file():
        raise ConfigError(
            f"candidates {str(candidates)!r}; expected 'all', 'train' or a file of candidates; "
            "there is no file of that name"
        )
    # The reader needs this module's neighbours, and most evaluations need no reader.
    from hybridkg.evaluation.candidate_files import read_candidates

    return "", read_candidates(candidates, kg, queries, split=split, filter_name=filter_name)


def _pool(
    named: str, sets: CandidateSets | None, kg: KnowledgeGraph, queries: QueryList
) -> tuple[BoolArray, int]:
    """Return the pool, and the number of queries whose true answer is no candidate."""
    pool = np.ones(kg.n_entities, dtype=np.bool_)
    if named == "train":
        pool = kg.seen_entities()
    elif isinstance(sets, EntitySet):
        pool[:] = False
        pool[sets.entities] = True
    elif isinstance(sets, RelationSets):
        return pool, int((~sets.hold_answers(queries)).sum())
    elif isinstance(sets, QueryLists):
        # Their true answers are left out of the lists on purpose.
        sets.require(queries)
    return pool, int((~pool[queries.answers]).sum())


def _queries_digest(kg: KnowledgeGraph, queries: QueryList) -> str:
    """SHA-256 over the queries and how often each stands, whatever their order."""
    rows = np.column_stack([queries.triples, queries.asks_tail]).astype(np.int32)
    order = np.lexsort(rows.T[::-1])
    return kg.digest_of(np.ascontiguousarray(rows[order]))
