"""The checker accepts no step that is bent, and knows the rules by their shapes only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import (
    CLASH_AXIOMS,
    FACTS,
    POSITIVE_AXIOMS,
    TYPES,
    academic_ontology,
    small_graph,
)

from hybridkg.errors import InconsistentOntologyError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.consistency import steps_of
from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.knowledge_base import assemble
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.normal_form import BOTTOM, PIECES, TOP
from hybridkg.ontology.proof_checker import check_proof
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof, smallest_proof


def check(closure: Closure, proof: Proof, *extra: Fact) -> None:
    asserted = closure.derivations.is_asserted
    check_proof(
        proof,
        proof.conclusion,
        closure.base.normal,
        closure.saturation.nodes,
        lambda fact: fact in extra or asserted(fact),
    )


@pytest.fixture
def chained(academic: KnowledgeGraph) -> tuple[Closure, Proof]:
    closure = close(academic, academic_ontology(academic))
    proof = closure.prove(closure.link("alice", "grandAdvisor", "carol"))
    assert proof is not None
    return closure, proof


def test_a_chain_is_proven_from_its_two_facts_and_the_axiom(chained: tuple[Closure, Proof]) -> None:
    closure, proof = chained
    assert closure.wording.proof(proof).splitlines() == [
        "1. alice advises bob  [asserted]",
        "2. bob advises carol  [asserted]",
        "3. alice grandAdvisor carol  "
        "[property chain: advises o advises subPropertyOf grandAdvisor from 1, 2]",
    ]
    check(closure, proof)


def test_a_bent_chain_is_refused(chained: tuple[Closure, Proof]) -> None:
    closure, proof = chained
    first, second, last = proof.steps
    assert isinstance(last.conclusion, Link)
    other = closure.kg.entities.id_of("erin")
    bent = [
        replace(last, conclusion=replace(last.conclusion, target=other)),
        replace(last, premises=last.premises[::-1]),
        replace(last, premises=last.premises[:1]),
        replace(last, axioms=(0,)),
        replace(last, piece=(0, 0, 0)),
        replace(last, rule="sr"),
        replace(last, rule="asserted", premises=()),
        replace(last, rule="no such rule"),
    ]
    for step in bent:
        with pytest.raises(OntologyError, match="step 3"):
            check(closure, Proof((first, second, step)))
    with pytest.raises(OntologyError, match="not concluded yet"):
        check(closure, Proof((last, first, second)))
    with pytest.raises(OntologyError, match="not concluded yet"):
        check(closure, Proof((first, last)))


CLASHES = [
    ax.DisjointClasses((ex.Named("A"), ex.Named("B"))),
    ax.SubClassOf(ex.And((ex.Named("A"), ex.Named("B"))), ex.Bottom()),
]


@pytest.mark.parametrize("axiom", CLASHES)
def test_contradictions_are_proven_from_the_assumed_fact(axiom: ax.Axiom) -> None:
    ontology = ontology_of([axiom, ax.Range("r", ex.Named("B"))])
    closure = close(small_graph([], [("e1", "A")]), ontology)
    link = closure.link("e0", "r", "e1")
    proof = closure.prove_clash(link)
    assert proof is not None
    assert set(closure.wording.leaves(proof.leaves)) == {
        "e0 r e1",
        "e1 type A",
        "r range B",
        str(axiom),
    }
    assert closure.prove_clash(closure.link("e1", "r", "e0")) is None
    with pytest.raises(OntologyError, match="'asserted'"):
        check(closure, proof)


@pytest.mark.parametrize(
    ("axiom", "fact", "assumed"),
    [
        (ax.Irreflexive("r"), None, ("e0", "r", "e0")),
        (ax.Asymmetric("r"), ("e0", "r", "e1"), ("e1", "r", "e0")),
        (ax.Asymmetric("r"), None, ("e0", "r", "e0")),
        (ax.DisjointProperties(("r", "s")), ("e0", "s", "e1"), ("e0", "r", "e1")),
    ],
)
def test_contradictory_pairs_are_proven(
    axiom: ax.Axiom, fact: tuple[str, str, str] | None, assumed: tuple[str, str, str]
) -> None:
    closure = close(small_graph([fact] if fact else [], []), ontology_of([axiom]))
    proof = closure.prove_clash(closure.link(*assumed))
    assert proof is not None
    wanted = {str(axiom), " ".join(assumed)} | ({" ".join(fact)} if fact else set())
    assert set(closure.wording.leaves(proof.leaves)) == wanted
    last = proof.steps[-1]
    moved = replace(last.conclusion, node=3)  # type: ignore[call-arg]
    with pytest.raises(OntologyError, match="no instance"):
        check(
            closure,
            Proof((*proof.steps[:-1], replace(last, conclusion=moved))),
            closure.link(*assumed),
        )


def test_a_range_does_not_reach_a_witness_of_another_role() -> None:
    ontology = ontology_of(
        [ax.SubClassOf(ex.Named("A"), ex.Some("r", ex.Named("B"))), ax.Range("s", ex.Named("C"))]
    )
    closure = close(small_graph([], [("e0", "A")]), ontology)
    normal, nodes = closure.base.normal, closure.saturation.nodes
    role, filler = nodes.witnesses[0]
    member = Member(nodes.witness_node(role, filler), normal.class_ids["C"])
    step = Step("folded range", member, (), (role, normal.class_ids["C"]), (0,))
    with pytest.raises(OntologyError, match="folded range"):
        check(closure, Proof((step,)))


A, B, C, D = map(ex.Named, "ABCD")


def world(
    axioms: list[ax.Axiom],
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    *,
    unique_names: bool = False,
) -> Derivations:
    """What follows, contradictions included."""
    ontology = ontology_of(axioms)
    base = assemble(small_graph(facts, types), ontology, unique_names=unique_names)
    return steps_of(base, base.saturate())


def numbers(steps: Derivations, axioms: list[ax.Axiom], places: Sequence[int]) -> tuple[int, ...]:
    """The numbers of listed axioms in the normal form; other numbers as they are."""
    known = steps.normal.axioms
    return tuple(known.index(axioms[p]) if p < len(axioms) else p for p in places)


def accepts(steps: Derivations, *proof: Step) -> bool:
    """Whether a proof is taken whose asserted leaves are what the data say."""
    try:
        goal = proof[-1].conclusion
        check_proof(Proof(proof), goal, steps.normal, steps.nodes, steps.is_asserted)
    except OntologyError as error:
        if "no instance" not in str(error):
            raise
        return False
    return True


def proven(steps: Derivations, *facts: Fact) -> dict[Fact, Step]:
    found: dict[Fact, Step] = {}
    for fact in facts:
        proof = smallest_proof(steps, fact)
        assert proof is not None
        for step in proof.steps:
            found.setdefault(step.conclusion, step)
    return found


def test_a_proof_of_nothing_or_of_something_else_is_refused(
    chained: tuple[Closure, Proof],
) -> None:
    closure, proof = chained
    place = (closure.base.normal, closure.saturation.nodes, closure.derivations.is_asserted)
    with pytest.raises(OntologyError, match="without steps"):
        check_proof(Proof(()), proof.conclusion, *place)
    with pytest.raises(OntologyError, match="expected one of"):
        check_proof(proof, proof.steps[0].conclusion, *place)
    with pytest.raises(OntologyError, match="expected one of"):
        closure.checked(proof, proof.steps[0].conclusion)
    with pytest.raises(OntologyError, match="once more"):
        check_proof(Proof((proof.steps[0], *proof.steps)), proof.conclusion, *place)
    more = closure.prove(closure.link("carol", "advises", "erin"))
    assert more is not None
    with pytest.raises(OntologyError, match="step 1 is used by no later step"):
        check_proof(Proof((*more.steps, *proof.steps)), proof.conclusion, *place)
    assert Proof((*more.steps, *proof.steps)).without_unused() == proof


def test_an_asserted_step_brings_no_axioms_along(chained: tuple[Closure, Proof]) -> None:
    closure, proof = chained
    first = proof.steps[0]
    for step in (replace(first, axioms=(5, 6, 99)), replace(first, piece=(1, 2))):
        with pytest.raises(OntologyError, match="step 1 is no instance"):
            check(closure, Proof((step,)))


def test_facts_about_numbers_that_nothing_has_are_refused() -> None:
    steps = world([ax.SubClassOf(A, ex.Some("r", B))], [], [("e0", "A")])
    size = steps.nodes.n_nodes
    assert accepts(steps, Step("top", Member(size - 1, TOP), ()))
    for node in (-1, size, size + 7):
        assert not accepts(steps, Step("top", Member(node, TOP), ()))
    # Keys of pairs wrap round: node -1 of one class is the last node of the one before.
    cls = steps.normal.class_ids["A"]
    assert accepts(steps, Step("asserted", Member(0, cls), ()))
    assert not accepts(steps, Step("asserted", Member(size, cls - 1), ()))


def test_disjointness_cites_its_own_axiom_and_no_other() -> None:
    axioms = [ax.DisjointClasses((B, C)), ax.DisjointClasses((A, A, B)), ax.SubClassOf(A, C)]
    steps = world(axioms, [], [("e0", "A"), ("e0", "B")])
    a, b = (steps.normal.class_ids[name] for name in "AB")
    foot = [Step("asserted", Member(0, cls), ()) for cls in (a, b)]
    own = numbers(steps, axioms, [1])
    right = Step("dsj", Clash(0), (Member(0, a), Member(0, b)), (a, b), own)
    assert accepts(steps, *foot, right)
    for places in [(1, 0, 3, 99), (0,), (2,), (1, 1), ()]:
        cited = numbers(steps, axioms, places)
        assert not accepts(steps, *foot, replace(right, axioms=cited))
    twice = Step("dsj", Clash(0), (Member(0, a),), (a, a), own)
    assert accepts(steps, foot[0], twice)
    assert not accepts(steps, foot[1], Step("dsj", Clash(0), (Member(0, b),), (b, b), own)), (
        "a class that is listed once does not exclude itself"
    )


def test_different_individuals_cite_their_own_axiom_and_no_other() -> None:
    axioms = [
        ax.SameIndividuals(("e0", "e1")),
        ax.DifferentIndividuals(("e0", "e1")),
        ax.DifferentIndividuals(("e0", "e2", "e2")),
    ]
    steps = world(axioms, [], [])
    same = Link(steps.normal.same_role, 0, 1)  # type: ignore[arg-type]
    foot = Step("same", same, (), (0, 1), numbers(steps, axioms, [0]))
    right = Step("dif", Clash(0), (same,), (0, 1), numbers(steps, axioms, [1]))
    assert accepts(steps, foot, right)
    for places in [(1, 0, 3, 99), (0,), (2,), ()]:
        cited = numbers(steps, axioms, places)
        assert not accepts(steps, foot, replace(right, axioms=cited))
    own = numbers(steps, axioms, [2])
    assert accepts(steps, Step("dif", Clash(2), (), (2, 2), own))
    assert not accepts(steps, Step("dif", Clash(0), (), (0, 0), own))


def test_a_witness_is_one_with_an_individual_only_where_it_exists() -> None:
    axioms = [
        ax.SubClassOf(A, ex.Some("r", ex.And((B, ex.Nominal("e1"))))),
        ax.SubClassOf(C, A),
    ]
    steps = world(axioms, [], [("e0", "A")])
    normal, nodes = steps.normal, steps.nodes
    (nominal, individual), same = normal.nominals[0], normal.same_role
    assert same is not None
    witness = nodes.first_witness
    known = proven(steps, Member(witness, nominal), Exists(witness))
    piece = (nominal, individual)
    inside = Member(witness, nominal)
    right = Step("one", Link(same, witness, individual), (inside, Exists(witness)), piece)
    assert accepts(steps, *known.values(), right)
    short = proven(steps, inside)
    assert not accepts(steps, *short.values(), replace(right, premises=(inside,)))
    assert not accepts(steps, *known.values(), replace(right, piece=(*piece, 7)))
    assert not accepts(steps, *known.values(), replace(right, piece=(7,)))
    assert not accepts(steps, *known.values(), replace(right, piece=()))


def test_only_witnesses_exist_and_only_through_what_exists() -> None:
    axioms = [ax.SubClassOf(A, ex.Some("r", B)), ax.SubClassOf(C, A)]
    steps = world(axioms, [("e0", "r", "e1")], [("e2", "A")])
    normal, nodes = steps.normal, steps.nodes
    role, witness = normal.role_ids["r"], nodes.first_witness
    stand_in = nodes.class_node(normal.class_ids["A"])
    assert stand_in is not None
    for source, target, taken in [
        (2, witness, True),
        (stand_in, witness, False),
        (0, 1, False),
    ]:
        link = Link(role, source, target)
        step = Step("exists", Exists(target), (link,))
        assert accepts(steps, *proven(steps, link).values(), step) == taken
    member, looped = Member(stand_in, normal.class_ids["A"]), ax.Reflexive("s")
    steps = world([*axioms, looped], [], [("e2", "A")])
    link = Link(steps.normal.role_ids["s"], stand_in, stand_in)
    assert member.node == link.source
    for source in (0, stand_in):
        link = Link(link.role, source, source)
        step = Step("exists", Exists(source), (link,))
        assert not accepts(steps, *proven(steps, link).values(), step)


def test_inverses_hold_between_individuals_only() -> None:
    axioms = [ax.SubClassOf(A, ex.Some("r", B)), ax.InverseOf("r", "s")]
    steps = world(axioms, [("e0", "r", "e1")], [("e0", "A")])
    r, s = (steps.normal.role_ids[name] for name in "rs")
    for target in (1, steps.nodes.first_witness):
        link = Link(r, 0, target)
        turned = Step("inv", Link(s, target, 0), (link,), (r, s), numbers(steps, axioms, [1]))
        assert accepts(steps, *proven(steps, link).values(), turned) == (target == 1)


def test_a_folded_range_cites_a_walk_without_detours() -> None:
    axioms = [
        ax.SubClassOf(A, ex.Some("r", B)),
        ax.SubPropertyOf("r", "s"),
        ax.InverseOf("s", "t"),
        ax.Domain("t", C),
        ax.Symmetric("r"),
        ax.Range("s", D),
    ]
    steps = world(axioms, [], [("e0", "A")])
    normal, witness = steps.normal, steps.nodes.first_witness
    r, c, d = normal.role_ids["r"], normal.class_ids["C"], normal.class_ids["D"]

    def taken(cls: int, *places: int) -> bool:
        cited = numbers(steps, axioms, places)
        return accepts(steps, Step("folded range", Member(witness, cls), (), (r, cls), cited))

    assert taken(c, 1, 2, 3)
    assert taken(d, 1, 5)
    for cited in [(), (3,), (1, 3), (2, 1, 3), (1, 2, 3, 5), (1, 2, 2, 3), (1, 2, 3, 99)]:
        assert not taken(c, *cited)
    for cited in [(4, 4, 1, 5), (4, 1, 5), (1, 2, 5), (1, 2, 2, 5), (1, 4, 5), (5,), (0, 1, 5)]:
        assert not taken(d, *cited)


def test_an_empty_role_cites_two_walks_without_detours() -> None:
    axioms = [
        ax.SubPropertyOf("r", "s"),
        ax.SubPropertyOf("r", "t"),
        ax.DisjointProperties(("s", "t")),
        ax.Symmetric("r"),
        ax.Symmetric("s"),
        ax.Asymmetric("s"),
    ]
    steps = world(axioms, [("e0", "r", "e1")], [])
    role = steps.normal.role_ids["r"]
    link = Link(role, 0, 1)
    foot = Step("asserted", link, ())

    def taken(*places: int) -> bool:
        cited = numbers(steps, axioms, places)
        return accepts(steps, foot, Step("empty role", Clash(0), (link,), (role,), cited))

    for cited in [(0, 1, 2), (1, 0, 2), (0, 4, 5), (3, 0, 5)]:
        assert taken(*cited)
    for cited in [(), (2,), (0, 2), (0, 1), (0, 1, 2, 99), (0, 1, 3, 2, 5), (0, 5), (1, 4, 5)]:
        assert not taken(*cited)
    assert not taken(0, 0, 1, 2)


def test_a_contradiction_may_rest_on_the_assumed_fact_and_on_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    axioms = [ax.DisjointClasses((A, B)), ax.Range("r", B)]
    closure = close(small_graph([], [("e1", "A")]), ontology_of(axioms))
    proof = closure.prove_clash(closure.link("e0", "r", "e1"))
    assert proof is not None
    made_up = Link(closure.base.normal.role_ids["r"], 2, 1)
    assumed = closure.link("e0", "r", "e1")

    def moved(fact: Fact) -> Fact:
        return made_up if fact == assumed else fact

    forged = Proof(
        tuple(
            replace(s, conclusion=moved(s.conclusion), premises=tuple(map(moved, s.premises)))
            for s in proof.steps
        )
    )
    monkeypatch.setattr(type(closure.what_if), "clash_proof", lambda *_: forged)
    with pytest.raises(OntologyError, match="no instance of the rule 'asserted'"):
        closure.prove_clash(assumed)


@pytest.mark.parametrize("order", [(A, A, B), (A, B, A), (B, A, A), (A, B, B)])
def test_a_class_listed_twice_is_one_contradiction_with_its_causes(
    order: tuple[ex.Named, ...],
) -> None:
    ontology = ontology_of([ax.DisjointClasses(order), ax.Domain("r", A), ax.Range("s", B)])
    kg = small_graph([("e0", "r", "e1"), ("e2", "s", "e0")], [])
    with pytest.raises(InconsistentOntologyError) as caught:
        close(kg, ontology)
    wanted = {"e0 r e1", "r domain A", str(ontology.axioms[0])}
    if order.count(B) > 1:
        wanted = {"e2 s e0", "s range B", str(ontology.axioms[0])}
    assert set(caught.value.culprits[0]) == wanted


@pytest.mark.parametrize("axiom", [ax.SameIndividuals(("e0", "e1"))])
def test_a_node_is_one_with_itself_by_each_way_once(axiom: ax.Axiom) -> None:
    steps = world([axiom], [], [])
    same = steps.normal.same_role
    assert same is not None
    ways = list(steps.steps(Link(same, 0, 0)))
    assert len(ways) == len(set(ways)) == 1
    assert accepts(steps, *proven(steps, Link(same, 0, 0)).values())


AXIOMS = st.lists(st.one_of(POSITIVE_AXIOMS, POSITIVE_AXIOMS, CLASH_AXIOMS), max_size=6)
WORLDS = st.builds(world, AXIOMS, FACTS, TYPES, unique_names=st.booleans())
RULES = [
    *("asserted", "top", "stand-in", "nominal", "witness", "folded range", "loop", "self"),
    *("exists", "one", "same chain", "equal member", "equal source", "equal target"),
    *("nominal member", "nominal source", "nominal target", "unique names"),
    *("empty", "empty witness", "empty role", *PIECES, "no such rule"),
]


def all_facts(steps: Derivations) -> list[Fact]:
    nodes = range(steps.nodes.n_nodes)
    found: list[Fact] = [Clash(node) for node in nodes if steps.holds(Clash(node))]
    classes = [cls for cls in steps.members.occupied() if cls != BOTTOM]
    found += [
        Member(node, cls) for cls in classes for node in nodes if steps.members.has(cls, node)
    ]
    for role in range(len(steps.normal.roles)):
        found += [Link(role, *pair) for pair in steps.saturation.pairs(role).tolist()]
    first = steps.nodes.first_witness
    return found + [Exists(node) for node in nodes if node >= first and steps.exists(node)]


def same_but_for_order(step: Step) -> tuple[object, ...]:
    """A step, where the order of its premises says nothing without that order."""
    if step.rule in ("dsj", "fun", "ifn"):
        premises, piece = frozenset(step.premises), frozenset(step.piece)
        return step.rule, step.conclusion, premises, piece, step.axioms, len(step.premises)
    return step.rule, step.conclusion, step.premises, step.piece, step.axioms


def is_known_step(steps: Derivations, step: Step) -> bool:
    """Whether the engine would take a step, its facts being in the closure."""
    fact, nodes = step.conclusion, range(steps.nodes.n_nodes)
    ends = (fact.source, fact.target) if isinstance(fact, Link) else (fact.node,)
    if not all(end in nodes for end in ends):
        return False
    if isinstance(fact, Link) and fact.role not in range(len(steps.normal.roles)):
        return False
    if isinstance(fact, Member) and fact.cls not in range(steps.normal.n_classes):
        return False
    if isinstance(fact, Exists) and fact.node < steps.nodes.first_witness:
        return False
    return same_but_for_order(step) in set(map(same_but_for_order, steps.steps(fact)))


def drawn_number(data: st.DataObject, old: int) -> int:
    return data.draw(st.one_of(st.integers(-1, 16), st.sampled_from([old - 1, old + 1, 99])))


def changed_row(data: st.DataObject, row: tuple[int, ...]) -> tuple[int, ...]:
    """Change, leave out or add one number."""
    place = data.draw(st.integers(0, len(row)))
    kind = data.draw(st.sampled_from(["change", "drop", "add"]))
    if kind == "add" or place == len(row):
        return (*row[:place], drawn_number(data, 0), *row[place:])
    new = () if kind == "drop" else (drawn_number(data, row[place]),)
    return (*row[:place], *new, *row[place + 1 :])


def bent(data: st.DataObject, step: Step, before: list[Fact]) -> Step:
    """A step with one field changed; its premises are among what is concluded before it."""
    field = data.draw(st.sampled_from(["rule", "conclusion", "premises", "piece", "axioms"]))
    if field == "rule":
        return replace(step, rule=data.draw(st.sampled_from(RULES)))
    if field == "conclusion":
        name = data.draw(st.sampled_from([one.name for one in fields(step.conclusion)]))
        number = drawn_number(data, getattr(step.conclusion, name))
        return replace(step, conclusion=replace(step.conclusion, **{name: number}))
    if field == "premises":
        places = [*range(len(before))]
        old = tuple(before.index(premise) for premise in step.premises)
        how = st.one_of(st.permutations(old), st.lists(st.sampled_from(places), max_size=3))
        chosen = data.draw(how if places else st.just([]))
        return replace(step, premises=tuple(before[place] for place in chosen))
    if field == "piece":
        return replace(step, piece=changed_row(data, step.piece))  # type: ignore[arg-type]
    return replace(step, axioms=changed_row(data, step.axioms))


@settings(deadline=None, max_examples=250)
@given(WORLDS, st.data())
def test_a_step_with_one_field_changed_is_refused(steps: Derivations, data: st.DataObject) -> None:
    proof = smallest_proof(steps, data.draw(st.sampled_from(all_facts(steps))))
    assert proof is not None
    for _ in range(6):
        place = data.draw(st.integers(0, len(proof.steps) - 1))
        earlier, step = proof.steps[:place], proof.steps[place]
        changed = bent(data, step, [one.conclusion for one in earlier])
        walks = ("folded range", "empty role")
        if changed.rule in walks and changed.axioms != step.axioms:
            # Another walk may do as well, of axioms that there are, each taken once.
            if len(set(changed.axioms)) == len(changed.axioms) and -1 < min(
                changed.axioms, default=-1
            ) <= max(changed.axioms) < len(steps.normal.axioms):
                continue
        elif is_known_step(steps, changed):
            continue
        if changed.conclusion in {one.conclusion for one in earlier}:
            continue
        shown = Proof((*earlier, changed)).without_unused()
        assert not accepts(steps, *shown.steps), changed


@settings(deadline=None, max_examples=60)
@given(WORLDS, st.data())
def test_a_step_left_out_or_moved_ahead_of_its_premises_is_refused(
    steps: Derivations, data: st.DataObject
) -> None:
    goal = data.draw(st.sampled_from(all_facts(steps)))
    proof = smallest_proof(steps, goal)
    assert proof is not None
    place = (steps.normal, steps.nodes, steps.is_asserted)
    for number in range(len(proof.steps)):
        with pytest.raises(OntologyError):
            check_proof(Proof((*proof.steps[:number], *proof.steps[number + 1 :])), goal, *place)
    order = data.draw(st.permutations(proof.steps))
    shown = {step.conclusion: number for number, step in enumerate(order)}
    is_early = any(shown[p] > shown[s.conclusion] for s in order for p in s.premises)
    if is_early:
        with pytest.raises(OntologyError, match="not concluded yet"):
            check_proof(Proof(tuple(order)), goal, *place)
    else:
        check_proof(Proof(tuple(order)), goal, *place)


@settings(deadline=None, max_examples=60)
@given(WORLDS, st.data())
def test_every_step_of_the_closure_is_taken_and_every_fact_has_a_proof(
    steps: Derivations, data: st.DataObject
) -> None:
    for fact in data.draw(st.lists(st.sampled_from(all_facts(steps)), max_size=5)):
        proof = smallest_proof(steps, fact)
        assert proof is not None
        assert accepts(steps, *proof.steps)
        for step in steps.steps(fact):
            # What only goes in a circle is listed as well, and has no proof.
            if any(smallest_proof(steps, premise) is None for premise in step.premises):
                continue
            known = proven(steps, *step.premises)
            if fact not in known:
                shown = Proof((*known.values(), step)).without_unused()
                assert accepts(steps, *shown.steps), step


def taken_after(steps: Derivations, step: Step) -> bool:
    return accepts(steps, *proven(steps, *step.premises).values(), step)


def test_loops_and_ranges_need_individuals_or_what_exists() -> None:
    axioms = [ax.Reflexive("r"), ax.Range("r", B), ax.SubClassOf(A, ex.Some("r", ex.Nominal("e1")))]
    steps = world(axioms, [("e0", "r", "e0")], [])
    role = steps.normal.role_ids["r"]
    own, stand_in = steps.self_class_of[role], steps.nodes.class_node(steps.normal.class_ids["A"])
    assert stand_in is not None
    for node in (0, stand_in):
        link = Link(role, node, node)
        assert taken_after(steps, Step("loop", Member(node, own), (link,), (role, own))) == (
            node == 0
        )
    cls = steps.normal.class_ids["B"]
    cited = numbers(steps, axioms, [1])
    for source in (1, stand_in):
        link = Link(role, source, 1)
        step = Step("rng", Member(1, cls), (link,), (role, cls), cited)
        assert taken_after(steps, step) == (source == 1)


def test_pairs_that_clash_are_two_links() -> None:
    axioms = [ax.Functional("r"), ax.DisjointProperties(("r", "s"))]
    facts = [("e0", "r", "e1"), ("e0", "r", "e2"), ("e0", "s", "e1")]
    steps = world(axioms, facts, [], unique_names=True)
    r, s = (steps.normal.role_ids[name] for name in "rs")
    one, two, other = Link(r, 0, 1), Link(r, 0, 2), Link(s, 0, 1)
    key = Step("fun", Clash(0), (one, two), (r,), numbers(steps, axioms, [0]))
    assert taken_after(steps, key)
    assert not taken_after(steps, replace(key, premises=(one, one)))
    pair = Step("djr", Clash(0), (one, other), (r, s), numbers(steps, axioms, [1]))
    assert taken_after(steps, pair)
    assert not taken_after(steps, replace(pair, premises=(one,)))
    assert not taken_after(steps, replace(pair, premises=(two, other)))


def test_equality_carries_the_very_link_over() -> None:
    facts = [("e0", "r", "e2"), ("e0", "r", "e3")]
    steps = world([ax.SameIndividuals(("e0", "e1"))], facts, [])
    same, role = steps.normal.same_role, steps.normal.role_ids["r"]
    assert same is not None
    step = Step("equal source", Link(role, 1, 2), (Link(same, 0, 1), Link(role, 0, 2)))
    assert taken_after(steps, step)
    assert not taken_after(steps, replace(step, conclusion=Link(role, 1, 3)))
    assert not taken_after(steps, replace(step, conclusion=Link(role, 1, 4)))


def test_what_need_not_exist_is_one_with_nothing() -> None:
    axioms = [ax.SubClassOf(A, ex.Nominal("e0")), ax.SameIndividuals(("e0", "e1"))]
    steps = world(axioms, [("e0", "r", "e2")], [])
    same, role = steps.normal.same_role, steps.normal.role_ids["r"]
    stand_in, piece = steps.nodes.class_node(steps.normal.class_ids["A"]), steps.normal.nominals[0]
    assert same is not None
    assert stand_in is not None
    inside = Member(stand_in, piece[0])
    for link in (Link(role, 0, 2), Link(same, 0, 1)):
        moved = replace(link, source=stand_in)
        step = Step("nominal source", moved, (inside, link), piece)
        assert taken_after(steps, step) == (link.role == role)
