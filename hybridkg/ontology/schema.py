"""What the schema says of a candidate: ok, untyped, unsupported or impossible.

The verdict on a filler depends on what it belongs to and on what its slot asks
for, so one small table of (distinct demands, distinct type rows) serves every
candidate. The candidate itself is never asserted before it is judged. Why a
verdict falls is said by :mod:`hybridkg.ontology.reasons`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.ontology.class_clashes import ClassClashes
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.demands import Demand, ImpliedRole, implied_roles, role_demands
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.excluded_pairs import depends_on_pairs, excluded_pairs
from hybridkg.ontology.normal_form import BOTTOM, TOP
from hybridkg.ontology.not_followed import axioms_not_followed
from hybridkg.ontology.saturation import Members, member_table
from hybridkg.types import (
    TARGETS,
    VERDICTS,
    BoolArray,
    ByteArray,
    IntArray,
    Target,
    Verdict,
)

#: Whether a type counts as known when asserted (or following from asserted types by
#: class axioms), or when entailed by facts as well.
TypesName: TypeAlias = Literal["asserted", "entailed"]

OK, UNTYPED, UNSUPPORTED, IMPOSSIBLE = range(4)


@dataclass(frozen=True, eq=False)
class Masks:
    """Verdict codes of every candidate of every slot, as indices into ``VERDICTS``."""

    closure: Closure
    types: TypesName
    #: (entities,) row of the code table's second axis: entities alike in all types.
    signature: IntArray
    #: target -> (relations,) row of the code table's first axis.
    slots: dict[Target, IntArray]
    #: (relations,) row of the demands on an entity that fills both ends.
    loops: IntArray
    #: (distinct demands, signatures) verdict codes.
    table: ByteArray
    #: role -> what its ends must belong to.
    demands: Sequence[Sequence[Demand]]
    #: role -> roles that follow from it.
    implied: Sequence[Sequence[ImpliedRole]]
    #: axioms that the codes do not take into account for a candidate.
    unused: tuple[UnusedAxiom, ...]
    #: True where every rule that the closure has is followed from a candidate too.
    follows_all: bool
    #: False where no axiom can make any candidate impossible: the audit is vacuous then.
    can_contradict: bool

    @property
    def complete(self) -> bool:
        """False where some axiom is not taken into account for candidates."""
        return not self.unused

    def codes(self, target: Target, relation: int, anchor: int | None = None) -> ByteArray:
        """Return the verdict code of every entity as answer of a query.

        Args:
            target: the end that is asked for.
            relation: the graph's relation id.
            anchor: the entity that is given; where it is named, axioms about pairs count too, and
                so does what an entity at both ends must be.

        Returns:
            (entities,) indices into ``VERDICTS``.
        """
        codes: ByteArray = self.table[self.slots[target][relation]][self.signature]
        if anchor is not None:
            if self.table[self.loops[relation], self.signature[anchor]] == IMPOSSIBLE:
                codes[anchor] = IMPOSSIBLE
            excluded = self._excluded_pairs(target, relation, anchor)
            if excluded is not None:
                codes[excluded] = IMPOSSIBLE
        return codes

    def all_codes(self, target: Target) -> ByteArray:
        """Return the (relations, entities) codes of one target, no anchor given."""
        rows: ByteArray = self.table[self.slots[target]][:, self.signature]
        return rows

    def triple_codes(self, triples: IntArray) -> ByteArray:
        """Judge both ends of (n, 3) triples of the graph's ids, the worse one counts."""
        h, r, t = triples[:, 0], triples[:, 1], triples[:, 2]
        heads = self.table[self.slots["head"][r], self.signature[h]]
        tails = self.table[self.slots["tail"][r], self.signature[t]]
        codes: ByteArray = np.maximum(heads, tails)
        loops = (h == t) & (self.table[self.loops[r], self.signature[h]] == IMPOSSIBLE)
        codes[loops] = IMPOSSIBLE
        if self.depends_on_anchor:
            for place, (head, relation, tail) in enumerate(triples.tolist()):
                excluded = self._excluded_pairs("tail", relation, head)
                if excluded is not None and excluded[tail]:
                    codes[place] = IMPOSSIBLE
        return codes

    def triple_verdict(self, head: str, relation: str, tail: str) -> Verdict:
        """Judge both ends of one labelled triple.

        Raises:
            UnknownNameError: the graph has no such entity or relation.
        """
        triple = self.closure.kg.ids([(head, relation, tail)])
        return VERDICTS[int(self.triple_codes(triple)[0])]

    def asks(self, target: Target, relation: int) -> tuple[str, ...]:
        """Return the named classes that a slot asks for, sorted."""
        normal = self.closure.base.normal
        return tuple(sorted({normal.classes[d.cls] for d in self._named_demands(target, relation)}))

    def _named_demands(self, target: Target, relation: int) -> list[Demand]:
        role, n_named = int(self.closure.base.role_of[relation]), self.closure.base.normal.n_named
        return [d for d in self.demands[role] if d.side == target and d.cls < n_named]

    @property
    def depends_on_anchor(self) -> bool:
        """True where axioms about pairs, such as irreflexivity, look at the anchor too."""
        return depends_on_pairs(self.closure.base.normal)

    def _excluded_pairs(self, target: Target, relation: int, anchor: int) -> BoolArray | None:
        if not self.depends_on_anchor:
            return None
        ways = {
            (way.role, way.flipped ^ (target == "head"))
            for way in self.implied[int(self.closure.base.role_of[relation])]
        }
        return excluded_pairs(self.closure, ways, anchor)


def build_masks(closure: Closure, *, types: TypesName = "asserted") -> Masks:
    """Judge every entity for every slot of every relation.

    Args:
        closure: of the training triples and asserted types.
        types: which types count as known; see ``TypesName``.

    Raises:
        ConfigError: ``types`` is neither "asserted" nor "entailed".
    """
    if types not in ("asserted", "entailed"):
        raise ConfigError(f"types {types!r}; expected 'asserted' or 'entailed'")
    normal = closure.base.normal
    known = closure.known_members if types == "asserted" else closure.members
    axis = closure.saturation.nodes.stand_ins
    signature, known_rows, entailed_rows = _signatures(
        known, closure.members, axis, closure.kg.n_entities
    )
    demands, implied = role_demands(normal), implied_roles(normal)
    slots, loops, asked = _distinct_slots(closure, demands)
    not_followed = axioms_not_followed(closure.base, demands, implied)
    table = _closed_world_codes(known_rows, asked, axis, normal.n_named)
    clash = ClassClashes(normal, closure.saturation)
    for row, classes in enumerate(asked):
        if classes and clash.possible:
            table[row, clash.with_demand(entailed_rows, classes)] = IMPOSSIBLE
    return Masks(
        closure,
        types,
        signature,
        slots,
        loops,
        table,
        demands,
        implied,
        (*normal.unused, *not_followed),
        not not_followed,
        clash.possible or depends_on_pairs(normal),
    )


def _signatures(
    known: Members, entailed: Members, axis: Sequence[int], n_entities: int
) -> tuple[IntArray, BoolArray, BoolArray]:
    """Group entities that are alike in all types.

    Args:
        known: types that count as known.
        entailed: types that follow.
        axis: classes of the second axis of the results.
        n_entities: number of entities.

    Returns:
        (entities,) group, and the (groups, classes) known and entailed types of each.
    """
    # Eight classes share a byte, so that many classes times many entities stay small.
    packed = [
        np.packbits(member_table(members, axis[start : start + 8], n_entities), axis=0)
        for members in (known, entailed)
        for start in range(0, len(axis), 8)
    ]
    columns = np.ascontiguousarray(np.concatenate(packed).T)
    rows = columns.view(np.dtype((np.void, columns.shape[1]))).ravel()
    _, first, group = np.unique(rows, return_index=True, return_inverse=True)
    tables = []
    for members in (known, entailed):
        tables.append(np.stack([members.row(cls)[first] for cls in axis], axis=1))
    return group.astype(np.int32).ravel(), tables[0], tables[1]


def _distinct_slots(
    closure: Closure, demands: Sequence[Sequence[Demand]]
) -> tuple[dict[Target, IntArray], IntArray, list[tuple[int, ...]]]:
    """Number the distinct demands of all slots, and of both slots of a relation together."""
    numbers: dict[tuple[int, ...], int] = {(): 0}

    def rows(sides: tuple[Target, ...]) -> IntArray:
        found = []
        for role in closure.base.role_of.tolist():
            asked = {d.cls for d in demands[role] if d.side in sides and d.cls != TOP}
            found.append(numbers.setdefault(tuple(sorted(asked)), len(numbers)))
        return np.array(found, dtype=np.int32)

    slots = {target: rows((target,)) for target in TARGETS}
    loops = rows(TARGETS)
    return slots, loops, list(numbers)


def _closed_world_codes(
    known: BoolArray, asked: list[tuple[int, ...]], axis: tuple[int, ...], n_named: int
) -> ByteArray:
    """Code ok, untyped and unsupported for (distinct demands, signatures).

    Args:
        known: (signatures, classes of the axis).
        asked: classes that a slot asks for, of every distinct slot.
        axis: the classes of the second axis of ``known``.
        n_named: classes from here on have no name.
    """
    place = {cls: column for column, cls in enumerate(axis) if BOTTOM < cls < n_named}
    typed = known[:, list(place.values())].any(axis=1)
    table = np.zeros((len(asked), len(known)), dtype=np.uint8)
    for row, classes in enumerate(asked):
        # What an expression without a name asks for can hardly be known; it only contradicts.
        named = [place[cls] for cls in classes if cls in place]
        missing = ~known[:, named].all(axis=1)
        table[row, missing & typed] = UNSUPPORTED
        table[row, missing & ~typed] = UNTYPED
    return table
