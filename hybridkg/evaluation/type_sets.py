"""Candidates that an ontology does not forbid, per relation and target."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.evaluation.candidate_sets import RelationSets
from hybridkg.ontology.schema import OK, UNTYPED, Masks
from hybridkg.types import TARGETS, IntArray, Target

#: Whether entities of which no type is known compete where a slot asks for one.
UntypedName: TypeAlias = Literal["keep", "out"]


def type_candidates(
    masks: Masks, *, untyped: UntypedName = "keep", words: str | None = None
) -> RelationSets:
    """Take the entities whose verdict for a slot is no violation.

    The verdicts are those without an anchor: what an axiom about pairs forbids, such as an
    irreflexive relation, stays.

    Args:
        masks: verdicts of the training triples and types.
        untyped: "keep" entities of unknown type where a slot asks for a type, or leave them
            "out".
        words: what the protocol says of the sets; by default it names the ontology.

    Raises:
        ConfigError: ``untyped`` is neither.
        DataError: nothing is allowed anywhere.
    """
    if untyped not in ("keep", "out"):
        raise ConfigError(f"untyped {untyped!r}; expected 'keep' or 'out'")
    # Codes rise with how bad they are, and these two are the least.
    worst = UNTYPED if untyped == "keep" else OK
    kg = masks.closure.kg
    sets: dict[tuple[Target, int], IntArray] = {}
    for target in TARGETS:
        for relation in range(kg.n_relations):
            fits = np.flatnonzero(masks.codes(target, relation) <= worst)
            sets[target, relation] = fits.astype(np.int32)
    return RelationSets.build(kg, sets, words or _words(masks, untyped))


def _words(masks: Masks, untyped: UntypedName) -> str:
    joined = masks.closure.base.joined
    source = Path(joined.ontology.source).name if joined else ""
    said = f"types of {source or 'the ontology'}"
    if masks.types == "entailed":
        said += ", entailed ones too"
    return said + (", untyped entities out" if untyped == "out" else "")
