"""Everything that one closure says, as one document and as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.sorted_keys import contains_sorted
from hybridkg.graph.triples import distinct_triples
from hybridkg.ontology import links
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.empty import EmptyNames, find_empty
from hybridkg.ontology.engines import ENGINES, EngineName
from hybridkg.ontology.held_out import Judged, count_kinds, count_verdicts, judge_held_out
from hybridkg.ontology.knowledge_base import KnowledgeBase, assemble
from hybridkg.ontology.matrix_engine import MAX_PAIRS, Announce
from hybridkg.ontology.names import Names
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.normalise import Profile
from hybridkg.ontology.premises import Premises
from hybridkg.ontology.witnesses import WitnessCount, count_witnesses
from hybridkg.types import IntArray, LongArray

#: Examples in a document for each class, relation or existential.
N_EXAMPLES = 5


@dataclass(frozen=True, eq=False)
class ClosureStudy:
    """A closure with the questions of a report answered, each when it is asked."""

    premises: Premises
    closure: Closure
    unique_names: bool = False

    @classmethod
    def over(
        cls,
        premises: Premises,
        *,
        engine: str = "auto",
        profile: Profile = "el+",
        unique_names: bool = False,
        set_aside: bool = False,
        max_pairs: int = MAX_PAIRS,
        announce: Announce | None = None,
    ) -> ClosureStudy:
        """Close what was read.

        Args:
            premises: graph and ontology.
            engine: "auto", "matrix", "nemo" or "hermit".
            profile: "el+" or "el".
            unique_names: two names never mean one individual.
            set_aside: leave out the facts that contradict the axioms.
            max_pairs: pairs that the closure of one relation may have.
            announce: told of large results before they are made.

        Raises:
            InconsistentOntologyError: the data contradict the axioms.
            ClosureSizeError: a relation would get more pairs than allowed.
            ConfigError: there is no such engine.
        """
        closure = close(
            premises.kg,
            premises.joined,
            profile=profile,
            unique_names=unique_names,
            set_aside=set_aside,
            max_pairs=max_pairs,
            announce=announce,
            engine=engine_named(engine),
        )
        return cls(premises, closure, unique_names)

    @cached_property
    def names(self) -> Names:
        """Finds names as a user types them."""
        return Names(self.closure, self.premises.rules)

    @cached_property
    def empty(self) -> EmptyNames:
        """Classes and relations that can have no member."""
        return find_empty(self.closure.base)

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """The held-out rows with their verdicts."""
        return judge_held_out(self.closure, self.names, self.premises.held_out)

    @cached_property
    def witnesses(self) -> tuple[WitnessCount, ...]:
        """Witnesses of every existential that follows for somebody."""
        return count_witnesses(self.closure.base, self.closure.saturation)

    def as_document(self) -> dict[str, Any]:
        """Return everything as JSON-able values, examples instead of long lists."""
        closure, aside = self.closure, self.closure.set_aside
        relations, classes = self._relations(), self._classes()
        return {
            **read_document(self.premises),
            **empty_document(self.empty),
            "engine": closure.base.engine.name,
            "engine_note": closure.engine_note,
            "individuals": len(closure.base.individuals),
            "set_aside_culprits": {
                "triples": [list(one) for one in aside.triples],
                "types": [list(one) for one in aside.types],
                "clashing": list(aside.clashing),
                "sets": aside.n_sets,
                "complete": aside.complete,
            },
            "entailed_facts": _totals(relations),
            "relations": relations,
            "entailed_types": _totals(classes),
            "classes": classes,
            "subsumptions": len(closure.subsumptions()),
            "held_out": self._held_out(),
            "witnesses": [self._witness(one) for one in self.witnesses],
            "unused": unused_document(closure.unused),
            "complete": closure.complete,
        }

    def new_pairs(self, role: int) -> IntArray:
        """Return the (k, 2) individuals that a role relates without being asserted."""
        size = len(self.closure.base.individuals)
        pairs = self.closure.listed.named_pairs(role)
        rows, starts = self._facts_by_role
        own = rows[starts[role] : starts[role + 1]].astype(np.int64)
        asserted = links.distinct(own[:, 0] * size + own[:, 2])
        return pairs[~contains_sorted(asserted, pairs[:, 0] * size + pairs[:, 1])].astype(np.int32)

    def members(self, cls: int, *, new_only: bool = False) -> IntArray:
        """Return the individuals of a class."""
        size = len(self.closure.base.individuals)
        found = np.flatnonzero(self.closure.listed.members.row(cls)[:size])
        if new_only:
            found = found[~contains_sorted(self._asserted_types, cls * size + found)]
        return found.astype(np.int32)

    @cached_property
    def _facts_by_role(self) -> tuple[IntArray, LongArray]:
        """The asserted facts sorted by relation, and where those of each start."""
        facts = self.closure.base.facts
        rows = facts[np.argsort(facts[:, 1], kind="stable")]
        roles = np.arange(len(self.closure.base.normal.roles) + 1)
        return rows, np.searchsorted(rows[:, 1], roles).astype(np.int64)

    @cached_property
    def _asserted_types(self) -> LongArray:
        """Sorted class * individuals + individual of the asserted types."""
        types = self.closure.base.types.astype(np.int64)
        return links.distinct(types[:, 1] * len(self.closure.base.individuals) + types[:, 0])

    def named_classes(self) -> Iterator[tuple[int, str]]:
        """Yield the named classes that have a member, with their names."""
        normal = self.closure.base.normal
        for cls in self.closure.listed.members.occupied():
            if BOTTOM < cls < normal.n_named:
                yield cls, normal.classes[cls]

    def _relations(self) -> dict[str, dict[str, Any]]:
        names, found = self.closure.base.individuals, {}
        for role, relation in enumerate(self.closure.relations):
            total = self.closure.listed.n_named_pairs(role)
            if total:
                new = self.new_pairs(role)
                shown = [[names[h], relation, names[t]] for h, t in new[:N_EXAMPLES].tolist()]
                found[relation] = {"entailed": total, "new": len(new), "examples": shown}
        return found

    def _classes(self) -> dict[str, dict[str, Any]]:
        names, found = self.closure.base.individuals, {}
        for cls, name in self.named_classes():
            total, new = len(self.members(cls)), self.members(cls, new_only=True)
            if total:
                shown = [names[e] for e in new[:N_EXAMPLES].tolist()]
                found[name] = {"entailed": total, "new": len(new), "examples": shown}
        return found

    def _held_out(self) -> list[dict[str, Any]]:
        found = []
        for part in self.premises.held_out:
            rows = [one for one in self.judged if one.source == part.name]
            relations: dict[str, list[Judged]] = {}
            for one in rows:
                relations.setdefault(one.triple[1], []).append(one)
            unknown = Counter(name for one in rows for name in one.unknown)
            found.append(
                {
                    "name": part.name,
                    "rows": len(rows),
                    **count_verdicts(rows),
                    "kinds": count_kinds(rows),
                    "relations": {
                        relation: {**count_verdicts(some), "kinds": count_kinds(some)}
                        for relation, some in sorted(relations.items())
                    },
                    "rows_with_unknown_names": sum(bool(one.unknown) for one in rows),
                    "unknown_names": sorted(unknown),
                    "entailed_rows": [
                        {"triple": list(one.triple), "kind": one.kind}
                        for one in rows
                        if one.verdict == "entailed"
                    ],
                    "inconsistent_rows": [
                        list(one.triple) for one in rows if one.verdict == "inconsistent"
                    ],
                }
            )
        return found

    def _witness(self, one: WitnessCount) -> dict[str, Any]:
        names = self.closure.base.individuals
        named, anonymous = one.holders
        return {
            "relation": one.role,
            "filler": one.filler,
            "named": one.named,
            "anonymous": one.anonymous,
            "none": one.none,
            "named_examples": [names[e] for e in named[:N_EXAMPLES].tolist()],
            "anonymous_examples": [names[e] for e in anonymous[:N_EXAMPLES].tolist()],
        }


def engine_named(name: str) -> EngineName:
    """Return an engine by its name.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in ENGINES:
        raise ConfigError(f"engine {name!r}; expected one of {', '.join(ENGINES)}")
    return name


def knowledge_base_of(
    premises: Premises, *, profile: Profile = "el+", unique_names: bool = False
) -> KnowledgeBase:
    """Assemble what was read without closing it: contradictory data have names too."""
    return assemble(premises.kg, premises.joined, profile=profile, unique_names=unique_names)


def read_document(premises: Premises) -> dict[str, Any]:
    """Say what was read and how the names met, as JSON-able values."""
    return {
        "name": premises.kg.name,
        "facts": len(distinct_triples(premises.kg.train)),
        "fact_rows": len(premises.kg.train),
        "types": len(premises.kg.types),
        "entities": premises.kg.n_entities,
        "files": list(premises.files),
        "set_aside": asdict(premises.report),
        "ontology": premises.joined.ontology.source,
        "axioms": premises.joined.ontology.kinds,
        "matches": {kind: asdict(match) for kind, match in premises.joined.matches.items()},
    }


def empty_document(empty: EmptyNames) -> dict[str, Any]:
    """Say which classes and relations can have no member, as JSON-able values."""
    return {
        "unsatisfiable_classes": [asdict(one) for one in empty.classes],
        "empty_relations": [asdict(one) for one in empty.relations],
        "classes_checked": empty.n_checked,
        "classes_named": empty.n_classes,
    }


def unused_document(unused: Sequence[UnusedAxiom]) -> dict[str, Any]:
    """Count the axioms that were not used by kind and reason, and list them."""
    kinds = Counter(_kind_of(one) for one in unused)
    return {
        "axioms": len({one.axiom for one in unused}),
        "kinds": [
            {"kind": kind, "reason": reason, "count": n}
            for (kind, reason), n in sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
        ],
        "list": [str(one) for one in unused],
    }


def _kind_of(one: UnusedAxiom) -> tuple[str, str]:
    kind = getattr(one.axiom, "kind", None)
    return (str(kind) if isinstance(kind, str) else type(one.axiom).__name__), one.reason


def _totals(parts: dict[str, dict[str, Any]]) -> dict[str, int]:
    return {key: sum(part[key] for part in parts.values()) for key in ("entailed", "new")}
