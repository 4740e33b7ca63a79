"""Explain one statement: asserted, proven, contradicted, borne out by a witness, or why not."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology.closure import Closure, ClosureVerdict
from hybridkg.ontology.justifications import Justifications, justify
from hybridkg.ontology.leaks import short_proof
from hybridkg.ontology.minimal import minimal_support
from hybridkg.ontology.names import Names
from hybridkg.ontology.proof_steps import Fact, Link, Member
from hybridkg.ontology.proof_tree import TreeNode, proof_tree
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.sources import Sources
from hybridkg.ontology.why_not import WhyNot, why_not
from hybridkg.ontology.witnesses import Witness, find_witness

#: How a tail starts that asks for a witness, as in "some Student".
SOME = "some "
#: Justifications that are listed, unless more are asked for.
MAX_SETS = 20


@dataclass(frozen=True, slots=True)
class SetsOfStatements:
    """Minimal sets of asserted statements and axioms behind a fact, as sentences."""

    sets: tuple[tuple[str, ...], ...]
    #: False where there may be more sets, since a limit was met.
    complete: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the closure has to say on one statement."""

    triple: LabelTriple
    statement: str
    #: None for a question about a witness.
    verdict: ClosureVerdict | None
    #: where an asserted statement stands, if that is known.
    source: str | None = None
    #: of an entailed statement; of the contradiction, where the statement leads to one.
    tree: tuple[TreeNode, ...] = ()
    justifications: SetsOfStatements | None = None
    why_not: WhyNot | None = None
    witness: Witness | None = None
    #: proofs of what bears an existential out: the relation, and the class of its end.
    witness_trees: tuple[tuple[TreeNode, ...], ...] = ()
    #: rules that propose the statement, as :mod:`hybridkg.rules.evidence` tells them.
    rules: tuple[dict[str, Any], ...] | None = None
    #: facts that were left out of the reasoning and mention an end of the statement.
    notes: tuple[str, ...] = field(default=())

    def as_document(self) -> dict[str, Any]:
        """Return the explanation as JSON-able values."""
        sets = self.justifications
        return {
            "triple": list(self.triple),
            "statement": self.statement,
            "verdict": self.verdict,
            "source": self.source,
            "proof": [node.as_document() for node in self.tree],
            "justifications": [list(one) for one in sets.sets] if sets else None,
            "justifications_complete": sets.complete if sets else None,
            "why_not": asdict(self.why_not) if self.why_not else None,
            "witness": asdict(self.witness) if self.witness else None,
            "witness_proofs": [
                [node.as_document() for node in tree] for tree in self.witness_trees
            ],
            "rules": list(self.rules) if self.rules is not None else None,
            # The table of verdicts on candidates leaves some chains out; nothing is left out here.
            "judged_by": "exact what-if" if self.verdict in ("inconsistent", "undetermined") else
            "closure",
            "notes": list(self.notes),
        }  # fmt: skip


def explain(
    closure: Closure,
    names: Names,
    sources: Sources,
    triple: LabelTriple,
    *,
    every: bool = False,
    limit: int = MAX_SETS,
) -> Explanation:
    """Explain a triple, a class membership, or the question for a witness.

    Args:
        closure: what follows.
        names: finds the names of the triple.
        sources: knows where statements stand.
        triple: head, relation, tail; ``type`` as relation means class membership, and a tail
            such as ``some Student`` asks who bears the existential out.
        every: list all minimal sets of statements behind an entailed one.
        limit: sets that are listed.

    Raises:
        UnknownNameError: a name is unknown; the nearest ones are shown.
    """
    head, relation, tail = triple
    asks_witness = tail.startswith(SOME) and names.find("entity", tail) is None
    if asks_witness and not names.means_type(relation):
        return _explain_witness(closure, names, sources, triple)
    fact = names.fact(head, relation, tail)
    steps, words = closure.derivations, closure.wording
    statement = words.fact(fact)
    sets = _all_sets(closure, fact, limit) if every and steps.holds(fact) else None
    if steps.is_asserted(fact):
        return Explanation(
            triple,
            statement,
            "asserted",
            source=_source(closure, sources, fact),
            justifications=sets,
        )
    if steps.holds(fact):
        proof = _proof(closure, fact)
        tree = proof_tree(proof, words, sources)
        return Explanation(triple, statement, "entailed", tree=tree, justifications=sets)
    if closure.is_listed(fact):
        shown = "HermiT finds that it follows; it shows no proof"
        return Explanation(triple, statement, "entailed", source=shown)
    clash = closure.prove_clash(fact)
    if clash is not None:
        tree = proof_tree(clash, words, sources, assumed=fact)
        return Explanation(triple, statement, "inconsistent", tree=tree)
    assert isinstance(fact, Link | Member), "a triple says a link or a membership"
    return Explanation(triple, statement, "undetermined", why_not=why_not(closure, fact))


def all_justifications(closure: Closure, fact: Fact, *, limit: int = MAX_SETS) -> Justifications:
    """Return the minimal sets of statements behind a fact of the closure, at least one.

    Args:
        closure: what follows.
        fact: a fact of the closure about individuals.
        limit: sets that are kept for any one fact.
    """
    found = justify(closure.derivations, fact, limit=limit)
    if found.complete:
        return found
    # A search that stopped early may hold none, or sets that are not minimal.
    rough = [_proof(closure, fact).leaves, *found.sets[:limit]]
    kept = {minimal_support(closure.base.normal, leaves, fact).leaves for leaves in rough}
    ordered = sorted(kept, key=lambda leaves: (len(leaves), sorted(map(repr, leaves))))
    return Justifications(tuple(ordered), complete=False)


def _all_sets(closure: Closure, fact: Fact, limit: int) -> SetsOfStatements:
    found = all_justifications(closure, fact, limit=limit + 1)
    said = list(dict.fromkeys(closure.wording.leaves(one) for one in found.sets))
    return SetsOfStatements(tuple(said[:limit]), found.complete and len(said) <= limit)


def _proof(closure: Closure, fact: Fact) -> Proof:
    if isinstance(fact, Link):
        return closure.checked(short_proof(closure.derivations, fact), fact)
    proof = closure.prove(fact)
    assert proof is not None, "a fact of the closure has a proof"
    return proof


def _source(closure: Closure, sources: Sources, fact: Fact) -> str | None:
    normal, names = closure.base.normal, closure.base.individuals
    if isinstance(fact, Link):
        return sources.fact(names[fact.source], normal.roles[fact.role], names[fact.target])
    assert isinstance(fact, Member), "only links and memberships are asserted"
    return sources.type(names[fact.node], normal.classes[fact.cls])


def _explain_witness(
    closure: Closure, names: Names, sources: Sources, triple: LabelTriple
) -> Explanation:
    head, relation, tail = triple
    node = closure.kg.entities.id_of(names.name("entity", head))
    role = closure.relations.id_of(names.name("relation", relation))
    filler = names.class_id(tail.removeprefix(SOME).strip())
    witness = find_witness(closure.base, closure.derivations, node, role, filler)
    reached = [
        target
        for target in closure.derivations.targets(role, node)
        if closure.members.has(filler, target)
    ]
    trees = []
    if reached:
        for fact in (Link(role, node, reached[0]), Member(reached[0], filler)):
            proof = closure.prove(fact)
            assert proof is not None, "a fact of the closure has a proof"
            tree = proof_tree(proof, closure.wording, sources)
            if tree:
                trees.append(tree)
    return Explanation(
        triple, str(witness), None, witness=witness, witness_trees=tuple(trees)
    )  # fmt: skip
