"""The deductive closure of a graph under an ontology, and the questions one asks of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import UnknownNameError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.ontology.consistency import (
    SetAside,
    require_consistent,
    set_aside_culprits,
    steps_of,
)
from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.document import Ontology, UnusedAxiom
from hybridkg.ontology.justifications import justify
from hybridkg.ontology.knowledge_base import KnowledgeBase, assemble
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.matrix_engine import MAX_PAIRS, Announce
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.normalise import Profile
from hybridkg.ontology.proof_checker import check_proof
from hybridkg.ontology.proof_steps import Fact, Link, Member
from hybridkg.ontology.proofs import Proof, smallest_proof
from hybridkg.ontology.saturation import Members, Saturation
from hybridkg.ontology.what_if import WhatIf
from hybridkg.ontology.witnesses import Witness, all_witnesses, find_witness
from hybridkg.ontology.wording import Wording
from hybridkg.types import IntArray

ClosureVerdict: TypeAlias = Literal["asserted", "entailed", "inconsistent", "undetermined"]
CLOSURE_VERDICTS: tuple[ClosureVerdict, ...] = (
    "asserted",
    "entailed",
    "inconsistent",
    "undetermined",
)


@dataclass(frozen=True, eq=False)
class Closure:
    """All that follows from a split's triples, the asserted types and the axioms."""

    base: KnowledgeBase
    saturation: Saturation
    #: what was left out to make the knowledge base consistent.
    set_aside: SetAside = field(default_factory=SetAside)

    @property
    def kg(self) -> KnowledgeGraph:
        """The graph."""
        return self.base.kg

    @property
    def unused(self) -> tuple[UnusedAxiom, ...]:
        """Axioms that were not used, wholly or in part, each with the reason."""
        return self.base.normal.unused

    @property
    def complete(self) -> bool:
        """False where some axiom was not used, so that more may follow."""
        return not self.unused

    @cached_property
    def derivations(self) -> Derivations:
        """Single steps behind the facts of the closure."""
        return steps_of(self.base, self.saturation)

    @cached_property
    def wording(self) -> Wording:
        """Words for ids."""
        return Wording(self.base, self.saturation.nodes)

    @cached_property
    def what_if(self) -> WhatIf:
        """Tries single facts out."""
        return WhatIf(self.derivations)

    @cached_property
    def relations(self) -> Vocabulary:
        """Relations of the graph and of the ontology."""
        normal = self.base.normal
        return Vocabulary(normal.roles[: normal.n_named_roles], kind="relation")

    @cached_property
    def known_members(self) -> Members:
        """Types that are asserted or follow from asserted types."""
        return self.base.saturate_types().members

    @property
    def members(self) -> Members:
        """Types that are entailed, through facts as well."""
        return self.saturation.members

    def role_pairs(self, relation: str) -> IntArray:
        """Return the (k, 2) entity ids that a relation relates, asserted ones included.

        Raises:
            UnknownNameError: neither graph nor ontology has the relation.
        """
        role = self.relations.id_of(relation)
        return self.saturation.named_pairs(role).astype(np.int32)

    def facts(self, *, new_only: bool = True) -> list[LabelTriple]:
        """Return the entailed triples between named individuals, sorted.

        Args:
            new_only: leave out the asserted ones.
        """
        names, found = self.base.individuals, []
        asserted = set(map(tuple, self.base.facts.tolist())) if new_only else set()
        for role, relation in enumerate(self.relations):
            for h, t in self.saturation.named_pairs(role).tolist():
                if (h, role, t) not in asserted:
                    found.append((names[h], relation, names[t]))
        return sorted(found)

    def n_facts(self) -> int:
        """Return the number of entailed triples, asserted ones included."""
        return sum(len(self.saturation.named_pairs(role)) for role in range(len(self.relations)))

    def types(self, *, new_only: bool = True) -> list[tuple[str, str]]:
        """Return the entailed (entity, class) pairs of named classes, sorted.

        Args:
            new_only: leave out the asserted ones.
        """
        normal, names = self.base.normal, self.base.individuals
        asserted = set(map(tuple, self.base.types.tolist())) if new_only else set()
        return sorted(
            (names[e], normal.classes[cls])
            for cls in self.members.occupied()
            if BOTTOM < cls < normal.n_named
            for e in np.flatnonzero(self.members.row(cls)[: len(names)]).tolist()
            if (e, cls) not in asserted
        )

    def subsumptions(self) -> list[tuple[str, str]]:
        """Return the entailed (class, superclass) pairs of named classes, trivial ones left out."""
        normal, nodes = self.base.normal, self.saturation.nodes
        found = []
        for sub in range(2, normal.n_named):
            node = nodes.class_node(sub)
            found += [
                (normal.classes[sub], normal.classes[sup])
                for sup in (self.members.classes_of(node) if node is not None else ())
                if BOTTOM < sup < normal.n_named and sup != sub
            ]
        return sorted(found)

    def unsatisfiable_classes(self) -> tuple[str, ...]:
        """Return the named classes that can have no member, sorted."""
        normal, nodes = self.base.normal, self.saturation.nodes
        return tuple(
            normal.classes[cls]
            for cls in range(2, normal.n_named)
            if (node := nodes.class_node(cls)) is not None and self.members.has(BOTTOM, node)
        )

    def verdicts(self, triples: IntArray) -> list[ClosureVerdict]:
        """Judge (n, 3) triples of the graph's ids, each by itself."""
        return [
            self._verdict(Link(int(self.base.role_of[r]), h, t)) for h, r, t in triples.tolist()
        ]

    def verdict(self, triple: LabelTriple) -> ClosureVerdict:
        """Judge one labelled triple; its relation may be the ontology's only.

        Raises:
            UnknownNameError: an entity or relation that neither has.
        """
        return self._verdict(self.link(*triple))

    def _verdict(self, link: Link) -> ClosureVerdict:
        if self.derivations.is_asserted(link):
            return "asserted"
        if self.derivations.holds(link):
            return "entailed"
        clash = self.what_if.assume([link]).clash
        return "undetermined" if clash is None else "inconsistent"

    def link(self, head: str, relation: str, tail: str) -> Link:
        """Return a labelled triple as a fact of the closure's ids.

        Raises:
            UnknownNameError: an entity or relation is unknown.
        """
        entities = self.kg.entities
        return Link(self.relations.id_of(relation), entities.id_of(head), entities.id_of(tail))

    def membership(self, entity: str, cls: str) -> Member:
        """Return a class membership as a fact of the closure's ids.

        Raises:
            UnknownNameError: the entity or class is unknown.
        """
        number = self.base.normal.class_ids.get(cls)
        if number is None:
            raise UnknownNameError("class", cls, self.base.normal.class_ids)
        return Member(self.kg.entities.id_of(entity), number)

    def prove(self, fact: Fact) -> Proof | None:
        """Return a checked proof of a fact, or None where it does not follow."""
        if not self.derivations.holds(fact):
            return None
        proof = smallest_proof(self.derivations, fact)
        assert proof is not None, "a fact of the closure has a proof"
        return self.checked(proof)

    def checked(self, proof: Proof) -> Proof:
        """Return a proof that the independent checker accepts.

        Raises:
            OntologyError: it does not.
        """
        check_proof(proof, self.base.normal, self.saturation.nodes, self.derivations.is_asserted)
        return proof

    def prove_clash(self, fact: Fact) -> Proof | None:
        """Return a checked proof that a fact would contradict the rest, None where it would not."""
        consequences = self.what_if.assume([fact])
        if consequences.clash is None:
            return None
        proof = self.what_if.clash_proof(consequences)
        asserted = self.derivations.is_asserted
        check_proof(
            proof,
            self.base.normal,
            self.saturation.nodes,
            lambda one: one == fact or asserted(one),
        )
        return proof

    def justifications(self, fact: Fact, *, limit: int = 10_000) -> list[tuple[str, ...]]:
        """Return the minimal sets of asserted statements behind a fact, as sentences."""
        sets = justify(self.derivations, fact, limit=limit).sets
        # Pieces of one axiom under two numbers give the same words.
        return list(dict.fromkeys(map(self.wording.leaves, sets)))

    def witnesses(self, entity: str) -> tuple[Witness, ...]:
        """Report every existential that follows for an entity from an axiom.

        Raises:
            UnknownNameError: the entity is unknown.
        """
        return all_witnesses(self.base, self.derivations, self.kg.entities.id_of(entity))

    def witness(self, entity: str, relation: str, cls: str) -> Witness:
        """Report who bears out "entity relation some class".

        Raises:
            UnknownNameError: a name is unknown.
        """
        member = self.membership(entity, cls)
        role = self.relations.id_of(relation)
        return find_witness(self.base, self.derivations, member.node, role, member.cls)


def close(
    kg: KnowledgeGraph,
    ontology: Joined | Ontology,
    *,
    split: str = "train",
    profile: Profile = "el+",
    unique_names: bool = False,
    set_aside: bool = False,
    max_pairs: int = MAX_PAIRS,
    announce: Announce | None = None,
) -> Closure:
    """Close a split's triples and the asserted types under an ontology.

    Args:
        kg: the graph.
        ontology: spelled in the graph's labels.
        split: the split whose triples are facts.
        profile: "el+", or "el" without inverse, symmetric and other axioms beyond EL.
        unique_names: two names never mean one individual; what is functional can clash then.
        set_aside: leave out the facts of all minimal culprit sets instead of refusing
            data that contradict themselves; see ``Closure.set_aside``.
        max_pairs: pairs that the closure of one relation may have.
        announce: told of large results before they are made.

    Raises:
        ClosureSizeError: a relation would get more pairs than allowed.
        InconsistentOntologyError: the data contradict the axioms.
        SplitError: there is no such split.
    """
    base = assemble(
        kg,
        ontology,
        split=split,
        profile=profile,
        unique_names=unique_names,
        max_pairs=max_pairs,
        announce=announce,
    )
    if set_aside:
        return Closure(*set_aside_culprits(base))
    saturation = base.saturate()
    require_consistent(base, saturation)
    return Closure(base, saturation)
