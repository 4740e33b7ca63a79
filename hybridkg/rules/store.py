"""Rule sets on disk in columns: as exact as in memory, and read without parsing a line.

A file holds two arrays in NumPy's own format, and the SHA-256 of all bytes
before it. The first array is (9 + width, rules) int32: the columns in the
order of ``_COLUMNS``, then those of the body; ``numpy.load`` shows it. The
second is a JSON document in bytes: the digest of the vocabularies that the ids
belong to, the semantics, and what was left out of the set. Nothing in it can run code, and
equal sets give equal bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.rule_set import (
    ABSENT,
    CLOSED,
    CONSTANT,
    LOOP_CONSTANT,
    LOOP_DANGLING,
    PROVENANCES,
    RULE_KINDS,
    SEMANTICS,
    UNKNOWN,
    ZERO,
    RuleSet,
    vocabulary_digest,
)
from hybridkg.types import AnyArray, BoolArray, IntArray

FORMAT = "hybridkg-rules-2"
#: Formats of earlier versions: their rules have no PCA body and no head size.
_EARLIER = ("hybridkg-rules-1",)

_COLUMNS = (
    "kind",
    "head",
    "head_constant",
    "body_constant",
    "support",
    "body_count",
    "provenance",
    "pca_body",
    "head_size",
)
_SEAL_BYTES = hashlib.sha256().digest_size


def save_rule_set(rules: RuleSet, path: str | Path) -> None:
    """Write a rule set, atomically; equal sets give equal bytes.

    Args:
        rules: any order; it is kept.
        path: the file to write, by custom ``*.npy``.
    """
    columns = np.vstack([*(getattr(rules, name) for name in _COLUMNS), rules.body.T])
    facts = {
        "dropped": dict(rules.dropped),
        "format": FORMAT,
        "semantics": rules.semantics,
        "vocabulary": rules.vocabulary,
    }
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()
    content = io.BytesIO()
    np.save(content, columns.astype("<i4"), allow_pickle=False)
    np.save(content, np.frombuffer(text, dtype=np.uint8), allow_pickle=False)
    content.write(hashlib.sha256(content.getbuffer()).digest())
    with atomic_path(path) as temporary:
        temporary.write_bytes(content.getbuffer())


def load_rule_set(path: str | Path, kg: KnowledgeGraph) -> RuleSet:
    """Read a rule set over the vocabularies of a graph, as it was written.

    Every value is checked; a rule set that was loaded can be applied.

    Args:
        path: written by :func:`save_rule_set`.
        kg: a graph with the entities and relations of the rules.

    Raises:
        DataError: the file is missing, damaged or no rule set, belongs to other
            vocabularies, or holds what is no rule of the graph.
    """
    columns, facts = _read_arrays(Path(path))
    if facts.get("vocabulary") != vocabulary_digest(kg):
        raise DataError(
            f"{path}: the rules belong to other entities or relations than graph {kg.name!r}; "
            "use the graph that they were mined on, or mine them again"
        )
    rules = RuleSet(
        **dict(zip(_COLUMNS, columns, strict=False)),
        body=columns[len(_COLUMNS) :].T,
        n_relations=kg.n_relations,
        vocabulary=facts["vocabulary"],
        dropped=facts.get("dropped", {}),
        semantics=facts["semantics"],
    )
    _check_values(rules, kg, path)
    return rules


def _read_arrays(path: Path) -> tuple[IntArray, dict[str, Any]]:
    """Read the columns and the facts; the seal is checked before anything is interpreted."""
    try:
        content = memoryview(path.read_bytes())
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    sealed, seal = content[:-_SEAL_BYTES], content[-_SEAL_BYTES:]
    if hashlib.sha256(sealed).digest() != seal:
        raise DataError(
            f"{path}: {len(content)} bytes that do not end with their own SHA-256, so the file is "
            "damaged or no stored rule set; write it again"
        )
    stream = io.BytesIO(sealed)
    try:
        columns, text = (np.lib.format.read_array(stream, allow_pickle=False) for _ in range(2))
        facts = json.loads(text.tobytes())
    except ValueError as error:
        raise DataError(f"{path}: expected a stored rule set; {error}") from error
    found = facts.get("format") if isinstance(facts, dict) else facts
    if found in _EARLIER:
        raise DataError(
            f"{path}: format {found!r} of an earlier version, which has no PCA body and no head "
            f"size; expected {FORMAT!r}. Mine the rules again and write the file again"
        )
    if found != FORMAT:
        raise DataError(f"{path}: format {found!r}, expected {FORMAT!r}; write the file again")
    if columns.dtype != np.int32 or columns.ndim != 2 or len(columns) < len(_COLUMNS):
        raise DataError(
            f"{path}: an array {columns.shape} of {columns.dtype}, expected int32 with a row for "
            f"each of {', '.join(_COLUMNS)} and for each body atom; write the file again"
        )
    if facts.get("semantics") not in SEMANTICS:
        raise DataError(
            f"{path}: semantics {facts.get('semantics')!r}, expected one of "
            f"{', '.join(SEMANTICS)}; write the file again"
        )
    return columns, facts


def _check_values(rules: RuleSet, kg: KnowledgeGraph, path: str | Path) -> None:
    """Refuse the first rule that the graph's vocabularies or the rule's kind do not allow."""
    loop = np.isin(rules.kind, (LOOP_CONSTANT, LOOP_DANGLING))
    # Kinds whose head holds two variables.
    bare = (rules.kind == CLOSED) | loop
    constant = np.isin(rules.kind, (CONSTANT, LOOP_CONSTANT))
    n_relations, entity = kg.n_relations, f"an entity below {kg.n_entities}"

    def is_entity(column: IntArray) -> BoolArray:
        return _within(column, kg.n_entities)

    checks: tuple[tuple[str, AnyArray, str], ...] = (
        ("kind", _within(rules.kind, len(RULE_KINDS)), f"a code below {len(RULE_KINDS)}"),
        (
            "head",
            _within(rules.head, np.where(bare, n_relations, 2 * n_relations)),
            f"below {n_relations} for closed and loop rules, below {2 * n_relations} for others",
        ),
        ("body", _is_body(rules), f"as many relations below {2 * n_relations} as the kind has"),
        (
            "head_constant",
            np.where(bare, rules.head_constant == ABSENT, is_entity(rules.head_constant)),
            f"{entity}, {ABSENT} for closed and loop rules",
        ),
        (
            "body_constant",
            np.where(constant, is_entity(rules.body_constant), rules.body_constant == ABSENT),
            f"{entity} for constant and loop_constant rules, {ABSENT} for others",
        ),
        ("body_count", rules.body_count >= 0, "at least 0"),
        ("support", (rules.support >= 0) & (rules.support <= rules.body_count), "0 to body_count"),
        ("provenance", _within(rules.provenance, len(PROVENANCES)), f"below {len(PROVENANCES)}"),
        (
            "pca_body",
            (rules.pca_body == UNKNOWN)
            | ((rules.pca_body >= rules.support) & (rules.pca_body <= rules.body_count)),
            f"support to body_count, or {UNKNOWN} where it is not known",
        ),
        (
            "head_size",
            (rules.head_size == UNKNOWN) | (rules.head_size >= rules.support),
            f"at least the support, or {UNKNOWN} where it is not known",
        ),
    )
    for name, allowed, expected in checks:
        if not allowed.all():
            row = int(np.argmin(allowed))
            raise DataError(
                f"{path}: {name} {getattr(rules, name)[row].tolist()!r} in rule {row} of kind "
                f"{int(rules.kind[row])}; expected {expected}. Write the file again"
            )


def _within(column: IntArray, limit: AnyArray | int) -> BoolArray:
    return np.asarray((column >= 0) & (column < limit), dtype=np.bool_)


def _is_body(rules: RuleSet) -> BoolArray:
    """(n,) whether the atoms stand first, are directed relations, and as many as the kind has."""
    lengths = rules.lengths()
    inside = np.arange(rules.body.shape[1]) < lengths[:, None]
    # An atom further behind leaves a gap among the first ones.
    shaped = ~inside | _within(rules.body, 2 * rules.n_relations)
    fitting = np.where(rules.kind == ZERO, lengths == 0, lengths == 1)
    return np.asarray(
        shaped.all(axis=1) & np.where(rules.kind == CLOSED, lengths >= 1, fitting), dtype=np.bool_
    )
