"""One reasoning over a graph and an ontology, shared by every form of the audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from hybridkg._io import digest_bytes
from hybridkg.errors import OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.choose import ontology_for
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.load import read_ontology
from hybridkg.ontology.schema import Masks, TypesName, build_masks


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The closure of a graph's training triples and types, and the verdicts it gives."""

    joined: Joined
    closure: Closure
    masks: Masks

    @classmethod
    def over(
        cls,
        kg: KnowledgeGraph,
        ontology: str | Path | Ontology | Joined | None = None,
        *,
        namespaces: Sequence[str] = (),
        iri_map: str | Path | None = None,
        types: TypesName = "asserted",
        set_aside: bool = False,
    ) -> Reasoning:
        """Reason over a graph.

        Args:
            kg: the graph.
            ontology: OWL file, or what was read from one; by default the one beside the graph's
                triples.
            namespaces: how labels become IRIs.
            iri_map: table of label and IRI.
            types: which types count as known: "asserted" ones with what follows from them by
                class axioms, or "entailed" ones, through facts as well.
            set_aside: leave facts that contradict the ontology out of the reasoning.

        Raises:
            InconsistentOntologyError: training triples and types contradict the ontology.
            OntologyError: there is no ontology, or none of its names meets the graph.
        """
        joined = ontology_for(kg, ontology, namespaces=namespaces, iri_map=iri_map)
        closure = close(kg, joined, set_aside=set_aside)
        return cls(joined, closure, build_masks(closure, types=types))

    @property
    def digest(self) -> str:
        """SHA-256 over what the verdicts depend on beside the graph."""
        axioms = sorted(map(str, self.joined.ontology.axioms))
        aside = self.closure.set_aside
        facts = [" ".join(fact) for fact in (*aside.triples, *aside.types)]
        parts = (self.masks.types, "|", *axioms, "|", *facts)
        return digest_bytes(*(part.encode() for part in parts))

    def about(self) -> dict[str, Any]:
        """Return what the reasoning used, left aside and did not use, as a JSON object."""
        aside = self.closure.set_aside
        return {
            "types": self.masks.types,
            "ontology": self.joined.ontology.source,
            "axioms": len(self.joined.ontology.axioms),
            "digest": self.digest,
            "matches": {kind: asdict(match) for kind, match in self.joined.matches.items()},
            "complete": self.closure.complete,
            "can_contradict": self.masks.can_contradict,
            "unused_axioms": [str(axiom) for axiom in self.closure.unused],
            "not_used_for_candidates": [
                str(axiom) for axiom in self.masks.unused if axiom not in self.closure.unused
            ],
            "set_aside": {
                "triples": [list(triple) for triple in aside.triples],
                "types": [list(pair) for pair in aside.types],
                "clashing": list(aside.clashing),
            },
        }


def graph_of_ontology(path: str | Path, namespaces: Sequence[str] = ()) -> KnowledgeGraph:
    """Return the individuals, types and facts that stand in an OWL file as a graph.

    Args:
        path: OWL file.
        namespaces: an IRI without a kind is left off the front of every name.

    Raises:
        OntologyError: the file cannot be read, or holds no individual.
    """
    found = read_ontology(path)
    for namespace in namespaces:
        if "=" not in namespace:
            found = found.without_namespace(namespace)
    if not found.individuals:
        raise OntologyError(
            f"{path}: no individual; expected typed individuals or facts beside the axioms, or "
            "name the data set that they belong to"
        )
    graph = found.to_graph(name=Path(path).name.split(".")[0])
    return replace(graph, sources={"schema.ttl": str(path)})
