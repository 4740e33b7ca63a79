"""Where an asserted statement or an axiom stands."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import Ontology

if TYPE_CHECKING:
    from hybridkg.ontology.facts import FactFiles


class Sources:
    """Finds the file of a statement, and its line where the reader kept it."""

    def __init__(
        self, kg: KnowledgeGraph, read: Ontology, joined: Ontology, files: FactFiles | None
    ) -> None:
        """Remember who may know.

        Args:
            kg: the facts and types, with the files they came from.
            read: the ontology, spelled as in its file.
            joined: the same ontology, spelled in the labels of the graph.
            files: what was read from files of facts.
        """
        self._kg, self._read, self._joined, self._files = kg, read, joined, files

    def fact(self, head: str, relation: str, tail: str) -> str | None:
        """Return where a fact stands, None where that is not known."""
        found = self._files.source_of_fact(head, relation, tail) if self._files else None
        return found or self._joined.source_of_fact(head, relation, tail) or self._file("train")

    def type(self, entity: str, cls: str) -> str | None:
        """Return where a type stands, None where that is not known."""
        found = self._files.source_of_type(entity, cls) if self._files else None
        return found or self._joined.source_of_type(entity, cls) or self._file("types")

    def axiom(self, axiom: Axiom) -> str | None:
        """Return where an axiom stands, None where that is not known."""
        spelled = self._axioms.get(axiom, axiom)
        found = self._files.source_of_axiom(spelled) if self._files else None
        return self._read.source_of_axiom(spelled) or found or self._read.source or None

    @cached_property
    def _axioms(self) -> dict[Axiom, Axiom]:
        return dict(zip(self._joined.axioms, self._read.axioms, strict=True))

    def _file(self, part: str) -> str | None:
        """Return the one file that holds a part; with several it is not known which."""
        if part in self._kg.sources:
            return self._kg.sources[part]
        entries = self._files.files if self._files is not None else ()
        paths = [entry["path"] for entry in entries if _may_hold(entry, part)]
        return str(paths[0]) if len(paths) == 1 else None


def _may_hold(entry: dict[str, Any], part: str) -> bool:
    if entry["format"] == "rdf":
        return bool(entry["facts" if part == "train" else "types"])
    return bool(entry["format"] == "types") == (part == "types")
