"""Ranking files of rule learners in the manner of AnyBURL: three lines a test triple."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.tsv import open_bytes
from hybridkg.scoring.external import ListedScores, QueryCode, Source, StatedTriples
from hybridkg.scoring.score_entries import Chunk, gather, join_lists
from hybridkg.scoring.score_labels import UNKNOWN, LabelIds
from hybridkg.scoring.score_stream import number
from hybridkg.types import IntArray, LongArray, Target

_MARKS: dict[str, Target] = {"Heads:": "head", "Tails:": "tail"}
_BLOCK = (
    "blocks of three lines: a triple of the data set, 'Heads: ' and 'Tails: ', each followed by "
    "candidate and score in turn, tab-separated"
)


def read_anyburl_ranking(path: str | Path, kg: KnowledgeGraph, *, name: str) -> ListedScores:
    """Read a ranking file: every block gives the candidates of both queries of one triple.

    Triples of one query repeat its list, each without the other's answers where the tool
    filtered them; such lists are united.

    Args:
        path: UTF-8 text, plain or packed. The labels of a triple are separated by tabs or single
            blanks and may hold blanks: they are met with those of the graph.
        kg: its labels.
        name: of the scorer.

    Raises:
        DataError: a line does not fit, a label is unknown, a candidate stands twice in a list or
            has two scores for one query; file and line are named.
    """
    reader = _Reader(path, kg)
    for number_of_block, block in enumerate(_blocks(path)):
        reader.add(number_of_block, block)
    return reader.scorer(name)


def _lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines that are not blank."""
    with open_bytes(path) as stream:
        for line, raw in enumerate(stream, 1):
            try:
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DataError(f"{path}:{line}: not UTF-8 text; convert the file") from error
            if text.strip():
                yield line, text


def _blocks(path: str | Path) -> Iterator[tuple[tuple[int, str], ...]]:
    """Yield the triple's line and those of its two lists, tails first."""
    lines = _lines(path)
    for line, text in lines:
        if text.startswith(tuple(_MARKS)):
            raise DataError(
                f"{path}:{line}: {text[:40]!r} where a triple belongs; expected {_BLOCK}; the file "
                "may be cut short or mixed with another: write it again"
            )
        lists: dict[Target, tuple[int, str]] = {}
        for _ in _MARKS:
            at, found = next(lines, (line, ""))
            mark = next((one for one in _MARKS if found.startswith(one)), None)
            if mark is None or _MARKS[mark] in lists:
                what = f"{found[:40]!r}" if found else "the end of the file"
                raise DataError(
                    f"{path}:{at}: {what} in the block of line {line}; expected {_BLOCK}; the "
                    "file may be cut short or mixed with another: write it again"
                )
            lists[_MARKS[mark]] = (at, found[len(mark) :].removeprefix(" "))
        yield (line, text), lists["tail"], lists["head"]


class _Reader:
    """Gathers the blocks of one file; list 2 b is the tails' of block b, 2 b + 1 the heads'."""

    def __init__(self, path: str | Path, kg: KnowledgeGraph) -> None:
        self.path = path
        self.kg = kg
        self.labels = LabelIds(path, kg)
        self.triples: list[tuple[int, int, int]] = []
        self.lines: list[int] = []
        self.list_lines: list[int] = []
        self.numbers = array("q")
        self.entities = array("i")
        self.scores = array("d")
        self.n_tied = 0

    def add(self, block: int, lines: tuple[tuple[int, str], ...]) -> None:
        line, text = lines[0]
        self.triples.append(self._triple(line, text))
        self.lines.append(line)
        for side, (at, listed) in enumerate(lines[1:]):
            self.list_lines.append(at)
            # The tools end a list with a tab.
            fields = listed.removesuffix("\t").split("\t") if listed.strip("\t") else []
            if len(fields) % 2:
                raise DataError(
                    f"{self.path}:{at}: {len(fields)} tab-separated fields; expected candidate "
                    "and score in turn; the line may be cut short"
                )
            names, where = fields[::2], np.full(len(fields) // 2, at)
            self.numbers.extend([2 * block + side] * len(names))
            self.entities.extend(self.labels.entities(names, where).tolist())
            place = f"{self.path}:{at}"
            scores = [number(s, "score", lambda p=place: p) for s in fields[1::2]]  # type: ignore[misc]
            self.scores.extend(scores)
            self.n_tied += len(set(scores)) < len(scores)

    def _triple(self, line: int, text: str) -> tuple[int, int, int]:
        """Find the labels of a triple's line."""
        separator = "\t" if "\t" in text else " "
        words = text.split(separator)
        where = np.array([line])
        if len(words) == 3:
            (h,), (r,), (t,) = (
                self.labels.entities(words[:1], where).tolist(),
                self.labels.relations(words[1:2], where).tolist(),
                self.labels.entities(words[2:], where).tolist(),
            )
            return h, r, t
        found = self._splits(words) if separator == " " else []
        if len(found) > 1:
            found = [one for one in found if one in self._known]
        if len(found) != 1:
            meaning = "is no triple" if not found else f"can be read in {len(found)} ways"
            raise DataError(
                f"{self.path}:{line}: {text[:80]!r} {meaning} in the labels of {self.kg.name}; "
                "expected head, relation and tail, separated by tabs or single blanks; write tabs"
            )
        return found[0]

    def _splits(self, words: list[str]) -> list[tuple[int, int, int]]:
        """Return all ways to read words, of which several make a label, as a triple."""
        found = []
        for i, j in combinations(range(1, len(words)), 2):
            parts = (
                self.kg.entities.get(" ".join(words[:i])),
                self.kg.relations.get(" ".join(words[i:j])),
                self.kg.entities.get(" ".join(words[j:])),
            )
            if parts[0] is not None and parts[1] is not None and parts[2] is not None:
                found.append((parts[0], parts[1], parts[2]))
        return found

    @cached_property
    def _known(self) -> set[tuple[int, int, int]]:
        return {(h, r, t) for rows in self.kg.splits.values() for h, r, t in rows.tolist()}

    def scorer(self, name: str) -> ListedScores:
        """Unite the lists of each query."""
        self.labels.refuse_unknown()
        kg, code = self.kg, QueryCode.of_graph(self.kg)
        entities = np.array(self.entities, dtype=np.int32)
        assert (entities > UNKNOWN).all()
        lines = np.array(self.list_lines, dtype=np.int64)

        def repeated(number: int, entity: int, _: int, __: int) -> DataError:
            return DataError(
                f"{self.path}:{lines[number]}: candidate {kg.entities[entity]!r} stands twice in "
                "this list; expected each candidate once; remove one"
            )

        keys = np.array(self.numbers, dtype=np.int64) * kg.n_entities + entities
        every = np.arange(len(lines))
        chunks = [Chunk(keys, np.array(self.scores))]
        lists = gather(chunks, kg.n_entities, repeated, declared=every)
        triples = np.array(self.triples, dtype=np.int32)
        joined = join_lists(lists, _both_queries(triples, code), lines, path=str(self.path), kg=kg,
                            code=code)  # fmt: skip
        stated = StatedTriples(triples, np.array(self.lines, dtype=np.int64))
        notes: tuple[str, ...] = ()
        if self.n_tied:
            # Max-plus orders candidates by further rules, of which the file keeps no trace.
            notes = (
                f"lists in which candidates share a score: {self.n_tied:,} of {len(lines):,}; "
                "these tie, whatever their order in the list",
            )
        source = Source(Path(self.path), "AnyBURL ranking", notes, stated=stated)
        return ListedScores(
            name, kg, source, joined.numbers, joined.offsets, joined.entities, joined.scores
        )


def _both_queries(triples: IntArray, code: QueryCode) -> LongArray:
    """Return the (2 n,) coded queries of (n, 3) triples, tail first."""
    yes, no = np.ones(len(triples), dtype=np.bool_), np.zeros(len(triples), dtype=np.bool_)
    tails = code.encode(yes, triples[:, 0], triples[:, 1])
    heads = code.encode(no, triples[:, 2], triples[:, 1])
    return np.column_stack([tails, heads]).ravel()
