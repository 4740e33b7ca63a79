"""Absurd candidates: the best-ranked impossible ones, with the axioms that each of them breaks."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridkg.evaluation.candidates import Task
from hybridkg.evaluation.listing import list_candidates
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.evaluation.score_reader import query_words
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.ontology.reasons import reasons
from hybridkg.ontology.schema import Masks
from hybridkg.scoring.base import Scorer
from hybridkg.types import TARGETS, VERDICTS, AnyArray, Target


class AbsurdCandidates:
    """Finds impossible candidates in the lists of scorers, under the protocol of a task."""

    def __init__(self, kg: KnowledgeGraph, task: Task, masks: Masks) -> None:
        """Index the known answers of a task once."""
        self._kg = kg
        self._task = task
        self._masks = masks
        self._known = {t: kg.answer_index(t, task.filter_name) for t in TARGETS}

    def find(self, scorer: Scorer, table: RankTable, *, n: int, k: int) -> list[dict[str, Any]]:
        """Return up to n examples, of different relations where possible.

        Args:
            scorer: the scorer of the table's only instance.
            table: evaluated on the task with verdicts counted in the first k places.
            n: number of queries to show.
            k: length of the lists that are searched.

        Returns:
            JSON objects: instance, query, candidate, rank (filtered, optimistic), verdict, reasons,
            and the readable text of the names in them.
        """
        counts = table.columns[f"impossible_top_{k}"][0]
        found = []
        for row in _one_per_relation(np.flatnonzero(counts > 0), table, n):
            found += self._first_impossible(scorer, table.instances[0], row, k)
        return found

    def _first_impossible(
        self, scorer: Scorer, name: str, row: int, k: int
    ) -> list[dict[str, Any]]:
        asked = self._task.queries
        target: Target = "tail" if asked.asks_tail[row] else "head"
        queries = Queries(target, asked.anchors[row : row + 1], asked.relations[row : row + 1])
        anchor, relation = int(queries.anchors[0]), int(queries.relations[0])
        codes = self._masks.codes(target, relation, anchor)
        listing = list_candidates(
            scorer,
            self._kg,
            queries,
            k=k,
            known=self._known[target],
            answers=asked.answers[row : row + 1],
            pool=self._task.pool,
        )[0]
        for entity, rank in zip(listing.entities.tolist(), listing.ranks.tolist(), strict=True):
            if VERDICTS[codes[entity]] == "impossible":
                why = reasons(self._masks, target, relation, entity, anchor)
                candidate = self._kg.entities[entity]
                names = {candidate, self._kg.entities[anchor], self._kg.relations[relation]}
                names |= {word for r in why for text in r.statements for word in text.split()}
                return [
                    {
                        "instance": name,
                        "query": query_words(self._kg, queries, 0),
                        "candidate": candidate,
                        "rank": rank,
                        "verdict": "impossible",
                        "reasons": [
                            {"because": str(reason), "axioms": list(reason.statements)}
                            for reason in why
                        ],
                        "readable": self._readable(names),
                    }
                ]
        return []

    def _readable(self, names: set[str]) -> dict[str, str]:
        """Return the readable text of those names that have one."""
        texts = {}
        for known in self._kg.readable.values():
            texts.update({name: known[name] for name in names if name in known})
        return dict(sorted(texts.items()))


def _one_per_relation(rows: AnyArray, table: RankTable, n: int) -> list[int]:
    """Choose up to n rows, each of another relation first, in the order of the table."""
    seen: set[str] = set()
    first: list[int] = []
    rest: list[int] = []
    for row in rows.tolist():
        (rest if table.relations[row] in seen else first).append(row)
        seen.add(table.relations[row])
    return (first + rest)[:n]
