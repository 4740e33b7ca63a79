"""The readable text of each name of an ontology, from its labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.graph.statements import LITERAL, Statements, literal_language, literal_text
from hybridkg.ontology.document import Ontology

#: Properties that name, the one that counts first.
_TEXT_PROPERTIES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
)


def readable_texts(found: Statements, ontology: Ontology) -> Iterator[LabelTriple]:
    """Yield (kind, name, text); English goes before no language before others.

    Args:
        found: the statements of a document.
        ontology: the same, sorted.
    """
    texts: dict[str, str] = {}
    for name in _TEXT_PROPERTIES:
        chosen: dict[str, tuple[int, str, str]] = {}
        if name not in found.terms:
            continue
        rows = np.flatnonzero(found.predicates == found.terms.index(name))
        subjects, objects = found.subjects[rows].tolist(), found.objects[rows].tolist()
        for s, o in zip(subjects, objects, strict=True):
            subject, value = found.terms[s], found.terms[o]
            if value.startswith(LITERAL) and subject not in texts:
                rank = _preference(value)
                if subject not in chosen or rank < chosen[subject]:
                    chosen[subject] = rank
        texts.update((subject, text) for subject, (_, _, text) in chosen.items())
    kinds = {
        "entity": ontology.individuals,
        "relation": ontology.relations,
        "type": ontology.classes,
    }
    for kind, names in kinds.items() if texts else ():
        for one in names:
            if one in texts:
                yield kind, one, texts[one]


def _preference(term: str) -> tuple[int, str, str]:
    language = literal_language(term)
    rank = 0 if language.split("-")[0].lower() == "en" else 1 if not language else 2
    return rank, language, literal_text(term)
