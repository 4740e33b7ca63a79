"""Rule files: AnyBURL lines, AMIE's table, and JSON lines, read and written.

``rules/README.md`` of the source tree describes the formats. A format is told
by the content where a file is read, and by the suffix where one is written.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.read import format_of, parsed_rules
from hybridkg.rules.rule_set import ABSENT, IMPORTED, RuleSet, vocabulary_digest
from hybridkg.rules.safe_ids import read_safe_ids
from hybridkg.rules.spelling import rule_texts
from hybridkg.rules.statistics import with_statistics
from hybridkg.rules.translate import COUNTS, NUMBERS, Translation
from hybridkg.rules.write import FileFormat, FurtherCounts, format_for, write_rules
from hybridkg.types import BoolArray, IntArray

__all__ = [
    "FILE_FORMATS",
    "FileFormat",
    "RuleFile",
    "check_format",
    "format_for",
    "read_rule_file",
    "read_rules",
    "rule_texts",
    "write_rules",
]

#: "graph": count on the training triples; "file": believe the file's counts.
StatisticsFrom: TypeAlias = Literal["graph", "file"]
FILE_FORMATS: tuple[FileFormat, ...] = get_args(FileFormat)
#: "refuse" a well-formed rule that cannot be used, or "drop" and count it.
Unusable: TypeAlias = Literal["refuse", "drop"]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """What a rule file holds, with the counts that stand in it."""

    #: the rules; counts are the file's, 0 where it has none.
    rules: RuleSet
    file_format: FileFormat
    #: (n,) True where the line has support and predictions.
    counted: BoolArray
    #: further counts of the file, -1 where it has none.
    further: FurtherCounts
    #: lines that are no rules, by reason.
    outside: dict[str, int]
    #: whether an id map lay beside the file.
    safe_ids: bool


def read_rules(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    statistics: StatisticsFrom = "graph",
    unusable: Unusable = "refuse",
    file_format: FileFormat | None = None,
) -> RuleSet:
    """Read rules over the vocabularies of a graph.

    Counts in files of other tools may be samples or doubled, so they are
    counted anew unless asked otherwise; the file's confidence is never used.

    Args:
        path: UTF-8 text in one of FILE_FORMATS, plain or packed; blank lines and lines that
            start with ``#`` are skipped.
        kg: gives meaning to the names, and the triples to count on.
        statistics: where the counts come from.
        unusable: what to do with a well-formed rule that names an unknown entity or
            relation, or whose form is not covered; "drop" counts them in ``dropped``.
        file_format: of the file; told by its content where None.

    Raises:
        DataError: a line is malformed or, under "refuse", not usable; the message
            names file and line.
    """
    found = read_rule_file(
        path, kg, unusable=unusable, file_format=file_format, counts=statistics == "file"
    )
    return with_statistics(found.rules, kg) if statistics == "graph" else found.rules


def read_rule_file(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    unusable: Unusable = "refuse",
    file_format: FileFormat | None = None,
    counts: bool = False,
) -> RuleFile:
    """Read rules with the counts of their file; see :func:`read_rules`.

    A rule that stands twice is taken once and counted in ``dropped``.

    Args:
        path: of the file.
        kg: gives meaning to the names.
        unusable: what to do with a rule that cannot be used.
        file_format: of the file; told by its content where None.
        counts: refuse a rule without counts.
    """
    place = Path(path)
    chosen = file_format or format_of(place)
    ids = read_safe_ids(place)
    translate = Translation(kg, ids, brackets=chosen == "amie")
    # No object per rule that the garbage collector would visit again and again.
    numbers: array[int] = array("i")
    bodies: list[tuple[int, ...]] = []
    dropped: dict[str, int] = {}
    outside: dict[str, int] = {}
    semantics: set[str] = set()
    for number, parsed in parsed_rules(place, chosen, outside):
        where = f"{path}:{number}"
        semantics.update([parsed.semantics] if parsed.semantics else [])
        if counts and (parsed.predictions is None or parsed.support is None):
            raise DataError(
                f"{where}: the rule has no counts; expected predictions, support, confidence "
                "and rule in four columns, or counting on a graph (statistics='graph')"
            )
        try:
            own, steps = translate(parsed)
        except (LookupError, ValueError) as error:
            _leave_out(error, where, kg, unusable, dropped)
        else:
            numbers.extend(own)
            bodies.append(steps)
    if len(semantics) > 1:
        listed = ", ".join(sorted(semantics))
        raise DataError(f"{path}: rules of different semantics ({listed}); expected one a file")
    rules, further, counted = _from_numbers(numbers, bodies, kg, dropped)
    # What of a file's counts a rule set has a place for.
    places = {one.name for one in fields(RuleSet)}
    known: dict[str, Any] = {**further._asdict(), "semantics": next(iter(semantics), None)}
    known = {key: value for key, value in known.items() if key in places and value is not None}
    return RuleFile(
        rules=replace(rules, dropped=dropped, **known),
        file_format=chosen,
        counted=counted,
        further=further,
        outside=outside,
        safe_ids=ids is not None,
    )


def names_of_file(path: str | Path, *, file_format: FileFormat | None = None) -> KnowledgeGraph:
    """Return a graph without triples over the names of a rule file, to read it with."""
    place = Path(path)
    entities: set[str] = set()
    relations: set[str] = set()
    for _, parsed in parsed_rules(place, file_format or format_of(place), {}):
        relations.update([parsed.head[0], *(name for name, _ in parsed.body)])
        entities.update(
            one for one in (parsed.head_constant, parsed.body_constant) if one is not None
        )
    ids = read_safe_ids(place)
    if ids is not None:
        entities = {ids.entities.get(one, one) for one in entities}
        relations = {ids.relations.get(one, one) for one in relations}
    return KnowledgeGraph.from_labels(
        {"train": []}, name=place.name, entities=entities, relations=relations
    )


def check_format(name: str) -> FileFormat:
    """Return a format by its name.

    Raises:
        ConfigError: there is no such format.
    """
    if name not in FILE_FORMATS:
        raise ConfigError(f"rule file format {name!r}; expected one of {', '.join(FILE_FORMATS)}")
    return name


def _leave_out(
    error: Exception, where: str, kg: KnowledgeGraph, unusable: Unusable, dropped: dict[str, int]
) -> None:
    """Refuse a rule that cannot be used, or count it among the dropped ones."""
    unknown = isinstance(error, LookupError)
    if unusable == "refuse":
        way = "read the rules with the graph they belong to" if unknown else "remove the rule"
        graph = f"; the graph is {kg.name!r}" if unknown else ""
        raise DataError(
            f"{where}: {error}{graph}; {way}, or drop such rules (unusable='drop', on the "
            "command line --drop-unusable)"
        ) from error
    reason = "rules with an unknown name" if unknown else "rules of a form that is not covered"
    dropped[reason] = dropped.get(reason, 0) + 1


def _from_numbers(
    numbers: array[int], bodies: list[tuple[int, ...]], kg: KnowledgeGraph, dropped: dict[str, int]
) -> tuple[RuleSet, FurtherCounts, BoolArray]:
    """Return the rules with the file's counts, further counts, and which rules have counts."""
    width = max([1, *map(len, bodies)])
    missing = (ABSENT,) * width
    body = np.array([(*steps, *missing[len(steps) :]) for steps in bodies], dtype=np.int32)
    body = body.reshape(-1, width)
    rows = np.array(numbers, dtype=np.int32).reshape(-1, len(NUMBERS) + len(COUNTS))
    first = _first_of_equals(np.concatenate([rows[:, :4], body], axis=1))
    if len(first) < len(rows):
        dropped["rules that stand twice"] = len(rows) - len(first)
        rows, body = rows[first], body[first]
    columns: dict[str, Any] = dict(zip(NUMBERS, rows.T[: len(NUMBERS)], strict=True))
    counted = (columns["support"] >= 0) & (columns["body_count"] >= 0)
    columns |= {name: np.where(counted, columns[name], 0) for name in ("support", "body_count")}
    rules = RuleSet(
        **columns,
        body=body,
        provenance=np.full(len(rows), IMPORTED, dtype=np.int32),
        n_relations=kg.n_relations,
        vocabulary=vocabulary_digest(kg),
    )
    return rules, FurtherCounts(*rows.T[len(NUMBERS) :]), counted


def _first_of_equals(keys: IntArray) -> IntArray:
    """Return the (m,) rows that equal no row before them, in order."""
    mixed = np.zeros(len(keys), dtype=np.uint64)
    for column in keys.T:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    if len(np.unique(mixed)) == len(keys):
        return np.arange(len(keys), dtype=np.int32)
    _, first = np.unique(keys, axis=0, return_index=True)
    return np.sort(first).astype(np.int32)
