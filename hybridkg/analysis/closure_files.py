"""The files that a closure leaves in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hybridkg._io import atomic_path, write_json, write_text
from hybridkg.analysis.closure_study import ClosureStudy
from hybridkg.errors import DataError
from hybridkg.ontology.held_out import Judged, proof_of
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.proof_tree import proof_tree, render_tree
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import LongArray

ObjectArray: TypeAlias = NDArray[np.object_]

#: Names of the files, in the order in which they are written; the summary says it is finished.
FILES = (
    "entailed_facts.tsv",
    "entailed_types.tsv",
    "subsumptions.tsv",
    "witnesses.tsv",
    "unused.tsv",
    "proofs.txt",
    "held_out.tsv",
    "summary.json",
)
#: Rows that are laid out together.
_BLOCK = 1 << 16


def write_closure(
    study: ClosureStudy,
    folder: str | Path,
    document: dict[str, Any],
    *,
    max_steps: int = 200,
) -> list[Path]:
    """Write what follows, verdicts, proofs, witnesses and what was not used.

    Each file is complete or absent; the summary comes last. Facts and types are the new ones.

    Args:
        study: the closure.
        folder: made where it does not exist; files of an earlier call are replaced, or removed
            where this one has nothing to put there.
        document: the summary.
        max_steps: steps that one printed proof shows.

    Raises:
        DataError: the folder is a file, or cannot be written.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DataError(f"{target} is a file; expected a folder to write the closure to")
    paths = {name: target / name for name in FILES}
    written = [name for name in FILES if study.judged or name not in ("proofs.txt", "held_out.tsv")]
    # Beside a half-written closure no summary, and no verdict over other data, may stand.
    for name in {*FILES} - {*written} | {"summary.json"}:
        paths[name].unlink(missing_ok=True)
    closure = study.closure
    # Without a header, these two can be read again as facts and types.
    _write_text(paths["entailed_facts.tsv"], (), _new_facts(study))
    _write_text(paths["entailed_types.tsv"], (), _new_types(study))
    empty = [(cls, closure.base.normal.classes[BOTTOM]) for cls in closure.unsatisfiable_classes()]
    above = sorted([*closure.subsumptions(), *empty])
    _write_rows(paths["subsumptions.tsv"], ("class", "superclass"), above)
    header = ("entity", "relation", "filler", "status", "named witnesses")
    _write_text(paths["witnesses.tsv"], header, _witnesses(study))
    reasons = [(str(one.axiom), one.reason) for one in closure.unused]
    _write_rows(paths["unused.tsv"], ("axiom", "reason"), reasons)
    if study.judged:
        _write_held_out(study, target, max_steps)
    write_json(paths["summary.json"], document)
    return [paths[name] for name in written]


def _new_facts(study: ClosureStudy) -> Iterator[str]:
    names = _cells(study.closure.base.individuals)
    for role, relation in enumerate(study.closure.relations):
        pairs = study.new_pairs(role)
        yield from _lines(names[pairs[:, 0]], f"\t{_cell(relation)}\t", names[pairs[:, 1]])


def _new_types(study: ClosureStudy) -> Iterator[str]:
    names = _cells(study.closure.base.individuals)
    for cls, name in study.named_classes():
        yield from _lines(names[study.members(cls, new_only=True)], f"\t{_cell(name)}")


def _lines(first: ObjectArray, middle: str, last: ObjectArray | None = None) -> Iterator[str]:
    """Yield the lines of rows that differ in their first and last cells, many at once."""
    for start in range(0, len(first), _BLOCK):
        block = np.full((len(first[start : start + _BLOCK]), 4), middle, dtype=object)
        block[:, 0] = first[start : start + _BLOCK]
        block[:, 2] = "" if last is None else last[start : start + _BLOCK]
        block[:, 3] = "\n"
        yield "".join(block.ravel().tolist())


def _witnesses(study: ClosureStudy) -> Iterator[str]:
    base, nodes = study.closure.base, study.closure.saturation.nodes
    names = _cells(base.individuals)
    counts = {(one.role, one.filler): one for one in study.witnesses}
    for role, filler in nodes.witnesses:
        text = base.normal.roles[role], base.normal.classes[filler]
        if text not in counts:
            continue
        middle = f"\t{_cell(text[0])}\t{_cell(text[1])}\t"
        anonymous = counts[text].holders[1].tolist()
        found = dict.fromkeys(anonymous, f"{middle}anonymous\t\n")
        for holder, targets in _named_witnesses(study.closure.saturation, role, filler):
            listed = ", ".join(sorted(names[targets].tolist()))
            found[holder] = f"{middle}named\t{listed}\n"
        yield "".join(f"{names[one]}{found[one]}" for one in sorted(found))


def _named_witnesses(
    saturation: Saturation, role: int, filler: int
) -> Iterator[tuple[int, LongArray]]:
    """Yield each individual with named witnesses of an existential, and these."""
    pairs = saturation.named_pairs(role)
    pairs = pairs[saturation.members.row(filler)[pairs[:, 1]]]
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1)).tolist()
    for start, stop in pairwise([*starts, len(pairs)]):
        yield int(pairs[start, 0]), pairs[start:stop, 1]


def _write_held_out(study: ClosureStudy, target: Path, max_steps: int) -> None:
    rows: list[tuple[str, ...]] = []
    proofs: list[str] = []
    for one in study.judged:
        proof, number = proof_of(study.closure, one), ""
        if proof is not None:
            number = str(len(proofs) + 1)
            tree = proof_tree(proof, study.closure.wording, study.premises.sources)
            said = " ".join(one.triple)
            lines = render_tree(tree, max_steps=max_steps)
            proofs.append("\n".join([f"proof {number}: {said} is {one.verdict}", *lines, ""]))
        rows.append((*one.triple, one.source, one.verdict, one.kind or "", _note(one), number))
    write_text(target / "proofs.txt", "\n".join(proofs))
    header = ("head", "relation", "tail", "source", "verdict", "kind", "note", "proof")
    _write_rows(target / "held_out.tsv", header, rows)


def _note(one: Judged) -> str:
    return f"unknown: {', '.join(one.unknown)}" if one.unknown else ""


def _write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    _write_text(path, header, ("\t".join(map(_cell, row)) + "\n" for row in rows))


def _write_text(path: Path, header: Sequence[str], texts: Iterable[str]) -> None:
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        if header:
            out.write("\t".join(header) + "\n")
        out.writelines(texts)


def _cell(text: str) -> str:
    """Turn a tab or line end in a label into a space."""
    return text.replace("\t", " ").replace("\n", " ")


def _cells(labels: Iterable[str]) -> ObjectArray:
    return np.array([_cell(one) for one in labels], dtype=object)
