"""Check a proof step by step, without the engine and the search that found it."""

from __future__ import annotations

from collections.abc import Callable

from hybridkg.errors import OntologyError
from hybridkg.ontology.demands import empty_roles, role_demands
from hybridkg.ontology.normal_form import BOTTOM, PIECES, TOP, NormalForm
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.saturation import Nodes

#: Rules whose piece, together with its axiom, stands in the normal form under their name.
_PIECES = frozenset(PIECES) - {"dsj", "dif"}


def check_proof(
    proof: Proof, normal: NormalForm, nodes: Nodes, is_asserted: Callable[[Fact], bool]
) -> None:
    """Check a proof step by step, knowing only the rules' shapes, the axioms and the data.

    Raises:
        OntologyError: a step that is no instance of its rule, or uses what is not concluded yet.
    """
    checker = _Checker(normal, nodes, is_asserted)
    concluded: set[Fact] = set()
    for number, step in enumerate(proof.steps, start=1):
        missing = [p for p in step.premises if p not in concluded]
        if missing:
            raise OntologyError(f"step {number} uses {missing[0]!r}, which is not concluded yet")
        if not checker.accepts(step):
            raise OntologyError(f"step {number} is no instance of the rule {step.rule!r}: {step!r}")
        concluded.add(step.conclusion)


class _Checker:
    """Knows the shape of every rule; each case says what it needs and what it gives."""

    def __init__(
        self, normal: NormalForm, nodes: Nodes, is_asserted: Callable[[Fact], bool]
    ) -> None:
        self.normal, self.nodes, self.is_asserted = normal, nodes, is_asserted
        self.pieces = {kind: set(getattr(normal, kind)) for kind in _PIECES}
        self.nominals, self.selves = set(normal.nominals), set(normal.selves)
        self.same = normal.same_role

    def accepts(self, step: Step) -> bool:
        """Tell whether a step is an instance of its rule."""
        if step.rule == "asserted":
            return not step.premises and self.is_asserted(step.conclusion)
        if step.rule in _PIECES and (*step.piece, *step.axioms) not in self.pieces[step.rule]:
            return False
        if step.rule not in (*_PIECES, "dsj", "dif", "folded range", "empty role") and step.axioms:
            return False
        return (
            self._is_member_step(step)
            or self._is_link_step(step)
            or self._is_equality_step(step)
            or self._is_class_clash(step)
            or self._is_link_clash(step)
        )

    def _named(self, *ends: int) -> bool:
        return max(ends) < self.nodes.n_individuals

    def _is_member_step(self, step: Step) -> bool:
        end = step.conclusion
        if not isinstance(end, Member):
            return False
        node, cls = end.node, end.cls
        match step.rule, step.piece, step.premises:
            case "top", (), ():
                return cls == TOP
            case "stand-in", (one,), ():
                return one == cls and node == self.nodes.class_node(cls)
            case "nominal", (one, individual), ():
                return (one, individual) in self.nominals and (cls, node) == (one, individual)
            case "witness", (role, filler), ():
                return filler == cls and self.nodes.witness_of(node) == (role, filler)
            case "folded range", (role, one), ():
                return one == cls and self._is_folded(step, node, role)
            case "sc", (sub, sup), (Member() as only,):
                return (only.node, only.cls, cls) == (node, sub, sup)
            case "conj", (first, second, result), (Member() as one, Member() as two):
                both = {(one.node, one.cls), (two.node, two.cls)}
                return both == {(node, first), (node, second)} and result == cls
            case "dom", (role, result), (Link() as link,):
                return (link.role, link.source, cls) == (role, node, result)
            case "rng", (role, result), (Link() as link, *rest):
                return self._is_range_step(link, rest, node) and (link.role, cls) == (role, result)
            case "exl", (role, filler, result), (Link() as link, Member() as member):
                joined = link.target == member.node and link.source == node
                return joined and (link.role, member.cls, cls) == (role, filler, result)
            case "loop", (role, result), (Link() as link,):
                loops = link.source == link.target == node and self._named(node)
                return (
                    loops and (result, role) in self.selves and (link.role, cls) == (role, result)
                )
        return False

    def _is_folded(self, step: Step, node: int, role: object) -> bool:
        witness, end = self.nodes.witness_of(node), step.conclusion
        return (
            isinstance(end, Member)
            and witness is not None
            and witness[0] == role
            and any(
                d.side == "tail" and d.cls == end.cls and d.axioms == step.axioms
                for d in role_demands(self.normal)[witness[0]]
            )
        )

    def _is_range_step(self, link: Link, rest: list[Fact], node: int) -> bool:
        """A range needs a source that exists: an individual, or a witness shown to exist."""
        if link.target != node or not self._named(node):
            return False
        return not rest if self._named(link.source) else rest == [Exists(link.source)]

    def _is_link_step(self, step: Step) -> bool:
        end = step.conclusion
        match step.rule, end, step.premises:
            case "exists", Exists(), (Link() as link,):
                return link.target == end.node and self._named(link.source)
            case "exists", Exists(), (Link() as link, Exists() as before):
                return link.target == end.node and link.source == before.node
        if not isinstance(end, Link):
            return False
        match step.rule, step.piece, step.premises:
            case "exr", (cls, role, filler), (Member() as only,):
                right_witness = self.nodes.witness_of(end.target) == (role, filler)
                from_source = (only.node, only.cls, end.role) == (end.source, cls, role)
                return right_witness and from_source
            case "sr", (sub, sup), (Link() as link,):
                same_ends = (link.source, link.target) == (end.source, end.target)
                return same_ends and (link.role, end.role) == (sub, sup)
            case "inv", (first, second), (Link() as link,):
                turned = (link.source, link.target) == (end.target, end.source)
                named = self._named(end.source, end.target)
                return turned and named and (link.role, end.role) == (first, second)
            case "chain", (first, second, sup), (Link() as one, Link() as two):
                path = one.source == end.source and one.target == two.source
                ends = two.target == end.target and end.role == sup
                return path and ends and (one.role, two.role) == (first, second)
            case "self", (cls, role), (Member() as only,):
                loops = end.source == end.target == only.node and (cls, role) in self.selves
                return loops and (only.cls, end.role) == (cls, role)
        return False

    def _is_equality_step(self, step: Step) -> bool:
        end = step.conclusion
        match step.rule, end, step.premises:
            case "same", Link(), ():
                pair = {(end.source, end.target), (end.target, end.source)}
                return end.role == self.same and step.piece in pair
            case "one", Link(), (Member() as member, *rest):
                needed = [] if self._named(member.node) else [Exists(member.node)]
                individual = dict(self.nominals).get(member.cls)
                ends = {end.source, end.target}
                right = end.role == self.same and ends == {member.node, individual}
                return right and rest == needed
            case "same chain", Link(), (Link() as one, Link() as two):
                roles = {one.role, two.role, end.role} == {self.same}
                path = (one.source, one.target, two.target) == (end.source, two.source, end.target)
                return roles and path
            case "equal member", Member(), (Link() as same, Member() as member):
                carried = (same.source, same.target) == (member.node, end.node)
                return same.role == self.same and carried and member.cls == end.cls
            case "equal source", Link(), (Link() as same, Link() as link):
                carried = (same.source, same.target) == (link.source, end.source)
                kept = (link.role, link.target) == (end.role, end.target)
                return same.role == self.same and carried and kept and end.role != self.same
            case "equal target", Link(), (Link() as same, Link() as link):
                carried = (same.source, same.target) == (link.target, end.target)
                kept = (link.role, link.source) == (end.role, end.source)
                return same.role == self.same and carried and kept and end.role != self.same
        return self._is_nominal_step(step)

    def _is_nominal_step(self, step: Step) -> bool:
        """A node in {a} has what a has, whether or not it exists."""
        end = step.conclusion
        if len(step.premises) != 2 or step.piece not in self.nominals:
            return False
        nominal, individual = step.piece
        inside, other = step.premises
        if not isinstance(inside, Member) or inside.cls != nominal:
            return False
        match step.rule, end, other:
            case "nominal member", Member(), Member():
                return (other.node, other.cls, end.node) == (individual, end.cls, inside.node)
            case "nominal source", Link(), Link():
                moved = (other.source, end.source) == (individual, inside.node)
                return moved and (other.role, other.target) == (end.role, end.target)
            case "nominal target", Link(), Link():
                moved = (other.target, end.target) == (inside.node, individual)
                return moved and (other.role, other.source) == (end.role, end.source)
        return False

    def _is_class_clash(self, step: Step) -> bool:
        end = step.conclusion
        if not isinstance(end, Clash):
            return False
        node = end.node
        match step.rule, step.piece, step.premises:
            case "dsj", (first, second), premises:
                shown = {(p.node, p.cls) for p in premises if isinstance(p, Member)}
                needed = 2 if first == second else 1
                return shown == {(node, first), (node, second)} and any(
                    axiom in step.axioms and min(map(classes.count, (first, second))) >= needed
                    for classes, axiom in self.normal.dsj
                )
            case "empty", (), (Member() as member,):
                return (member.node, member.cls) == (node, BOTTOM)
            case "empty witness", (), (Link() as link, Clash() as clash):
                joined = link.source == node and link.target == clash.node
                return joined and self.nodes.witness_of(clash.node) is not None
            case "empty role", (role,), (Link() as link,):
                empty = empty_roles(self.normal).get(link.role) == step.axioms
                return empty and (link.role, link.source) == (role, node)
        return False

    def _is_link_clash(self, step: Step) -> bool:
        end, named = step.conclusion, self._named
        if not isinstance(end, Clash) or not named(end.node):
            return False
        node = end.node
        match step.rule, step.piece, step.premises:
            case "irr", (role,), (Link() as link,):
                return link == Link(link.role, node, node) and link.role == role
            case "asym", (role,), (Link() as one, *rest):
                back = Link(one.role, one.target, node)
                right = one.role == role and one.source == node and named(one.target)
                return right and rest == ([back] if back != one else [])
            case "djr", (first, second), (Link() as one, *rest):
                right = (one.role, one.source) == (first, node) and named(one.target)
                pairs = [Link(r, node, one.target) for r in (second,) if isinstance(r, int)]
                return right and rest == (pairs if first != second else [])
            case "neg", (role, head, tail), (Link() as link,):
                right = (link.role, link.source, link.target) == (role, head, tail)
                return right and head == node
            case "dif", (one, other), premises:
                return one == node and self._are_different(step, one, other, premises)
            case "unique names", (), (Link() as link,):
                two = link.source == node != link.target and named(link.target)
                return self.normal.unique_names and link.role == self.same and two
            case "fun", (role,), (Link() as one, Link() as two):
                right = {one.role, two.role} == {role} and {one.source, two.source} == {node}
                return right and one.target != two.target and named(one.target, two.target)
            case "ifn", (role,), (Link() as one, Link() as two):
                right = {one.role, two.role} == {role} and {one.target, two.target} == {node}
                return right and one.source != two.source and named(one.source, two.source)
        return False

    def _are_different(
        self, step: Step, one: object, other: object, premises: tuple[Fact, ...]
    ) -> bool:
        listed = [i for i, axiom in self.normal.dif if axiom in step.axioms]
        if one == other:
            return not premises and any(i.count(one) > 1 for i in listed)
        match premises:
            case (Link() as link,):
                shown = (link.role, link.source, link.target) == (self.same, one, other)
                return shown and any(one in i and other in i for i in listed)
        return False
