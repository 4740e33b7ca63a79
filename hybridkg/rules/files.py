"""Rule files: AnyBURL lines, with quoting for names that its format cannot carry.

``predictions TAB support TAB confidence TAB head <= body``, or the rule alone;
``rules/README.md`` of the source tree describes the format.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.names import quote
from hybridkg.rules.parse import Atom, ParsedRule, parse_rule
from hybridkg.rules.rule_set import (
    ABSENT,
    CLOSED,
    CONSTANT,
    IMPORTED,
    RULE_KINDS,
    ZERO,
    RuleSet,
    vocabulary_digest,
)
from hybridkg.rules.statistics import with_statistics

#: "graph": count on the training triples; "file": believe the file's counts.
StatisticsFrom: TypeAlias = Literal["graph", "file"]

#: Columns that have one number per rule.
_NUMBERS = ("kind", "head", "head_constant", "body_constant", "support", "body_count")


def read_rules(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    statistics: StatisticsFrom = "graph",
    unusable: Literal["refuse", "drop"] = "refuse",
) -> RuleSet:
    """Read rules over the vocabularies of a graph.

    Counts in files of other tools may be samples or doubled, so they are
    counted anew unless asked otherwise; the file's confidence is never used.

    Args:
        path: UTF-8 text; blank lines and lines that start with ``#`` are skipped.
        kg: gives meaning to the names, and the triples to count on.
        statistics: where the counts come from.
        unusable: what to do with a well-formed rule that names an unknown entity or
            relation, or whose form is not covered; "drop" counts them in ``dropped``.

    Raises:
        DataError: a line is malformed or, under "refuse", not usable; the message
            names file and line.
    """
    # No object per rule that the garbage collector would visit again and again.
    numbers: array[int] = array("i")
    bodies: list[tuple[int, ...]] = []
    dropped: dict[str, int] = {}
    atoms: dict[str, Atom] = {}
    for number, line in _lines(Path(path)):
        where = f"{path}:{number}"
        parsed = _parsed(line, where, atoms)
        if parsed.predictions is None and statistics == "file":
            raise DataError(
                f"{where}: the rule has no counts; expected predictions, support, confidence "
                "and rule in four columns, or counting on the graph (statistics='graph')"
            )
        try:
            own, body = _to_ids(parsed, kg)
        except LookupError as error:
            if unusable == "refuse":
                raise DataError(
                    f"{where}: {error}; the graph is {kg.name!r}. Read the rules with the graph "
                    "they belong to, or drop such rules (unusable='drop')"
                ) from error
            dropped["rules with an unknown name"] = dropped.get("rules with an unknown name", 0) + 1
        except ValueError as error:
            if unusable == "refuse":
                raise DataError(
                    f"{where}: {error}; remove the rule, or drop such rules (unusable='drop')"
                ) from error
            reason = "rules of a form that is not covered"
            dropped[reason] = dropped.get(reason, 0) + 1
        else:
            numbers.extend(own)
            bodies.append(body)
    rules = replace(_from_numbers(numbers, bodies, kg), dropped=dropped)
    return with_statistics(rules, kg) if statistics == "graph" else rules


def write_rules(rules: RuleSet, path: str | Path, kg: KnowledgeGraph) -> None:
    """Write rules as AnyBURL lines, the best confidence first, atomically.

    The confidence column is support / predictions.

    Raises:
        ConfigError: the rules belong to other vocabularies than the graph's.
    """
    rules.check_graph(kg)
    ordered = rules.best_first()
    counts = zip(ordered.body_count.tolist(), ordered.support.tolist(), strict=True)
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        for text, (predictions, support) in zip(rule_texts(ordered, kg), counts, strict=True):
            confidence = support / predictions if predictions else 0.0
            stream.write(f"{predictions}\t{support}\t{confidence!r}\t{text}\n")


def rule_texts(rules: RuleSet, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield each rule as AnyBURL writes it, without counts."""
    entities = [quote(label) for label in kg.entities.labels]
    relations = [quote(label, relation=True) for label in kg.relations.labels]
    columns = zip(
        rules.kind.tolist(), rules.head.tolist(), rules.body.tolist(),
        rules.head_constant.tolist(), rules.body_constant.tolist(), strict=True,
    )  # fmt: skip

    def atom(relation: int, one: str, other: str) -> str:
        if relation < len(relations):
            return f"{relations[relation]}({one},{other})"
        return f"{relations[relation - len(relations)]}({other},{one})"

    for kind, head, body, head_constant, body_constant in columns:
        if kind == CLOSED:
            steps = [relation for relation in body if relation != ABSENT]
            variables = ["X", *_between(len(steps) - 1), "Y"]
            atoms = [atom(step, *variables[at : at + 2]) for at, step in enumerate(steps)]
            yield f"{atom(head, 'X', 'Y')} <= {', '.join(atoms)}"
            continue
        # AnyBURL calls the variable Y where it stands in the tail of the head atom.
        variable = "X" if head < len(relations) else "Y"
        text = f"{atom(head, variable, entities[head_constant])} <= "
        if kind != ZERO:
            end = entities[body_constant] if kind == CONSTANT else "A"
            text += atom(body[0], variable, end)
        yield text


def _between(count: int) -> list[str]:
    if count > 23:
        raise DataError(f"a closed rule with {count + 1} body atoms; at most 24 can be written")
    return [chr(ord("A") + number) for number in range(count)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                text = line.rstrip("\r\n")
                if text.strip() and not text.startswith("#"):
                    yield number, text
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text; {error}") from error


def _parsed(line: str, where: str, atoms: dict[str, Atom]) -> ParsedRule:
    try:
        return parse_rule(line, atoms)
    except ValueError as error:
        raise DataError(
            f"{where}: {error}; the line is {line[:200]!r}, expected 'predictions TAB support "
            "TAB confidence TAB head(X,Y) <= body(X,A), body(A,Y)' or the rule alone"
        ) from error


def _to_ids(parsed: ParsedRule, kg: KnowledgeGraph) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Translate a rule; names that are not known raise UnknownNameError.

    Returns:
        The numbers in the order of ``_NUMBERS``, and the directed body relations.
    """
    if parsed.refused:
        raise ValueError(parsed.refused)
    relation_of, entity_of, shift = kg.relations.id_of, kg.entities.id_of, kg.n_relations
    numbers = (
        RULE_KINDS.index(parsed.kind),
        relation_of(parsed.head[0]) + shift * parsed.head[1],
        ABSENT if parsed.head_constant is None else entity_of(parsed.head_constant),
        ABSENT if parsed.body_constant is None else entity_of(parsed.body_constant),
        parsed.support or 0,
        parsed.predictions or 0,
    )
    return numbers, tuple([relation_of(name) + shift * turned for name, turned in parsed.body])


def _from_numbers(
    numbers: array[int], bodies: list[tuple[int, ...]], kg: KnowledgeGraph
) -> RuleSet:
    width = max([1, *map(len, bodies)])
    missing = (ABSENT,) * width
    body = np.array([(*steps, *missing[len(steps) :]) for steps in bodies], dtype=np.int32)
    rows = np.array(numbers, dtype=np.int32).reshape(-1, len(_NUMBERS))
    columns: dict[str, Any] = dict(zip(_NUMBERS, rows.T, strict=True))
    return RuleSet(
        **columns,
        body=body.reshape(-1, width),
        provenance=np.full(len(bodies), IMPORTED, dtype=np.int32),
        n_relations=kg.n_relations,
        vocabulary=vocabulary_digest(kg),
    )
