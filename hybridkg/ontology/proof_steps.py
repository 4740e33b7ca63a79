"""What a proof is made of: facts over node numbers, and single applications of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """A node belongs to a class."""

    node: int
    cls: int


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A role relates two nodes."""

    role: int
    source: int
    target: int


@dataclass(frozen=True, slots=True, order=True)
class Exists:
    """An anonymous node exists, since links lead to it from an individual."""

    node: int


@dataclass(frozen=True, slots=True, order=True)
class Clash:
    """A node has contradictory classes or links."""

    node: int


Fact: TypeAlias = Member | Link | Exists | Clash


@dataclass(frozen=True, slots=True)
class Step:
    """One application of one rule."""

    #: the rule, named as its piece of the normal form, or in words where it has none.
    rule: str
    conclusion: Fact
    premises: tuple[Fact, ...]
    #: the piece of the normal form that was applied, its axiom left off; empty where it has none.
    piece: tuple[object, ...] = ()
    #: numbers of the axioms it rests on.
    axioms: tuple[int, ...] = ()
