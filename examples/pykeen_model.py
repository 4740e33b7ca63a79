"""Judge a model of another library: PyKEEN trains it, hybridkg ranks it under a stated protocol.

Run it with ``python examples/pykeen_model.py``.
"""

import torch
from pykeen.pipeline import pipeline
from pykeen.triples import CoreTriplesFactory

import hybridkg as hk

kg = hk.read("nations")
triples = CoreTriplesFactory(torch.as_tensor(kg.train).long(), kg.n_entities, kg.n_relations)
found = pipeline(training=triples, testing=triples, model="DistMult", epochs=20, random_seed=0)


class FromPyKEEN:
    def score(self, queries):  # one target a call; entity and relation ids of kg
        anchors, relations = torch.as_tensor(queries.anchors), torch.as_tensor(queries.relations)
        with torch.no_grad():
            if queries.target == "tail":
                return found.model.score_t(torch.stack([anchors, relations], 1).long())
            return found.model.score_h(torch.stack([relations, anchors], 1).long())


table = hk.evaluate(FromPyKEEN(), kg, name="PyKEEN DistMult")
print(table.protocol.sentence(), table.metrics(), table.chance(), sep="\n")
