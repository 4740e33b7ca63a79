"""Rules as JSON lines: one object a rule, with its atoms and every statistic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from hybridkg.rules.parse import Atom, ParsedRule, check_counts, classify, parse_rule, shown

#: Keys of a line that hold counts; null or absent where they are not known.
COUNTS = ("support", "predictions", "pca_body", "head_size")

#: What counts can mean: distinct variables take distinct entities, or any.
SEMANTICS = ("object identity", "homomorphism")

JsonTerm: TypeAlias = dict[str, str]


def json_rules(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, ParsedRule | ValueError]]:
    """Yield each rule with its line number, or what is wrong with the line."""
    atoms: dict[str, Atom] = {}
    for number, line in lines:
        try:
            yield number, _rule(line, atoms)
        except (ValueError, RecursionError) as error:
            yield number, ValueError(str(error))


def json_atom(atom: tuple[str, JsonTerm, JsonTerm]) -> dict[str, Any]:
    """Return an atom as a JSON object; a term is {"variable": X} or {"entity": name}."""
    relation, first, second = atom
    return {"relation": relation, "head": first, "tail": second}


def _rule(line: str, atoms: dict[str, Atom]) -> ParsedRule:
    document = json.loads(line)
    if not isinstance(document, dict):
        raise ValueError("the line is no JSON object")
    counts = {key: _count(document.get(key), key) for key in COUNTS}
    check_counts(counts["predictions"], counts["support"])
    by_text = by_atoms = None
    if isinstance(document.get("rule"), str):
        by_text = parse_rule(document["rule"], atoms)
    if "head" in document and "body" in document:
        if not isinstance(document["body"], list):
            raise ValueError("'body' is no list of atoms")
        body = tuple(_atom(one) for one in document["body"])
        by_atoms = classify(_atom(document["head"]), body, None, None)
    if by_text and by_atoms and by_text != by_atoms:
        raise ValueError("'rule' and the atoms in 'head' and 'body' are different rules")
    found = by_atoms or by_text
    if found is None:
        raise ValueError("expected the rule in 'rule', or its atoms in 'head' and 'body'")
    support, predictions, pca_body, head_size = (counts[key] for key in COUNTS)
    semantics = document.get("semantics")
    if semantics not in (None, *SEMANTICS):
        raise ValueError(f"semantics {semantics!r}, expected one of {', '.join(SEMANTICS)}")
    return found._replace(
        support=support,
        predictions=predictions,
        pca_body=pca_body,
        head_size=head_size,
        semantics=semantics,
    )


def _atom(value: object) -> Atom:
    if not isinstance(value, dict) or not isinstance(value.get("relation"), str):
        raise ValueError(
            f"atom {shown(json.dumps(value))}, expected an object with relation, head and tail"
        )
    return Atom(value["relation"], (_term(value.get("head")), _term(value.get("tail"))))


def _term(value: object) -> tuple[bool, str]:
    if isinstance(value, dict) and len(value) == 1:
        ((kind, name),) = value.items()
        if kind in ("variable", "entity") and isinstance(name, str):
            return kind == "variable", name
    raise ValueError(
        f'term {shown(json.dumps(value))}, expected {{"variable": X}} or {{"entity": name}}'
    )


def _count(value: object, key: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError(f"{key} {value!r}, expected a whole number below 2**31, or null")
    return value
