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
    return kg.derived("cardinality", lambda: _classes(kg))


def _classes(kg: KnowledgeGraph) -> ByteArray:
    heads, relations, tails = kg.train.T.astype(np.int64)
    size = max(kg.n_entities, 1)
    by_head = _distinct(relations * size + heads, kg.n_relations, size)
    by_tail = _distinct(relations * size + tails, kg.n_relations, size)
    if kg.n_relations * size**2 < 2**63:
        pairs = (relations * size + heads) * size + tails
        n_triples = _distinct(pairs, kg.n_relations, size**2)
    else:
        n_triples = np.bincount(distinct_triples(kg.train)[:, 1], minlength=kg.n_relations)
    # In integers, so that an average of exactly 1.5 is never a question of rounding.
    many_tails = 2 * n_triples >= 3 * by_head
    many_heads = 2 * n_triples >= 3 * by_tail
    codes = many_tails + 2 * many_heads
    unseen = CARDINALITIES.index("unseen")
    return np.where(n_triples == 0, unseen, codes).astype(np.uint8)


def _distinct(keys: LongArray, n_relations: int, stride: int) -> LongArray:
    """Count the distinct keys of each relation, which is key // stride."""
    # Sorting is several times faster here than what np.unique does.
    ordered = np.sort(keys)
    first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.bincount(ordered[first] // stride, minlength=n_relations)
