"""RankTable: one row per (instance, query), the only source of every aggregate."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np

from hybridkg._io import atomic_path, digest_bytes, digest_file, read_json, write_json
from hybridkg.errors import RankTableError, UnknownNameError
from hybridkg.evaluation.adjusted import AdjustedMetric, PoolMoments, metric_named
from hybridkg.evaluation.candidates import Protocol, Task
from hybridkg.evaluation.chance import chance_line
from hybridkg.evaluation.metrics import METRICS, get_metric
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import AnyArray, BoolArray, DoubleArray, IntArray, TiePolicy

if TYPE_CHECKING:
    import pandas as pd

#: Columns that every instance has; all others come from observers.
CORE = ("optimistic", "pessimistic", "candidates", "scored")
QUERY_FILE = "queries.parquet"
MANIFEST = "manifest.json"
FORMAT = "hybridkg-ranks-1"


@dataclass(frozen=True, eq=False)
class RankTable:
    """Filtered ranks of instances on the same queries under one protocol."""

    #: (queries,) labels of the masked triples, and "tail" or "head".
    heads: Sequence[str]
    relations: Sequence[str]
    tails: Sequence[str]
    targets: Sequence[str]
    #: instance names, distinct.
    instances: tuple[str, ...]
    #: column name -> (instances, queries); at least those of CORE.
    columns: Mapping[str, AnyArray]
    #: what the ranks mean.
    protocol: Protocol
    #: facts about each instance (model, seed, notes, ...).
    about: Mapping[str, Mapping[str, Any]]

    def __post_init__(self) -> None:
        if len(set(self.instances)) != len(self.instances):
            twice = sorted({i for i in self.instances if self.instances.count(i) > 1})
            raise RankTableError(f"instance names stand twice: {twice}; give each another name")
        shape = (len(self.instances), self.n_queries)
        for column in CORE:
            if column not in self.columns:
                raise RankTableError(f"column {column!r} is missing; expected {', '.join(CORE)}")
        for column, values in self.columns.items():
            if values.shape != shape:
                raise RankTableError(f"column {column!r} has shape {values.shape}, not {shape}")
        wrong = (self.optimistic < 1) | (self.pessimistic < self.optimistic)
        wrong |= (self.candidates > 0) & (self.pessimistic > self.candidates)
        if wrong.any():
            i, q = np.argwhere(wrong)[0]
            raise RankTableError(
                f"instance {self.instances[i]!r}, query {self.query(int(q))}: optimistic "
                f"{self.optimistic[i, q]}, pessimistic {self.pessimistic[i, q]}, candidates "
                f"{self.candidates[i, q]}; expected 1 <= optimistic <= pessimistic <= candidates"
            )

    @classmethod
    def from_columns(
        cls,
        name: str,
        kg: KnowledgeGraph,
        task: Task,
        columns: Mapping[str, AnyArray],
        about: Mapping[str, Any],
    ) -> RankTable:
        """Make the table of one instance from (queries,) columns."""
        heads, relations, tails = kg.entities.labels, kg.relations.labels, kg.entities.labels
        # By columns: a list a row would set the collector of reference cycles to work.
        by_end = task.queries.triples.T.tolist()
        table = cls(
            heads=[heads[h] for h in by_end[0]],
            relations=[relations[r] for r in by_end[1]],
            tails=[tails[t] for t in by_end[2]],
            targets=["tail" if is_tail else "head" for is_tail in task.queries.asks_tail.tolist()],
            instances=(name,),
            columns={column: values[None, :] for column, values in columns.items()},
            protocol=task.protocol,
            about={name: dict(about)},
        )
        if (table.pessimistic - table.optimistic + 1 == table.candidates).all():
            notes = [*table.about[name].get("notes", []), "all scores are equal in every query"]
            table = replace(table, about={name: {**table.about[name], "notes": notes}})
        return table

    def __repr__(self) -> str:
        names = ", ".join(self.instances[:5]) + (", ..." if len(self.instances) > 5 else "")
        return f"RankTable({names}; {self.n_queries:,} queries; {self.protocol.sentence()})"

    @property
    def n_queries(self) -> int:
        """Number of queries, two per triple when both targets are asked."""
        return len(self.heads)

    @property
    def optimistic(self) -> IntArray:
        """(instances, queries) 1 + better."""
        return self.columns["optimistic"]

    @property
    def pessimistic(self) -> IntArray:
        """(instances, queries) 1 + better + tied."""
        return self.columns["pessimistic"]

    @property
    def candidates(self) -> IntArray:
        """(instances, queries) pool size, the truth included; 0 where unknown."""
        return self.columns["candidates"]

    @property
    def scored(self) -> BoolArray:
        """(instances, queries) True where the true answer has a score."""
        return self.columns["scored"]

    @property
    def tied(self) -> BoolArray:
        """(instances, queries) True where another candidate ties with the truth."""
        return self.pessimistic > self.optimistic

    def query(self, number: int) -> str:
        """Spell a query with its labels."""
        head, relation, tail = self.heads[number], self.relations[number], self.tails[number]
        if self.targets[number] == "tail":
            return f"({head}, {relation}, ?) -> {tail}"
        return f"(?, {relation}, {tail}) -> {head}"

    def values(self, metric: str = "mrr", ties: TiePolicy = "expected") -> DoubleArray:
        """Return (instances, queries) values of a metric.

        Raises:
            UnknownNameError: no such metric or tie policy.
        """
        return get_metric(metric).values(
            self.optimistic, self.pessimistic, ties, scored=self.scored
        )

    def chance(self) -> dict[str, float] | None:
        """Return the chance line of these queries, or None where pool sizes are unknown."""
        if (self.candidates[0] < 1).any():
            return None
        return chance_line(self.candidates[0])

    def metrics(
        self, ties: TiePolicy = "expected", names: Sequence[str] = tuple(METRICS)
    ) -> pd.DataFrame:
        """Return one row per instance: metric means, tied share, coverage.

        Args:
            ties: tie policy.
            names: metrics, adjusted ones too, as in "mrr", "hits_at_5" or "amri".

        Returns:
            Columns: the metrics, ``tied`` (share of queries whose answer ties) and ``coverage``
            (share of queries whose answer has a score). NaN where a metric is not defined: an
            adjusted one in pools of unknown size, MR where ``absent_zero_X`` meets no score.

        Raises:
            UnknownNameError: no such metric or tie policy.
        """
        import pandas as pd

        found = {}
        for name in names:
            metric = metric_named(name)
            base = metric.base if isinstance(metric, AdjustedMetric) else metric
            found[name] = self.values(base.name, ties).mean(axis=1)
            if isinstance(metric, AdjustedMetric):
                moments = PoolMoments.of(base, self.candidates)
                found[name] = metric.adjust(found[name], moments)
        found["tied"] = self.tied.mean(axis=1)
        found["coverage"] = self.scored.mean(axis=1)
        return pd.DataFrame(found, index=pd.Index(self.instances, name="instance"))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per (instance, query) with labels, ranks and observed columns."""
        import pandas as pd

        n = len(self.instances)
        labels = {
            key: list(getattr(self, f"{key}s")) * n
            for key in ("head", "relation", "tail", "target")
        }
        return pd.DataFrame(
            {"instance": np.repeat(np.array(self.instances, dtype=object), self.n_queries)}
            | labels
            | {column: values.reshape(-1) for column, values in self.columns.items()}
        )

    def select(self, instances: Sequence[str]) -> RankTable:
        """Return the table of some instances, in the given order.

        Raises:
            UnknownNameError: an instance is not in the table.
        """
        for name in instances:
            if name not in self.instances:
                raise UnknownNameError("instance", name, self.instances)
        rows = [self.instances.index(name) for name in instances]
        return replace(
            self,
            instances=tuple(instances),
            columns={column: values[rows] for column, values in self.columns.items()},
            about={name: self.about.get(name, {}) for name in instances},
        )

    def query_keys(self) -> list[tuple[str, str, str, str, int]]:
        """Return a distinct key per query: labels, target, and a number for repeated triples."""
        seen: dict[tuple[str, str, str, str], int] = {}
        found = []
        for key in zip(self.heads, self.relations, self.tails, self.targets, strict=True):
            seen[key] = seen.get(key, -1) + 1
            found.append((*key, seen[key]))
        return found

    def write(self, folder: str | Path) -> Path:
        """Write one Parquet file per instance, one query file, one manifest.

        The manifest is written last; a folder without one is unfinished.

        Args:
            folder: created where missing; files of the same names are replaced.

        Returns:
            The folder.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        root = Path(folder)
        root.mkdir(parents=True, exist_ok=True)
        (root / MANIFEST).unlink(missing_ok=True)
        labels = {
            "head": list(self.heads),
            "relation": list(self.relations),
            "tail": list(self.tails),
            "target": list(self.targets),
        }
        tables = {QUERY_FILE: pa.table(labels)}
        files = {}
        for i, name in enumerate(self.instances):
            files[name] = f"{quote(name, safe='')}.ranks.parquet"
            tables[files[name]] = pa.table({c: pa.array(v[i]) for c, v in self.columns.items()})
        for file, table in tables.items():
            with atomic_path(root / file) as temporary:
                pq.write_table(table, temporary, compression="zstd")
        for former in root.glob("*.ranks.parquet"):
            if former.name not in tables:
                former.unlink()
        manifest = {
            "format": FORMAT,
            "protocol": self.protocol.to_json(),
            "instances": [
                {"name": name, "file": file, "about": dict(self.about.get(name, {}))}
                for name, file in files.items()
            ],
            "digests": {file: digest_file(root / file) for file in sorted(tables)},
        }
        write_json(root / MANIFEST, {**manifest, "digest": _digest(manifest)})
        return root

    @classmethod
    def read(cls, folder: str | Path) -> RankTable:
        """Read a table that :meth:`write` wrote.

        Raises:
            RankTableError: a file is missing, was changed, or is not a rank table.
        """
        import pyarrow.parquet as pq

        root = Path(folder)
        if not (root / MANIFEST).is_file():
            raise RankTableError(f"{folder}: no {MANIFEST}; expected a folder of ranks")
        manifest = read_json(root / MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise RankTableError(f"{root / MANIFEST}: expected format {FORMAT!r}")
        if manifest.pop("digest", None) != _digest(manifest):
            raise RankTableError(f"{root / MANIFEST}: changed since it was written; evaluate again")
        try:
            for file, digest in manifest["digests"].items():
                if not (root / file).is_file() or digest_file(root / file) != digest:
                    raise RankTableError(
                        f"{root / file}: missing or changed since it was written; evaluate again"
                    )
            queries = pq.read_table(root / QUERY_FILE).to_pydict()
            names = tuple(entry["name"] for entry in manifest["instances"])
            parts = [pq.read_table(root / entry["file"]) for entry in manifest["instances"]]
            columns = {
                column: np.stack([part.column(column).to_numpy() for part in parts])
                for column in parts[0].column_names
            }
            return cls(
                heads=queries["head"],
                relations=queries["relation"],
                tails=queries["tail"],
                targets=queries["target"],
                instances=names,
                columns=columns,
                protocol=Protocol(**manifest["protocol"]),
                about={entry["name"]: entry["about"] for entry in manifest["instances"]},
            )
        except (KeyError, IndexError, TypeError, AttributeError, OSError) as error:
            raise RankTableError(f"{folder}: not a readable rank table ({error!r})") from error


def _digest(manifest: Mapping[str, Any]) -> str:
    """SHA-256 over a manifest's content, so that an edited one is noticed."""
    return digest_bytes(json.dumps(manifest, sort_keys=True).encode())
