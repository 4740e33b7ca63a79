"""Matrices of scores, read in parts: rows are queries and columns entities, by their maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hybridkg.errors import DataError, MissingExtraError, ScoreError, shortened
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.external import ExternalScorer, Source, spell_query
from hybridkg.scoring.query_maps import (
    NamedQueries,
    column_places,
    read_entity_map,
    read_query_map,
)
from hybridkg.scoring.score_formats import NUMPY_START
from hybridkg.types import AnyArray, BoolArray, IntArray, LongArray

SUFFIXES = (".npy", ".safetensors")
_QUERIES, _ENTITIES = ".queries.tsv", ".entities.txt"
_SHARED = "entities.txt"


class _Matrix(Protocol):
    """What is read of a stored matrix."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __getitem__(self, rows: LongArray, /) -> AnyArray: ...


@dataclass(frozen=True, slots=True)
class Block:
    """One matrix with the names of its rows and columns."""

    path: Path
    matrix: _Matrix
    queries: NamedQueries
    #: names of the columns.
    labels: list[str]
    #: (columns,) entity ids, -1 for those that the graph lacks.
    columns: IntArray


class BlockScores(ExternalScorer):
    """Scores in matrices, of which only the rows that are asked are read."""

    def __init__(
        self, name: str, kg: KnowledgeGraph, source: Source, blocks: Sequence[Block]
    ) -> None:
        """Join the rows of all matrices.

        Args:
            name: stands in tables.
            kg: scores refer to its entity ids.
            source: where the scores come from.
            blocks: one or more.

        Raises:
            DataError: two rows name the same query.
        """
        keys = np.concatenate([block.queries.keys for block in blocks])
        order = np.argsort(keys, kind="stable")
        super().__init__(name, kg, source, keys[order])
        self.blocks = tuple(blocks)
        sizes = [len(block.queries.keys) for block in blocks]
        self._block_of = np.repeat(np.arange(len(blocks)), sizes)[order]
        self._row_of = np.concatenate([np.arange(size) for size in sizes])[order]
        twice = np.flatnonzero(self.keys[1:] == self.keys[:-1])
        if len(twice):
            places = [self._place(int(twice[0]) + step) for step in (0, 1)]
            raise DataError(
                f"{places[0]} and {places[1]} name the same query "
                f"{spell_query(kg, self.code, int(self.keys[twice[0]]))}; expected one row a "
                "query; remove one"
            )
        dtypes = {block.matrix.dtype for block in blocks}
        self._dtype = np.result_type(np.float32, *dtypes).type
        if not np.issubdtype(self._dtype, np.floating) or np.dtype(self._dtype).itemsize > 8:
            self._dtype = np.float64

    def score(self, queries: Queries) -> AnyArray:
        """Score as :meth:`ExternalScorer.score` says.

        Raises:
            ScoreError: a score is NaN or +inf; file, row and column are named.
        """
        scores = np.full((len(queries), self.kg.n_entities), -np.inf, dtype=self._dtype)
        for block, asked, rows in self._parts(queries):
            values = np.asarray(block.matrix[rows])
            self._refuse_bad(block, rows, values)
            known = block.columns >= 0
            scores[asked[:, None], block.columns[known]] = values if known.all() else (
                values[:, known])  # fmt: skip
        return scores

    def given(self, queries: Queries) -> BoolArray:
        """Tell which candidates have a column."""
        given = np.zeros((len(queries), self.kg.n_entities), dtype=np.bool_)
        for block, asked, _ in self._parts(queries):
            given[asked[:, None], block.columns[block.columns >= 0]] = True
        return given

    def n_given(self, queries: Queries) -> LongArray:
        """Return how many candidates have a column, for each of n queries."""
        sizes = np.zeros(len(queries), dtype=np.int64)
        for block, asked, _ in self._parts(queries):
            sizes[asked] = int((block.columns >= 0).sum())
        return sizes

    def _parts(self, queries: Queries) -> list[tuple[Block, LongArray, LongArray]]:
        """Return for each matrix the queries that it answers, and its rows for them."""
        place = self.locate(queries)
        found = []
        for number, block in enumerate(self.blocks):
            asked = np.flatnonzero((place >= 0) & (self._block_of[place] == number))
            if len(asked):
                found.append((block, asked, self._row_of[place[asked]]))
        return found

    def _refuse_bad(self, block: Block, rows: LongArray, values: AnyArray) -> None:
        bad = ~(values < np.inf)
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            key = int(block.queries.keys[rows[row]])
            raise ScoreError(
                f"{block.path}: row {rows[row] + 1}, column {column + 1}: "
                f"{block.labels[column]!r} as answer of {spell_query(self.kg, self.code, key)} has "
                f"score {values[row, column]}; expected a finite number, or -inf for a candidate "
                "without a score; write the scores again"
            )

    def _place(self, position: int) -> str:
        queries = self.blocks[self._block_of[position]].queries
        return f"{queries.path}:{queries.lines[self._row_of[position]]}"


def read_score_blocks(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    name: str,
    queries: str | Path | None = None,
    entity_map: str | Path | None = None,
) -> BlockScores:
    """Open a matrix of scores, or a folder of them.

    Args:
        path: a .npy or safetensors file, (queries, entities), numbers of any kind; or a folder.
        kg: its labels.
        name: of the scorer.
        queries: names the rows; by default ``STEM.queries.tsv`` beside the matrix.
        entity_map: names the columns; by default ``STEM.entities.txt``, in a folder also
            ``entities.txt`` for all of them.

    Raises:
        DataError: a map is missing or does not fit, a matrix has another shape or holds no
            numbers, or two rows name one query.
        MissingExtraError: safetensors is not installed.
    """
    place = Path(path)
    files = [place]
    if place.is_dir():
        files = sorted(one for one in place.iterdir() if one.suffix in SUFFIXES and one.is_file())
        if not files:
            raise DataError(
                f"{path}: no matrix in this folder; expected files that end in "
                f"{' or '.join(SUFFIXES)}; name the file of scores itself"
            )
        if queries is not None and len(files) > 1:
            raise DataError(
                f"{path} holds {len(files)} matrices, and {queries} can name the rows of one "
                f"only; expected STEM{_QUERIES} beside each of them"
            )
    blocks = [_open_block(one, kg, place.is_dir(), queries, entity_map) for one in files]
    unknown = {label for b in blocks for label, e in zip(b.labels, b.columns, strict=True) if e < 0}
    notes: tuple[str, ...] = ()
    if unknown:
        example = shortened(min(unknown))
        notes = (f"{len(unknown):,} columns of entities that the data set lacks, as {example!r}",)
    shapes = ", ".join(
        f"{b.matrix.shape[0]:,} x {b.matrix.shape[1]:,} {b.matrix.dtype}" for b in blocks[:3]
    )
    words = "matrix" if len(blocks) == 1 else f"{len(blocks)} matrices"
    source = Source(
        place,
        f"{words} ({shapes}{', ...' if blocks[3:] else ''})",
        notes,
        unknown_labels=tuple(sorted(unknown)),
    )
    return BlockScores(name, kg, source, blocks)


def _open_block(
    path: Path,
    kg: KnowledgeGraph,
    in_folder: bool,
    queries: str | Path | None,
    entity_map: str | Path | None,
) -> Block:
    matrix = open_matrix(path)
    row_map = Path(queries or path.with_name(path.stem + _QUERIES))
    if not row_map.exists():
        raise DataError(
            f"{path}: its rows have no names; expected {row_map}, with head, relation, tail ('?' "
            "where asked) for each row; write it, or name it with --queries FILE"
        )
    column_map = Path(entity_map or path.with_name(path.stem + _ENTITIES))
    if in_folder and entity_map is None and not column_map.exists():
        column_map = path.with_name(_SHARED)
    if not column_map.exists():
        raise DataError(
            f"{path}: its columns have no names; expected {column_map}, with the label of an "
            "entity for each column; write it, or name it with --entity-map FILE"
        )
    named = read_query_map(row_map, kg)
    if len(named.keys) != matrix.shape[0]:
        raise DataError(
            f"{row_map} names {len(named.keys):,} queries; {path} has {matrix.shape[0]:,} rows; "
            "expected one query a row; name the map that belongs to it"
        )
    labels = read_entity_map(column_map, matrix.shape[1])
    columns = column_places(labels, kg)
    if (columns < 0).all():
        raise DataError(
            f"{column_map}: no label is an entity of {kg.name}, as {labels[0]!r}; expected labels "
            f"as {kg.entities[0]!r}; name the data set that was scored"
        )
    return Block(path, matrix, named, labels, columns)


def open_matrix(path: Path) -> _Matrix:
    """Open a stored matrix without reading its numbers.

    Raises:
        DataError: it is damaged, has no two dimensions, or holds no real numbers.
        MissingExtraError: safetensors is not installed.
    """
    with path.open("rb") as stream:
        is_numpy = stream.read(len(NUMPY_START)) == NUMPY_START
    matrix: _Matrix
    if is_numpy:
        try:
            matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise DataError(
                f"{path}: not a whole .npy file of plain numbers ({error}); save it again"
            ) from error
    else:
        matrix = SafetensorsMatrix(path)
    if len(matrix.shape) != 2 or 0 in matrix.shape or matrix.dtype.kind not in "fiu":
        raise DataError(
            f"{path}: shape {tuple(matrix.shape)} of {matrix.dtype}; expected (queries, entities) "
            "real numbers; save them so"
        )
    return matrix


class SafetensorsMatrix:
    """A tensor of a safetensors file, of which rows are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        """Open the file's only tensor, or the one called ``scores``.

        Raises:
            DataError: the file is damaged, or it is not clear which tensor counts.
            MissingExtraError: safetensors is not installed.
        """
        try:
            from safetensors import SafetensorError, safe_open
        except ImportError as error:
            raise MissingExtraError("reading safetensors", "embeddings") from error
        try:
            opened: Any = safe_open(path, framework="numpy")
            names = sorted(opened.keys())
            if len(names) != 1 and "scores" not in names:
                raise DataError(
                    f"{path}: tensors {names[:10]}; expected one, or one called 'scores'; save the "
                    "scores alone"
                )
            self._rows = opened.get_slice("scores" if "scores" in names else names[0])
            self.shape = tuple(self._rows.get_shape())
            self.dtype = self._rows[0:0].dtype if self.shape else np.dtype(np.float32)
        except (SafetensorError, OSError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path}: expected a whole safetensors file of numbers that NumPy has ({error}); "
                "save it again, as float32"
            ) from error

    def __getitem__(self, rows: LongArray) -> AnyArray:
        """Return the (n, columns) rows of the given numbers."""
        return np.concatenate([self._rows[int(row) : int(row) + 1] for row in rows])
