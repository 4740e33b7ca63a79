"""torchkge's evaluator, whose ranks are pessimistic, as a second independent witness."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from integer_scorers import IntegerDistMult
from strategies import random_graph

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph

pytestmark = pytest.mark.filterwarnings("ignore")


def torchkge_ranks(kg: KnowledgeGraph, scorer: IntegerDistMult):
    """(triples, 2) filtered ranks, tail before head, by torchkge."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("torchkge", reason="torchkge is not installed")
    from torchkge.data_structures import KnowledgeGraph as Triples
    from torchkge.evaluation import LinkPredictionEvaluator
    from torchkge.models import DistMultModel

    tails, heads, relations = defaultdict(set), defaultdict(set), defaultdict(set)
    for h, r, t in kg.known_triples("all").tolist():
        tails[h, r].add(t)
        heads[t, r].add(h)
        relations[h, t].add(r)
    test = torch.as_tensor(kg.split("test").astype(np.int64))
    triples = Triples(
        kg={"heads": test[:, 0], "relations": test[:, 1], "tails": test[:, 2]},
        ent2ix={label: n for n, label in enumerate(kg.entities)},
        rel2ix={label: n for n, label in enumerate(kg.relations)},
        dict_of_heads=heads,
        dict_of_tails=tails,
        dict_of_rels=relations,
    )
    model = DistMultModel(scorer.entities.shape[1], kg.n_entities, kg.n_relations)
    model.ent_emb.weight.data = torch.as_tensor(scorer.entities)
    model.rel_emb.weight.data = torch.as_tensor(scorer.relations)
    evaluator = LinkPredictionEvaluator(model, triples)
    evaluator.evaluate(b_size=32, verbose=False)
    found = [evaluator.filt_rank_true_tails, evaluator.filt_rank_true_heads]
    return np.stack([part.numpy() for part in found], axis=1)


def test_pessimistic_ranks_equal_torchkge_where_nearly_all_queries_tie() -> None:
    kg = random_graph(500, 6, {"train": 3000, "valid": 200, "test": 400}, seed=7)
    scorer = IntegerDistMult(kg, dimension=8, seed=1)
    table = evaluate(scorer, kg)
    assert table.tied.mean() > 0.99
    theirs = torchkge_ranks(kg, scorer)
    assert (table.pessimistic[0].reshape(-1, 2) == theirs).all()
