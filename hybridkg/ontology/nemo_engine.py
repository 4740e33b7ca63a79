"""The rules of ``rules/el.rls``, run by Nemo: the readable counterpart of the matrix engine.

Source: Urbani et al. and the knowsys group's Nemo, a Datalog engine; the calculus is that of
Baader, Brandt, Lutz, Pushing the EL envelope (2005), on the normal form.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg._io import packaged_file
from hybridkg.errors import OntologyError
from hybridkg.graph.sorted_keys import contains_sorted
from hybridkg.ontology.links import NO_KEYS
from hybridkg.ontology.nemo_tables import COLUMNS, NodeMap, Tables, shared_nodes, tables_of
from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.ontology.saturation import MemberKeys, Nodes, Saturation, pair_keys
from hybridkg.types import IntArray, LongArray

#: What the rules give, with its number of columns.
RESULTS: dict[str, int] = {"member": 2, "link": 3, "one": 2, "clash": 1}
#: Large imports, each with the result that it is looked for in; the others are counted.
_LARGE = {"told": "member", "asserted": "link"}


@dataclass(frozen=True, slots=True)
class Classification:
    """What follows between named classes."""

    #: (k, 2) class and superclass, sorted; neither Thing nor the class itself.
    pairs: LongArray
    #: classes that can have no member, ascending.
    unsatisfiable: tuple[int, ...]


def saturate_with_nemo(
    normal: NormalForm,
    n_individuals: int,
    types: IntArray,
    facts: Mapping[int, IntArray],
    *,
    stand_ins: Sequence[int] | None = None,
) -> Saturation:
    """Close types and facts under a normal form; the result is that of ``matrix_engine.saturate``.

    Args:
        normal: the axioms.
        n_individuals: individuals are 0 to n - 1.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.
        stand_ins: classes whose consequences are wanted too; by default all.

    Raises:
        OntologyError: Nemo fails, or loses rows.
    """
    chosen = tuple(range(normal.n_classes) if stand_ins is None else stand_ins)
    witnesses = tuple(sorted({(role, filler) for _, role, filler, _ in normal.exr}))
    nodes = Nodes(n_individuals, chosen, witnesses)
    numbers = NodeMap(
        n_individuals,
        nodes.n_nodes,
        {cls: n_individuals + place for place, cls in enumerate(chosen)},
        {one: nodes.witness_node(*one) for one in witnesses},
    )
    found = run_rules(tables_of(normal, numbers, types, facts))
    size = nodes.n_nodes
    members = found["member"]
    members = members[members[:, 1] != BOTTOM]
    clashes = np.insert(found["clash"], 0, BOTTOM, axis=1)
    keys = MemberKeys(normal.n_classes, size, np.concatenate([members[:, ::-1], clashes]))
    edges = _by_role(found["link"], len(normal.roles), size)
    if normal.same_role is not None:
        edges[normal.same_role] = pair_keys(found["one"], size)
    return Saturation(nodes, keys, tuple(edges), "nemo")


def classify(
    normal: NormalForm,
    *,
    n_individuals: int = 0,
    types: IntArray | None = None,
    facts: Mapping[int, IntArray] | None = None,
) -> Classification:
    """Find every superclass of every named class.

    Individuals matter to classes through nominals alone; without these they are left out.

    Args:
        normal: the axioms.
        n_individuals: individuals are 0 to n - 1.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.

    Raises:
        OntologyError: Nemo fails, or loses rows.
    """
    named = range(BOTTOM + 1, normal.n_named)
    no_types: IntArray = np.zeros((0, 2), dtype=np.int32)
    if normal.nominals:
        count = max(n_individuals, normal.n_individuals)
        nodes = shared_nodes(normal, count, named)
        tables = tables_of(normal, nodes, no_types if types is None else types, facts or {})
    else:
        nodes = shared_nodes(normal, 0, named)
        tables = tables_of(normal, nodes, no_types, {})
        tables |= {kind: tables[kind][:0] for kind in ("same", "dif", "neg")}
    found = run_rules(tables, wanted=("member", "clash"))
    first, stop = nodes.n_individuals, nodes.n_individuals + len(named)
    members = found["member"]
    node, cls = members[:, 0], members[:, 1]
    kept = (node >= first) & (node < stop) & (cls > BOTTOM) & (cls < normal.n_named)
    pairs = np.stack([node[kept] - first + named.start, cls[kept]], axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    clashing = np.sort(found["clash"][:, 0])
    clashing = clashing[(clashing >= first) & (clashing < stop)]
    empty = tuple((clashing - first + named.start).tolist())
    return Classification(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], empty)


def run_rules(tables: Tables, *, wanted: Sequence[str] = tuple(RESULTS)) -> dict[str, LongArray]:
    """Run ``rules/el.rls`` on the tables of :func:`nemo_tables.tables_of`.

    Args:
        tables: name -> (k, columns).
        wanted: results to return.

    Returns:
        Result -> (k, columns), in no order.

    Raises:
        OntologyError: Nemo fails, or loses rows.
    """
    with tempfile.TemporaryDirectory(prefix="hybridkg-") as folder:
        for name, table in tables.items():
            _write(Path(folder) / f"{name}.csv", table)
        engine = _reason(_imports(Path(folder)) + _rules(), folder)
        for name, table in tables.items():
            if name not in _LARGE:
                _check_rows(name, len(table), sum(1 for _ in engine.result(name)))
        needed = [result for name, result in _LARGE.items() if len(tables[name])]
        found = {name: _table(engine, name, RESULTS[name]) for name in {*wanted, *needed}}
    _check_large(tables, found)
    return {name: found[name] for name in wanted}


def _rules() -> str:
    return packaged_file("rules", "el.rls").read_text(encoding="utf-8")


def _imports(folder: Path) -> str:
    """Return the import of every table, and the small ones as outputs, to count their rows."""
    lines = []
    for name, n_columns in COLUMNS.items():
        columns = ", ".join(["int"] * n_columns)
        # A tuple of one needs its comma.
        form = f"({columns},)" if n_columns == 1 else f"({columns})"
        path = str(folder / f"{name}.csv").replace("\\", "/")
        lines.append(f'@import {name} :- csv{{resource="{path}", format={form}}} .')
    counted = ", ".join(name for name in COLUMNS if name not in _LARGE)
    return "\n".join([*lines, f"@output {counted} .", ""])


def _write(path: Path, table: LongArray) -> None:
    import pyarrow as pa
    from pyarrow import csv

    columns = {str(place): table[:, place] for place in range(table.shape[1])}
    csv.write_csv(pa.table(columns), path, csv.WriteOptions(include_header=False))


def _reason(program: str, folder: str) -> Any:
    """Return the Nemo engine after it has applied all rules.

    Raises:
        OntologyError: Nemo fails.
    """
    import nmo_python

    try:
        engine = nmo_python.NemoEngine(nmo_python.load_string(program))
        engine.reason()
    except BaseException as error:
        # A panic of Nemo derives from BaseException alone; its class has no name to import.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise OntologyError(
            f"Nemo could not apply rules/el.rls to the tables in {folder}: {error}; expected a "
            "closure; use the engine 'matrix', which follows the same rules"
        ) from error
    return engine


def _table(engine: Any, name: str, n_columns: int) -> LongArray:
    flat = np.fromiter(chain.from_iterable(engine.result(name)), dtype=np.int64)
    return flat.reshape(-1, n_columns)


def _check_rows(name: str, expected: int, found: int) -> None:
    if expected != found:
        raise OntologyError(
            f"Nemo read {found:,} rows of the table {name!r}, expected {expected:,}; nothing was "
            "concluded; use the engine 'matrix', which follows the same rules"
        )


def _check_large(tables: Tables, found: Mapping[str, LongArray]) -> None:
    """Look for what was told in what follows: a row that Nemo drops is missing there."""
    for name, result in _LARGE.items():
        if len(tables[name]):
            told, known = _keys(tables[name], found[result])
            _check_rows(name, len(told), int(contains_sorted(np.sort(known), told).sum()))


def _keys(told: LongArray, known: LongArray) -> tuple[LongArray, LongArray]:
    """Return (k,) and (m,) one number a row of either table."""
    sizes = np.maximum(told.max(axis=0), known.max(axis=0, initial=0)) + 1
    weights = np.cumprod([1, *sizes[:0:-1]])[::-1]
    return told @ weights, known @ weights


def _by_role(found: LongArray, n_roles: int, size: int) -> list[LongArray]:
    """Return for each role the sorted keys of its links."""
    order = np.argsort(found[:, 0], kind="stable")
    ordered = found[order]
    bounds = np.searchsorted(ordered[:, 0], np.arange(n_roles + 1))
    return [
        pair_keys(ordered[bounds[r] : bounds[r + 1], 1:], size)
        if bounds[r] < bounds[r + 1]
        else NO_KEYS
        for r in range(n_roles)
    ]
