"""The statements an ontology was read from, for what is kept as text here."""

from __future__ import annotations

from hybridkg.graph.ntriples import ntriples_of
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.rdf_writer import iri


def original_lines(base: KnowledgeBase) -> list[str] | None:
    """Return the statements that the ontology was read from, over the names of the writer.

    None where there is none, or where a name stands for things of two kinds: a statement does
    not say which of them it means.
    """
    joined = base.joined
    if joined is None or not joined.ontology.originals:
        return None
    plain = joined.ontology
    kinds = {"entity": plain.individuals, "class": plain.classes, "relation": plain.relations}
    labels = joined.labels or {kind: {one: one for one in kinds[kind]} for kind in kinds}
    written: dict[str, str] = {}
    for kind, names in labels.items():
        for name, label in names.items():
            if name in written:
                return None
            written[name] = iri(kind, label)

    def rename(name: str) -> str:
        return written.get(name, name)

    lines: list[str] = []
    for number, found in enumerate(plain.originals):
        lines += ntriples_of(found, blank=f"o{number}x", rename=rename)
    return lines
