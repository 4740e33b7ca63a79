"""Cut a set of statements down to one from which nothing can be left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hybridkg.ontology.knowledge_base import by_role
from hybridkg.ontology.matrix_engine import saturate
from hybridkg.ontology.normal_form import PIECES, NormalForm
from hybridkg.ontology.proof_steps import Link, Member
from hybridkg.ontology.proofs import Leaf, LeafSet


def minimal_clash(normal: NormalForm, leaves: LeafSet) -> LeafSet:
    """Drop every statement that a contradiction does not need.

    Args:
        normal: the axioms that the leaves number.
        leaves: facts between individuals and axioms that contradict each other.
    """
    kept = set(leaves)
    for leaf in sorted(leaves, key=repr):
        if _contradicts(normal, kept - {leaf}):
            kept.discard(leaf)
    return frozenset(kept)


def _contradicts(normal: NormalForm, leaves: set[Leaf]) -> bool:
    """Tell whether statements contradict each other, by closing them and nothing else."""
    numbers = {leaf for leaf in leaves if isinstance(leaf, int)}
    pieces: dict[str, Any] = {
        kind: tuple(p for p in getattr(normal, kind) if p[-1] in numbers) for kind in PIECES
    }
    small = replace(normal, **pieces)
    members = [leaf for leaf in leaves if isinstance(leaf, Member)]
    links = [leaf for leaf in leaves if isinstance(leaf, Link)]
    types = np.array([(m.node, m.cls) for m in members], dtype=np.int32).reshape(-1, 2)
    rows = [(link.source, link.role, link.target) for link in links]
    facts = np.array(rows, dtype=np.int32).reshape(-1, 3)
    # Numbers stay as they are, since axioms name individuals too; without stand-ins a class
    # takes space only where it has a member.
    closed = saturate(small, small.n_individuals, types, by_role(facts), stand_ins=())
    return bool(len(closed.clashing()))
