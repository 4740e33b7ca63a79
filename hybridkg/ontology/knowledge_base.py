"""The facts, types and axioms that a closure is computed from, over one set of ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.triples import as_triples, contains_triples, distinct_triples
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.matrix_engine import saturate
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.ontology.normalise import Profile, normalise
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import IntArray


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """What is asserted; role and class ids are those of the normal form, entity ids the graph's."""

    kg: KnowledgeGraph
    #: the split whose triples are facts.
    split: str
    normal: NormalForm
    #: (n_relations,) the graph's relation id -> role id.
    role_of: IntArray
    #: (m, 2) entity and class, distinct, sorted.
    types: IntArray
    #: (k, 3) entity, role, entity; distinct, sorted.
    facts: IntArray
    #: facts and types of the ontology file that are not among these.
    n_left_out: int = 0

    def saturate(self) -> Saturation:
        """Close the facts and types."""
        return saturate(self.normal, self.kg.n_entities, self.types, by_role(self.facts))

    def saturate_types(self) -> Saturation:
        """Close the types alone, by class axioms."""
        return saturate(self.normal, self.kg.n_entities, self.types, {})

    def without(self, facts: IntArray, types: IntArray) -> KnowledgeBase:
        """Return the same knowledge base less some facts and types.

        Args:
            facts: (a, 3) entity, role, entity.
            types: (b, 2) entity, class.
        """
        lost = np.zeros((len(types), 3), dtype=np.int32)
        lost[:, :2] = types
        held = np.zeros((len(self.types), 3), dtype=np.int32)
        held[:, :2] = self.types
        return KnowledgeBase(
            self.kg,
            self.split,
            self.normal,
            self.role_of,
            np.ascontiguousarray(self.types[~contains_triples(lost, held)]),
            as_triples(self.facts[~contains_triples(as_triples(facts), self.facts)]),
            self.n_left_out,
        )


def by_role(facts: IntArray) -> dict[int, IntArray]:
    """Group (k, 3) facts by role into (j, 2) pairs."""
    order = np.argsort(facts[:, 1], kind="stable")
    ordered = facts[order]
    roles, starts = np.unique(ordered[:, 1], return_index=True)
    parts = np.split(ordered[:, [0, 2]], starts[1:])
    return {int(role): part for role, part in zip(roles, parts, strict=False)}


def assemble(
    kg: KnowledgeGraph,
    ontology: Joined | Ontology,
    *,
    split: str = "train",
    profile: Profile = "el+",
) -> KnowledgeBase:
    """Bring a graph's facts and types and an ontology's axioms over one set of ids.

    Facts and types that stand in the ontology file count only where the graph has
    them too: which facts are known is the split's affair. The rest is counted.

    Args:
        kg: the graph.
        ontology: spelled in the graph's labels.
        split: the split whose triples are facts.
        profile: which axiom kinds are used.

    Raises:
        SplitError: there is no such split.
    """
    plain = ontology.ontology if isinstance(ontology, Joined) else ontology
    normal = normalise(
        plain.axioms,
        classes={*kg.classes, *plain.classes},
        roles={*kg.relations, *plain.relations},
        profile=profile,
    )
    role_of = np.array([normal.role_ids[name] for name in kg.relations], dtype=np.int32)
    class_of = np.array([normal.class_ids[name] for name in kg.classes], dtype=np.int32)
    types, facts = kg.types.copy(), kg.split(split).copy()
    if len(types):
        types[:, 1] = class_of[types[:, 1]]
    if len(facts):
        facts[:, 1] = role_of[facts[:, 1]]
    known = set(kg.label_triples(kg.split(split))) if plain.facts else set()
    typed = (
        {(kg.entities[e], kg.classes[c]) for e, c in kg.types.tolist()} if plain.types else set()
    )
    left_out = len(set(plain.facts) - known) + len(set(plain.types) - typed)
    ordered = types[np.lexsort((types[:, 1], types[:, 0]))]
    return KnowledgeBase(kg, split, normal, role_of, ordered, distinct_triples(facts), left_out)
