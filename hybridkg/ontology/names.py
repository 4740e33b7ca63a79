"""Names as a user types them, found among those of a closure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.label_rules import LabelRule, strip_brackets
from hybridkg.ontology.normal_form import TOP
from hybridkg.ontology.proof_steps import Fact, Link, Member

#: Relations that mean class membership, where no relation of the graph has that name.
TYPE_WORDS = frozenset({"type", "a", "rdf:type", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"})
_THINGS = frozenset({"Thing", "owl:Thing", "http://www.w3.org/2002/07/owl#Thing"})


class Names:
    """Finds a name by equality, then by the rules through which labels meet IRIs."""

    def __init__(self, closure: Closure, rules: Mapping[str, Sequence[LabelRule]]) -> None:
        """Index the names of a closure.

        Args:
            closure: knows entities, relations and classes.
            rules: kind of name -> ways from a label to an IRI and back.
        """
        self.closure, self.rules = closure, rules
        classes = Vocabulary(closure.base.normal.class_ids, kind="class")
        self._known: dict[str, Vocabulary] = {
            "entity": closure.kg.entities,
            "relation": closure.relations,
            "class": classes,
        }

    def find(self, kind: str, text: str) -> str | None:
        """Return the name that a text stands for, None where there is none.

        Args:
            kind: entity, relation or class.
            text: a label or an IRI.
        """
        known, bare = self._known[kind], strip_brackets(text)
        if text in known:
            return text
        spellings: list[str | None] = [bare, f"<{bare}>"]
        for rule in self.rules.get(kind, ()):
            spellings += [rule.to_label(bare), rule.to_iri(text)]
        return next((one for one in spellings if one and one in known), None)

    def name(self, kind: str, text: str) -> str:
        """Return the name that a text stands for.

        Raises:
            UnknownNameError: there is none; the nearest ones are shown.
        """
        found = self.find(kind, text)
        if found is None:
            self._known[kind].id_of(text)
        assert found is not None, "a vocabulary refuses what it does not contain"
        return found

    def means_type(self, relation: str) -> bool:
        """Tell whether a relation stands for class membership."""
        return strip_brackets(relation) in TYPE_WORDS and self.find("relation", relation) is None

    def fact(self, head: str, relation: str, tail: str) -> Fact:
        """Return what a triple says over the closure's ids.

        Raises:
            UnknownNameError: a name is unknown.
        """
        entity = self._known["entity"].id_of(self.name("entity", head))
        if self.means_type(relation):
            return Member(entity, self.class_id(tail))
        role = self.closure.relations.id_of(self.name("relation", relation))
        return Link(role, entity, self._known["entity"].id_of(self.name("entity", tail)))

    def class_id(self, text: str) -> int:
        """Return the id of a class, owl:Thing included.

        Raises:
            UnknownNameError: there is no such class.
        """
        # A class of that label goes before the class of everything.
        if self.find("class", text) is None and strip_brackets(text) in _THINGS:
            return TOP
        return self.closure.base.normal.class_ids[self.name("class", text)]

    def unknown_in(self, head: str, relation: str, tail: str) -> list[str]:
        """Return what is unknown in a triple, as in "entity 'x'"."""
        kinds = ("entity", "relation", "entity")
        if self.means_type(relation):
            kinds = ("entity", "", "class")
        parts = zip(kinds, (head, relation, tail), strict=True)
        return [f"{kind} {text!r}" for kind, text in parts if kind and not self.find(kind, text)]
