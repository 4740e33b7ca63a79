"""The schema audit of rankings: instances ranked together with what the ontology says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.analysis.reasoning import Reasoning
from hybridkg.errors import DataError
from hybridkg.evaluation.evaluator import query_words
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.listing import list_candidates
from hybridkg.evaluation.observers import CUTOFFS, VerdictObserver
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.reasons import reasons
from hybridkg.ontology.schema import TypesName
from hybridkg.scoring.base import Scorer
from hybridkg.training.ranking import Instances, ProtocolOptions, rank_instance
from hybridkg.types import VERDICTS, Target

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
    observer = VerdictObserver(reasoning.masks, cutoffs)
    return combine(
        [
            rank_instance(
                scorer, kg, name=name, about={"model": name}, options=options, observers=[observer]
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
        n_set_aside = len(self.reasoning.closure.set_aside)
        tables, examples = [], []
        for number, folder in enumerate(self.instances.folders):
            scorer = self.instances.scorer(number)
            table = rank_instance(
                scorer,
                self.kg,
                name=self.instances.names[number],
                about={**self.instances.about(number), "set_aside": n_set_aside},
                options=options,
                observers=[observer],
                progress=progress,
            )
            table.write(folder / AUDIT)
            self._note(f"{self.instances.names[number]}: audited ranks in {folder / AUDIT}")
            tables.append(table)
            counts = table.columns[f"impossible_top_{cutoffs[-1]}"][0]
            for query in _one_per_relation(np.flatnonzero(counts > 0), table, n_examples):
                examples += self._example(scorer, table, query, cutoffs[-1])
        return combine(tables), examples

    def _example(
        self, scorer: Scorer, table: RankTable, query: int, k: int
    ) -> list[dict[str, Any]]:
        target: Target = "tail" if table.targets[query] == "tail" else "head"
        anchor = table.heads[query] if target == "tail" else table.tails[query]
        relation = self.kg.relations.id_of(table.relations[query])
        queries = Queries(
            target,
            self.kg.entities.ids_of([anchor]),
            np.array([relation], dtype=np.int32),
        )
        index = self.kg.answer_index(target, "all")
        codes = self.masks.codes(target, relation, int(queries.anchors[0]))
        listing = list_candidates(scorer, self.kg, queries, k=k, known=index)[0]
        for entity, rank in zip(listing.entities.tolist(), listing.ranks.tolist(), strict=True):
            if VERDICTS[codes[entity]] == "impossible":
                return [
                    {
                        "instance": table.instances[0],
                        "query": query_words(self.kg, queries, 0),
                        "candidate": self.kg.entities[entity],
                        "rank": rank,
                        "verdict": "impossible",
                        "reasons": [
                            {"because": str(reason), "axioms": list(reason.statements)}
                            for reason in reasons(
                                self.masks, target, relation, entity, int(queries.anchors[0])
                            )
                        ],
                    }
                ]
        return []


def _one_per_relation(rows: np.ndarray[Any, Any], table: RankTable, n: int) -> list[int]:
    """Choose up to n rows, each of another relation first, in the order of the table."""
    seen: set[str] = set()
    first: list[int] = []
    rest: list[int] = []
    for row in rows.tolist():
        (rest if table.relations[row] in seen else first).append(row)
        seen.add(table.relations[row])
    return (first + rest)[:n]
