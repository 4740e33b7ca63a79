"""Explain one statement by proof or, where there is none, by the rules that propose it."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from hybridkg.analysis.closure_study import ClosureStudy
from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology.explanation import MAX_SETS, Explanation, explain
from hybridkg.ontology.proof_steps import Link


def explain_statement(
    study: ClosureStudy,
    triple: LabelTriple,
    *,
    every: bool = False,
    limit: int = MAX_SETS,
    rules: str | Path | None = None,
) -> Explanation:
    """Explain a triple, a class membership, or the question for a witness.

    Args:
        study: a closure with what it was made from.
        triple: as for :func:`hybridkg.ontology.explanation.explain`.
        every: list all minimal justifications.
        limit: justifications that are listed.
        rules: file of rules to ask where no proof exists.

    Raises:
        UnknownNameError: a name is unknown.
        DataError: the file of rules cannot be read.
    """
    closure = study.closure
    found = explain(closure, study.names, study.premises.sources, triple, every=every, limit=limit)
    head, _, tail = triple
    aside = closure.set_aside
    ends = {study.names.find("entity", head), study.names.find("entity", tail)}
    left_out = [" ".join(one) for one in aside.triples if ends & {one[0], one[2]}]
    left_out += [" type ".join(one) for one in aside.types if one[0] in ends]
    if left_out:
        said = f"left out of the reasoning, since they contradict the axioms: {'; '.join(left_out)}"
        found = replace(found, notes=(*found.notes, said))
    if rules is not None and found.verdict in ("undetermined", "inconsistent"):
        found = replace(found, rules=_evidence(study, triple, rules))
    return found


def _evidence(
    study: ClosureStudy, triple: LabelTriple, path: str | Path
) -> tuple[dict[str, Any], ...]:
    from hybridkg.rules.evidence import explain_triple
    from hybridkg.rules.files import read_rules

    kg = study.closure.kg
    rules = read_rules(path, kg)
    fact = study.names.fact(*triple)
    relation_of = {role: r for r, role in enumerate(study.closure.base.role_of.tolist())}
    if not isinstance(fact, Link) or fact.role not in relation_of:
        return ()
    found = explain_triple(rules, kg, (fact.source, relation_of[fact.role], fact.target))
    return tuple(asdict(one) for one in found)
