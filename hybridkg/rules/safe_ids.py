"""Safe ids: e0 and r0 in place of names, for tools that cannot read every name.

The map from ids to names lies beside the rule file ``F`` as ``F.ids.tsv``: a
header, then kind, id and name, tab-separated; names are quoted as in rule files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hybridkg._io import atomic_path
from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.tsv import open_bytes
from hybridkg.rules.names import quote, unquote

_HEADER = "kind\tid\tname"


@dataclass(frozen=True, slots=True)
class SafeIds:
    """Names behind the ids of one rule file."""

    #: where the map was read.
    path: Path
    #: id -> name.
    entities: dict[str, str]
    relations: dict[str, str]


def ids_path(path: str | Path) -> Path:
    """Return where the id map of a rule file lies."""
    return Path(f"{path}.ids.tsv")


def entity_ids(kg: KnowledgeGraph) -> list[str]:
    """Return the safe id of each entity."""
    return [f"e{number}" for number in range(kg.n_entities)]


def relation_ids(kg: KnowledgeGraph) -> list[str]:
    """Return the safe id of each relation."""
    return [f"r{number}" for number in range(kg.n_relations)]


def write_safe_ids(kg: KnowledgeGraph, path: str | Path) -> Path:
    """Write the id map of a rule file beside it; return where it lies."""
    place = ids_path(path)
    with atomic_path(place) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as f:
        f.write(f"{_HEADER}\n")
        for kind, ids, labels in (
            ("entity", entity_ids(kg), kg.entities.labels),
            ("relation", relation_ids(kg), kg.relations.labels),
        ):
            f.writelines(
                f"{kind}\t{one}\t{quote(label)}\n" for one, label in zip(ids, labels, strict=True)
            )
    return place


def read_safe_ids(path: str | Path) -> SafeIds | None:
    """Read the id map beside a rule file; None where there is none.

    Raises:
        DataError: the map is malformed; the message names file and line.
    """
    place = ids_path(path)
    if not place.is_file():
        return None
    maps: dict[str, dict[str, str]] = {"entity": {}, "relation": {}}
    with open_bytes(place) as stream:
        try:
            lines = stream.read().decode("utf-8-sig").split("\n")
        except UnicodeDecodeError as error:
            raise DataError(f"{place}: is not UTF-8 text; {error}") from error
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r")
        if not text or (number == 1 and text == _HEADER):
            continue
        columns = text.split("\t")
        try:
            if len(columns) != 3 or columns[0] not in maps:
                raise ValueError("expected 'entity' or 'relation', an id and a name")
            kind, one, name = columns[0], columns[1], unquote(columns[2])
            if one in maps[kind]:
                raise ValueError(f"the id {one!r} stands twice")
        except ValueError as error:
            raise DataError(f"{place}:{number}: {error}; the line is {text[:200]!r}") from error
        maps[kind][one] = name
    return SafeIds(place, maps["entity"], maps["relation"])


def refuse_stale_ids(path: str | Path) -> None:
    """Refuse to write names where an id map lies that would be taken for theirs.

    Raises:
        ConfigError: there is one.
    """
    if ids_path(path).exists():
        raise ConfigError(
            f"{ids_path(path)} lies beside {path}, and would be taken as the ids in it; remove "
            "it, write with safe ids, or choose another file"
        )


def write_safe_triples(kg: KnowledgeGraph, folder: str | Path, splits: Iterable[str]) -> list[Path]:
    """Write splits as tab-separated safe ids, ``<split>.txt`` each, for other tools."""
    entities, relations = entity_ids(kg), relation_ids(kg)
    written = []
    for split in splits:
        place = Path(folder) / f"{split}.txt"
        with (
            atomic_path(place) as temporary,
            temporary.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            stream.writelines(
                f"{entities[h]}\t{relations[r]}\t{entities[t]}\n"
                for h, r, t in kg.split(split).tolist()
            )
        written.append(place)
    return written
