"""Cut a set of statements down to one from which nothing can be left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hybridkg.ontology.derivations import Clash, Link, Member
from hybridkg.ontology.knowledge_base import by_role
from hybridkg.ontology.matrix_engine import saturate
from hybridkg.ontology.normal_form import BOTTOM, PIECES, NormalForm
from hybridkg.ontology.proofs import Leaf, LeafSet


def minimal_clash(normal: NormalForm, leaves: LeafSet, clash: Clash) -> LeafSet:
    """Drop every statement that a contradiction does not need.

    Args:
        normal: the axioms that the leaves number.
        leaves: facts between individuals and axioms that contradict each other.
        clash: where.
    """
    kept = set(leaves)
    for leaf in sorted(leaves, key=repr):
        if _contradicts(normal, kept - {leaf}, clash):
            kept.discard(leaf)
    return frozenset(kept)


def _contradicts(normal: NormalForm, leaves: set[Leaf], clash: Clash) -> bool:
    """Tell whether statements contradict each other, by closing them and nothing else."""
    numbers = {leaf for leaf in leaves if isinstance(leaf, int)}
    pieces: dict[str, Any] = {
        kind: tuple(p for p in getattr(normal, kind) if p[-1] in numbers) for kind in PIECES
    }
    small = replace(normal, **pieces)
    members = [leaf for leaf in leaves if isinstance(leaf, Member)]
    links = [leaf for leaf in leaves if isinstance(leaf, Link)]
    individuals = {clash.node, *(m.node for m in members)}
    individuals |= {node for link in links for node in (link.source, link.target)}
    place = {node: number for number, node in enumerate(sorted(individuals))}
    types = np.array([(place[m.node], m.cls) for m in members], dtype=np.int32).reshape(-1, 2)
    rows = [(place[link.source], link.role, place[link.target]) for link in links]
    facts = np.array(rows, dtype=np.int32).reshape(-1, 3)
    closed = saturate(small, len(place), types, by_role(facts))
    return bool(closed.members[BOTTOM, : len(place)].any())
