"""How candidates were made: the JSON document beside each file of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hybridkg._io import digest_file, read_json, write_json
from hybridkg.errors import DataError
from hybridkg.evaluation.candidate_sets import CandidateSets, EntitySet, RelationSets
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import FilterName

FORMAT = "hybridkg-candidates-1"
#: What candidates are given for: everything, a relation and target, or a single query.
KindName: TypeAlias = Literal["entities", "relations", "queries"]


def document_path(path: str | Path) -> Path:
    """Return the path of the document beside a file of candidates."""
    return Path(path).with_name(Path(path).name + ".json")


def kind_of(sets: CandidateSets) -> KindName:
    """Return what the candidates are given for."""
    if isinstance(sets, EntitySet):
        return "entities"
    return "relations" if isinstance(sets, RelationSets) else "queries"


def write_document(
    path: str | Path,
    sets: CandidateSets,
    kg: KnowledgeGraph,
    *,
    split: str,
    filter_name: FilterName,
    about: Mapping[str, Any],
) -> Path:
    """Write the document of a file that lies there already.

    Args:
        path: the file of candidates.
        sets: what it holds.
        kg: the graph they were made for.
        split: the split that lists were made for.
        filter_name: known answers that were left out of lists.
        about: further facts on the making.
    """
    document = {
        **about,
        "format": FORMAT,
        "kind": kind_of(sets),
        "words": sets.words,
        "digest": sets.digest,
        "file_digest": digest_file(path),
        "dataset": kg.name,
        "dataset_digest": kg.filter_digest("all"),
        "n_candidates": len(sets.entities),
    }
    if document["kind"] == "queries":
        document |= {"split": split, "filter": filter_name}
    write_json(document_path(path), document)
    return document_path(path)


def read_document(path: str | Path) -> dict[str, Any] | None:
    """Read the document beside a file of candidates, where there is one.

    Raises:
        DataError: what lies there is none.
    """
    beside = document_path(path)
    if not beside.is_file():
        return None
    about = read_json(beside)
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(
            f"{beside}: expected a document of format {FORMAT!r}; remove or rename it where it "
            f"does not belong to {path}"
        )
    return about


def require_fit(
    path: str | Path,
    about: Mapping[str, Any],
    kind: KindName,
    kg: KnowledgeGraph,
    *,
    split: str,
    filter_name: FilterName,
) -> None:
    """Refuse candidates that were made for something else, by what their document says.

    Raises:
        DataError: data set, split or filter differ, or the file was changed.
    """
    beside = document_path(path)
    expected: dict[str, object] = {"kind": kind, "dataset_digest": kg.filter_digest("all")}
    if kind == "queries":
        expected |= {"split": split, "filter": filter_name}
    missing = sorted({*expected, "words", "file_digest"} - set(about))
    if missing:
        raise DataError(
            f"{beside}: {', '.join(missing)} missing; expected a document that `hybridkg "
            "candidates` wrote; draw the candidates again"
        )
    if about["file_digest"] != digest_file(path):
        raise DataError(
            f"{path} was changed since {beside.name} was written; expected the same bytes; draw "
            "the candidates again, or remove that document"
        )
    for key, value in expected.items():
        if about[key] != value:
            was, now = about[key], value
            if key == "dataset_digest":
                key, was, now = "data set", about.get("dataset"), f"{kg.name}, of other content"
            raise DataError(
                f"{path}: candidates made for {key} {was!r}; expected {now!r}; draw them for "
                "this evaluation, or evaluate as they were drawn"
            )
