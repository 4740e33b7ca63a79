"""The academic world from facts to audit: the study that ``hybridkg demo`` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridkg._io import packaged_file
from hybridkg.analysis.audit import audit_summary
from hybridkg.analysis.oracle import oracle
from hybridkg.analysis.summary import summarise
from hybridkg.errors import MissingExtraError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.ontology.choose import ontology_for
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.reasons import reasons
from hybridkg.ontology.schema import Masks, build_masks
from hybridkg.rules.files import read_rules, rule_texts
from hybridkg.rules.mine import MiningConfig
from hybridkg.scoring.base import Scorer
from hybridkg.scoring.baselines import ConstantScorer, random_scorer
from hybridkg.scoring.chapter_transe import train_chapter_transe
from hybridkg.scoring.rule_scorer import RuleScorer, mine_rule_scorer
from hybridkg.training.models import find_model
from hybridkg.training.one_vs_all_config import OneVsAllConfig
from hybridkg.types import VERDICTS, Target

#: Ranks that the link-prediction chapter prints for its trained TransE.
CHAPTER_RANKS = [3, 3, 1, 1, 1, 1]
#: Seeds of the chapter's TransE that are trained.
SEEDS = range(10)
#: The model that PyKEEN defines, and options that suit 15 triples.
PYKEEN_MODEL = "distmult"
PYKEEN_OPTIONS = OneVsAllConfig(
    dimension=16, epochs=60, batch_size=16, learning_rate=0.05, n3=0.001, initial_scale=0.5
)


def study_academic_world(note: Callable[[str], None] = lambda line: None) -> dict[str, Any]:
    """Run the whole path on the embedded academic world.

    Args:
        note: takes one line at a time about the progress.

    Returns:
        A JSON object: graph, closure, chance, comparison, chapter, audit, oracle.
    """
    kg = load_dataset("academic")
    closure = close(kg, ontology_for(kg))
    masks = build_masks(closure)
    observer = VerdictObserver(masks)
    members, absent = _members(kg, note)
    tables = [
        evaluate(scorer, kg, name=name, observers=[observer]) for name, scorer in members.items()
    ]
    table = combine(tables)
    return {
        "graph": _count(kg),
        "closure": _closure(kg, closure),
        "queries": [table.query(number) for number in range(table.n_queries)],
        "pools": table.candidates[0].tolist(),
        "comparison": {
            "optimistic": summarise(table, "optimistic"),
            "expected": summarise(table, "expected"),
            "pessimistic": summarise(table, "pessimistic"),
            "optimistic_ranks": {
                name: table.optimistic[row].tolist() for row, name in enumerate(table.instances)
            },
            "absent": absent,
        },
        "chapter_transe": _chapter(kg, note),
        "oracle": [oracle(table, ties=ties).to_json() for ties in ("expected", "pessimistic")],
        "audit": _audit(kg, table, masks),
        "rule_file": _rule_file(kg, members["rule-file"]),
    }


def _members(
    kg: KnowledgeGraph, note: Callable[[str], None]
) -> tuple[dict[str, Scorer], list[dict[str, str]]]:
    """Return the scorers of the comparison, and those that cannot be had here."""
    note("training the chapter's TransE, seed 0")
    members: dict[str, Scorer] = {
        "constant": ConstantScorer(kg.n_entities),
        "random": random_scorer(kg, np.random.default_rng(1)),
        "chapter_transe": train_chapter_transe(kg, np.random.default_rng(0)),
    }
    absent = []
    note(f"training PyKEEN's {PYKEEN_MODEL}, seed 0")
    try:
        kind = find_model(PYKEEN_MODEL)
        members[f"pykeen-{PYKEEN_MODEL}"] = kind.fit(
            kg, PYKEEN_OPTIONS, 0, lambda line: None
        ).scorer
    except MissingExtraError as error:
        absent.append({"name": f"pykeen-{PYKEEN_MODEL}", "why": str(error)})
    # One support is enough for 15 triples: a demonstration of rules, not evidence for any.
    members["rules"] = mine_rule_scorer(kg, MiningConfig(min_support=1))
    by_hand = read_rules(packaged_file("rules", "academic.rules"), kg)
    members["rule-file"] = RuleScorer(by_hand, kg, name="rule-file")
    return members, absent


def _count(kg: KnowledgeGraph) -> dict[str, Any]:
    sizes = {split: len(rows) for split, rows in kg.splits.items()}
    return {
        "entities": kg.n_entities,
        "relations": kg.n_relations,
        "triples": sum(sizes.values()),
        "train": sizes["train"],
        "test": sizes["test"],
        "types": len(kg.types),
        "classes": len(kg.classes),
    }


def _closure(kg: KnowledgeGraph, closure: Closure) -> dict[str, Any]:
    held_out = kg.split("test")
    verdicts = closure.verdicts(held_out)
    entailed = []
    for h, r, t in closure.facts():
        proof = closure.prove(closure.link(h, r, t))
        assert proof is not None, "a fact of the closure has a proof"
        entailed.append(
            {
                "triple": [h, r, t],
                "premises": list(closure.wording.leaves(proof.leaves)),
                "proof": closure.wording.proof(proof).splitlines(),
            }
        )
    witnesses = [
        {
            "entity": witness.entity,
            "role": witness.role,
            "filler": witness.filler,
            "status": witness.status,
            "named": list(witness.named),
        }
        for entity in kg.entities
        for witness in closure.witnesses(entity)
    ]
    return {
        "held_out": [
            {"triple": list(triple), "verdict": verdict}
            for triple, verdict in zip(kg.label_triples(held_out), verdicts, strict=True)
        ],
        "outside": sum(verdict == "undetermined" for verdict in verdicts),
        "entailed": entailed,
        "witnesses": witnesses,
        "unused_axioms": [str(axiom) for axiom in closure.unused],
        "complete": closure.complete,
    }


def _chapter(kg: KnowledgeGraph, note: Callable[[str], None]) -> dict[str, Any]:
    """Train the chapter's TransE with ten seeds and compare with the printed ranks."""
    runs = []
    for seed in SEEDS:
        note(f"training the chapter's TransE, seed {seed}")
        table = evaluate(train_chapter_transe(kg, np.random.default_rng(seed)), kg)
        ranks = table.optimistic[0].tolist()
        mrr = float(table.values("mrr", "optimistic").mean())
        runs.append({"seed": seed, "ranks": ranks, "mrr": mrr})
    agreeing = sum(run["ranks"] == CHAPTER_RANKS for run in runs)
    return {"expected_ranks": CHAPTER_RANKS, "runs": runs, "agreeing": agreeing}


def _audit(kg: KnowledgeGraph, table: RankTable, masks: Masks) -> dict[str, Any]:
    impossible = VERDICTS.index("impossible")
    queries = QueryList.from_triples(kg.split("test"))
    counts, truths, example = [], [], None
    for row in range(len(queries)):
        target: Target = "tail" if queries.asks_tail[row] else "head"
        relation, answer = int(queries.relations[row]), int(queries.answers[row])
        codes = masks.codes(target, relation)
        counts.append(int((codes == impossible).sum()))
        truths.append(VERDICTS[codes[answer]])
        if example is None:
            entity = int(np.flatnonzero(codes == impossible)[0])
            example = {
                "query": table.query(row).split(" -> ")[0],
                "candidate": kg.entities[entity],
                "verdict": "impossible",
                "axioms": [
                    axiom
                    for reason in reasons(
                        masks, target, relation, entity, int(queries.anchors[row])
                    )
                    for axiom in reason.statements
                ],
            }
    summary = audit_summary(table)
    return {
        "impossible_per_query": counts,
        "impossible": sum(counts),
        "candidates": len(queries) * kg.n_entities,
        "truth_verdicts": truths,
        "example": example,
        "summary": {
            str(name): {column: float(value) for column, value in row.items()}
            for name, row in summary.iterrows()
        },
    }


def _rule_file(kg: KnowledgeGraph, scorer: Scorer) -> list[dict[str, Any]]:
    assert isinstance(scorer, RuleScorer), "the rule file is scored by rules"
    rules = scorer.rules
    return [
        {"rule": text, "support": int(support), "predictions": int(count)}
        for text, support, count in zip(
            rule_texts(rules, kg), rules.support, rules.body_count, strict=True
        )
    ]
