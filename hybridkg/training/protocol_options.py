"""Options of a protocol: given one by one, or taken from ranks that exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hybridkg.errors import ConfigError, RankTableError
from hybridkg.evaluation.candidates import (
    LISTED,
    UNSTATED,
    Candidates,
    Protocol,
    UnseenName,
    difference_words,
    first_difference,
    make_task,
)
from hybridkg.evaluation.inductive import TrainedOn
from hybridkg.evaluation.ranks import Equality
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.training.stored_ranks import read_ranks
from hybridkg.types import TARGETS, FilterName, Target

#: Option of a protocol -> the field that says its value.
_OPTIONS = {
    "split": "split",
    "filter_name": "filter",
    "candidates": "candidates",
    "unseen": "unseen",
    "targets": "targets",
    "equality": "equality",
}
_SPELLED = {"filter_name": "filter"}


@dataclass(frozen=True, slots=True)
class ProtocolOptions:
    """How an evaluation is asked; see :func:`hybridkg.evaluation.evaluator.evaluate`."""

    #: split whose triples are asked.
    split: str = "test"
    #: splits whose triples are known answers.
    filter_name: FilterName = "all"
    #: "all" entities, those of "train", the path of a file of candidates, or sets.
    candidates: Candidates = "all"
    #: "keep" or "drop" triples with unseen entities or relations.
    unseen: UnseenName = "keep"
    #: what is asked of each triple.
    targets: tuple[Target, ...] = TARGETS
    #: the training graph of inductive models, checked, where it is another one.
    trained_on: TrainedOn | None = None
    #: when two scores tie: "exact", or "libkge" within LibKGE's tolerance.
    equality: Equality = "exact"
    #: distinct queries a block, or None for a size that suits the graph.
    batch_size: int | None = None
    #: bytes that a run may take beside graph and scorer, or None for no limit.
    memory: int | None = None
    #: threads of products and counting, or None for the library's own choice.
    threads: int | None = None
    #: candidates of each query to keep in a file beside the ranks; 0 for none.
    keep_top: int = 0

    def task(self) -> dict[str, Any]:
        """Return the options that fix queries, filter and pool."""
        return {
            "split": self.split,
            "filter_name": self.filter_name,
            "candidates": self.candidates,
            "unseen": self.unseen,
            "targets": self.targets,
            "trained_on": self.trained_on,
        }

    def for_graph(self, kg: KnowledgeGraph) -> ProtocolOptions:
        """Return the same options with a file of candidates read, once for all instances."""
        return replace(self, candidates=make_task(kg, **self.task()).candidates)

    def run(self) -> dict[str, Any]:
        """Return the options of :func:`hybridkg.evaluation.evaluator.evaluate`."""
        return self.task() | {
            "equality": self.equality,
            "batch_size": self.batch_size,
            "memory": self.memory,
            "threads": self.threads,
        }


def protocol_options(given: Mapping[str, Any], like: Protocol | None = None) -> ProtocolOptions:
    """Return the options that were given, those of a stored protocol, or the default ones.

    Args:
        given: by name, as the fields of :class:`ProtocolOptions` are called.
        like: protocol to follow.

    Raises:
        ConfigError: an option that was given contradicts the protocol, or that protocol is not
            one that can be followed.
    """
    if like is None:
        return ProtocolOptions(**given)
    if UNSTATED in (like.dataset, like.filter):
        raise ConfigError(
            "--like names ranks from a file, whose protocol is not stated; expected ranks that "
            "hybridkg evaluated; spell the protocol out with --split, --filter and --candidates"
        )
    if like.candidates == LISTED:
        raise ConfigError(
            f"--like names ranks of {like.dataset}, which brought its own queries and candidates; "
            "expected ranks on a data set; spell the protocol out with --split, --filter and "
            "--candidates"
        )
    stored: dict[str, Any] = {
        option: getattr(like, field) for option, field in _OPTIONS.items() if field != "targets"
    }
    stored["targets"] = TARGETS if like.targets == "both" else (like.targets,)
    # Files are compared by what they hold, once they are read.
    for option, digest in (
        ("candidates", like.candidates_digest),
        ("trained_on", like.trained_on_digest),
    ):
        if digest:
            if option not in given:
                raise ConfigError(
                    f"--like: its {spelled_option(option)} is {getattr(like, option)!r}, which "
                    f"came from a file or data set; expected --{spelled_option(option)} beside "
                    "it; name the same one"
                )
            stored[option] = given[option]
    for option, value in given.items():
        if value != stored.get(option, value):
            spelled = spelled_option(option)
            raise ConfigError(
                f"--{spelled} {_words(value)} beside --like, whose ranks have {spelled} "
                f"{_words(stored[option])}; expected one of both; leave --{spelled} out"
            )
    return ProtocolOptions(**{**given, **stored})


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        return "both" if len(value) == len(TARGETS) else str(value[0])
    return str(value)


def stored_protocol(path: str | Path) -> Protocol:
    """Return the protocol of ranks in a folder."""
    return read_ranks([path]).protocol


def require_protocol(found: Protocol, like: Protocol) -> None:
    """Refuse a protocol that differs from the one to follow, the data set's digests included.

    Raises:
        RankTableError: naming the first field that differs.
    """
    differing = first_difference(like, found, ("dataset", "trained_on"))
    if differing is not None:
        raise RankTableError(
            f"--like: {difference_words(differing, like, found)}, there and here; expected the "
            f"same queries, known triples and candidates (data set {like.dataset} there, "
            f"{found.dataset} here); name the data set that was ranked with --dataset"
        )


def spelled_option(option: str) -> str:
    """Return how the command line spells an option, without its dashes."""
    return _SPELLED.get(option, option).replace("_", "-")
