"""Score files of other tools, of whatever format, opened for one graph."""

from __future__ import annotations

from pathlib import Path

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.anyburl_rankings import read_anyburl_ranking
from hybridkg.scoring.external import ExternalScorer
from hybridkg.scoring.query_maps import read_query_map
from hybridkg.scoring.score_blocks import read_score_blocks
from hybridkg.scoring.score_columns import layout_of, read_header
from hybridkg.scoring.score_formats import recognise
from hybridkg.scoring.score_tables import read_score_table
from hybridkg.scoring.trec_runs import read_trec_run


def read_scores(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    name: str | None = None,
    queries: str | Path | None = None,
    entity_map: str | Path | None = None,
) -> ExternalScorer:
    """Read the scores that another tool gave, joined by label and never by position.

    Args:
        path: a table with head, relation, tail (``?`` where asked), candidate, and score,
            confidence or rank; a table of scored triples; an AnyBURL ranking; a TREC run; a .npy
            or safetensors matrix with its maps beside it, or a folder of these. The format is
            told by the content.
        kg: the graph that was scored.
        name: of the scorer; by default that of the file without its suffixes.
        queries: tab-separated query, head, relation, tail with ``?``: what the names in a column
            ``query`` or a TREC run mean; or the rows of a matrix.
        entity_map: one label a line: the columns of a matrix.

    Returns:
        A scorer over the graph's ids; its ``source`` says what was recognised.

    Raises:
        DataError: the file cannot be read, or a label, number or line does not fit; file and line
            are named.
        ConfigError: a map is missing, or one is given that changes nothing.
        MissingExtraError: the file needs safetensors, which is not installed.
    """
    place = Path(path)
    title = name or score_name(place)
    if not place.exists():
        raise DataError(f"{path}: no such file; check the path")
    kind = "numpy" if place.is_dir() else recognise(place)
    if kind in ("numpy", "safetensors"):
        return read_score_blocks(place, kg, name=title, queries=queries, entity_map=entity_map)
    _refuse_idle_maps(place, queries=queries, entity_map=entity_map)
    if kind == "anyburl":
        return read_anyburl_ranking(place, kg, name=title)
    named = None if queries is None else read_query_map(queries, kg)
    if kind == "trec":
        return read_trec_run(place, kg, name=title, queries=named)
    return read_score_table(place, kg, name=title, queries=named)


def takes_maps(path: str | Path) -> tuple[bool, bool]:
    """Tell whether a map of queries, and one of entities, changes how a score file is read.

    Raises:
        DataError: as for :func:`read_scores`.
    """
    kind = "numpy" if Path(path).is_dir() else recognise(path)
    if kind in ("numpy", "safetensors"):
        return True, True
    return kind == "trec" or (kind == "table" and "query" in read_header(path)), False


def holds_pools(path: str | Path) -> bool:
    """Tell whether a score file brings its own candidates and answers, so that it needs no graph.

    Raises:
        DataError: as for :func:`read_scores`.
    """
    if Path(path).is_dir() or recognise(path) != "table":
        return False
    return layout_of(path, read_header(path)).kind == "pools"


def _refuse_idle_maps(
    path: Path, *, queries: str | Path | None, entity_map: str | Path | None
) -> None:
    takes_queries, takes_entities = takes_maps(path)
    if entity_map is not None and not takes_entities:
        raise ConfigError(
            f"{path} names its candidates, so {entity_map} would change nothing; expected "
            "--entity-map only for matrices; leave it out"
        )
    if queries is not None and not takes_queries:
        raise ConfigError(
            f"{path} spells its queries out, so {queries} would change nothing; expected "
            "--queries only for tables with a column 'query', TREC runs and matrices; leave it out"
        )


def score_name(path: str | Path) -> str:
    """Return the name of a score file without its suffixes, or of a folder."""
    place = Path(path)
    return place.resolve().name if place.is_dir() else place.name.split(".")[0] or place.name
