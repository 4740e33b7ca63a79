"""The ontology that goes with a graph, spelled in its labels, and the closure under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hybridkg.errors import ConfigError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.engines import EngineName
from hybridkg.ontology.label_rules import LabelRule, label_rules
from hybridkg.ontology.labels import Joined, join_ontology, read_iri_map, refuse_idle_namespaces
from hybridkg.ontology.load import read_ontology, read_schema_table
from hybridkg.ontology.matrix_engine import MAX_PAIRS, Announce
from hybridkg.ontology.normalise import Profile


@dataclass(frozen=True, slots=True)
class Chosen:
    """An ontology as read, and how its names meet the labels of a graph."""

    ontology: Ontology
    namespaces: tuple[str, ...]
    #: label -> IRI.
    iri_map: Mapping[str, str]
    #: the table beside the graph's triples, where it shows how their labels are spelled.
    schema_table: Ontology | None

    def join(self, kg: KnowledgeGraph) -> Joined:
        """Spell the ontology in the labels of a graph.

        Raises:
            OntologyError: no name meets.
        """
        return join_ontology(
            self.ontology,
            kg,
            namespaces=self.namespaces,
            iri_map=self.iri_map,
            schema_table=self.schema_table,
        )

    def rules(self) -> dict[str, list[LabelRule]]:
        """Return the ways from a label to an IRI and back, by kind of name."""
        return label_rules(self.ontology, self.namespaces, self.iri_map, self.schema_table)


def ontology_for(
    kg: KnowledgeGraph,
    ontology: str | Path | Ontology | Joined | None = None,
    *,
    namespaces: Sequence[str] = (),
    iri_map: str | Path | None = None,
) -> Joined:
    """Find an ontology and spell it in the labels of a graph.

    Args:
        kg: the graph.
        ontology: an OWL file or the ``schema.tsv`` beside the graph's triples, or what was read
            from one; by default the ``schema.ttl`` beside the triples, or the ``schema.tsv`` where
            there is only that.
        namespaces: an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.
        iri_map: tab-separated table of label and IRI.

    Raises:
        OntologyError: there is no ontology, it cannot be read, no name of it meets the graph, or
            none meets through a namespace that was given.
        ConfigError: a namespace is empty or of an unknown kind, or one kind has two.
    """
    if not isinstance(kg, KnowledgeGraph):
        raise ConfigError(f"{kg!r} is no knowledge graph; expected what hk.read returns")
    if isinstance(ontology, Joined):
        return ontology
    if not isinstance(ontology, str | Path | Ontology | None):
        raise ConfigError(f"ontology {ontology!r}; expected a file, or what hk.read_ontology gives")
    return choose_ontology(kg, ontology, namespaces=namespaces, iri_map=iri_map).join(kg)


def choose_ontology(
    kg: KnowledgeGraph,
    ontology: str | Path | Ontology | None = None,
    *,
    namespaces: Sequence[str] = (),
    iri_map: str | Path | None = None,
) -> Chosen:
    """Find and read the ontology of :func:`ontology_for`, without spelling it anew.

    Raises:
        OntologyError: as for :func:`ontology_for`, but for names that do not meet.
        ConfigError: as for :func:`ontology_for`.
    """
    own, table = kg.sources.get("schema.ttl"), kg.sources.get("schema.tsv")
    given = namespaces
    if not namespaces and "namespace" in kg.sources:
        namespaces = (kg.sources["namespace"],)
    chosen = ontology or own
    is_own = False
    if table is not None and (chosen is None or _is_same(chosen, table)):
        read = read_schema_table(table)
    elif chosen is None:
        raise OntologyError(
            f"{kg.name}: no schema.ttl or schema.tsv lies beside its triples; name an ontology "
            "with --ontology FILE"
        )
    elif isinstance(chosen, Ontology):
        read = chosen
        is_own = own is not None and _is_same(chosen.source, own)
    else:
        read = read_ontology(chosen)
        is_own = own is not None and _is_same(chosen, own)
    refuse_idle_namespaces(read, kg, given)
    return Chosen(
        read,
        tuple(namespaces),
        read_iri_map(iri_map) if iri_map is not None else {},
        # The table of a folder shows how its labels are spelled in its own ontology only.
        read_schema_table(table) if is_own and table is not None else None,
    )


def _is_same(ontology: str | Path | Ontology, path: str) -> bool:
    return not isinstance(ontology, Ontology) and Path(ontology).resolve() == Path(path).resolve()


def closure(
    kg: KnowledgeGraph,
    ontology: str | Path | Ontology | Joined | None = None,
    *,
    namespaces: Sequence[str] = (),
    iri_map: str | Path | None = None,
    split: str = "train",
    profile: Profile = "el+",
    unique_names: bool = False,
    set_aside: bool = False,
    max_pairs: int = MAX_PAIRS,
    announce: Announce | None = None,
    engine: EngineName = "auto",
) -> Closure:
    """Close a graph's triples and types under an ontology.

    Args:
        kg: the graph.
        ontology: as for :func:`ontology_for`.
        namespaces: how labels become IRIs.
        iri_map: table of label and IRI.
        split: the split whose triples are facts.
        profile: "el+", or "el" without inverse, symmetric and other axioms beyond EL.
        unique_names: two names never mean one individual; what is functional can clash then.
        set_aside: leave out the facts of all minimal culprit sets instead of refusing data that
            contradict themselves.
        max_pairs: pairs that the closure of one relation may have.
        announce: told of large results before they are made.
        engine: "matrix", "nemo", "hermit" (with Java), or "auto" to choose by size; see
            ``Closure.engine_note``.

    Returns:
        Entailed facts and types, verdicts, proofs, witnesses, and what was not used.

    Raises:
        InconsistentOntologyError: the data contradict the axioms.
        ClosureSizeError: a relation would get more pairs than allowed.
        OntologyError: as for :func:`ontology_for`.
        MissingExtraError: HermiT was asked for, and there is no Java.
        UnknownNameError: there is no such engine.
    """
    joined = ontology_for(kg, ontology, namespaces=namespaces, iri_map=iri_map)
    return close(
        kg,
        joined,
        split=split,
        profile=profile,
        unique_names=unique_names,
        set_aside=set_aside,
        max_pairs=max_pairs,
        announce=announce,
        engine=engine,
    )
