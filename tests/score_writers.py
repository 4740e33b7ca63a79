"""One dense table of scores, written in every format that score files may have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import Scorer
from hybridkg.types import TARGETS, AnyArray


def query_rows(kg: KnowledgeGraph, split: str = "test") -> list[tuple[tuple[str, str, str], str]]:
    """Each distinct query of a split as a row with ``?``, and its target."""
    found = []
    for target in TARGETS:
        for head, relation, tail in kg.label_triples(kg.split(split)):
            row = (head, relation, "?") if target == "tail" else ("?", relation, tail)
            if (row, target) not in found:
                found.append((row, target))
    return found


def dense_scores(scorer: Scorer, kg: KnowledgeGraph, split: str = "test") -> AnyArray:
    """(queries, entities) scores in the order of :func:`query_rows`."""
    from hybridkg.graph.queries import Queries

    rows = []
    for (head, relation, tail), target in query_rows(kg, split):
        anchor = kg.entities.id_of(head if target == "tail" else tail)
        asked = Queries(
            target,
            np.array([anchor], dtype=np.int32),
            np.array([kg.relations.id_of(relation)], dtype=np.int32),
        )
        rows.append(scorer.score(asked)[0])
    return np.array(rows)


def spelled(value: float) -> str:
    return repr(float(value))


def write_candidates(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    """A long table in an order of columns and rows that says nothing."""
    path = folder / "long.tsv"
    lines = [
        "\t".join([spelled(scores[q, e]), tail, kg.entities[e], "x", relation, head])
        for q, ((head, relation, tail), _) in enumerate(query_rows(kg))
        for e in range(kg.n_entities)
    ]
    np.random.default_rng(len(lines)).shuffle(lines)
    header = "score\ttail\tcandidate\tremark\trelation\thead"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8", newline="\n")
    return path


def write_ranks(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    """Ranks in place of scores; candidates with equal scores share a rank."""
    path = folder / "ranks.tsv"
    lines = ["head\trelation\ttail\trank\tcandidate"]
    for row, ((head, relation, tail), _) in zip(scores, query_rows(kg), strict=True):
        for e in range(kg.n_entities):
            rank = 1 + int((row > row[e]).sum())
            lines.append(f"{head}\t{relation}\t{tail}\t{rank}\t{kg.entities[e]}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def write_anyburl(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    path = folder / "anyburl.txt"
    place = {row: q for q, (row, _) in enumerate(query_rows(kg))}
    lines = []
    for head, relation, tail in dict.fromkeys(kg.label_triples(kg.split("test"))):
        lines.append(f"{head} {relation} {tail}")
        for mark, row in (("Heads", ("?", relation, tail)), ("Tails", (head, relation, "?"))):
            listed = sorted(enumerate(scores[place[row]]), key=lambda pair: -pair[1])
            text = "".join(f"{kg.entities[e]}\t{spelled(s)}\t" for e, s in listed)
            lines.append(f"{mark}: {text}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def write_query_map(folder: Path, kg: KnowledgeGraph) -> Path:
    path = folder / "queries.tsv"
    lines = [f"q{q}\t" + "\t".join(row) for q, (row, _) in enumerate(query_rows(kg))]
    path.write_text("\n".join(["query\thead\trelation\ttail", *lines]) + "\n", encoding="utf-8",
                    newline="\n")  # fmt: skip
    return path


def write_trec(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    """A run whose ranks contradict its scores: the scores decide."""
    path = folder / "run.trec"
    lines = [
        f"q{q} Q0 {kg.entities[e]} {e + 1} {spelled(scores[q, e])} tag"
        for q in range(len(scores))
        for e in range(kg.n_entities)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def write_named(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    path = folder / "named.tsv"
    lines = ["candidate\tquery\tscore"]
    lines += [
        f"{kg.entities[e]}\tq{q}\t{spelled(scores[q, e])}"
        for q in range(len(scores))
        for e in range(kg.n_entities)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def write_maps(folder: Path, stem: str, kg: KnowledgeGraph, columns: AnyArray) -> None:
    """Name the rows in their order, and the columns in the given order of entities."""
    rows = ["\t".join(row) for row, _ in query_rows(kg)]
    (folder / f"{stem}.queries.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    names = [kg.entities[int(e)] for e in columns]
    (folder / f"{stem}.entities.txt").write_text("\n".join(names) + "\n", encoding="utf-8")


def write_numpy(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    """A matrix in Fortran order whose columns are turned round."""
    columns = np.arange(kg.n_entities)[::-1]
    write_maps(folder, "matrix", kg, columns)
    np.save(folder / "matrix.npy", np.asfortranarray(scores[:, columns]))
    return folder / "matrix.npy"


def write_safetensors(folder: Path, kg: KnowledgeGraph, scores: AnyArray) -> Path:
    from hybridkg.scoring.weights import save_arrays

    write_maps(folder, "tensor", kg, np.arange(kg.n_entities))
    save_arrays(folder / "tensor.safetensors", {"scores": scores})
    return folder / "tensor.safetensors"


Writer = Callable[[Path, KnowledgeGraph, AnyArray], Path]

#: Name of the format -> its writer, and whether it needs the map of queries.
WRITERS: dict[str, tuple[Writer, bool]] = {
    "candidates": (write_candidates, False),
    "ranks": (write_ranks, False),
    "anyburl": (write_anyburl, False),
    "trec": (write_trec, True),
    "named": (write_named, True),
    "numpy": (write_numpy, False),
    "safetensors": (write_safetensors, False),
}
