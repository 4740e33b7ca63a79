"""Write axioms, facts and types as N-Triples, for reasoners that read RDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.expressions import ClassExpression
from hybridkg.ontology.owl_terms import OWL, RDF, RDFS
from hybridkg.ontology.pieces import BOTTOM_ROLE, TOP_ROLE

#: Start of the IRIs made from names, one a kind: a name may stand for things of two kinds.
PREFIXES = {kind: f"urn:hybridkg:{kind}:" for kind in ("entity", "class", "relation")}

_CHARACTERISTICS: dict[type, str] = {
    ax.Symmetric: "SymmetricProperty",
    ax.Transitive: "TransitiveProperty",
    ax.Reflexive: "ReflexiveProperty",
    ax.Irreflexive: "IrreflexiveProperty",
    ax.Asymmetric: "AsymmetricProperty",
    ax.Functional: "FunctionalProperty",
    ax.InverseFunctional: "InverseFunctionalProperty",
}


class NotWritten(Exception):  # noqa: N818 - a signal to the writer, never raised out of it
    """An axiom is kept as text only, so that its statements are not known; the text is why."""


def iri(kind: str, name: str) -> str:
    """Return an IRI for a name: the same for the same kind and name, valid whatever it holds."""
    if name in (TOP_ROLE, BOTTOM_ROLE):
        return name
    return PREFIXES[kind] + quote(name, safe="")


def name_of(text: str) -> str:
    """Return the name behind an IRI of :func:`iri`; any other IRI is its own name."""
    for prefix in PREFIXES.values():
        if text.startswith(prefix):
            return unquote(text.removeprefix(prefix))
    return text


class TripleWriter:
    """Collects statements as lines of N-Triples.

    Readers take what is disjoint or different for a set, and lose what a repeated member says:
    that it is empty, or contradicts itself. So that is written apart.
    """

    def __init__(self, blank: str = "n") -> None:
        """Start with nothing.

        Args:
            blank: start of the labels of blank nodes.
        """
        self.lines: list[str] = []
        #: axioms that could not be written, each with the reason.
        self.unused: list[UnusedAxiom] = []
        self._n_blank = 0
        self._blank = f"_:{blank}"

    def text(self) -> str:
        """Return all statements so far."""
        return "".join(self.lines)

    def declare(self, kind: str, names: Iterable[str]) -> None:
        """Declare entities, classes or relations."""
        what = {"entity": "NamedIndividual", "class": "Class", "relation": "ObjectProperty"}[kind]
        for name in names:
            self.add(_ref(iri(kind, name)), RDF + "type", _ref(OWL + what))

    def add(self, subject: str, predicate: str, value: str) -> None:
        """Add one statement; subject and value as they stand in N-Triples."""
        self.lines.append(f"{subject} <{predicate}> {value} .\n")

    def fact(self, head: str, relation: str, tail: str) -> None:
        """Add a relation between two entities."""
        self.add(_entity(head), iri("relation", relation), _entity(tail))

    def type(self, entity: str, cls: str) -> None:
        """Put an entity into a named class."""
        self.add(_entity(entity), RDF + "type", _ref(iri("class", cls)))

    def define_nominal(self, cls: str, individual: str) -> None:
        """Define a class that has one individual in it; both are IRIs."""
        self.add(_ref(cls), RDF + "type", _ref(OWL + "Class"))
        node = self._structure("Class")
        self.add(node, OWL + "oneOf", self._list([_ref(individual)]))
        self.add(_ref(cls), OWL + "equivalentClass", node)

    def define_value(self, cls: str, role: str, individual: str) -> None:
        """Define the class of what a role relates to an individual; all three are IRIs."""
        self.add(_ref(cls), RDF + "type", _ref(OWL + "Class"))
        node = self._structure("Restriction")
        self.add(node, OWL + "onProperty", _ref(role))
        self.add(node, OWL + "hasValue", _ref(individual))
        self.add(_ref(cls), OWL + "equivalentClass", node)

    def axiom(self, axiom: Axiom) -> None:
        """Add an axiom, or note why it cannot be written."""
        kept = len(self.lines)
        try:
            self._axiom(axiom)
        except NotWritten as reason:
            del self.lines[kept:]
            self.unused.append(UnusedAxiom(axiom, str(reason)))

    def _axiom(self, axiom: Axiom) -> None:
        if isinstance(axiom, ax.SubClassOf):
            self.add(self.cls(axiom.sub), RDFS + "subClassOf", self.cls(axiom.sup))
        elif isinstance(axiom, ax.EquivalentClasses):
            first, *others = map(self.cls, axiom.operands)
            for other in others or [first]:
                self.add(first, OWL + "equivalentClass", other)
        elif isinstance(axiom, ax.DisjointClasses):
            self._disjoint_classes(axiom)
        elif isinstance(axiom, ax.Domain | ax.Range):
            word = "domain" if isinstance(axiom, ax.Domain) else "range"
            self.add(_role(axiom.role), RDFS + word, self.cls(axiom.cls))
        elif isinstance(axiom, ax.Assertion):
            self.add(_entity(axiom.individual), RDF + "type", self.cls(axiom.cls))
        elif isinstance(axiom, ax.NegativeFact):
            node = self._structure("NegativePropertyAssertion")
            self.add(node, OWL + "sourceIndividual", _entity(axiom.head))
            self.add(node, OWL + "assertionProperty", _role(axiom.relation))
            self.add(node, OWL + "targetIndividual", _entity(axiom.tail))
        elif isinstance(axiom, ax.SameIndividuals):
            first, *others = map(_entity, axiom.operands)
            for other in others:
                self.add(first, OWL + "sameAs", other)
        elif isinstance(axiom, ax.DifferentIndividuals):
            self._different(axiom)
        elif isinstance(axiom, ax.OtherAxiom):
            raise NotWritten(f"{axiom.kind} is kept as text only")
        else:
            self._role_axiom(axiom)

    def _different(self, axiom: ax.DifferentIndividuals) -> None:
        distinct = list(dict.fromkeys(axiom.operands))
        for one in distinct:
            if axiom.operands.count(one) > 1:
                self.add(_entity(one), RDF + "type", _ref(OWL + "Nothing"))
        if len(distinct) > 1:
            self._all("AllDifferent", "distinctMembers", list(map(_entity, distinct)))

    def _disjoint_classes(self, axiom: ax.DisjointClasses) -> None:
        distinct = list(dict.fromkeys(axiom.operands))
        for one in distinct:
            if axiom.operands.count(one) > 1:
                self.add(self.cls(one), RDFS + "subClassOf", _ref(OWL + "Nothing"))
        members = list(map(self.cls, distinct))
        if len(members) == 2:
            self.add(members[0], OWL + "disjointWith", members[1])
        elif len(members) > 2:
            self._all("AllDisjointClasses", "members", members)

    def _role_axiom(self, axiom: Axiom) -> None:
        if isinstance(axiom, ax.SubPropertyOf):
            self.add(_role(axiom.sub), RDFS + "subPropertyOf", _role(axiom.sup))
        elif isinstance(axiom, ax.EquivalentProperties):
            first, *others = map(_role, axiom.operands)
            for other in others:
                self.add(first, OWL + "equivalentProperty", other)
        elif isinstance(axiom, ax.PropertyChain):
            chain = self._list(list(map(_role, axiom.chain)))
            self.add(_role(axiom.sup), OWL + "propertyChainAxiom", chain)
        elif isinstance(axiom, ax.InverseOf):
            self.add(_role(axiom.first), OWL + "inverseOf", _role(axiom.second))
        elif isinstance(axiom, ax.DisjointProperties):
            distinct = list(dict.fromkeys(axiom.operands))
            for one in distinct:
                if axiom.operands.count(one) > 1:
                    self.add(_role(one), RDFS + "domain", _ref(OWL + "Nothing"))
            members = list(map(_role, distinct))
            if len(members) == 2:
                self.add(members[0], OWL + "propertyDisjointWith", members[1])
            elif len(members) > 2:
                self._all("AllDisjointProperties", "members", members)
        elif type(axiom) in _CHARACTERISTICS:
            kind = _CHARACTERISTICS[type(axiom)]
            self.add(_role(axiom.role), RDF + "type", _ref(OWL + kind))  # type: ignore[union-attr]
        else:
            raise NotWritten(f"{type(axiom).__name__} has no RDF form here")

    def cls(self, expression: ClassExpression) -> str:
        """Write a class expression and return the node that stands for it.

        Raises:
            NotWritten: some part of it is kept as text only.
        """
        if isinstance(expression, ex.Named):
            return _ref(iri("class", expression.name))
        if isinstance(expression, ex.Top | ex.Bottom):
            return _ref(OWL + ("Thing" if isinstance(expression, ex.Top) else "Nothing"))
        if isinstance(expression, ex.Some | ex.HasSelf):
            return self._restriction(expression)
        if isinstance(expression, ex.OtherExpression):
            raise NotWritten(f"{expression.kind} is kept as text only")
        node = self._structure("Class")
        if isinstance(expression, ex.Nominal):
            self.add(node, OWL + "oneOf", self._list([_entity(expression.individual)]))
        elif isinstance(expression, ex.Not):
            self.add(node, OWL + "complementOf", self.cls(expression.operand))
        else:
            word = "intersectionOf" if isinstance(expression, ex.And) else "unionOf"
            self.add(node, OWL + word, self._list(list(map(self.cls, expression.operands))))
        return node

    def _restriction(self, expression: ex.Some | ex.HasSelf) -> str:
        node = self._structure("Restriction")
        self.add(node, OWL + "onProperty", _role(expression.role))
        if isinstance(expression, ex.Some):
            self.add(node, OWL + "someValuesFrom", self.cls(expression.filler))
        else:
            self.add(node, OWL + "hasSelf", f'"true"^^<{_BOOLEAN}>')
        return node

    def _structure(self, kind: str) -> str:
        self._n_blank += 1
        node = f"{self._blank}{self._n_blank}"
        self.add(node, RDF + "type", _ref(OWL + kind))
        return node

    def _all(self, kind: str, word: str, members: Sequence[str]) -> None:
        node = self._structure(kind)
        self.add(node, OWL + word, self._list(members))

    def _list(self, members: Sequence[str]) -> str:
        rest = _ref(RDF + "nil")
        for member in reversed(members):
            self._n_blank += 1
            node = f"{self._blank}{self._n_blank}"
            self.add(node, RDF + "first", member)
            self.add(node, RDF + "rest", rest)
            rest = node
        return rest


_BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"


def _ref(text: str) -> str:
    return f"<{text}>"


def _entity(name: str) -> str:
    return _ref(iri("entity", name))


def _role(name: str) -> str:
    return _ref(iri("relation", name))
