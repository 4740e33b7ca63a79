"""The shapes of the rules that show a contradiction, as the checker of proofs knows them."""

from __future__ import annotations

from collections import defaultdict

from hybridkg.ontology.checked_walks import RoleWalks
from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.ontology.proof_steps import Clash, Fact, Link, Member, Step
from hybridkg.ontology.saturation import Nodes


class ClashRules:
    """Knows what each rule needs that ends in a contradiction."""

    def __init__(self, normal: NormalForm, nodes: Nodes, walks: RoleWalks) -> None:
        """Prepare for a knowledge base.

        Args:
            normal: the axioms.
            nodes: how node numbers are dealt out.
            walks: what follows from single roles.
        """
        self.normal, self.nodes, self.walks = normal, nodes, walks
        self.same = normal.same_role
        self._lists: dict[str, dict[int, list[tuple[int, ...]]]] = {}

    def accept(self, step: Step, end: Clash) -> bool:
        """Tell whether a step is an instance of its rule.

        Args:
            step: its axioms are as many as the rule takes, and its piece is one of the axiom.
            end: what it concludes.
        """
        return self._is_class_clash(step, end.node) or self._is_link_clash(step, end.node)

    def _listed(self, step: Step) -> list[tuple[int, ...]]:
        """Return the lists that stem from the axiom of a step."""
        if step.rule not in self._lists:
            self._lists[step.rule] = defaultdict(list)
            for members, axiom in getattr(self.normal, step.rule):
                self._lists[step.rule][axiom].append(members)
        return self._lists[step.rule].get(step.axioms[0], [])

    def _named(self, *ends: int) -> bool:
        return max(ends) < self.nodes.n_individuals

    def _is_class_clash(self, step: Step, node: int) -> bool:
        match step.rule, step.piece, step.premises:
            case "dsj", (first, second), premises:
                shown = [(p.node, p.cls) if isinstance(p, Member) else None for p in premises]
                # A class that is listed twice is shown once.
                repeated = first == second
                needed = [(node, first)] if repeated else [(node, first), (node, second)]
                least = 2 if repeated else 1
                return shown == needed and any(
                    min(map(classes.count, (first, second))) >= least
                    for classes in self._listed(step)
                )
            case "empty", (), (Member() as member,):
                return (member.node, member.cls) == (node, BOTTOM)
            case "empty witness", (), (Link() as link, Clash() as clash):
                joined = link.source == node and link.target == clash.node
                return joined and self.nodes.witness_of(clash.node) is not None
            case "empty role", (role,), (Link() as link,):
                named = (link.role, link.source) == (role, node)
                return named and self.walks.exclude_themselves(link.role, step.axioms)
        return False

    def _is_link_clash(self, step: Step, node: int) -> bool:
        named = self._named
        if not named(node):
            return False
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
                ends = (one.target, two.target)
                return self.normal.unique_names and right and self._are_two(*ends)
            case "ifn", (role,), (Link() as one, Link() as two):
                right = {one.role, two.role} == {role} and {one.target, two.target} == {node}
                ends = (one.source, two.source)
                return self.normal.unique_names and right and self._are_two(*ends)
        return False

    def _are_two(self, one: int, other: int) -> bool:
        return one != other and self._named(one, other)

    def _are_different(
        self, step: Step, one: object, other: object, premises: tuple[Fact, ...]
    ) -> bool:
        listed = self._listed(step)
        if one == other:
            return not premises and any(i.count(one) > 1 for i in listed)
        match premises:
            case (Link() as link,):
                shown = (link.role, link.source, link.target) == (self.same, one, other)
                return shown and any(one in i and other in i for i in listed)
        return False
