"""The schema audit of candidates from anywhere: plain triples or ranked lists in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.tsv import first_line, read_named_columns, read_tsv
from hybridkg.ontology.reasons import Reason, reasons, triple_reasons
from hybridkg.ontology.schema import Masks
from hybridkg.types import VERDICTS, IntArray, Target, Verdict

_COLUMNS = ("head", "relation", "tail", "rank", "candidate")


@dataclass(frozen=True, slots=True)
class Prediction:
    """A candidate triple, and which end of it was asked for."""

    triple: LabelTriple
    #: "tail" or "head" in a ranked list, None for a plain triple: both ends are judged.
    asked: Target | None = None
    #: place in its list, from 1; None for a plain triple.
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A prediction with its verdict."""

    prediction: Prediction
    verdict: Verdict
    #: why it is not ok, one entry a broken demand.
    reasons: tuple[Reason, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the candidate as a JSON object."""
        head, relation, tail = self.prediction.triple
        return {
            "head": head,
            "relation": relation,
            "tail": tail,
            "asked": self.prediction.asked,
            "rank": self.prediction.rank,
            "verdict": self.verdict,
            "reasons": [
                {
                    "end": reason.side,
                    "entity": reason.entity,
                    "must_be": reason.required or None,
                    "constraint": reason.constraint or None,
                    "of": reason.origin or None,
                    "axioms": list(reason.statements),
                }
                for reason in self.reasons
            ],
        }


def read_predictions(path: str | Path) -> list[Prediction]:
    """Read plain triples without a header, or ranked lists with one.

    Args:
        path: tab-separated; a header line names head, relation, tail, rank and candidate, with
            ``?`` for the end that is asked for.

    Raises:
        DataError: a column is missing, or a line asks for no end or for both.
    """
    first = first_line(path).split("\t")
    if "candidate" not in first:
        plain = read_tsv(path)
        if first == ["head", "relation", "tail"]:
            plain = plain[1:]
        return _checked(path, [Prediction((h, r, t)) for h, r, t in plain])
    header, rows = read_named_columns(path)
    missing = [column for column in _COLUMNS if column not in header]
    if missing:
        raise DataError(f"{path}: columns {header}; missing: {', '.join(missing)}")
    at = [header.index(column) for column in _COLUMNS]
    ranked = [_ranked(f"{path}:{line}", *(row[place] for place in at)) for line, row in rows]
    return _checked(path, ranked)


def _checked(path: str | Path, predictions: list[Prediction]) -> list[Prediction]:
    """Refuse an empty file, and a candidate or a rank that stands twice in one list."""
    if not predictions:
        raise DataError(f"{path}: no prediction; expected one candidate a line")
    seen: set[tuple[object, ...]] = set()
    for one in predictions:
        head, relation, tail = one.triple
        keys: list[tuple[object, ...]] = [(one.asked, *one.triple)]
        if one.rank is not None:
            keys.append((one.asked, relation, head if one.asked == "tail" else tail, one.rank))
        if not seen.isdisjoint(keys):
            place = "" if one.rank is None else f", or its rank {one.rank},"
            raise DataError(
                f"{path}: {head} {relation} {tail}{place} stands more than once; expected each "
                "candidate and each rank of a list once"
            )
        seen.update(keys)
    return predictions


def _ranked(where: str, head: str, relation: str, tail: str, rank: str, name: str) -> Prediction:
    if (head == "?") == (tail == "?"):
        raise DataError(f"{where}: ({head}, {relation}, {tail}); expected '?' at one end")
    if not rank.isdecimal() or int(rank) < 1:
        raise DataError(f"{where}: rank is {rank!r}, expected a whole number from 1")
    if tail == "?":
        return Prediction((head, relation, name), "tail", int(rank))
    return Prediction((name, relation, tail), "head", int(rank))


def judge(predictions: Sequence[Prediction], masks: Masks) -> list[Judged]:
    """Give each prediction its verdict; a candidate is never asserted before it is judged.

    In a ranked list the candidate counts, in a plain triple both ends.

    Raises:
        UnknownNameError: an entity or relation is not part of the graph.
    """
    kg, found = masks.closure.kg, []
    for prediction in predictions:
        head, relation, tail = prediction.triple
        if prediction.asked is None:
            verdict = masks.triple_verdict(head, relation, tail)
            why = triple_reasons(masks, head, relation, tail) if verdict != "ok" else ()
        else:
            h, r, t = kg.ids([prediction.triple])[0].tolist()
            entity, anchor = (t, h) if prediction.asked == "tail" else (h, t)
            verdict = VERDICTS[masks.codes(prediction.asked, r, anchor)[entity]]
            why = reasons(masks, prediction.asked, r, entity, anchor)
        found.append(Judged(prediction, verdict, why))
    return found


def count_by_cutoff(judged: Sequence[Judged], cutoffs: Sequence[int]) -> dict[str, dict[str, int]]:
    """Count verdicts within the first k of each ranked list, or of all plain triples.

    Returns:
        "@k", or "all" for plain triples, -> verdict -> count, the worst verdict first.
    """
    if all(one.prediction.rank is None for one in judged):
        return {"all": _count(judged)}
    return {
        f"@{k}": _count([one for one in judged if (one.prediction.rank or 1) <= k]) for k in cutoffs
    }


def _count(judged: Sequence[Judged]) -> dict[str, int]:
    return {v: sum(one.verdict == v for one in judged) for v in reversed(VERDICTS)}


def count_triples(kg: KnowledgeGraph, masks: Masks) -> dict[str, Mapping[str, int]]:
    """Count the verdicts of each split's own triples, both ends judged.

    Returns:
        Split -> verdict -> count, the worst verdict first.
    """
    return {split: _counts(masks, triples) for split, triples in kg.splits.items()}


def _counts(masks: Masks, triples: IntArray) -> dict[str, int]:
    codes = masks.triple_codes(triples)
    return {
        verdict: int((codes == VERDICTS.index(verdict)).sum()) for verdict in reversed(VERDICTS)
    }
