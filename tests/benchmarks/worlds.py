"""Large worlds for the closure benchmark: a university, a ring, and a medical terminology."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.expressions import ClassExpression
from hybridkg.types import IntArray


@dataclass(frozen=True, slots=True)
class World:
    """Axioms, and types and facts over numbered individuals, by name of class and relation."""

    axioms: list[Axiom]
    n_individuals: int
    #: class -> individuals.
    types: dict[str, IntArray]
    #: relation -> (k, 2) individuals.
    facts: dict[str, IntArray]

    @property
    def n_triples(self) -> int:
        """Number of facts and types."""
        return sum(map(len, self.types.values())) + sum(map(len, self.facts.values()))


def university_axioms() -> list[Axiom]:
    """Domains, ranges, hierarchies, a chain, transitivity, existentials and disjointness."""
    named = ex.Named
    ranks = ("FullProfessor", "AssociateProfessor", "AssistantProfessor", "Lecturer")
    below = {
        **dict.fromkeys(ranks, "Faculty"),
        **{"Faculty": "Employee", "Employee": "Person", "Student": "Person"},
        **{"Undergraduate": "Student", "Graduate": "Student", "Group": "Organisation"},
        **{"Department": "Organisation", "University": "Organisation"},
    }
    ends = {
        "memberOf": ("Person", "Organisation"),
        "takes": ("Student", "Course"),
        "teaches": ("Faculty", "Course"),
        "advisedBy": ("Student", "Faculty"),
        "wrote": ("Person", "Publication"),
        "partOf": ("Organisation", "Organisation"),
    }
    found: list[Axiom] = [ax.SubClassOf(named(a), named(b)) for a, b in below.items()]
    for role, (head, tail) in ends.items():
        found += [ax.Domain(role, named(head)), ax.Range(role, named(tail))]
    kinds = ("Person", "Organisation", "Course", "Publication")
    return [
        *found,
        ax.SubPropertyOf("worksFor", "memberOf"),
        ax.SubPropertyOf("heads", "worksFor"),
        ax.Transitive("partOf"),
        ax.PropertyChain(("memberOf", "partOf"), "memberOf"),
        ax.SubClassOf(named("Faculty"), ex.Some("teaches", named("Course"))),
        ax.SubClassOf(named("Graduate"), ex.Some("advisedBy", named("Faculty"))),
        ax.EquivalentClasses(
            (named("Advisor"), ex.And((named("Faculty"), ex.Some("wrote", named("Publication")))))
        ),
        ax.SubClassOf(ex.Some("heads", named("Department")), named("Chair")),
        ax.DisjointClasses(tuple(map(named, kinds))),
    ]


def university(n_triples: int, seed: int = 7) -> World:
    """Build a university with about so many triples."""
    rng = np.random.default_rng(seed)
    n_departments = max(2, n_triples // 1_195)
    counts = {
        "University": max(1, n_departments // 15),
        "Department": n_departments,
        "Group": n_departments * 10,
        "FullProfessor": n_departments * 8,
        "AssociateProfessor": n_departments * 10,
        "AssistantProfessor": n_departments * 8,
        "Lecturer": n_departments * 4,
        "Graduate": n_departments * 40,
        "Undergraduate": n_departments * 120,
        "Course": n_departments * 30,
        "Publication": n_departments * 120,
    }
    starts = dict(zip(counts, np.cumsum([0, *counts.values()]), strict=False))
    everyone = {k: np.arange(starts[k], starts[k] + n, dtype=np.int32) for k, n in counts.items()}
    faculty = np.arange(starts["FullProfessor"], starts["Graduate"], dtype=np.int32)
    students = np.arange(starts["Graduate"], starts["Course"], dtype=np.int32)

    def links(heads: IntArray, to: str | IntArray) -> IntArray:
        """Relate each head to a random tail."""
        tails = everyone[to] if isinstance(to, str) else to
        return np.stack([heads, rng.choice(tails, len(heads))], axis=1).astype(np.int32)

    departments = everyone["Department"]
    parts = [links(departments, "University"), links(everyone["Group"], "Department")]
    facts = {
        "partOf": np.concatenate(parts),
        "worksFor": links(faculty, "Department"),
        "heads": np.stack([everyone["FullProfessor"][::8], departments], axis=1),
        "memberOf": np.concatenate(
            [links(students, "Department"), links(everyone["Graduate"], "Group")]
        ),
        "takes": links(np.repeat(students, 3), "Course"),
        "teaches": links(np.repeat(faculty, 2), "Course"),
        "advisedBy": links(everyone["Graduate"], faculty),
        "wrote": links(np.repeat(faculty, 7), "Publication"),
    }
    # The rest of the types follows from facts, if at all; that of courses does so entirely.
    types = {kind: members[::2] for kind, members in everyone.items() if kind != "Course"}
    return World(university_axioms(), int(sum(counts.values())), types, facts)


def ring(n_nodes: int) -> World:
    """Build a ring of transitive links: everything relates to everything."""
    nodes = np.arange(n_nodes, dtype=np.int32)
    return World(
        [ax.Transitive("next")], n_nodes, {}, {"next": np.stack([nodes, np.roll(nodes, -1)], 1)}
    )


class Terminology:
    """Classes in trees of kinds, stated links between them, and definitions that generalise."""

    def __init__(self, n_classes: int, seed: int = 7, n_kinds: int = 8, n_roles: int = 400) -> None:
        self.rng = np.random.default_rng(seed)
        self.axioms: list[Axiom] = []
        self.roles = [f"r{n}" for n in range(n_roles)]
        self.wider: dict[str, str] = {}
        #: class -> its stated superclass; class -> a stated (role, filler).
        self.above: dict[str, str] = {}
        self.stated: dict[str, tuple[str, str]] = {}
        self.kinds: list[list[str]] = [[] for _ in range(n_kinds)]
        self._make_roles(n_kinds)
        n_primitive = n_classes * 3 // 5
        for number in range(n_primitive):
            self._add_primitive(f"C{number}", number > n_primitive // 10)
        sources = list(self.stated)
        for number in range(n_primitive, n_classes):
            self._add_definition(f"C{number}", self._pick(sources))

    def _pick(self, items: list[str]) -> str:
        return items[int(self.rng.integers(len(items)))]

    def _chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def _make_roles(self, n_kinds: int) -> None:
        """Role r_k with k below the number of kinds is the transitive part-of of kind k."""
        for number in range(3 * n_kinds, len(self.roles)):
            role = self.roles[number]
            self.wider[role] = self.roles[int(self.rng.integers(n_kinds, number))]
            self.axioms.append(ax.SubPropertyOf(role, self.wider[role]))
        for number in range(n_kinds):
            part = self.roles[number]
            self.axioms.append(ax.Transitive(part))
            along = self.roles[n_kinds + number]
            self.axioms.append(ax.PropertyChain((along, part), along))

    def _add_primitive(self, name: str, linked: bool) -> None:
        kind = int(self.rng.integers(len(self.kinds)))
        members = self.kinds[kind]
        if members:
            self.above[name] = self._pick(members)
            self.axioms.append(ax.SubClassOf(ex.Named(name), ex.Named(self.above[name])))
            if self._chance(0.2):
                second = ex.Named(self._pick(members))
                self.axioms.append(ax.SubClassOf(ex.Named(name), second))
        if linked and self._chance(0.85):
            is_part = self._chance(0.08)
            role = self.roles[kind] if is_part else self._pick(self.roles[len(self.kinds) :])
            target = kind if is_part else int(self.rng.integers(len(self.kinds)))
            filler = self._pick(self.kinds[target] or members)
            self.stated[name] = (role, filler)
            self.axioms.append(ax.SubClassOf(ex.Named(name), ex.Some(role, ex.Named(filler))))
        members.append(name)

    def _climb(self, name: str, above: dict[str, str]) -> str:
        while name in above and not self._chance(0.25):
            name = above[name]
        return name

    def _add_definition(self, name: str, base: str) -> None:
        """Define a class by something more general than what is stated of another."""
        role, filler = self.stated[base]
        body: ClassExpression = ex.Named(self._climb(filler, self.above))
        if filler in self.stated and self._chance(0.3):
            inner, end = self.stated[filler]
            more = ex.Some(self._climb(inner, self.wider), ex.Named(self._climb(end, self.above)))
            body = ex.And((body, more))
        genus = self._climb(base, self.above)
        some = ex.Some(self._climb(role, self.wider), body)
        self.axioms.append(ax.EquivalentClasses((ex.Named(name), ex.And((ex.Named(genus), some)))))
        self.above[name] = genus


def functional_syntax(axioms: list[Axiom]) -> str:
    """Write a terminology in OWL functional syntax, for reasoners in Java."""

    def text(expression: ClassExpression) -> str:
        if isinstance(expression, ex.Some):
            return f"ObjectSomeValuesFrom(:{expression.role} {text(expression.filler)})"
        if isinstance(expression, ex.And):
            return f"ObjectIntersectionOf({' '.join(map(text, expression.operands))})"
        return f":{expression}"

    lines = ["Prefix(:=<urn:bench#>)", "Ontology(<urn:bench>"]
    for axiom in axioms:
        if isinstance(axiom, ax.SubClassOf):
            lines.append(f"SubClassOf({text(axiom.sub)} {text(axiom.sup)})")
        elif isinstance(axiom, ax.EquivalentClasses):
            lines.append(f"EquivalentClasses({' '.join(map(text, axiom.operands))})")
        elif isinstance(axiom, ax.SubPropertyOf):
            lines.append(f"SubObjectPropertyOf(:{axiom.sub} :{axiom.sup})")
        elif isinstance(axiom, ax.Transitive):
            lines.append(f"TransitiveObjectProperty(:{axiom.role})")
        elif isinstance(axiom, ax.PropertyChain):
            path = " ".join(f":{role}" for role in axiom.chain)
            lines.append(f"SubObjectPropertyOf(ObjectPropertyChain({path}) :{axiom.sup})")
        else:
            raise AssertionError(f"no functional syntax for {axiom}")
    return "\n".join([*lines, ")", ""])
