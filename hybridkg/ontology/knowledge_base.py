"""The facts, types and axioms that a closure is computed from, over one set of ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.label_rows import LabelRows
from hybridkg.graph.row_keys import first_of_each
from hybridkg.graph.triples import as_triples, contains_triples, distinct_triples
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.ontology.axioms import OtherAxiom
from hybridkg.ontology.document import Ontology, UnusedAxiom
from hybridkg.ontology.engines import (
    DEFAULT_ENGINE,
    EngineChoice,
    EngineName,
    choose_engine,
    saturate_by,
)
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.matrix_engine import MAX_PAIRS, Announce
from hybridkg.ontology.nemo_engine import Classification, classify
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.ontology.normalise import Profile, normalise
from hybridkg.ontology.possible import possible_classes
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import IntArray

#: Up to so many classes all have a stand-in; of more, those that can have a member.
MAX_STAND_INS = 3_000


@dataclass(frozen=True, eq=False)
class KnowledgeBase:
    """What is asserted; role and class ids are those of the normal form.

    The first individuals are the graph's entities, with their ids; others are named by axioms only.
    """

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
    #: further classes that questions are about, where not all have a stand-in.
    asked: tuple[int, ...] = ()
    #: pairs that the closure of one role may have.
    max_pairs: int = MAX_PAIRS
    #: told of large results before they are made.
    announce: Announce | None = None
    #: the ontology, as it was joined.
    joined: Joined | None = None
    #: the engine that closes it.
    engine: EngineChoice = DEFAULT_ENGINE

    @property
    def individuals(self) -> tuple[str, ...]:
        """Names of the individuals, in the order of their ids."""
        return self.normal.individuals

    @cached_property
    def stand_ins(self) -> tuple[int, ...]:
        """Classes whose consequences are worked out beside those of the individuals."""
        if self.normal.n_classes <= MAX_STAND_INS:
            return tuple(range(self.normal.n_classes))
        asserted = np.unique(self.types[:, 1]).tolist()
        # A question may be about a link of any relation, or a membership that is asked for.
        roles = range(len(self.normal.roles))
        return possible_classes(self.normal, {*asserted, *self.asked}, roles)

    @property
    def follows_all_classes(self) -> bool:
        """False where only some classes have a stand-in."""
        return len(self.stand_ins) == self.normal.n_classes

    @cached_property
    def classification(self) -> Classification:
        """All superclasses of all named classes, found by Nemo."""
        return classify(
            self.normal,
            n_individuals=self.normal.n_individuals,
            types=self.types,
            facts=by_role(self.facts),
        )

    def saturate(self) -> Saturation:
        """Close the facts and types.

        Raises:
            ClosureSizeError: a role would relate more pairs than allowed.
        """
        return self._saturate(by_role(self.facts))

    def saturate_types(self) -> Saturation:
        """Close the types alone, by class axioms."""
        return self._saturate({})

    def _saturate(self, facts: dict[int, IntArray]) -> Saturation:
        return saturate_by(
            self.engine,
            self.normal,
            self.types,
            facts,
            stand_ins=self.stand_ins,
            classes=self.stand_ins,
            max_pairs=self.max_pairs,
            announce=self.announce if facts else None,
        )

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
        return replace(
            self,
            types=np.ascontiguousarray(self.types[~contains_triples(lost, held)]),
            facts=as_triples(self.facts[~contains_triples(as_triples(facts), self.facts)]),
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
    unique_names: bool = False,
    max_pairs: int = MAX_PAIRS,
    announce: Announce | None = None,
    engine: EngineName = "auto",
) -> KnowledgeBase:
    """Bring a graph's facts and types and an ontology's axioms over one set of ids.

    Facts and types that stand in the ontology file count only where the graph has
    them too: which facts are known is the split's affair. The rest is counted.

    Args:
        kg: the graph.
        ontology: spelled in the graph's labels.
        split: the split whose triples are facts.
        profile: which axiom kinds are used.
        unique_names: two names never mean one individual.
        max_pairs: pairs that the closure of one role may have.
        announce: told of large results before they are made.
        engine: what closes it; "auto" to choose by size.

    Raises:
        SplitError: there is no such split.
        UnknownNameError: there is no such engine.
    """
    plain = ontology.ontology if isinstance(ontology, Joined) else ontology
    normal = normalise(
        plain.axioms,
        classes={*kg.classes, *plain.classes},
        roles={*kg.relations, *plain.relations},
        individuals=kg.entities.labels,
        profile=profile,
        unique_names=unique_names,
    )
    normal = replace(normal, unused=(*normal.unused, *_imports_not_read(plain)))
    role_of = np.array([normal.role_ids[name] for name in kg.relations], dtype=np.int32)
    class_of = np.array([normal.class_ids[name] for name in kg.classes], dtype=np.int32)
    types, facts = kg.types.copy(), kg.split(split).copy()
    if len(types):
        types[:, 1] = class_of[types[:, 1]]
    if len(facts):
        facts[:, 1] = role_of[facts[:, 1]]
    names = (kg.entities, kg.relations, kg.entities)
    left_out = _n_missing(LabelRows.joined([plain.facts], 3), names, kg.split(split))
    names_of_types = (kg.entities, kg.classes)
    left_out += _n_missing(LabelRows.joined([plain.types], 2), names_of_types, kg.types)
    ordered = types[np.lexsort((types[:, 1], types[:, 0]))]
    return KnowledgeBase(
        kg,
        split,
        normal,
        role_of,
        ordered,
        distinct_triples(facts),
        left_out,
        max_pairs=max_pairs,
        announce=announce,
        joined=ontology if isinstance(ontology, Joined) else Joined(plain, {}),
        engine=choose_engine(engine, normal.n_individuals, normal.n_classes, MAX_STAND_INS),
    )


def _imports_not_read(ontology: Ontology) -> tuple[UnusedAxiom, ...]:
    """Return the imports that no local file was found for: what they say is missing."""
    why = "no file of that name lies beside the ontology, and nothing is fetched"
    imports = (OtherAxiom("imports", f"imports {one}") for one in ontology.report.not_imported)
    return tuple(UnusedAxiom(one, why) for one in imports)


def _n_missing(rows: LabelRows[Any], vocabularies: Sequence[Vocabulary], present: IntArray) -> int:
    """Count the distinct rows of labels that are not among rows of ids."""
    distinct = rows.rows[first_of_each(list(rows.rows.T))] if len(rows) else rows.rows
    asked, held = (np.zeros((len(one), 3), dtype=np.int32) for one in (distinct, present))
    held[:, : present.shape[1]] = present
    for column, (names, vocabulary) in enumerate(zip(rows.labels, vocabularies, strict=True)):
        ids = [-1 if (number := vocabulary.get(one)) is None else number for one in names]
        if len(distinct):
            asked[:, column] = np.array(ids, dtype=np.int32)[distinct[:, column]]
    known = (asked >= 0).all(axis=1)
    return len(asked) - int(contains_triples(held, asked[known]).sum())
