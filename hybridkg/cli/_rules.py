"""What the rule commands do between their options and their output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridkg.cli._output import note
from hybridkg.errors import ConfigError, DataError

if TYPE_CHECKING:
    import pandas as pd

    from hybridkg.evaluation.rank_table import RankTable
    from hybridkg.graph.knowledge_graph import KnowledgeGraph
    from hybridkg.rules.apply import Aggregation
    from hybridkg.rules.files import FileFormat, Unusable
    from hybridkg.rules.imports import ImportedRules
    from hybridkg.rules.mine import MiningConfig
    from hybridkg.rules.rule_set import RuleSet
    from hybridkg.rules.statistics import RuleStatistics
    from hybridkg.rules.weights import RuleWeights
    from hybridkg.training.protocol_options import ProtocolOptions


def mining_config(name: str, **options: Any) -> MiningConfig:
    """Return a profile with the options that were given in place of its own.

    Raises:
        ConfigError: there is no such profile, or an option is not usable.
    """
    from hybridkg.rules.mining_config import PROFILES, profile

    if name not in PROFILES:
        raise ConfigError(f"--profile {name!r}; expected one of {', '.join(PROFILES)}")
    config = profile(name)
    if options.get("cap_per_head") == 0:
        options = {**options, "cap_per_head": None}
        config = replace(config, cap_per_head=None)
    return replace(config, **{key: value for key, value in options.items() if value is not None})


def rule_weights(measure: str) -> RuleWeights:
    """Return how counts become confidences under a measure.

    Raises:
        ConfigError: there is no such measure.
    """
    from hybridkg.rules.weights import RuleWeights

    return RuleWeights(measure=measure)  # type: ignore[arg-type]  # checked there, with its names


def learn(
    kg: KnowledgeGraph,
    backend: str,
    config: MiningConfig,
    seconds: int,
    note: Callable[[str], None],
) -> RuleSet:
    """Learn with AnyBURL or AMIE through PyClause; counts are taken anew.

    Raises:
        ConfigError: there is no such back end.
    """
    from hybridkg.rules.pyclause import learn_rules

    if backend not in ("anyburl", "amie"):
        raise ConfigError(f"--backend {backend!r}; expected native, anyburl or amie")
    found = learn_rules(
        kg,
        learner="anyburl" if backend == "anyburl" else "amie",
        seconds=seconds,
        min_support=config.min_support,
        max_length=config.max_length,
    )
    for line in found.notes():
        note(f"{backend}: {line}")
    return found.rules


def imported_rules(
    file: Path,
    kg: KnowledgeGraph,
    *,
    statistics: str = "graph",
    drop_unusable: bool = False,
    quiet: bool = False,
) -> ImportedRules:
    """Read a rule file over a graph, and say how its counts compare.

    Args:
        file: the file.
        kg: gives the names, and the triples to count on.
        statistics: "graph", "file" or "compare".
        drop_unusable: leave rules out that the graph cannot use, instead of refusing the file.
        quiet: leave the remarks to the caller.

    Raises:
        DataError: the file is broken, or no rule of it is left.
    """
    from hybridkg.rules.imports import import_rules

    found = import_rules(
        file,
        kg,
        statistics=statistics,  # type: ignore[arg-type]  # checked there
        unusable="drop" if drop_unusable else "refuse",
    )
    if not len(found.rules):
        raise DataError(f"{file}: no rule that {kg.name} can use; expected at least one")
    for line in () if quiet else found.notes():
        note(f"{file}: {line}")
    return found


def asked_aggregations(text: str) -> list[Aggregation]:
    """Return the distinct aggregations that ``--aggregation`` asks for.

    Raises:
        ConfigError: none, or one that does not exist.
    """
    from hybridkg.rules.apply import AGGREGATIONS

    names = list(dict.fromkeys(part.strip() for part in text.split(",")))
    unknown = [name for name in names if name not in AGGREGATIONS]
    if unknown:
        raise ConfigError(
            f"--aggregation {unknown[0]!r}; expected one or more of {', '.join(AGGREGATIONS)}, "
            "separated by commas"
        )
    return [name for name in AGGREGATIONS if name in names]


def rank_rules(
    rules: RuleSet,
    kg: KnowledgeGraph,
    aggregations: Sequence[Aggregation],
    options: ProtocolOptions,
    backend: str,
    *,
    weights: RuleWeights | None = None,
    progress: bool = False,
) -> RankTable:
    """Rank a split once per aggregation; one instance each.

    Raises:
        ConfigError: there is no such back end.
    """
    from hybridkg.evaluation.joining import combine
    from hybridkg.scoring.base import Scorer
    from hybridkg.scoring.pyclause_scorer import PyClauseScorer
    from hybridkg.scoring.rule_scorer import RuleScorer
    from hybridkg.training.ranking import rank_instance

    if backend not in ("native", "pyclause"):
        raise ConfigError(f"--backend {backend!r}; expected native or pyclause")
    tables = []
    for aggregation in aggregations:
        name = f"rules-{aggregation}" + ("" if backend == "native" else "-pyclause")
        scorer: Scorer
        if backend == "native":
            scorer = RuleScorer(rules, kg, aggregation=aggregation, name=name, weights=weights)
        else:
            asked = kg.split(options.split)
            scorer = PyClauseScorer(
                rules, kg, asked, aggregation=aggregation, name=name, weights=weights
            )
        about = {
            "model": name,
            "kind": "rules",
            "seed": None,
            "aggregation": aggregation,
            "backend": backend,
            "rules": rules.digest,
        }
        tables.append(
            rank_instance(scorer, kg, name=name, about=about, options=options, progress=progress)
        )
    return combine(tables)


def counted_by(backend: str, found: ImportedRules, kg: KnowledgeGraph) -> RuleStatistics | None:
    """Return counts of another back end, None for the native one.

    Raises:
        ConfigError: there is no such back end.
    """
    if backend == "native":
        return None
    if backend != "pyclause":
        raise ConfigError(f"--backend {backend!r}; expected native or pyclause")
    import numpy as np

    from hybridkg.rules.pyclause import count_rules
    from hybridkg.rules.statistics import RuleStatistics, rule_statistics

    own, counts = rule_statistics(found.rules, kg), count_rules(found.rules, kg)
    # PyClause counts neither PCA bodies nor zero rules.
    known = counts.predictions >= 0
    return RuleStatistics(
        np.where(known, counts.predictions, own.predictions),
        np.where(known, counts.support, own.support),
        own.pca_body,
    )


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as JSON-able objects; counts as whole numbers, unknown ones as None."""
    rows = []
    for row in table.to_dict("records"):
        for key, value in row.items():
            if isinstance(value, float) and value != value:
                row[key] = None
            elif key in ("file_support", "file_predictions"):
                row[key] = int(value)
        rows.append({str(key): value for key, value in row.items()})
    return rows


def table_text(table: pd.DataFrame) -> str:
    """Return the table as tab-separated text; rules quote the tabs of their names."""
    lines = ["\t".join(table.columns)]
    for row in records(table):
        lines.append("\t".join("" if cell is None else str(cell) for cell in row.values()))
    return "\n".join(lines) + "\n"


def convert_rules(
    file: Path,
    to: Path,
    *,
    data: str | None,
    statistics: str,
    unusable: Unusable,
    file_format: FileFormat | None,
    safe_ids: bool,
    triples: Path | None,
) -> tuple[dict[str, Any], list[str]]:
    """Read a rule file and write another; return what was done, and remarks on it.

    Raises:
        ConfigError: triples in safe ids need safe ids and a data set.
    """
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.rules.files import format_for, names_of_file, write_rules
    from hybridkg.rules.imports import import_rules
    from hybridkg.rules.safe_ids import ids_path, write_safe_triples

    if triples is not None and (data is None or not safe_ids):
        raise ConfigError("--triples needs --data and --safe-ids; the ids are those of the rules")
    kg = names_of_file(file) if data is None else load_dataset(data)
    found = import_rules(
        file,
        kg,
        statistics="file" if data is None else statistics,  # type: ignore[arg-type]
        unusable=unusable,
    )
    chosen = file_format or format_for(to)
    write_rules(
        found.rules,
        to,
        kg,
        file_format=chosen,
        safe_ids=safe_ids,
        counts=found.file.further if data is None else None,
    )
    written = write_safe_triples(kg, triples, kg.splits) if triples is not None else []
    document = {
        "file": str(file),
        "out": str(to),
        "format": chosen,
        "ids": str(ids_path(to)) if safe_ids else None,
        "triples": [str(path) for path in written],
        "n_rules": len(found.rules),
        "kinds": found.rules.counts(),
        "dropped": {**found.file.outside, **found.rules.dropped},
        "differences": found.differences.to_json() if found.differences else None,
        "digest": found.rules.digest,
    }
    return document, found.notes()


def evidence_document(
    rules: RuleSet,
    kg: KnowledgeGraph,
    triple: tuple[str, str, str],
    *,
    max_rules: int,
    max_groundings: int,
) -> dict[str, Any]:
    """Return the rules that propose a triple as JSON-able values."""
    from hybridkg.rules.evidence import explain_triple

    head, relation, tail = triple
    ids = (kg.entities.id_of(head), kg.relations.id_of(relation), kg.entities.id_of(tail))
    found = explain_triple(rules, kg, ids, max_rules=max_rules, max_groundings=max_groundings)
    evidence = []
    for one in found:
        document = asdict(one)
        document["rule"] = document.pop("text")
        document["groundings"] = [[list(fact) for fact in way] for way in one.groundings]
        evidence.append(document)
    splits = [name for name, rows in kg.splits.items() if ids in set(map(tuple, rows.tolist()))]
    return {"triple": list(triple), "splits": splits, "rules": evidence}
