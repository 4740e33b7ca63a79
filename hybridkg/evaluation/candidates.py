"""The protocol: which queries are asked, which candidates compete, what is filtered."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from hybridkg.errors import ConfigError, RankTableError, SplitError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.types import FILTERS, BoolArray, FilterName, IntArray, Target

#: Stands in every field of the protocol of ranks whose making is not known.
UNSTATED = "unstated"

CandidateName = Literal["all", "train"]
UnseenName = Literal["keep", "drop"]


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
    #: candidate pool: "all" entities or those of "train".
    candidates: str
    #: size of the pool before filtering; 0 where unknown.
    n_candidates: int
    #: what happened to triples with an entity or relation unseen in training.
    unseen: str
    #: number of such triples, in the table or left out according to ``unseen``.
    n_unseen: int
    #: "both", "tail" or "head".
    targets: str
    #: digest of the queries.
    queries_digest: str

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
        return (
            f"data set {self.dataset}, split {self.split}, targets {self.targets}; "
            f"filter {filter_words(self.filter)}; candidates {self.candidates}{size}; "
            f"{unseen} {treated}"
        )


def filter_words(name: str) -> str:
    """Spell a filter out: ``all`` is train+valid+test."""
    splits = FILTERS.get(name, (name,))  # type: ignore[call-overload]
    return "+".join(splits) or "none"


def require_same_protocol(first: Protocol, second: Protocol) -> None:
    """Refuse to put ranks of two protocols into one table.

    Raises:
        RankTableError: a field differs; both values are named.
    """
    if (first.dataset == UNSTATED) != (second.dataset == UNSTATED):
        raise RankTableError(
            "ranks from files, whose protocol is not stated, do not stand beside evaluated "
            "instances; compare files with files, and instances with instances"
        )
    for key, value in first.to_json().items():
        other = second.to_json()[key]
        # A data set may have two names; its digests tell whether it is the same.
        if value != other and key != "dataset":
            raise RankTableError(
                f"ranks of different protocols do not combine: {key} is {value!r} in one and "
                f"{other!r} in the other; evaluate the instances again under one protocol"
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


def unseen_triples(kg: KnowledgeGraph, triples: IntArray) -> BoolArray:
    """Tell which (n, 3) triples hold an entity or relation without a training triple."""
    entity, relation = kg.seen_entities(), kg.seen_relations()
    return ~(entity[triples[:, 0]] & entity[triples[:, 2]] & relation[triples[:, 1]])


def make_task(
    kg: KnowledgeGraph,
    *,
    split: str = "test",
    filter_name: FilterName = "all",
    candidates: CandidateName = "all",
    unseen: UnseenName = "keep",
    targets: tuple[Target, ...] = ("tail", "head"),
) -> Task:
    """Fix queries, filter and pool of an evaluation.

    Args:
        kg: graph with the split to be asked.
        split: split whose triples are masked.
        filter_name: splits whose triples count as known answers; always whole splits.
        candidates: "all" entities, or those with a training triple.
        unseen: "keep" or "drop" triples with an entity or relation unseen in training; they
            stay in the filter either way.
        targets: what is asked of each triple.

    Raises:
        SplitError: the split is missing or has no triple left.
        ConfigError: an option has a value that does not exist.
    """
    if filter_name not in FILTERS:
        raise ConfigError(f"filter {filter_name!r}; expected one of {', '.join(FILTERS)}")
    if candidates not in ("all", "train"):
        raise ConfigError(f"candidates {candidates!r}; expected 'all' or 'train'")
    if unseen not in ("keep", "drop"):
        raise ConfigError(f"unseen {unseen!r}; expected 'keep' or 'drop'")
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
    pool = kg.seen_entities() if candidates == "train" else np.ones(kg.n_entities, dtype=np.bool_)
    asked = set(targets)
    known = kg.known_triples(filter_name)
    protocol = Protocol(
        dataset=kg.name,
        split=split,
        filter=filter_name,
        filter_digest=kg.digest_of(known),
        candidates=candidates,
        n_candidates=int(pool.sum()),
        unseen=unseen,
        n_unseen=int(is_unseen.sum()),
        targets="both" if len(asked) == 2 else next(iter(asked)),
        queries_digest=_queries_digest(kg, queries),
    )
    return Task(queries, known, pool, protocol)


def _queries_digest(kg: KnowledgeGraph, queries: QueryList) -> str:
    """SHA-256 over the queries and how often each stands, whatever their order."""
    rows = np.column_stack([queries.triples, queries.asks_tail]).astype(np.int32)
    order = np.lexsort(rows.T[::-1])
    return kg.digest_of(np.ascontiguousarray(rows[order]))
