"""The deductive closure of a graph under an ontology, and the questions one asks of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import UnknownNameError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.ontology import entailments
from hybridkg.ontology.conditional_nominals import note_conditional_nominals
from hybridkg.ontology.consistency import (
    SetAside,
    steps_of,
)
from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.hermit import HermitResult
from hybridkg.ontology.justifications import justify
from hybridkg.ontology.knowledge_base import KnowledgeBase
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
    #: what HermiT lists, where that engine was asked for.
    hermit: HermitResult | None = None

    @property
    def engine_note(self) -> str:
        """Which engine was used, and why."""
        return self.base.engine.note

    @property
    def kg(self) -> KnowledgeGraph:
        """The graph."""
        return self.base.kg

    @cached_property
    def unused(self) -> tuple[UnusedAxiom, ...]:
        """Axioms that were not used, wholly or in part, each with the reason."""
        if self.hermit is not None:
            return self.hermit.unused
        normal = self.base.normal
        followed = self.saturation if self.base.follows_all_classes else None
        return (*normal.unused, *note_conditional_nominals(normal, followed))

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

    @cached_property
    def listed(self) -> Saturation:
        """What is listed of individuals: HermiT's own list where that engine was asked for."""
        return entailments.listed_by(self.base, self.saturation, self.hermit)

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
        if self.hermit is not None:
            ids = {name: number for number, name in enumerate(self.base.individuals)}
            pairs = sorted((ids[h], ids[t]) for h, r, t in self.hermit.facts if r == relation)
            return np.array(pairs, dtype=np.int32).reshape(-1, 2)
        return self.saturation.named_pairs(role).astype(np.int32)

    def facts(self, *, new_only: bool = True) -> list[LabelTriple]:
        """Return the entailed triples between named individuals, sorted.

        Args:
            new_only: leave out the asserted ones.
        """
        found = entailments.entailed_facts(self.base, self.saturation, self.hermit)
        if not new_only:
            return found
        names, roles = self.base.individuals, self.base.normal.roles
        asserted = {(names[h], roles[r], names[t]) for h, r, t in self.base.facts.tolist()}
        return [triple for triple in found if triple not in asserted]

    def n_facts(self) -> int:
        """Return the number of entailed triples, asserted ones included."""
        if self.hermit is not None:
            return len(self.hermit.facts)
        return sum(len(self.saturation.named_pairs(role)) for role in range(len(self.relations)))

    def types(self, *, new_only: bool = True) -> list[tuple[str, str]]:
        """Return the entailed (entity, class) pairs of named classes, sorted.

        Args:
            new_only: leave out the asserted ones.
        """
        found = entailments.entailed_types(self.base, self.saturation, self.hermit)
        if not new_only:
            return found
        names, classes = self.base.individuals, self.base.normal.classes
        asserted = {(names[e], classes[cls]) for e, cls in self.base.types.tolist()}
        return [pair for pair in found if pair not in asserted]

    def subsumptions(self) -> list[tuple[str, str]]:
        """Return the entailed (class, superclass) pairs of named classes, trivial ones left out."""
        return entailments.subsumptions(self.base, self.saturation, self.hermit)

    def unsatisfiable_classes(self) -> tuple[str, ...]:
        """Return the named classes that can have no member, sorted."""
        return entailments.unsatisfiable_classes(self.base, self.saturation, self.hermit)

    def verdicts(self, triples: IntArray) -> list[ClosureVerdict]:
        """Judge (n, 3) triples of the graph's ids, each by itself."""
        return [
            self._verdict(Link(int(self.base.role_of[r]), h, t)) for h, r, t in triples.tolist()
        ]

    def verdict(self, statement: LabelTriple | Fact) -> ClosureVerdict:
        """Judge one labelled triple, or a fact of :meth:`link` or :meth:`membership`.

        The relation may be the ontology's only; "type" stands for class membership, where no
        relation has that name.

        Raises:
            UnknownNameError: a name is unknown.
        """
        if not isinstance(statement, tuple):
            return self._verdict(statement)
        head, relation, tail = statement
        if relation == "type" and relation not in self.relations:
            return self._verdict(self.membership(head, tail))
        return self._verdict(self.link(head, relation, tail))

    def about(self, facts: Iterable[Fact]) -> Closure:
        """Return the same closure, ready for questions about memberships that nobody has.

        Of a very large ontology only classes that can have a member are worked out; this
        works the classes of the given facts out too. Individuals keep their numbers.
        """
        worked_out = set(self.base.stand_ins)
        missing = {one.cls for one in facts if isinstance(one, Member)} - worked_out
        if not missing:
            return self
        base = replace(self.base, asked=(*self.base.asked, *sorted(missing)))
        return Closure(base, base.saturate(), self.set_aside, self.hermit)

    def _verdict(self, fact: Fact) -> ClosureVerdict:
        if self.derivations.is_asserted(fact):
            return "asserted"
        if self.derivations.holds(fact) or self.is_listed(fact):
            return "entailed"
        clash = self.about([fact]).what_if.assume([fact]).clash
        return "undetermined" if clash is None else "inconsistent"

    def is_listed(self, fact: Fact) -> bool:
        """Tell whether HermiT lists a link or membership of individuals; it shows no proof."""
        names, normal = self.base.individuals, self.base.normal
        if self.hermit is None:
            return False
        if isinstance(fact, Member):
            return self.hermit.has_type(names[fact.node], normal.classes[fact.cls])
        return isinstance(fact, Link) and self.hermit.has_fact(
            (names[fact.source], normal.roles[fact.role], names[fact.target])
        )

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
        return self.checked(proof, fact)

    def checked(self, proof: Proof, goal: Fact) -> Proof:
        """Return a proof that the independent checker accepts as one of a goal.

        Raises:
            OntologyError: it does not.
        """
        check_proof(
            proof, goal, self.base.normal, self.saturation.nodes, self.derivations.is_asserted
        )
        return proof

    def prove_clash(self, fact: Fact) -> Proof | None:
        """Return a checked proof that a fact would contradict the rest, None where it would not."""
        ready = self.about([fact])
        if ready is not self:
            return ready.prove_clash(fact)
        consequences = self.what_if.assume([fact])
        if consequences.clash is None:
            return None
        proof = self.what_if.clash_proof(consequences)
        asserted = self.derivations.is_asserted
        check_proof(
            proof,
            consequences.clash,
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
