"""Per-query figures that need the scores of other candidates, counted in the evaluator's pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.evaluation.blocks import Block
from hybridkg.evaluation.ranks import Ranks
from hybridkg.graph.queries import Queries
from hybridkg.types import (
    VERDICTS,
    AnyArray,
    ByteArray,
    DoubleArray,
    IntArray,
    LongArray,
    Target,
)

#: List lengths at which verdicts are counted.
CUTOFFS: tuple[int, ...] = (1, 3, 10)
#: Longest list that is looked at; a longer one is no proposal any more.
MAX_CUTOFF = 10_000
#: Bytes of verdict codes that stand in memory together where each query has its own.
CODE_BYTES = 16 * 2**20
#: Verdicts that are counted: all but ok.
_COUNTED = VERDICTS[1:]


class Observer(Protocol):
    """Counts something per true answer while the scores are at hand."""

    @property
    def columns(self) -> Mapping[str, str]:
        """Column name to NumPy dtype of everything that ``observe`` returns."""
        ...

    def observe(self, queries: Queries, block: Block, ranks: Ranks) -> Mapping[str, AnyArray]:
        """Return one (m,) array a column, in the order of the block's true answers.

        Args:
            queries: one a row of the block.
            block: rows of scores, their true and known answers.
            ranks: (m,) ranks of the true answers.
        """
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
    verdict code of the true answer. Ties are exact, whatever the ranks take for equal.
    """

    def __init__(self, masks: VerdictSource, cutoffs: tuple[int, ...] = CUTOFFS) -> None:
        """Observe with the given masks.

        Args:
            masks: verdict codes per target and relation.
            cutoffs: ascending list lengths, each 1 or more; none for no lists.

        Raises:
            ConfigError: cutoffs are not positive or not ascending.
        """
        if list(cutoffs) != sorted(set(cutoffs)) or min(cutoffs, default=1) < 1:
            raise ConfigError(f"cutoffs {cutoffs!r}; expected ascending numbers from 1")
        if max(cutoffs, default=0) > MAX_CUTOFF:
            raise ConfigError(f"cutoff {cutoffs[-1]}; expected at most {MAX_CUTOFF}")
        self._masks = masks
        self._cutoffs = np.array(cutoffs, dtype=np.int64)

    @property
    def columns(self) -> Mapping[str, str]:
        """Column name to NumPy dtype."""
        found: dict[str, str] = {}
        for verdict in _COUNTED:
            found |= {f"{verdict}_{part}": "int32" for part in ("above", "tied", "candidates")}
            found |= {f"{verdict}_top_{k}": "float64" for k in self._cutoffs.tolist()}
        found |= {f"listed_top_{k}": "int32" for k in self._cutoffs.tolist()}
        return found | {"truth_verdict": "uint8"}

    def observe(self, queries: Queries, block: Block, ranks: Ranks) -> Mapping[str, AnyArray]:
        """Count the verdicts of a block."""
        height = self._height(queries)
        offsets, parts = block.truths.offsets, []
        for first in range(0, len(block), height):
            last = min(first + height, len(block))
            truths = slice(int(offsets[first]), int(offsets[last]))
            asked = queries.rows(slice(first, last))
            parts.append(self._count(asked, block.part(first, last), ranks.part(truths)))
        return {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}

    def _height(self, queries: Queries) -> int:
        """Return for how many queries codes may stand in memory together."""
        if not self._masks.depends_on_anchor:
            return len(queries)
        relation, anchor = int(queries.relations[0]), int(queries.anchors[0])
        width = len(self._masks.codes(queries.target, relation, anchor))
        return max(1, CODE_BYTES // max(width, 1))

    def _count(self, queries: Queries, block: Block, ranks: Ranks) -> dict[str, AnyArray]:
        codes, code_rows = self._codes(queries)
        total, truth_codes = count_members(block, codes, code_rows)
        above, tied, listed, top = _count(block, ranks, codes, code_rows, self._cutoffs)
        # Whatever has no score ties with a true answer that has none.
        tied = np.where(ranks.scored[:, None], tied, total - above)
        found: dict[str, AnyArray] = {"truth_verdict": truth_codes}
        for v, verdict in enumerate(_COUNTED):
            found[f"{verdict}_above"] = above[:, v]
            found[f"{verdict}_tied"] = tied[:, v]
            found[f"{verdict}_candidates"] = total[:, v]
        for c, k in enumerate(self._cutoffs.tolist()):
            found[f"listed_top_{k}"] = listed[:, c]
            for v, verdict in enumerate(_COUNTED):
                found[f"{verdict}_top_{k}"] = top[:, c, v]
        return found

    def _codes(self, queries: Queries) -> tuple[ByteArray, LongArray]:
        """Return the distinct verdict rows of a block, and which one each query has."""
        anchors, relations = queries.anchors.tolist(), queries.relations.tolist()
        if self._masks.depends_on_anchor:
            pairs = list(zip(relations, anchors, strict=True))
            distinct_pairs = {pair: n for n, pair in enumerate(dict.fromkeys(pairs))}
            rows = [self._masks.codes(queries.target, r, a) for r, a in distinct_pairs]
            return np.stack(rows), np.array([distinct_pairs[p] for p in pairs], dtype=np.int64)
        distinct, which = np.unique(queries.relations, return_inverse=True)
        rows = [self._masks.codes(queries.target, r) for r in distinct.tolist()]
        return np.stack(rows), which.reshape(-1).astype(np.int64)


def count_members(
    block: Block, codes: ByteArray, code_rows: LongArray
) -> tuple[IntArray, ByteArray]:
    """Count the verdicts of each filtered pool; needs no score.

    Args:
        block: rows with their pools, true and known answers.
        codes: (k, entities) distinct rows of verdict codes.
        code_rows: (b,) the row of each query.

    Returns:
        (m, verdicts other than ok) candidates, the true answer left out; (m,) its own code.
    """
    n_codes, n_pools = len(VERDICTS), len(block.pools)
    pairs, which = np.unique(code_rows * n_pools + block.pool_rows, return_inverse=True)
    sizes = []
    for code_row, pool_row in (divmod(pair, n_pools) for pair in pairs.tolist()):
        pool = block.pools[pool_row]
        members = codes[code_row] if pool is None else codes[code_row][pool]
        sizes.append(np.bincount(members, minlength=n_codes))
    rows, known = block.known_members.flat()
    held = codes[code_rows[rows], known]
    taken = np.bincount(rows * n_codes + held, minlength=len(block) * n_codes)
    left = np.stack(sizes)[which.reshape(-1)] - taken.reshape(len(block), n_codes)
    groups, answers = block.truths.groups, block.truths.answers
    truth_codes = codes[code_rows[groups], answers]
    total = left[groups].astype(np.int32)
    # Of the true answers only those count among the left that are members and not known besides.
    n_others = block.candidates - 1
    own = total.sum(axis=1) > n_others
    total[np.flatnonzero(own), truth_codes[own]] -= 1
    assert (total.sum(axis=1) == n_others).all()
    return total[:, 1:], truth_codes


def _count(
    block: Block, ranks: Ranks, codes: ByteArray, code_rows: LongArray, cutoffs: LongArray
) -> tuple[IntArray, IntArray, IntArray, DoubleArray]:
    if block.compiled:
        from hybridkg.evaluation.verdict_kernels import count_verdicts

        better, tie = ranks.optimistic - 1, ranks.pessimistic - ranks.optimistic
        if not ranks.exact:
            # Nothing is known of how many are exactly better or equal.
            better, tie = np.full_like(better, 2**31 - 1), np.ones_like(tie)
        return count_verdicts(block, better, tie, codes, code_rows, cutoffs)
    return (
        *count_verdicts_numpy(block, codes, code_rows),
        *count_top_numpy(block, codes, code_rows, cutoffs),
    )


def count_verdicts_numpy(
    block: Block, codes: ByteArray, code_rows: LongArray
) -> tuple[IntArray, IntArray]:
    """Count verdicts above and at each true answer, one at a time.

    Args:
        block: rows of scores, their true and known answers.
        codes: (k, entities) distinct rows of verdict codes.
        code_rows: (b,) the row of each query.

    Returns:
        Two of (m, verdicts other than ok); the second counts listed candidates only.
    """
    above, tied = (np.zeros((len(block.truth), len(_COUNTED)), np.int32) for _ in range(2))
    for i in range(len(block)):
        row = block.scores[block.start[i] : block.stop[i]]
        code = codes[code_rows[i]][block.row_entities(i)]
        known = block.known.entities[block.known.start[i] : block.known.stop[i]]
        for j in range(block.truths.offsets[i], block.truths.offsets[i + 1]):
            others = np.ones(len(row), dtype=np.bool_)
            others[known] = False
            if block.place[j] >= 0:
                others[block.place[j]] = False
            for v in range(len(_COUNTED)):
                marked = others & (code == v + 1)
                above[j, v] = (marked & (row > block.truth[j])).sum()
                tied[j, v] = (marked & (row == block.truth[j])).sum()
    return above, tied


def count_top_numpy(
    block: Block, codes: ByteArray, code_rows: LongArray, cutoffs: LongArray
) -> tuple[IntArray, DoubleArray]:
    """Count verdicts in the first places of each true answer's list, one at a time.

    Args:
        block: rows of scores, their true and known answers.
        codes: (k, entities) distinct rows of verdict codes.
        code_rows: (b,) the row of each query.
        cutoffs: (c,) ascending list lengths.

    Returns:
        (m, c) number of proposals; (m, c, verdicts other than ok) expected numbers of verdicts.
    """
    m = len(block.truth)
    listed = np.zeros((m, len(cutoffs)), dtype=np.int32)
    top = np.zeros((m, len(cutoffs), len(_COUNTED)))
    for i in range(len(block)):
        row = block.scores[block.start[i] : block.stop[i]]
        code = codes[code_rows[i]]
        known = block.known.entities[block.known.start[i] : block.known.stop[i]]
        free = np.ones(len(row), dtype=np.bool_)
        free[known] = False
        for j in range(block.truths.offsets[i], block.truths.offsets[i + 1]):
            scores, verdicts = row[free], code[block.row_entities(i)[free]]
            if block.place[j] < 0 or not free[block.place[j]]:
                scores = np.append(scores, block.truth[j])
                verdicts = np.append(verdicts, code[block.truths.answers[j]])
            ordered = np.sort(scores)[::-1]
            for c, k in enumerate(cutoffs.tolist()):
                border = ordered[k - 1] if k <= len(ordered) else np.float32(-np.inf)
                better, equal = scores > border, (scores == border) & (border > -np.inf)
                share = (k - better.sum()) / equal.sum() if equal.any() else 0.0
                listed[j, c] = k if equal.any() else better.sum()
                for v in range(len(_COUNTED)):
                    marked = verdicts == v + 1
                    top[j, c, v] = (better & marked).sum() + share * (equal & marked).sum()
    return listed, top
