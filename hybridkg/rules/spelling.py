"""From rules in columns to their atoms, with the names and variables of a file format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.names import quote
from hybridkg.rules.rule_set import ABSENT, RULE_KINDS, RuleSet

Term = TypeVar("Term")
#: relation, first and second term, as the format writes them.
Spelled: TypeAlias = tuple[str, Term, Term]

#: Most body atoms of a closed rule that files carry: one letter for each variable.
MOST_ATOMS = 24
#: Variables of AnyBURL and of AMIE: X, Y, and those between them in the order of the chain.
ANYBURL_VARIABLES = ("X", "Y", *"ABCDEFGHIJKLMNOPQRSTUVW")
AMIE_VARIABLES = tuple(f"?{letter}" for letter in "abcdefghijklmnopqrstuvwxy")


class Names(NamedTuple, Generic[Term]):
    """What a format writes for each id and for each variable."""

    entities: Sequence[Term]
    relations: Sequence[str]
    #: X, Y, then the variables between them.
    variables: Sequence[Term]


def rule_atoms(
    rules: RuleSet, names: Names[Term], *, tail_variable: bool = False
) -> Iterator[tuple[Spelled[Term], list[Spelled[Term]]]]:
    """Yield the head and the body of each rule.

    Args:
        rules: any rules.
        names: by id.
        tail_variable: call the variable of a unary rule Y where it stands in the tail of its
            head, as AnyBURL does.

    Raises:
        DataError: a closed rule has more atoms than there are variables.
    """
    entities, relations, variables = names
    n_relations = len(relations)
    columns = zip(
        rules.kind.tolist(), rules.head.tolist(), rules.body.tolist(),
        rules.head_constant.tolist(), rules.body_constant.tolist(), strict=True,
    )  # fmt: skip

    def atom(relation: int, one: Term, other: Term) -> Spelled[Term]:
        if relation < n_relations:
            return relations[relation], one, other
        return relations[relation - n_relations], other, one

    for code, head, body, head_constant, body_constant in columns:
        kind = RULE_KINDS[code]
        x, y, *between = variables
        if kind == "closed":
            steps = [relation for relation in body if relation != ABSENT]
            if len(steps) > MOST_ATOMS:
                raise DataError(
                    f"a closed rule has {len(steps)} body atoms; at most {MOST_ATOMS} can be "
                    "written"
                )
            chain = [x, *between[: len(steps) - 1], y]
            walk = [atom(step, *chain[at : at + 2]) for at, step in enumerate(steps)]
            yield atom(head, x, y), walk
            continue
        if kind.startswith("loop"):
            conclusion = atom(head, x, x)
        else:
            x = y if tail_variable and head >= n_relations else x
            conclusion = atom(head, x, entities[head_constant])
        if kind == "zero":
            yield conclusion, []
        else:
            end = between[0] if body_constant == ABSENT else entities[body_constant]
            yield conclusion, [atom(body[0], x, end)]


def anyburl_names(kg: KnowledgeGraph) -> Names[str]:
    """Return the graph's names as AnyBURL lines carry them, quoted where need be."""
    return Names(
        [quote(label) for label in kg.entities.labels],
        [quote(label, relation=True) for label in kg.relations.labels],
        ANYBURL_VARIABLES,
    )


def anyburl_texts(rules: RuleSet, names: Names[str]) -> Iterator[str]:
    """Yield each rule as AnyBURL writes it, without counts."""
    for (relation, one, other), body in rule_atoms(rules, names, tail_variable=True):
        walk = ", ".join([f"{step}({first},{second})" for step, first, second in body])
        yield f"{relation}({one},{other}) <= {walk}"


def rule_texts(rules: RuleSet, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield each rule as AnyBURL writes it, with the names of a graph and without counts."""
    yield from anyburl_texts(rules, anyburl_names(kg))
