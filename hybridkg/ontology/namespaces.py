"""Labels of a graph as IRIs, so that they meet an ontology by equality."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.label_rules import namespaces_by_kind, strip_brackets


def with_namespaces(kg: KnowledgeGraph, namespaces: Sequence[str]) -> KnowledgeGraph:
    """Return a graph whose labels are IRIs, by putting a namespace in front of them.

    Labels that are absolute IRIs already, with or without angle brackets, only lose the brackets.

    Args:
        kg: the graph.
        namespaces: each an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.

    Raises:
        ConfigError: a namespace is empty or of an unknown kind, or one kind has two.
        DataError: two labels become one.
    """
    prefixes = namespaces_by_kind(namespaces)
    if not prefixes:
        return kg

    def spell(kind: str, label: str) -> str:
        bare = strip_brackets(label)
        absolute = "://" in bare or bare.startswith("urn:")
        return bare if absolute or kind not in prefixes else prefixes[kind] + bare

    vocabularies = {"entity": kg.entities, "relation": kg.relations, "class": kg.classes}
    for kind, vocabulary in vocabularies.items():
        if len({spell(kind, label) for label in vocabulary}) < len(vocabulary):
            raise DataError(
                f"two {kind} labels become the same IRI under the namespace "
                f"{prefixes.get(kind, '')!r}; expected labels that differ without angle brackets; "
                "rename one"
            )
    return KnowledgeGraph.from_labels(
        {
            split: [
                (spell("entity", h), spell("relation", r), spell("entity", t))
                for h, r, t in kg.label_triples(rows)
            ]
            for split, rows in kg.splits.items()
        },
        name=kg.name,
        types=[
            (spell("entity", kg.entities[e]), spell("class", kg.classes[c]))
            for e, c in kg.types.tolist()
        ],
        entities=[spell("entity", label) for label in kg.entities],
        readable={
            kind: {spell(kind, label): text for label, text in texts.items()}
            for kind, texts in kg.readable.items()
        },
        sources=kg.sources,
    )
