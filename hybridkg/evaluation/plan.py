"""What an evaluation will take: blocks and memory."""

from __future__ import annotations

from dataclasses import dataclass

from hybridkg.errors import ConfigError
from hybridkg.evaluation.score_reader import SPARSE_SCORES, ScorePath
from hybridkg.scoring.factored import block_height

#: Bytes a score of a block: the product in place; float64 beside float32 with the masks that
#: compare them; sparse lists with their keys.
_BYTES: dict[ScorePath, int] = {"factor": 4, "score": 16, "sparse": 48}
#: Bytes a score that the copy of a restricted pool takes besides.
_POOL_BYTES: dict[ScorePath, int] = {"factor": 4, "score": 12, "sparse": 0}
#: Bytes of a row of the rank table with its labels and the query it comes from.
_ROW_BYTES = 120
#: Bytes of a known triple in the indexes of both targets.
_KNOWN_BYTES = 56
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is cut into blocks."""

    #: how the scorer is asked.
    path: ScorePath
    #: number of distinct queries.
    n_queries: int
    n_entities: int
    #: queries a block; for sparse scorers those of the first one.
    height: int
    #: scores that a sparse block aims at.
    sparse_scores: int
    #: estimated bytes beyond what graph, scorer and libraries hold.
    n_bytes: int

    def sentence(self) -> str:
        """Say the plan in one line for people."""
        how = {
            "factor": f"matrix products of {self.height:,} queries",
            "score": f"blocks of {self.height:,} queries",
            "sparse": "lists of the candidates that have a score",
        }[self.path]
        return (
            f"{self.n_queries:,} distinct queries over {self.n_entities:,} entities, {how}; about "
            f"{max(1, round(self.n_bytes / _MIB)):,} MiB beside graph, scorer and libraries"
        )


def plan_run(
    path: ScorePath,
    *,
    n_queries: int,
    n_rows: int,
    n_entities: int,
    n_known: int,
    row_bytes: int = 0,
    restricted: bool = False,
    batch_size: int | None = None,
    memory: int | None = None,
) -> Plan:
    """Choose the height of blocks, and estimate the memory of the run.

    Args:
        path: how the scorer is asked.
        n_queries: number of distinct queries.
        n_rows: rows of the rank table.
        n_entities: number of entities.
        n_known: number of known triples.
        row_bytes: bytes a row of the observed columns.
        restricted: whether some entities do not compete.
        batch_size: queries a block where whole rows are asked for; None for a height that
            suits the number of entities. Matrix products have one height in any case.
        memory: bytes that the run may take beside graph and scorer; None for no limit.

    Raises:
        ConfigError: batch size below 1, or less memory than the smallest blocks need.
    """
    if batch_size is not None and batch_size < 1:
        raise ConfigError(f"batch size {batch_size}; expected 1 or more")
    fixed = n_rows * (_ROW_BYTES + row_bytes) + n_known * _KNOWN_BYTES
    height, width = block_height(n_entities), n_entities
    per_score = _BYTES[path] + (_POOL_BYTES[path] if restricted else 0)
    sparse_scores = SPARSE_SCORES
    if path == "score":
        height = max(1, min(batch_size or height, n_queries))
    if path == "sparse":
        # Lists have the length that they have; a block aims at this many scores in all.
        height, width = 1, min(sparse_scores, max(1, n_queries * n_entities))
    needed = fixed + height * width * per_score
    if memory is not None and needed > memory:
        smallest = {"factor": height * width, "score": width, "sparse": 1 << 14}[path] * per_score
        if fixed + smallest > memory:
            raise ConfigError(
                f"memory {memory / _MIB:,.3g} MiB; expected at least "
                f"{max(1, -(-(fixed + smallest) // _MIB)):,} MiB for {n_rows:,} ranks over "
                f"{n_entities:,} entities; allow more, or ask fewer triples"
            )
        if path == "score":
            height = (memory - fixed) // (width * per_score)
        else:
            sparse_scores = (memory - fixed) // per_score
        needed = memory
    return Plan(path, n_queries, n_entities, height, sparse_scores, needed)
