"""Benchmark folders and tab-separated files as knowledge graphs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.label_rows import LabelRows
from hybridkg.graph.row_keys import first_of_each
from hybridkg.graph.tsv import TsvTable, open_bytes, read_table, read_tsv
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import IntArray

__all__ = ["ReadReport", "find_part", "graph_of", "read_folder", "read_tsv", "report_folder"]

SPLITS = ("train", "valid", "test")
_PACKINGS = ("", ".xz", ".gz", ".bz2")
_DIRECTIVE = re.compile(r"@?(prefix|base)\s+([^\s<]*:\s*)?<", re.IGNORECASE)
_RDF_SUFFIXES = {
    *(".ttl", ".nt", ".nq", ".trig", ".rdf", ".owl", ".owx", ".ofn", ".jsonld", ".json"),
}
#: Starts of the ontology syntaxes that are refused by name.
_OTHER_STARTS = ("Prefix:", "Ontology:", "format-version:", "ontology:")
_RDF_STARTS = ("<", "_:", "[", "{", "Prefix(", "Ontology(", "Document(")
_LABEL_KINDS = {"entity": "entity", "relation": "relation", "type": "class", "class": "class"}


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What was found beside the triples and is not part of the graph."""

    #: types of entities that stand in no triple, and the number of those entities.
    types_set_aside: int = 0
    entities_set_aside: int = 0
    #: rows of types.tsv that repeat an earlier one.
    types_repeated: int = 0
    #: rows of labels.tsv whose label stands for nothing in the graph.
    labels_set_aside: int = 0
    #: empty lines between rows, over all files.
    blank_lines: int = 0


def read_folder(path: str | Path, *, name: str | None = None) -> KnowledgeGraph:
    """Read a benchmark folder: train, valid, test, and what describes their labels.

    Read are ``train``, ``valid`` and ``test`` (``.tsv`` or ``.txt``), ``types.tsv`` (entity,
    class), ``labels.tsv`` (kind, label, text) and ``entities.txt`` (further candidates), each
    plain or packed; ``schema.tsv`` and ``schema.ttl`` are only looked for, their paths are
    found in ``sources`` of the graph.

    Args:
        path: the folder; all but train may be absent.
        name: short name of the data set; by default the folder's.

    Raises:
        DataError: there is no train, a part exists twice or is no file, or a file cannot be read.
    """
    return report_folder(path, name=name)[0]


def report_folder(
    path: str | Path, *, name: str | None = None
) -> tuple[KnowledgeGraph, ReadReport]:
    """Read a benchmark folder as :func:`read_folder` does, and count what was set aside.

    Raises:
        DataError: as for :func:`read_folder`.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError(f"{path} is no folder; expected one that holds train.tsv or train.txt")
    sources = {"folder": str(folder)}
    tables: dict[str, TsvTable] = {}
    for split in SPLITS:
        found = find_part(folder, split, (".tsv", ".txt"))
        if found is not None:
            tables[split], sources[split] = read_table(found), str(found)
    if "train" not in tables:
        raise DataError(
            f"{folder}: no training triples; looked for train.tsv and train.txt, plain or with "
            f".xz, .gz or .bz2; there are {sorted(p.name for p in folder.iterdir())[:12]}"
        )
    if not tables["train"].rows:
        raise DataError(f"{sources['train']} holds no triple; expected at least one")
    others = {
        "types": (("types", (".tsv",)), 2, ("entity", "class")),
        "labels": (("labels", (".tsv",)), 3, ("kind", "label", "text")),
        "entities": (("entities", (".txt",)), 1, ("entity",)),
    }
    extra: dict[str, list[tuple[str, ...]]] = {key: [] for key in others}
    blank = sum(len(table.blank_lines) for table in tables.values())
    for key, ((stem, endings), columns, names) in others.items():
        found = find_part(folder, stem, endings)
        if found is not None:
            table = read_table(found, columns, names)
            extra[key], sources[key] = table.rows, str(found)
            blank += len(table.blank_lines)
    for ending in (".tsv", ".ttl"):
        found = find_part(folder, "schema", (ending,))
        if found is not None:
            sources[f"schema{ending}"] = str(found)
    return graph_of(
        {split: cast("list[LabelTriple]", table.rows) for split, table in tables.items()},
        name=name or folder.resolve().name,
        types=cast("list[tuple[str, str]]", extra["types"]),
        texts=cast("list[LabelTriple]", extra["labels"]),
        entities=(entity for (entity,) in extra["entities"]),
        sources=sources,
        blank_lines=blank,
    )


def find_part(folder: Path, stem: str, endings: Iterable[str]) -> Path | None:
    """Find the one file of a folder that holds a part, plain or packed.

    Raises:
        DataError: there is more than one, so that it is unclear which counts; what has such a
            name is no file; or only the case of its letters differs from such a name.
    """
    wanted = [f"{stem}{ending}{packing}" for ending in endings for packing in _PACKINGS]
    found = [folder / name for name in wanted if os.path.lexists(folder / name)]
    for one in found:
        if not one.is_file():
            kind = "a folder" if one.is_dir() else "a link to nothing" if one.is_symlink() else ""
            raise DataError(
                f"{one} is {kind or 'no plain file'}; expected a file for {stem!r}; mend or remove "
                "it"
            )
    if not found:
        near = sorted(one.name for one in folder.iterdir() if one.name.lower() in wanted)
        if near:
            raise DataError(
                f"{folder / near[0]} is not read; expected {near[0].lower()}, in small letters; "
                "rename or remove it"
            )
    if len(found) > 1:
        raise DataError(
            f"{folder}: both {' and '.join(one.name for one in found)} exist; expected one file "
            f"for {stem!r}; remove or rename the others"
        )
    return found[0] if found else None


def graph_of(
    splits: Mapping[str, Sequence[LabelTriple]],
    *,
    name: str,
    types: Sequence[tuple[str, str]] = (),
    texts: Iterable[LabelTriple] = (),
    entities: Iterable[str] = (),
    relations: Iterable[str] = (),
    sources: dict[str, str] | None = None,
    blank_lines: int = 0,
) -> tuple[KnowledgeGraph, ReadReport]:
    """Build a graph whose entities are those of the triples and of a given list.

    Args:
        splits: split name -> (head, relation, tail) labels; "train" among them.
        name: short name of the data set.
        types: (entity, class) labels; those of other entities are set aside and counted.
        texts: (kind, label, readable text); kind is entity, relation, type or class.
        entities: further candidates.
        relations: further relations that can be asked for.
        sources: where each part was read.
        blank_lines: empty lines met on the way, for the report.

    Raises:
        DataError: a text has an unknown kind, or a label has two texts.
    """
    names, relation_names = dict.fromkeys(entities), set(relations)
    rows = {split: LabelRows.joined([triples], 3) for split, triples in splits.items()}
    for triples in rows.values():
        for column in (0, 2):
            names.update(dict.fromkeys(triples.used_labels(column)))
        relation_names.update(triples.used_labels(1))
    vocabulary = Vocabulary(names)
    relation_vocabulary = Vocabulary(relation_names, kind="relation")
    classes, pairs, counts = _typed(LabelRows.joined([types], 2), vocabulary)
    readable, unmet = _texts_by_kind(texts, vocabulary, relation_vocabulary, classes)
    report = ReadReport(labels_set_aside=unmet, blank_lines=blank_lines, **counts)
    graph = KnowledgeGraph(
        name=name,
        entities=vocabulary,
        relations=relation_vocabulary,
        splits={
            split: triples.ids((vocabulary, relation_vocabulary, vocabulary))
            for split, triples in rows.items()
        },
        classes=classes,
        types=pairs,
        readable=readable,
        sources=sources or {},
    )
    return graph, report


def _typed(
    types: LabelRows[tuple[str, str]], entities: Vocabulary
) -> tuple[Vocabulary, IntArray, dict[str, int]]:
    """Return classes and (n, 2) distinct types of known entities, and what was set aside."""
    distinct = types.rows[first_of_each((types.rows[:, 0], types.rows[:, 1]))]
    known = np.array([one in entities for one in types.labels[0]], dtype=np.bool_)
    kept = known[distinct[:, 0]] if len(distinct) else np.zeros(0, dtype=np.bool_)
    chosen = LabelRows[tuple[str, str]](types.labels, distinct[kept])
    classes = Vocabulary(chosen.used_labels(1), kind="class")
    pairs = chosen.ids((entities, classes))
    counts = {
        "types_set_aside": int(np.count_nonzero(~kept)),
        "entities_set_aside": len(np.unique(distinct[~kept, 0])),
        "types_repeated": len(types) - len(distinct),
    }
    return classes, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], counts


def is_rdf(path: str | Path) -> bool:
    """Tell by its first lines whether a file of facts is RDF or OWL rather than tab-separated.

    A file whose first row has tabs and does not end like an N-Triples statement is
    tab-separated; one that starts like XML, Turtle, JSON or functional syntax is RDF. Of
    anything else the suffix decides whose reader says what is wrong with it: RDF where it is one
    of RDF and the first row is no triple, else the reader of tab-separated rows.

    Raises:
        DataError: the file cannot be opened or its archive is damaged.
    """
    with open_bytes(path) as stream:
        comments = 0
        for raw in stream:
            line = raw.decode("utf-8", errors="replace").removeprefix("\ufeff").strip("\r\n ")
            if line.startswith("#") and "\t" not in line:
                comments += 1
            elif line:
                if _DIRECTIVE.match(line):
                    return True
                if "\t" in line and not line.rstrip().endswith((".", ";", ",")):
                    return rdf_suffix(path) is not None and line.count("\t") != 2
                return (
                    line.startswith((*_RDF_STARTS, *_OTHER_STARTS))
                    or (comments > 0 and "\t" not in line)
                    or (rdf_suffix(path) is not None and line.count("\t") != 2)
                )
        return comments > 0 or rdf_suffix(path) is not None


def rdf_suffix(path: str | Path) -> str | None:
    """Return the suffix of a file, without that of its packing, where it is one of RDF."""
    name = Path(path).name.lower()
    for packing in _PACKINGS[1:]:
        name = name.removesuffix(packing)
    suffix = Path(name).suffix
    return suffix if suffix in _RDF_SUFFIXES else None


def _texts_by_kind(
    texts: Iterable[LabelTriple], entities: Vocabulary, relations: Vocabulary, classes: Vocabulary
) -> tuple[dict[str, dict[str, str]], int]:
    """Sort readable texts by kind, and count those whose label stands for nothing."""
    known = {"entity": entities, "relation": relations, "class": classes}
    readable: dict[str, dict[str, str]] = {}
    unmet = 0
    for kind, label, text in texts:
        if kind not in _LABEL_KINDS:
            raise DataError(
                f"labels: kind {kind!r} of {label!r}; expected entity, relation or type; "
                "mend the first column"
            )
        kind = _LABEL_KINDS[kind]
        # Superclasses stand in no type but in the schema, so the texts of classes are all kept.
        if kind != "class" and label not in known[kind]:
            unmet += 1
            continue
        if readable.setdefault(kind, {}).setdefault(label, text) != text:
            raise DataError(
                f"labels: {kind} {label!r} has the texts {readable[kind][label]!r} and {text!r}; "
                "expected one; remove the other"
            )
    return readable, unmet
