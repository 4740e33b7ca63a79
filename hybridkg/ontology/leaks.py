"""By which kind of axiom a held-out triple follows from the facts."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.ontology.proof_steps import Link, Step
from hybridkg.ontology.proofs import Proof, smallest_proof

LeakKind: TypeAlias = Literal[
    "symmetric", "inverse", "sub-relation", "transitive", "chain", "equality", "reflexive"
]
LEAK_KINDS: tuple[LeakKind, ...] = (
    "symmetric",
    "inverse",
    "sub-relation",
    "transitive",
    "chain",
    "equality",
    "reflexive",
)


def leak_kind(step: Step, normal: NormalForm) -> LeakKind:
    """Return the kind of leak from the last step of a link's proof.

    Args:
        step: it concludes a link between individuals that is not asserted.
        normal: the axioms.
    """
    if step.rule == "inv":
        return "symmetric" if step.piece[0] == step.piece[1] else "inverse"
    if step.rule == "sr":
        return "sub-relation"
    if step.rule == "chain":
        return "transitive" if len(set(step.piece)) == 1 else "chain"
    return "reflexive" if step.rule == "self" else "equality"


def short_proof(derivations: Derivations, link: Link) -> Proof:
    """Return a proof of a link with the fewest steps; quick where one step is enough.

    Args:
        derivations: of the closure.
        link: a link of the closure.
    """
    best: Step | None = None
    for step in derivations.steps(link, thin=True):
        if all(map(derivations.is_asserted, step.premises)) and (
            best is None or len(step.premises) < len(best.premises)
        ):
            best = step
    if best is not None:
        foot = dict.fromkeys(best.premises)
        return Proof((*(Step("asserted", premise, ()) for premise in foot), best))
    proof = smallest_proof(derivations, link)
    assert proof is not None, "a link of the closure has a proof"
    return proof
