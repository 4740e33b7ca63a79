"""How many tails a relation gives a head, and how many heads a tail, in training.

Sources: Bordes et al. 2013, Translating embeddings for modeling multi-relational data, section
4.3 (the four classes and the threshold); Wang et al. 2014, Knowledge graph embedding by
translating on hyperplanes (the averages).
"""

from __future__ import annotations

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.triples import distinct_triples
from hybridkg.types import ByteArray, LongArray

#: Names of the codes: heads to tails, and relations without a training triple.
CARDINALITIES: tuple[str, ...] = ("1-1", "1-n", "n-1", "n-n", "unseen")


def relation_cardinality(kg: KnowledgeGraph) -> ByteArray:
    """Class each relation by its distinct training triples.

    A side is "n" where the average number of its entities for one entity of the other side is
    1.5 or more: "1-n" has many tails a head, "n-1" many heads a tail.

    Returns:
        (n_relations,) codes into CARDINALITIES.
    """
    triples = distinct_triples(kg.train).astype(np.int64)
    n_triples = np.bincount(triples[:, 1], minlength=kg.n_relations)
    heads = _distinct_entities(triples[:, [1, 0]], kg)
    tails = _distinct_entities(triples[:, [1, 2]], kg)
    # In integers, so that an average of exactly 1.5 is never a question of rounding.
    many_tails = 2 * n_triples >= 3 * heads
    many_heads = 2 * n_triples >= 3 * tails
    codes = many_tails + 2 * many_heads
    unseen = CARDINALITIES.index("unseen")
    return np.where(n_triples == 0, unseen, codes).astype(np.uint8)


def _distinct_entities(pairs: LongArray, kg: KnowledgeGraph) -> LongArray:
    """Count the distinct entities of each relation in (n, 2) pairs of relation and entity."""
    keys = np.unique(pairs[:, 0] * max(kg.n_entities, 1) + pairs[:, 1])
    return np.bincount(keys // max(kg.n_entities, 1), minlength=kg.n_relations)
