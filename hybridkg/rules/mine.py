"""The rule miner: deterministic, without a time budget; what it draws, a seed decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mine_closed import short_rules
from hybridkg.rules.mine_long import long_rules
from hybridkg.rules.mine_unary import loop_rules, unary_rules, zero_rules
from hybridkg.rules.mining_config import MiningConfig, Mode, Profile, profile
from hybridkg.rules.rule_set import ABSENT, CLOSED, ZERO, RuleSet
from hybridkg.types import AnyArray

__all__ = [
    "TINY",
    "Engine",
    "MiningConfig",
    "Mode",
    "Profile",
    "mine_rules",
    "profile",
    "sampled_rules",
    "uses_plain",
]

#: "compiled" runs numba kernels, "plain" Python; "auto" takes the plain path for tiny graphs.
Engine: TypeAlias = Literal["auto", "compiled", "plain"]

#: Below this sum of squared degrees plain Python answers before numba is imported.
TINY = 20_000


def mine_rules(
    kg: KnowledgeGraph, config: MiningConfig | None = None, *, engine: Engine = "auto"
) -> RuleSet:
    """Mine the rules of the training triples that pass the thresholds.

    The result depends on the graph and the configuration alone: both engines,
    every hash seed and every thread count give the same rules in the same order.

    Args:
        kg: the graph; only its split "train" is read.
        config: thresholds and caps.
        engine: "compiled", "plain", or "auto" for the faster one.

    Returns:
        Rules with exact counts; all of them but closed ones with three atoms, of which
        those that the sampled paths show. ``dropped`` tells how many rules caps and
        samples left out.
    """
    chosen = config or MiningConfig()
    graph = DirectedGraph.build(kg)
    plain = uses_plain(engine, graph)
    closed = RuleSet.empty(kg)
    if chosen.max_length:
        closed = short_rules(kg, graph, chosen, plain=plain)
    if chosen.max_length == 3:
        closed = RuleSet.concatenate([closed, _long_rules(kg, graph, chosen, plain)])
    parts = [_capped_closed(closed, chosen)]
    if chosen.constants and chosen.mode == "anyburl":
        parts.append(unary_rules(kg, graph, chosen, plain=plain))
        parts.append(loop_rules(kg, graph, chosen))
        parts.append(zero_rules(kg, graph, chosen))
    rules = RuleSet.concatenate(parts)
    if chosen.samples is None:
        return rules
    return sampled_rules(rules, chosen.samples, np.random.default_rng([chosen.seed, 1]))


def sampled_rules(rules: RuleSet, samples: int, rng: np.random.Generator) -> RuleSet:
    """Keep the rules that a sampler of right predictions meets.

    The sampler draws ``samples`` times, with replacement, one of all right predictions of
    all rules, each as likely as any other, and finds the rule that makes it. So a rule with
    the share p of all support is found with probability 1 - (1 - p)^samples: as a learner
    that samples paths does, it meets strong rules always and weak ones by luck. Zero rules
    need no search and are all kept. The counts of a rule that is found stay exact.

    Args:
        rules: every rule that can be found.
        samples: number of draws; never a time.
        rng: draws.
    """
    sought = rules.kind != ZERO
    total = int(rules.support[sought].sum(dtype=np.int64))
    if total == 0:
        return rules
    drawn = rng.multinomial(samples, rules.support[sought] / total)
    kept = ~sought
    kept[sought] = drawn > 0
    dropped = dict(rules.dropped)
    dropped["rules that no sample met"] = int(len(rules) - kept.sum())
    return replace(rules.select(kept), dropped=dropped)


def uses_plain(engine: Engine, graph: DirectedGraph) -> bool:
    """Tell whether an engine choice means the plain path for this graph.

    Raises:
        ConfigError: there is no such engine.
    """
    if engine not in ("auto", "compiled", "plain"):
        raise ConfigError(f"rule engine {engine!r}; expected 'auto', 'compiled' or 'plain'")
    return engine == "plain" or (engine == "auto" and graph.squared_degrees() <= TINY)


def _long_rules(
    kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig, plain: bool
) -> RuleSet:
    """Find closed rules with three body atoms that pass the thresholds."""
    found = long_rules(
        graph, config.long, config.min_support, np.random.default_rng(config.seed), plain=plain
    )
    head, support, body_count, pca_body = found.rows[:, [0, 4, 5, 6]].T
    head_size = graph.relation_sizes()[head]
    kept = config.keeps(support, body_count, pca_body, head_size)
    none = np.full(len(head), ABSENT, dtype=np.int32)
    columns = (head, found.rows[:, 1:4], none, none, support, body_count)
    rules = RuleSet.of_kind(kg, CLOSED, *columns, pca_body=pca_body, head_size=head_size)
    dropped = {"closed rules with three atoms that a sample ruled out": found.n_screened_out}
    return replace(rules.select(kept), dropped={reason: n for reason, n in dropped.items() if n})


def _capped_closed(rules: RuleSet, config: MiningConfig) -> RuleSet:
    """Keep the best closed rules of each head relation, in their order."""
    if config.cap_closed is None:
        return rules
    keys: list[AnyArray] = [
        rules.body[:, column] for column in reversed(range(rules.body.shape[1]))
    ]
    order = np.lexsort([*keys, -rules.support, -rules.confidence(config.weights), rules.head])
    head = rules.head[order]
    place = np.arange(len(order)) - np.searchsorted(head, head)
    kept = np.sort(order[place < config.cap_closed])
    dropped = dict(rules.dropped)
    if len(kept) < len(rules):
        dropped["closed rules over the cap per head relation"] = len(rules) - len(kept)
    return replace(rules.select(kept), dropped=dropped)
