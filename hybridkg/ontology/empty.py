"""Classes that can have no member and relations that can relate nothing, each with one reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.matrix_engine import saturate
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.proof_steps import Clash
from hybridkg.ontology.proofs import smallest_proof
from hybridkg.ontology.wording import Wording
from hybridkg.types import IntArray

#: Names that are worked out with a reason; the others are only counted.
MAX_REASONS = 100


@dataclass(frozen=True, slots=True)
class Empty:
    """A class or relation that the axioms leave without any member."""

    name: str
    #: axioms that make it so; empty where so many are empty that reasons were left out.
    axioms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmptyNames:
    """What can have no member, sorted by name."""

    classes: tuple[Empty, ...]
    relations: tuple[Empty, ...]
    #: classes that were looked at, and named classes altogether.
    n_checked: int
    n_classes: int


def find_empty(base: KnowledgeBase) -> EmptyNames:
    """Find the empty classes and relations; facts and types play no part.

    Of a very large ontology only the classes are looked at that can have a member.
    """
    normal, looked_at = base.normal, set(base.stand_ins)
    checked = [cls for cls in range(BOTTOM + 1, normal.n_named) if cls in looked_at]
    n_individuals, n_roles = normal.n_individuals, normal.n_named_roles
    can_clash = (normal.dsj, normal.irr, normal.asym, normal.djr, normal.neg, normal.dif)
    if not any(can_clash) and not _mentions_bottom(base):
        return EmptyNames((), (), len(checked), normal.n_named - BOTTOM - 1)
    # Two new individuals for each relation: whatever clashes there, clashes everywhere.
    fresh = {
        role: np.array([[n_individuals + 2 * role, n_individuals + 2 * role + 1]], dtype=np.int32)
        for role in range(n_roles)
    }
    nothing: IntArray = np.zeros((0, 2), dtype=np.int32)
    closed = saturate(normal, n_individuals + 2 * n_roles, nothing, fresh, stand_ins=base.stand_ins)
    facts = np.array(
        [(pairs[0, 0], role, pairs[0, 1]) for role, pairs in fresh.items()], dtype=np.int32
    ).reshape(-1, 3)
    steps = Derivations(normal, closed, nothing, facts)
    fresh_names = tuple(
        f"the {end} of {normal.roles[role]}" for role in range(n_roles) for end in ("head", "tail")
    )
    grown = replace(normal, individuals=(*normal.individuals, *fresh_names))
    words = Wording(replace(base, normal=grown), closed.nodes)

    def reason(node: int, place: int) -> tuple[str, ...]:
        if place >= MAX_REASONS:
            return ()
        proof = smallest_proof(steps, Clash(node))
        assert proof is not None, "a marked clash has a proof"
        numbers = {axiom for step in proof.steps for axiom in step.axioms}
        return tuple(sorted({words.leaf(number) for number in numbers}))

    bottom = closed.members.row(BOTTOM)
    empty_classes = [
        (normal.classes[cls], node)
        for cls in checked
        if (node := closed.nodes.class_node(cls)) is not None and bottom[node]
    ]
    empty_roles = [
        (normal.roles[role], int(node))
        for role, pairs in fresh.items()
        for node in pairs[0][bottom[pairs[0]]][:1]
    ]
    return EmptyNames(
        tuple(Empty(name, reason(node, n)) for n, (name, node) in enumerate(empty_classes)),
        tuple(Empty(name, reason(node, n)) for n, (name, node) in enumerate(empty_roles)),
        len(checked),
        normal.n_named - BOTTOM - 1,
    )


def _mentions_bottom(base: KnowledgeBase) -> bool:
    normal = base.normal
    # The class that a piece gives stands before its axiom, the filler of a witness as well.
    pieces = (*normal.sc, *normal.conj, *normal.exr, *normal.exl, *normal.dom, *normal.rng)
    return any(piece[-2] == BOTTOM for piece in pieces)
