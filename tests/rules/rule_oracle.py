"""Rules by definition: every assignment of entities is tried, nothing is indexed."""

from itertools import permutations, product

from hypothesis import strategies as st

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.rule_set import ABSENT, RULE_KINDS, RuleSet

Rule = tuple[str, int, tuple[int, ...], int, int]


def rule_of(rules: RuleSet, row: int) -> Rule:
    """Kind, head, body, head constant and body constant of one row."""
    return (
        RULE_KINDS[rules.kind[row]],
        int(rules.head[row]),
        tuple(step for step in rules.body[row].tolist() if step != ABSENT),
        int(rules.head_constant[row]),
        int(rules.body_constant[row]),
    )


class Facts:
    """Distinct training triples of a graph, asked one by one."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.triples = {tuple(row) for row in kg.train.tolist()}
        self.n_entities, self.n_relations = kg.n_entities, kg.n_relations

    def holds(self, relation: int, one: int, other: int) -> bool:
        if relation < self.n_relations:
            return (one, relation, other) in self.triples
        return (other, relation - self.n_relations, one) in self.triples

    def valued(self, relation: int, one: int) -> bool:
        return any(self.holds(relation, one, y) for y in range(self.n_entities) if y != one)

    def predictions(self, rule: Rule) -> set[tuple[int, int]]:
        """(X, Y) or (X, constant) of every assignment that makes the body true."""
        kind, head, body, constant, value = rule
        entities = range(self.n_entities)
        if kind == "closed":
            return {
                (walk[0], walk[-1])
                for walk in permutations(entities, len(body) + 1)
                if all(self.holds(body[i], walk[i], walk[i + 1]) for i in range(len(body)))
            }
        found = set()
        for x in entities:
            if kind.endswith("constant"):
                fires = self.holds(body[0], x, value)
            else:
                fires = self.valued(body[0] if kind.endswith("dangling") else head, x)
            if fires and x != constant:
                found.add((x, x if kind.startswith("loop") else constant))
        return found

    def body_size(self, rule: Rule) -> int:
        """Entities or pairs that the body holds for, X = head constant included."""
        kind, head, body, _, value = rule
        return len(self.predictions((kind, head, body, -1, value)))

    def counts(self, rule: Rule) -> tuple[int, int, int]:
        """Predictions, support, PCA body."""
        found = self.predictions(rule)
        head = rule[1]
        return (
            len(found),
            sum(self.holds(head, x, y) for x, y in found),
            sum(self.valued(head, x) or (x == y and self.holds(head, x, x)) for x, y in found),
        )

    def head_size(self, rule: Rule) -> int:
        """Training triples of the head relation."""
        return sum(relation == rule[1] % self.n_relations for _, relation, _ in self.triples)

    def long_rules(self) -> list[Rule]:
        """Every closed rule with three body atoms."""
        steps = product(range(2 * self.n_relations), repeat=3)
        return [("closed", h, body, -1, -1) for body in steps for h in range(self.n_relations)]

    def all_rules(self) -> list[Rule]:
        """Every rule that the miner may state without samples, however weak."""
        directed, entities = range(2 * self.n_relations), range(self.n_entities)
        rules: list[Rule] = []
        for head in range(self.n_relations):
            rules += [("closed", head, (b,), -1, -1) for b in directed if b != head]
            rules += [("closed", head, (b, c), -1, -1) for b in directed for c in directed]
            others = [b for b in directed if b % self.n_relations != head]
            rules += [("loop_dangling", head, (b,), -1, -1) for b in others]
            rules += [("loop_constant", head, (b,), -1, d) for b in others for d in entities]
        for head in directed:
            for c in entities:
                rules.append(("zero", head, (), c, -1))
                rules += [("dangling", head, (b,), c, -1) for b in directed if b != head]
                rules += [
                    ("constant", head, (b,), c, d)
                    for b in directed
                    for d in entities
                    if (b, d) != (head, c)
                ]
        return rules


@st.composite
def small_graphs(draw: st.DrawFn, n_entities: int = 5, n_relations: int = 3) -> KnowledgeGraph:
    """A few triples over a few entities; loops and repeats included."""
    entity = st.integers(0, n_entities - 1).map(lambda n: f"e{n}")
    relation = st.integers(0, n_relations - 1).map(lambda n: f"r{n}")
    triples = draw(st.lists(st.tuples(entity, relation, entity), min_size=1, max_size=16))
    return KnowledgeGraph.from_labels(
        {"train": triples}, entities=[f"e{n}" for n in range(n_entities)]
    )
