"""Per-query figures that need the scores of other candidates, counted in the evaluator's pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.evaluation.ranks import Block
from hybridkg.graph.queries import Queries
from hybridkg.types import VERDICTS, AnyArray, ByteArray, LongArray, Target

#: List lengths at which verdicts are counted.
CUTOFFS: tuple[int, ...] = (1, 3, 10)
#: Longest list that is looked at; a longer one is no proposal any more.
MAX_CUTOFF = 10_000


class Observer(Protocol):
    """Counts something per true answer while the scores are at hand."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Column name to NumPy dtype of everything that ``observe`` returns."""
        ...

    def observe(self, queries: Queries, block: Block) -> Mapping[str, AnyArray]:
        """Return one (m,) array a column, in the order of ``block.answers``."""
        ...


class VerdictSource(Protocol):
    """What an ontology says of each candidate of a query."""

    @property
    def depends_on_anchor(self) -> bool:
        """False where the codes are the same for every anchor of a relation."""
        ...

    def codes(self, target: Target, relation: int, anchor: int | None = None) -> ByteArray:
        """(entities,) index into :data:`hybridkg.types.VERDICTS`."""
        ...


class VerdictObserver:
    """Counts audit verdicts above the truth, tied with it, and in the top k.

    Columns per verdict V other than ok:
        ``V_above``, ``V_tied``: candidates of the filtered pool with a better or an equal score.
        ``V_candidates``: all of them in the filtered pool, the truth left out.
        ``V_top_K``: expected number in the first K places; ties at the border count by the
        share of the tie group that fits, and only scored candidates are proposals.
    and ``listed_top_K``, the number of proposals in the first K places; ``truth_verdict``, the
    verdict code of the true answer.
    """

    def __init__(self, masks: VerdictSource, cutoffs: tuple[int, ...] = CUTOFFS) -> None:
        """Observe with the given masks.

        Args:
            masks: verdict codes per target and relation.
            cutoffs: ascending list lengths, each 1 or more.

        Raises:
            ConfigError: cutoffs are empty, not positive or not ascending.
        """
        if not cutoffs or list(cutoffs) != sorted(set(cutoffs)) or cutoffs[0] < 1:
            raise ConfigError(f"cutoffs {cutoffs!r}; expected ascending numbers from 1")
        if cutoffs[-1] > MAX_CUTOFF:
            raise ConfigError(f"cutoff {cutoffs[-1]}; expected at most {MAX_CUTOFF}")
        self._masks = masks
        self._cutoffs = np.array(cutoffs, dtype=np.int64)

    @property
    def columns(self) -> Mapping[str, str]:
        """Column name to NumPy dtype."""
        found: dict[str, str] = {}
        for verdict in VERDICTS[1:]:
            found |= {f"{verdict}_{part}": "int32" for part in ("above", "tied", "candidates")}
            found |= {f"{verdict}_top_{k}": "float64" for k in self._cutoffs.tolist()}
        found |= {f"listed_top_{k}": "int32" for k in self._cutoffs.tolist()}
        return found | {"truth_verdict": "uint8"}

    def observe(self, queries: Queries, block: Block) -> Mapping[str, AnyArray]:
        """Count the verdicts of a block."""
        codes, code_rows = self._codes(queries)
        m, n_codes, n_cutoffs = len(block.answers), len(VERDICTS), len(self._cutoffs)
        above, tied, total = (np.zeros((m, n_codes), dtype=np.int32) for _ in range(3))
        listed = np.zeros((m, n_cutoffs), dtype=np.int32)
        top = np.zeros((m, n_cutoffs, n_codes), dtype=np.float64)
        outputs = (above, tied, total, listed, top)
        if not block.compiled:
            count_verdicts_numpy(block, codes, code_rows, self._cutoffs, outputs)
        else:
            from hybridkg.evaluation.compiled import count_verdicts

            count_verdicts(block, codes, code_rows, self._cutoffs, outputs)
        found: dict[str, AnyArray] = {}
        for code, verdict in enumerate(VERDICTS[1:], start=1):
            found[f"{verdict}_above"] = above[:, code]
            found[f"{verdict}_tied"] = tied[:, code]
            found[f"{verdict}_candidates"] = total[:, code]
            for c, k in enumerate(self._cutoffs.tolist()):
                found[f"{verdict}_top_{k}"] = top[:, c, code]
        for c, k in enumerate(self._cutoffs.tolist()):
            found[f"listed_top_{k}"] = listed[:, c]
        group = np.repeat(np.arange(len(block.scores)), np.diff(block.offsets))
        found["truth_verdict"] = codes[code_rows[group], block.answers]
        return found

    def _codes(self, queries: Queries) -> tuple[ByteArray, LongArray]:
        """Return the distinct verdict rows of a block, and which one each query has."""
        anchors, relations = queries.anchors.tolist(), queries.relations.tolist()
        if self._masks.depends_on_anchor:
            pairs = zip(relations, anchors, strict=True)
            rows = [self._masks.codes(queries.target, r, a) for r, a in pairs]
            return np.stack(rows), np.arange(len(rows))
        distinct, which = np.unique(queries.relations, return_inverse=True)
        rows = [self._masks.codes(queries.target, r) for r in distinct.tolist()]
        return np.stack(rows), which.reshape(-1)


def count_verdicts_numpy(
    block: Block,
    codes: ByteArray,
    code_rows: LongArray,
    cutoffs: LongArray,
    outputs: tuple[AnyArray, ...],
) -> None:
    """Fill verdict counts of a block, one true answer at a time.

    Args:
        block: scores, true and known answers, pool.
        codes: (k, entities) distinct rows of verdict codes.
        code_rows: (b,) the row of each query.
        cutoffs: (c,) ascending list lengths.
        outputs: zeroed above, tied, total (m, codes), listed (m, c) and top (m, c, codes).
    """
    above, tied, total, listed, top = outputs
    n_codes = above.shape[1]
    for i in range(len(block.scores)):
        pool = block.pool.copy()
        pool[block.known[block.known_start[i] : block.known_stop[i]]] = False
        for j in range(block.offsets[i], block.offsets[i + 1]):
            answer = block.answers[j]
            others = pool.copy()
            others[answer] = False
            scores, truth = block.scores[i], block.scores[i, answer]

            def counted(selected: AnyArray, row: int = i) -> AnyArray:
                return np.bincount(codes[code_rows[row]][selected], minlength=n_codes)

            above[j] = counted(others & (scores > truth))
            tied[j] = counted(others & (scores == truth))
            total[j] = counted(others)
            others[answer] = True
            ordered = np.sort(scores[others])[::-1]
            for c, k in enumerate(cutoffs.tolist()):
                border = ordered[k - 1] if k <= len(ordered) else np.float32(-np.inf)
                better = others & (scores > border)
                top[j, c] = counted(better)
                listed[j, c] = better.sum()
                if border > -np.inf:
                    equal = others & (scores == border)
                    top[j, c] += counted(equal) * (k - better.sum()) / equal.sum()
                    listed[j, c] = k
