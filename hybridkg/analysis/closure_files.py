"""The files that a closure leaves in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hybridkg._io import atomic_path, write_json, write_text
from hybridkg.analysis.closure_study import ClosureStudy
from hybridkg.errors import DataError
from hybridkg.ontology.held_out import Judged, proof_of
from hybridkg.ontology.proof_tree import proof_tree, render_tree

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
        folder: made where it does not exist; files of an earlier call are replaced.
        document: the summary.
        max_steps: steps that one printed proof shows.

    Raises:
        DataError: the folder is a file, or cannot be written.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DataError(f"{target} is a file; expected a folder to write the closure to")
    closure = study.closure
    # Without a header, these two can be read again as facts and types.
    _write_rows(target / FILES[0], (), _new_facts(study))
    _write_rows(target / FILES[1], (), _new_types(study))
    _write_rows(target / FILES[2], ("class", "superclass"), closure.subsumptions())
    _write_rows(
        target / FILES[3],
        ("entity", "relation", "filler", "status", "named witnesses"),
        _witnesses(study),
    )
    _write_rows(
        target / FILES[4], ("axiom", "reason"), ((str(u.axiom), u.reason) for u in closure.unused)
    )
    if study.judged:
        _write_held_out(study, target, max_steps)
    write_json(target / FILES[7], document)
    return [target / name for name in FILES if (target / name).is_file()]


def _new_facts(study: ClosureStudy) -> Iterator[tuple[str, ...]]:
    names = study.closure.base.individuals
    for role, relation in enumerate(study.closure.relations):
        for h, t in study.new_pairs(role).tolist():
            yield names[h], relation, names[t]


def _new_types(study: ClosureStudy) -> Iterator[tuple[str, ...]]:
    names = study.closure.base.individuals
    for cls, name in study.named_classes():
        for entity in study.members(cls, new_only=True).tolist():
            yield names[entity], name


def _witnesses(study: ClosureStudy) -> Iterator[tuple[str, ...]]:
    from hybridkg.ontology.witnesses import find_witness

    closure = study.closure
    for role, filler in closure.saturation.nodes.witnesses:
        text = closure.base.normal.roles[role], closure.base.normal.classes[filler]
        for one in study.witnesses:
            if (one.role, one.filler) == text:
                for holder in sorted(e for part in one.holders for e in part.tolist()):
                    found = find_witness(closure.base, closure.derivations, holder, role, filler)
                    yield found.entity, *text, found.status, ", ".join(found.named)


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
    """Write a header, if any, and rows; a tab or line end in a label becomes a space."""
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        if header:
            out.write("\t".join(header) + "\n")
        for row in rows:
            out.write("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row) + "\n")
