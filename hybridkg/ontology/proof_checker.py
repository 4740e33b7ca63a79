"""Check a proof step by step, without the engine and the search that found it."""

from __future__ import annotations

from collections.abc import Callable

from hybridkg.errors import OntologyError
from hybridkg.ontology.checked_clashes import ClashRules
from hybridkg.ontology.checked_walks import RoleWalks
from hybridkg.ontology.normal_form import PIECES, TOP, NormalForm
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.saturation import Nodes

#: Rules that use two members of one list, whose axiom the step cites.
_LISTS = frozenset({"dsj", "dif"})
#: Rules whose piece, together with its axiom, stands in the normal form under their name.
_PIECES = frozenset(PIECES) - _LISTS
#: Rules that rest on several axioms about roles.
_WALKS = frozenset({"folded range", "empty role"})


def check_proof(
    proof: Proof,
    goal: Fact,
    normal: NormalForm,
    nodes: Nodes,
    is_asserted: Callable[[Fact], bool],
) -> None:
    """Check a proof step by step, knowing only the rules' shapes, the axioms and the data.

    Every part of a step is checked, the axioms that it cites included, and every step must bear
    on the goal: so the leaves of the proof are what it rests on, and nothing else.

    Args:
        proof: the steps.
        goal: what the last step must conclude.
        normal: the axioms.
        nodes: how node numbers are dealt out.
        is_asserted: tells whether a membership or link stands in the data.

    Raises:
        OntologyError: a step that is no instance of its rule, uses what is not concluded yet,
            or that nothing uses; a proof of something else, or of nothing.
    """
    if not proof.steps:
        raise OntologyError(f"a proof without steps; expected one that ends in {goal!r}")
    checker = _Checker(normal, nodes, is_asserted)
    concluded: set[Fact] = set()
    unused: dict[Fact, int] = {}
    for number, step in enumerate(proof.steps, start=1):
        missing = [p for p in step.premises if p not in concluded]
        if missing:
            raise OntologyError(f"step {number} uses {missing[0]!r}, which is not concluded yet")
        if not checker.accepts(step):
            raise OntologyError(f"step {number} is no instance of the rule {step.rule!r}: {step!r}")
        if step.conclusion in concluded:
            raise OntologyError(f"step {number} concludes {step.conclusion!r} once more")
        concluded.add(step.conclusion)
        for premise in step.premises:
            unused.pop(premise, None)
        unused[step.conclusion] = number
    if proof.conclusion != goal:
        raise OntologyError(f"a proof of {proof.conclusion!r}; expected one of {goal!r}")
    if len(unused) > 1:
        raise OntologyError(f"step {min(unused.values())} is used by no later step")


class _Checker:
    """Knows the shape of every rule; each case says what it needs and what it gives."""

    def __init__(
        self, normal: NormalForm, nodes: Nodes, is_asserted: Callable[[Fact], bool]
    ) -> None:
        self.normal, self.nodes, self.is_asserted = normal, nodes, is_asserted
        self.nominals, self.selves = set(normal.nominals), set(normal.selves)
        self.same = normal.same_role
        self.walks = RoleWalks(normal)
        self._pieces: dict[str, set[tuple[object, ...]]] = {}
        self._clashes = ClashRules(normal, nodes, self.walks)

    def accepts(self, step: Step) -> bool:
        """Tell whether a step is an instance of its rule."""
        if not self._is_in_range(step.conclusion):
            return False
        if step.rule == "asserted":
            bare = not (step.premises or step.piece or step.axioms)
            return (
                bare
                and isinstance(step.conclusion, Member | Link)
                and self.is_asserted(step.conclusion)
            )
        if step.rule in _PIECES | _LISTS:
            if len(step.axioms) != 1:
                return False
            if step.rule in _PIECES and not self._is_piece(step):
                return False
        elif step.rule not in _WALKS and step.axioms:
            return False
        if isinstance(step.conclusion, Clash):
            return self._clashes.accept(step, step.conclusion)
        return (
            self._is_member_step(step) or self._is_link_step(step) or self._is_equality_step(step)
        )

    def _is_in_range(self, fact: Fact) -> bool:
        """Tell whether a fact is about nodes, classes and roles that there are."""
        nodes = range(self.nodes.n_nodes)
        if isinstance(fact, Member):
            return fact.node in nodes and fact.cls in range(self.normal.n_classes)
        if isinstance(fact, Link):
            roles = range(len(self.normal.roles))
            return fact.source in nodes and fact.target in nodes and fact.role in roles
        return fact.node in nodes

    def _is_piece(self, step: Step) -> bool:
        if step.rule not in self._pieces:
            self._pieces[step.rule] = set(getattr(self.normal, step.rule))
        return (*step.piece, *step.axioms) in self._pieces[step.rule]

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
                witness = self.nodes.witness_of(node)
                if witness is None or (witness[0], cls) != (role, one):
                    return False
                return self.walks.give_range(witness[0], cls, step.axioms)
            case "sc", (sub, sup), (Member() as only,):
                return (only.node, only.cls, cls) == (node, sub, sup)
            case "conj", (first, second, result), (Member() as one, Member() as two):
                both = (one.cls, two.cls, cls) == (first, second, result)
                return both and one.node == two.node == node
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

    def _is_range_step(self, link: Link, rest: list[Fact], node: int) -> bool:
        """A range needs a source that exists: an individual, or a witness shown to exist."""
        if link.target != node or not self._named(node):
            return False
        return not rest if self._named(link.source) else rest == [Exists(link.source)]

    def _is_existence_step(self, step: Step, end: Exists) -> bool:
        """Only a witness exists through a link; what stands for a class need not exist."""
        if self.nodes.witness_of(end.node) is None:
            return False
        match step.rule, step.piece, step.premises:
            case "exists", (), (Link() as link,):
                return link.target == end.node and self._named(link.source)
            case "exists", (), (Link() as link, Exists() as before):
                return link.target == end.node and link.source == before.node
        return False

    def _is_link_step(self, step: Step) -> bool:
        end = step.conclusion
        if isinstance(end, Exists):
            return self._is_existence_step(step, end)
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
        match step.rule, step.piece, end, step.premises:
            case "same", (one, other), Link(), ():
                pairs = ((one, other), (other, one))
                return end.role == self.same and (end.source, end.target) in pairs
            case "one", (nominal, individual), Link(), (Member() as member, *rest):
                needed = [] if self._named(member.node) else [Exists(member.node)]
                listed = (nominal, individual) in self.nominals and member.cls == nominal
                pairs = ((member.node, individual), (individual, member.node))
                right = end.role == self.same and (end.source, end.target) in pairs
                two = member.node != individual
                return listed and right and two and rest == needed
            case "same chain", (), Link(), (Link() as one, Link() as two):
                roles = {one.role, two.role, end.role} == {self.same}
                path = (one.source, one.target, two.target) == (end.source, two.source, end.target)
                return roles and path
            case "equal member", (), Member(), (Link() as same, Member() as member):
                carried = (same.source, same.target) == (member.node, end.node)
                return same.role == self.same and carried and member.cls == end.cls
            case "equal source", (), Link(), (Link() as same, Link() as link):
                carried = (same.source, same.target) == (link.source, end.source)
                kept = (link.role, link.target) == (end.role, end.target)
                return same.role == self.same and carried and kept and end.role != self.same
            case "equal target", (), Link(), (Link() as same, Link() as link):
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
        if isinstance(end, Link) and end.role == self.same:
            # What need not exist is one with nothing yet.
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
