"""Lists of what a closure entails, in names, from the engine that was asked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology import links
from hybridkg.ontology.hermit import HermitResult
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.normal_form import BOTTOM, TOP
from hybridkg.ontology.saturation import MemberRows, Saturation, pair_keys


def listed_by(
    base: KnowledgeBase, saturation: Saturation, hermit: HermitResult | None
) -> Saturation:
    """Return what is listed of individuals, in the form of a saturation.

    Args:
        base: the names.
        saturation: what the engines here find.
        hermit: what HermiT finds, where it was asked; then the list is its own.
    """
    if hermit is None:
        return saturation
    normal, size = base.normal, saturation.nodes.n_nodes
    ids = {name: number for number, name in enumerate(base.individuals)}
    rows = {TOP: np.ones(size, dtype=np.bool_)}
    for individual, cls in hermit.types:
        row = rows.setdefault(normal.class_ids[cls], np.zeros(size, dtype=np.bool_))
        row[ids[individual]] = True
    pairs: dict[int, list[tuple[int, int]]] = {}
    for h, r, t in hermit.facts:
        pairs.setdefault(normal.role_ids[r], []).append((ids[h], ids[t]))
    edges = tuple(
        pair_keys(np.array(pairs[role], dtype=np.int64), size) if role in pairs else links.NO_KEYS
        for role in range(len(normal.roles))
    )
    members = MemberRows(normal.n_classes, size, rows)
    return Saturation(saturation.nodes, members, edges, engine="hermit")


def entailed_facts(
    base: KnowledgeBase, saturation: Saturation, hermit: HermitResult | None
) -> list[LabelTriple]:
    """Return all triples between named individuals, asserted ones included, sorted."""
    if hermit is not None:
        return sorted(hermit.facts)
    names, roles = base.individuals, base.normal.roles[: base.normal.n_named_roles]
    return sorted(
        (names[h], relation, names[t])
        for role, relation in enumerate(roles)
        for h, t in saturation.named_pairs(role).tolist()
    )


def entailed_types(
    base: KnowledgeBase, saturation: Saturation, hermit: HermitResult | None
) -> list[tuple[str, str]]:
    """Return all (individual, named class) but Thing, asserted ones included, sorted."""
    if hermit is not None:
        return sorted(hermit.types)
    normal, names, members = base.normal, base.individuals, saturation.members
    return sorted(
        (names[e], normal.classes[cls])
        for cls in members.occupied()
        if BOTTOM < cls < normal.n_named
        for e in np.flatnonzero(members.row(cls)[: len(names)]).tolist()
    )


def subsumptions(
    base: KnowledgeBase, saturation: Saturation, hermit: HermitResult | None
) -> list[tuple[str, str]]:
    """Return the (class, superclass) pairs of named classes, sorted; trivial ones left out.

    A class that everything belongs to stands above Thing too.
    """
    if hermit is not None:
        return sorted(hermit.subsumptions)
    names = base.normal.classes
    top = saturation.nodes.class_node(TOP)
    everywhere = saturation.members.classes_of(top) if top is not None else []
    above_thing = {(TOP, cls) for cls in everywhere if BOTTOM < cls < base.normal.n_named}
    pairs = {*_pairs(base, saturation), *above_thing}
    return sorted((names[sub], names[sup]) for sub, sup in pairs)


def _pairs(base: KnowledgeBase, saturation: Saturation) -> Iterator[tuple[int, int]]:
    if not base.follows_all_classes:
        yield from map(tuple, base.classification.pairs.tolist())
        return
    normal, nodes = base.normal, saturation.nodes
    for sup in saturation.members.occupied():
        if BOTTOM < sup < normal.n_named:
            row = saturation.members.row(sup)[nodes.n_individuals : nodes.first_witness]
            for place in np.flatnonzero(row).tolist():
                sub = nodes.stand_ins[place]
                if BOTTOM < sub < normal.n_named and sub != sup:
                    yield sub, sup


def unsatisfiable_classes(
    base: KnowledgeBase, saturation: Saturation, hermit: HermitResult | None
) -> tuple[str, ...]:
    """Return the named classes that can have no member, sorted."""
    if hermit is not None:
        return hermit.unsatisfiable
    normal, nodes = base.normal, saturation.nodes
    if not base.follows_all_classes:
        return tuple(sorted(normal.classes[cls] for cls in base.classification.unsatisfiable))
    return tuple(
        normal.classes[cls]
        for cls in range(BOTTOM + 1, normal.n_named)
        if (node := nodes.class_node(cls)) is not None and saturation.members.has(BOTTOM, node)
    )
