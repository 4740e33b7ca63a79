"""Train, rank, compare and audit through the Python API, with a scorer from elsewhere.

Run it with a data set that has train, valid, test and a schema.ttl:

    python examples/foreign_scorer.py codex-s

Anything with a method ``score(queries)`` takes part: here a popularity scorer of a few lines.
"""

import sys

import numpy as np

import hybridkg as hk
from hybridkg.analysis.audit import audit_summary
from hybridkg.training.models import find_model


class Popularity:
    """How often an entity stands anywhere in train, whatever the query."""

    name = "popularity"

    def __init__(self, kg: hk.KnowledgeGraph) -> None:
        counts = np.bincount(kg.train[:, [0, 2]].ravel(), minlength=kg.n_entities)
        self.counts = counts.astype(np.float32)

    def score(self, queries):
        return np.tile(self.counts, (len(queries), 1))


kg = hk.read(sys.argv[1] if len(sys.argv) > 1 else "academic")
scorers = {"popularity": Popularity(kg)}
for name in ("complex", "distmult", "rules"):
    kind = find_model(name)
    scorers[name] = kind.fit(kg, kind.config(), 0, print).scorer
ranks = hk.audit(scorers, kg, set_aside=True)
print(ranks.protocol.sentence())
print("chance", ranks.chance())
print(ranks.metrics("pessimistic").round(4).to_string())
print(hk.oracle(ranks, ties="pessimistic").to_frame().T.to_string())
print(audit_summary(ranks, ties="pessimistic").round(3).T.to_string())
