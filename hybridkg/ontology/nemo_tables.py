"""Axioms, types and facts as the integer tables that ``rules/el.rls`` imports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.normal_form import TOP, NormalForm
from hybridkg.ontology.saturation import pair_keys
from hybridkg.types import IntArray, LongArray

#: Every table that the rules import, with its number of columns.
COLUMNS: dict[str, int] = {
    **{"individual": 1, "told": 2, "asserted": 3, "role": 1, "witness": 3, "nominal": 2},
    **{"self": 2, "sc": 2, "conj": 3, "exr": 3, "exl": 3, "dom": 2, "rng": 2, "sr": 2},
    **{"transitive": 1, "chain": 3, "inv": 2, "same": 2, "dsj": 3, "dif": 3, "irr": 1},
    **{"asym": 1, "djr": 2, "neg": 3, "fun": 1, "ifn": 1, "names_are_unique": 1},
}
#: Pieces that go in as they are, less their axiom.
_PLAIN = (
    *("sc", "conj", "exr", "exl", "dom", "rng", "sr", "inv", "same"),
    *("irr", "asym", "djr", "neg", "fun", "ifn"),
)

Tables = dict[str, LongArray]


@dataclass(frozen=True, slots=True)
class NodeMap:
    """Which number each node has."""

    n_individuals: int
    n_nodes: int
    #: class -> its stand-in.
    stand_ins: Mapping[int, int]
    #: (role, filler) -> its witness.
    witnesses: Mapping[tuple[int, int], int]


def shared_nodes(normal: NormalForm, n_individuals: int, classes: Iterable[int]) -> NodeMap:
    """Number as few nodes as will do for the consequences of some classes.

    A witness of "r some C" is no more than any C where r asks nothing of its tails, so one
    node serves as stand-in of C and as witness for all such roles.

    Args:
        normal: the axioms.
        n_individuals: individuals are 0 to n - 1.
        classes: classes that get a stand-in.
    """
    stand_ins = {cls: n_individuals + place for place, cls in enumerate(classes)}
    size = n_individuals + len(stand_ins)
    plain = dict(stand_ins)
    asks = [any(demand.side == "tail" for demand in found) for found in role_demands(normal)]
    witnesses: dict[tuple[int, int], int] = {}
    for role, filler in sorted({(role, filler) for _, role, filler, _ in normal.exr}):
        if not asks[role] and filler in plain:
            witnesses[role, filler] = plain[filler]
            continue
        witnesses[role, filler] = size
        if not asks[role]:
            plain[filler] = size
        size += 1
    return NodeMap(n_individuals, size, stand_ins, witnesses)


def tables_of(
    normal: NormalForm, nodes: NodeMap, types: IntArray, facts: Mapping[int, IntArray]
) -> Tables:
    """Return every table of :data:`COLUMNS`.

    Args:
        normal: the axioms.
        nodes: the nodes.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.
    """
    tables = {kind: _rows(kind, (p[:-1] for p in getattr(normal, kind))) for kind in _PLAIN}
    chains = [piece[:3] for piece in normal.chain]
    tables["transitive"] = _rows("transitive", ((r,) for r, s, t in chains if r == s == t))
    tables["chain"] = _rows("chain", (c for c in chains if not c[0] == c[1] == c[2]))
    for kind in ("dsj", "dif"):
        groups = enumerate(members for members, _ in getattr(normal, kind))
        placed = ((g, place, one) for g, group in groups for place, one in enumerate(group))
        tables[kind] = _rows(kind, placed)
    tables["role"] = _rows("role", ((role,) for role in range(len(normal.roles))))
    tables["nominal"] = _rows("nominal", normal.nominals)
    tables["self"] = _rows("self", normal.selves)
    tables["names_are_unique"] = _rows("names_are_unique", [(1,)] if normal.unique_names else [])
    tables["witness"] = _rows("witness", ((*key, node) for key, node in nodes.witnesses.items()))
    tables["individual"] = np.arange(nodes.n_individuals, dtype=np.int64).reshape(-1, 1)
    tables["told"] = _told(normal, nodes, types)
    tables["asserted"] = _asserted(facts)
    return tables


def _told(normal: NormalForm, nodes: NodeMap, types: IntArray) -> LongArray:
    """Return (k, 2) what each node belongs to from the start."""
    everything = np.full((nodes.n_nodes, 2), TOP, dtype=np.int64)
    everything[:, 0] = np.arange(nodes.n_nodes)
    fillers = ((node, filler) for (_, filler), node in nodes.witnesses.items())
    stand_ins = ((node, cls) for cls, node in nodes.stand_ins.items())
    nominals = ((individual, cls) for cls, individual in normal.nominals)
    told = _rows("told", chain(stand_ins, fillers, nominals))
    stacked = np.concatenate([everything, told, types.astype(np.int64).reshape(-1, 2)])
    keys = pair_keys(stacked, normal.n_classes)
    return np.stack([keys // normal.n_classes, keys % normal.n_classes], axis=1)


def _asserted(facts: Mapping[int, IntArray]) -> LongArray:
    parts = [np.insert(pairs.astype(np.int64), 0, role, axis=1) for role, pairs in facts.items()]
    return np.concatenate(parts) if parts else np.zeros((0, 3), dtype=np.int64)


def _rows(kind: str, rows: Iterable[tuple[int, ...]]) -> LongArray:
    """Return (k, columns) distinct rows of a table."""
    listed = np.array(list(dict.fromkeys(rows)), dtype=np.int64)
    return listed.reshape(-1, COLUMNS[kind])
