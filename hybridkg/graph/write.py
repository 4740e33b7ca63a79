"""Knowledge graphs as benchmark folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.tsv import render_tsv


def write_folder(
    kg: KnowledgeGraph, out: str | Path, *, files: Mapping[str, bytes] | None = None
) -> list[Path]:
    """Write a graph as a benchmark folder that :func:`~hybridkg.graph.read.read_folder` reads.

    Written are one ``.tsv`` a split, and where there is something to say ``types.tsv``,
    ``labels.tsv`` and ``entities.txt`` (entities without a triple). Writing the same graph
    twice into a folder is no error and changes nothing.

    Args:
        kg: the graph; splits other than train are written where they have rows.
        out: the folder, new or empty.
        files: further files by name, such as schema.ttl.

    Returns:
        The files of the folder.

    Raises:
        DataError: the folder holds something else, or a label cannot stand in such a file.
    """
    contents = {name: text.encode() for name, text in _tables(kg).items()}
    contents.update(files or {})
    folder = Path(out)
    if folder.is_symlink() and not folder.exists():
        raise DataError(
            f"{out} is a link to {str(folder.readlink())!r}, which does not exist; expected the "
            "name of a new or empty folder; remove the link or name its target"
        )
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{out} is a file; expected the name of a new or empty folder")
    present = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    if present:
        _check_same(folder, present, contents)
    else:
        try:
            for name, content in contents.items():
                with atomic_path(folder / name) as temporary:
                    temporary.write_bytes(content)
        except OSError as error:
            raise DataError(
                f"{out} cannot be written ({error.strerror}); expected a writable folder; "
                "choose another"
            ) from error
    return [folder / name for name in contents]


def _check_same(folder: Path, present: list[str], contents: Mapping[str, bytes]) -> None:
    """Refuse a folder that holds anything but the files that would be written."""
    strange = sorted(set(present) - set(contents))
    lacking = sorted(set(contents) - set(present))
    differing = [
        name
        for name, content in contents.items()
        if name in present and (folder / name).read_bytes() != content
    ]
    if strange or lacking or differing:
        found = "; ".join(
            f"{what} {', '.join(names[:8])}"
            for what, names in (
                ("other files", strange),
                ("missing", lacking),
                ("different content", differing),
            )
            if names
        )
        raise DataError(
            f"{folder} is not empty and does not hold what would be written ({found}); expected "
            "a new or empty folder; choose another name or empty it"
        )


def _tables(kg: KnowledgeGraph) -> dict[str, str]:
    """Render each table of the folder."""
    tables = {
        f"{split}.tsv": render_tsv(kg.label_triples(rows))
        for split, rows in kg.splits.items()
        if split == "train" or len(rows)
    }
    names, classes = kg.entities.labels, kg.classes.labels
    if len(kg.types):
        tables["types.tsv"] = render_tsv((names[e], classes[c]) for e, c in kg.types.tolist())
    texts = [
        ("type" if kind == "class" else kind, label, text)
        for kind in ("entity", "relation", "class")
        for label, text in sorted(kg.readable.get(kind, {}).items())
    ]
    if texts:
        tables["labels.tsv"] = render_tsv(texts)
    used = np.zeros(kg.n_entities, dtype=np.bool_)
    for rows in kg.splits.values():
        used[rows[:, [0, 2]]] = True
    if not used.all():
        tables["entities.txt"] = render_tsv((names[e],) for e in np.flatnonzero(~used).tolist())
    return tables
