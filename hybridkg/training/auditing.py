"""The schema audit of rankings: instances ranked together with what the ontology says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridkg.analysis.reasoning import Reasoning
from hybridkg.errors import DataError
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.observers import CUTOFFS, VerdictObserver
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.schema import TypesName
from hybridkg.scoring.base import Scorer
from hybridkg.training.absurd import AbsurdCandidates
from hybridkg.training.protocol_options import ProtocolOptions
from hybridkg.training.ranking import Instances, rank_instance

#: Folder of an instance that holds its ranks with verdict counts.
AUDIT = "audit"


def audit(
    scorers: Mapping[str, Scorer],
    kg: KnowledgeGraph,
    ontology: str | Path | Joined | Ontology | None = None,
    *,
    types: TypesName = "asserted",
    set_aside: bool = False,
    cutoffs: tuple[int, ...] = CUTOFFS,
    options: ProtocolOptions | None = None,
) -> RankTable:
    """Rank scorers and count what the ontology forbids among their candidates.

    Args:
        scorers: instance name -> scorer.
        kg: the graph.
        ontology: OWL file, or what was read from one; by default the one beside its triples.
        types: whether a type is known when "asserted" (or following from asserted types by
            class axioms), or when "entailed" through facts as well.
        set_aside: leave facts that contradict the ontology out of the reasoning.
        cutoffs: list lengths at which verdicts are counted.
        options: protocol of the ranking.

    Returns:
        Ranks with verdict columns; summarise with
        :func:`hybridkg.analysis.audit.audit_summary`.

    Raises:
        InconsistentOntologyError: training triples and types contradict the ontology.
        DataError: no scorer is given.
    """
    if not scorers:
        raise DataError("no scorer to audit; expected a mapping of names to scorers")
    reasoning = Reasoning.over(kg, ontology, types=types, set_aside=set_aside)
    observer, digest = VerdictObserver(reasoning.masks, cutoffs), reasoning.digest
    return combine(
        [
            rank_instance(
                scorer,
                kg,
                name=name,
                about={"model": name, "audit": digest},
                options=options,
                observers=[observer],
            )
            for name, scorer in scorers.items()
        ]
    )


class InstanceAudit:
    """The audit of trained instances of one data set."""

    def __init__(
        self,
        folders: Sequence[str | Path],
        *,
        ontology: str | Path | None = None,
        namespaces: Sequence[str] = (),
        iri_map: str | Path | None = None,
        dataset: str | None = None,
        types: TypesName = "asserted",
        set_aside: bool = False,
        note: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Open the instances and reason over their data set.

        Args:
            folders: of finished instances.
            ontology: OWL file; by default the one beside the data set's triples.
            namespaces: how labels become IRIs.
            iri_map: table of label and IRI.
            dataset: name or folder of the data set, where it moved since the training.
            types: which types are known, see :func:`audit`.
            set_aside: leave facts that contradict the ontology out of the reasoning.
            note: takes one line at a time about the progress.

        Raises:
            InconsistentOntologyError: the data contradict the ontology.
            OntologyError: there is no ontology, or none of its names meets the graph.
        """
        self.instances = Instances(folders, dataset)
        self.kg = self.instances.graph(0)
        note("closing the training triples under the ontology")
        self.reasoning = Reasoning.over(
            self.kg,
            ontology,
            namespaces=namespaces,
            iri_map=iri_map,
            types=types,
            set_aside=set_aside,
        )
        self.masks = self.reasoning.masks
        self._note = note

    def rank(
        self,
        *,
        cutoffs: tuple[int, ...] = CUTOFFS,
        options: ProtocolOptions | None = None,
        n_examples: int = 3,
        progress: bool = False,
    ) -> tuple[RankTable, list[dict[str, Any]]]:
        """Rank all instances with verdict counts, and write the ranks into their folders.

        Args:
            cutoffs: list lengths at which verdicts are counted.
            options: protocol of the ranking.
            n_examples: absurd candidates to collect an instance.
            progress: show progress bars.

        Returns:
            The ranks, and the best-ranked impossible candidates with the axioms they break,
            from different relations where possible.
        """
        observer = VerdictObserver(self.masks, cutoffs)
        task = make_task(self.kg, **(options or ProtocolOptions()).task())
        absurd = AbsurdCandidates(self.kg, task, self.masks)
        digest = self.reasoning.digest
        tables: list[RankTable] = []
        examples: list[dict[str, Any]] = []
        for number, folder in enumerate(self.instances.folders):
            scorer = self.instances.scorer(number)
            table = self.instances.rank(
                number,
                scorer,
                into=AUDIT,
                options=options,
                observers=[observer],
                audit=digest,
                progress=progress,
            )
            self._note(f"{self.instances.names[number]}: audited ranks in {folder / AUDIT}")
            tables.append(table)
            examples += absurd.find(scorer, table, n=n_examples, k=cutoffs[-1])
        return combine(tables), examples
