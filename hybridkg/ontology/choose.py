"""The ontology that goes with a graph: a given file, or the one beside its triples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hybridkg.errors import OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.labels import Joined, join_ontology, read_iri_map
from hybridkg.ontology.load import read_ontology, read_schema_table


def ontology_for(
    kg: KnowledgeGraph,
    path: str | Path | None = None,
    *,
    namespaces: Sequence[str] = (),
    iri_map: str | Path | None = None,
) -> Joined:
    """Read an ontology and spell it in the labels of a graph.

    Args:
        kg: the graph.
        path: an OWL file; by default the ``schema.ttl`` beside the graph's triples, or its
            ``schema.tsv`` where there is only that.
        namespaces: an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.
        iri_map: tab-separated table of label and IRI.

    Raises:
        OntologyError: there is no ontology, it cannot be read, or no name of it meets the graph.
        ConfigError: a namespace of an unknown kind.
    """
    own, table = kg.sources.get("schema.ttl"), kg.sources.get("schema.tsv")
    chosen = path or own
    if chosen is None and table is not None:
        return join_ontology(read_schema_table(table), kg)
    if chosen is None:
        raise OntologyError(
            f"{kg.name}: no schema.ttl or schema.tsv lies beside its triples; name an ontology "
            "with --ontology FILE"
        )
    if not namespaces and "namespace" in kg.sources:
        namespaces = (kg.sources["namespace"],)
    is_own = own is not None and Path(own).resolve() == Path(chosen).resolve()
    return join_ontology(
        read_ontology(chosen),
        kg,
        namespaces=namespaces,
        iri_map=read_iri_map(iri_map) if iri_map is not None else None,
        # The table of a folder shows how its labels are spelled in its own ontology only.
        schema_table=read_schema_table(table) if is_own and table is not None else None,
    )
