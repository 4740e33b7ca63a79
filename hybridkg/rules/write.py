"""Rules to a file: the best confidence first, atomically, equal rules to equal bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.triples import distinct_triples
from hybridkg.rules.amie_files import HEADER, amie_text, quote_amie
from hybridkg.rules.json_files import JsonTerm, json_atom
from hybridkg.rules.rule_set import PROVENANCES, RULE_KINDS, RuleSet
from hybridkg.rules.safe_ids import entity_ids, refuse_stale_ids, relation_ids, write_safe_ids
from hybridkg.rules.spelling import (
    AMIE_VARIABLES,
    ANYBURL_VARIABLES,
    Names,
    anyburl_names,
    anyburl_texts,
    rule_atoms,
)
from hybridkg.rules.statistics import rule_statistics
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import IntArray

#: "anyburl": its lines; "amie": its table; "json": one object a line.
FileFormat: TypeAlias = Literal["anyburl", "amie", "json"]

#: Smoothed confidence without the factors of dangling and zero rules.
_PLAIN = RuleWeights(dangling=1, zero=1)

#: What a suffix asks for; every other one stands for AnyBURL's lines.
FORMAT_OF_SUFFIX: dict[str, FileFormat] = {
    ".json": "json", ".jsonl": "json", ".amie": "amie", ".tsv": "amie",
}  # fmt: skip


class FurtherCounts(NamedTuple):
    """Counts beside support and predictions; -1 where unknown."""

    #: (n,) predictions whose X has some value of the head relation.
    pca_body: IntArray
    #: (n,) training triples of the head relation.
    head_size: IntArray


class _Numbers(NamedTuple):
    """Plain numbers of the rules to write."""

    support: list[int]
    predictions: list[int]
    pca_body: list[int]
    head_size: list[int]


def format_for(path: str | Path) -> FileFormat:
    """Tell the format to write by the suffix: .json, .jsonl; .tsv, .amie; else AnyBURL's lines.

    Raises:
        DataError: the suffix is that of a packed file.
    """
    if Path(path).suffix.lower() in (".gz", ".xz", ".bz2"):
        raise DataError(
            f"{path}: packed rule files are read, but not written; expected a name without "
            f"{Path(path).suffix}; pack the file afterwards"
        )
    return FORMAT_OF_SUFFIX.get(Path(path).suffix.lower(), "anyburl")


def write_rules(
    rules: RuleSet,
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    file_format: FileFormat | None = None,
    safe_ids: bool = False,
    counts: FurtherCounts | None = None,
) -> None:
    """Write rules, the best confidence first, atomically.

    The confidence column of AnyBURL's lines is support / predictions.

    Args:
        rules: any rules over the graph's vocabularies.
        path: the file to write.
        kg: gives the names; AMIE's table and JSON lines also take PCA body and head size from it.
        file_format: "anyburl", "amie" or "json"; by the suffix of the path where None.
        safe_ids: write e0 and r0 in place of names, and the map beside the file.
        counts: PCA bodies and head sizes, in the order of ``rules``; counted on the training
            triples where None.

    Raises:
        ConfigError: the rules belong to other vocabularies than the graph's, or names would be
            written beside an id map.
    """
    rules.check_graph(kg)
    chosen = file_format or format_for(path)
    if counts is None and chosen != "anyburl":
        counts = further_counts(rules, kg)
    ordered = rules.best_first()
    # No column that orders rules: it carries each rule's row along.
    rows = replace(rules, provenance=np.arange(len(rules), dtype=np.int32)).best_first().provenance
    lines = {"anyburl": _anyburl_lines, "amie": _amie_lines, "json": _json_lines}
    if chosen not in lines:
        raise ConfigError(f"rule file format {chosen!r}; expected one of {', '.join(lines)}")
    if not safe_ids:
        refuse_stale_ids(path)
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        stream.writelines(lines[chosen](ordered, kg, safe_ids, _numbers(ordered, counts, rows)))
        if safe_ids:
            write_safe_ids(kg, path)


def head_sizes(rules: RuleSet, kg: KnowledgeGraph) -> IntArray:
    """(n,) distinct training triples of each rule's head relation."""
    if (rules.head_size >= 0).all():
        return rules.head_size
    relations = distinct_triples(kg.train)[:, 1]
    per_relation = np.bincount(relations, minlength=max(kg.n_relations, 1))
    return per_relation[rules.head % max(kg.n_relations, 1)].astype(np.int32)


def further_counts(rules: RuleSet, kg: KnowledgeGraph) -> FurtherCounts:
    """Return PCA bodies and head sizes, counted where the rules do not hold them."""
    pca = rules.pca_body
    if (pca < 0).any():
        pca = rule_statistics(rules, kg).pca_body.astype(np.int32)
    return FurtherCounts(pca, head_sizes(rules, kg))


def _numbers(rules: RuleSet, counts: FurtherCounts | None, rows: IntArray) -> _Numbers:
    further = [one[rows].tolist() for one in counts] if counts else [[], []]
    return _Numbers(rules.support.tolist(), rules.body_count.tolist(), *further)


def _anyburl_lines(
    rules: RuleSet, kg: KnowledgeGraph, safe_ids: bool, numbers: _Numbers
) -> Iterator[str]:
    safe = Names(entity_ids(kg), relation_ids(kg), ANYBURL_VARIABLES)
    texts = anyburl_texts(rules, safe if safe_ids else anyburl_names(kg))
    for text, support, predictions in zip(texts, numbers.support, numbers.predictions, strict=True):
        yield f"{predictions}\t{support}\t{_share(support, predictions)!r}\t{text}\n"


def _amie_lines(
    rules: RuleSet, kg: KnowledgeGraph, safe_ids: bool, numbers: _Numbers
) -> Iterator[str]:
    names = Names(
        entity_ids(kg) if safe_ids else [quote_amie(label) for label in kg.entities.labels],
        relation_ids(kg) if safe_ids else [quote_amie(label) for label in kg.relations.labels],
        AMIE_VARIABLES,
    )
    yield "\t".join(HEADER) + "\n"
    atoms = rule_atoms(rules, names)
    for (head, body), *own in zip(atoms, *numbers, strict=True):
        support, predictions, pca_body, head_size = own
        cells = (
            amie_text(head, body), _known_share(support, head_size), _share(support, predictions),
            _known_share(support, pca_body), support, predictions, pca_body, AMIE_VARIABLES[0],
        )  # fmt: skip
        yield "\t".join(map(str, cells)) + "\n"


def _json_lines(
    rules: RuleSet, kg: KnowledgeGraph, safe_ids: bool, numbers: _Numbers
) -> Iterator[str]:
    entities: Sequence[str] = entity_ids(kg) if safe_ids else kg.entities.labels
    relations: Sequence[str] = relation_ids(kg) if safe_ids else kg.relations.labels
    terms = [{"entity": label} for label in entities]
    variables = [{"variable": letter} for letter in ANYBURL_VARIABLES]
    names: Names[JsonTerm] = Names(terms, relations, variables)
    spelled = Names(entities, relations, ANYBURL_VARIABLES) if safe_ids else anyburl_names(kg)
    rows = zip(
        anyburl_texts(rules, spelled), rule_atoms(rules, names, tail_variable=True),
        rules.kind.tolist(), rules.provenance.tolist(), repeat(rules.semantics, len(rules)),
        rules.confidence(_PLAIN).tolist(), *numbers,
        strict=True,
    )  # fmt: skip
    for text, (head, body), kind, provenance, semantics, smoothed, *own in rows:
        support, predictions, pca_body, head_size = own
        document: dict[str, Any] = {
            "rule": text,
            "kind": RULE_KINDS[kind],
            "head": json_atom(head),
            "body": [json_atom(atom) for atom in body],
            "support": support,
            "predictions": predictions,
            "confidence": _share(support, predictions),
            "smoothed_confidence": smoothed,
            "pca_body": None if pca_body < 0 else pca_body,
            "pca_confidence": None if pca_body < 0 else _share(support, pca_body),
            "head_size": None if head_size < 0 else head_size,
            "head_coverage": None if head_size < 0 else _share(support, head_size),
            "provenance": PROVENANCES[provenance],
            "semantics": semantics,
        }
        yield json.dumps(document, ensure_ascii=False) + "\n"


def _known_share(part: int, whole: int) -> float | str:
    return "" if whole < 0 else _share(part, whole)


def _share(part: int, whole: int) -> float:
    return part / whole if whole > 0 else 0.0
