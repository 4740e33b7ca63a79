"""PyKEEN's evaluator as an independent witness, on scores where almost every query ties."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from integer_scorers import IntegerDistMult
from strategies import random_graph

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph

pytestmark = pytest.mark.filterwarnings("ignore")


def pykeen_ranks(kg: KnowledgeGraph, scorer: IntegerDistMult):
    """(triples, 2, 3) optimistic, realistic, pessimistic ranks, tail before head, by PyKEEN."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("pykeen")
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.models import DistMult
    from pykeen.triples import CoreTriplesFactory

    mapped = torch.as_tensor(kg.train.astype(np.int64))
    factory = CoreTriplesFactory(mapped, num_entities=kg.n_entities, num_relations=kg.n_relations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DistMult(triples_factory=factory, embedding_dim=scorer.entities.shape[1])
        with torch.no_grad():
            model.entity_representations[0]._embeddings.weight.copy_(
                torch.as_tensor(scorer.entities)
            )
            model.relation_representations[0]._embeddings.weight.copy_(
                torch.as_tensor(scorer.relations)
            )
        model.entity_representations[0].constrainer = None
        evaluator = RankBasedEvaluator(filtered=True, clear_on_finalize=False)
        evaluator.evaluate(
            model,
            torch.as_tensor(kg.split("test").astype(np.int64)),
            additional_filter_triples=[
                mapped,
                torch.as_tensor(kg.split("valid").astype(np.int64)),
            ],
            batch_size=32,
            use_tqdm=False,
        )
    found = np.empty((len(kg.split("test")), 2, 3))
    for column, target in enumerate(("tail", "head")):
        for place, kind in enumerate(("optimistic", "realistic", "pessimistic")):
            parts = evaluator.ranks[target, kind]
            found[:, column, place] = np.concatenate([np.atleast_1d(p) for p in parts])
    return found


def test_ranks_equal_pykeen_where_nearly_all_queries_tie() -> None:
    kg = random_graph(500, 6, {"train": 3000, "valid": 200, "test": 400}, seed=7)
    scorer = IntegerDistMult(kg, dimension=8, seed=1)
    table = evaluate(scorer, kg)
    assert table.tied.mean() > 0.99
    assert len(np.unique(table.optimistic)) > 20, "the scores must tell queries apart"
    theirs = pykeen_ranks(kg, scorer)
    ours = np.stack(
        [
            table.optimistic[0],
            (table.optimistic[0] + table.pessimistic[0]) / 2,
            table.pessimistic[0],
        ],
        axis=1,
    ).reshape(-1, 2, 3)
    assert (ours == theirs).all()
