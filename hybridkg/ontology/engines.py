"""Which engine closes a knowledge base, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hybridkg.errors import UnknownNameError
from hybridkg.ontology import matrix_engine
from hybridkg.ontology.matrix_engine import Announce
from hybridkg.ontology.nemo_engine import saturate_with_nemo
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import IntArray

#: "hermit" closes by matrices, for proofs and verdicts, and has HermiT list what follows.
EngineName: TypeAlias = Literal["auto", "matrix", "nemo", "hermit"]
ENGINES: tuple[EngineName, ...] = ("auto", "matrix", "nemo", "hermit")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The engine that is used."""

    #: "matrix", "nemo" or "hermit".
    name: str = "matrix"
    #: the choice and its reason, one sentence.
    note: str = "matrix engine"


#: What closes a knowledge base that nothing was chosen for.
DEFAULT_ENGINE = EngineChoice()


def choose_engine(
    engine: EngineName, n_individuals: int, n_classes: int, max_stand_ins: int
) -> EngineChoice:
    """Choose an engine.

    Args:
        engine: what was asked for.
        n_individuals: number of individuals.
        n_classes: number of classes, auxiliary ones included.
        max_stand_ins: number of classes above which matrices follow only those in use.

    Raises:
        UnknownNameError: there is no such engine.
    """
    if engine not in ENGINES:
        raise UnknownNameError("engine", engine, ENGINES)
    if engine == "matrix":
        return EngineChoice("matrix", "matrix engine, as asked for")
    if engine == "nemo":
        return EngineChoice("nemo", "Nemo engine, as asked for: the rules of rules/el.rls")
    if engine == "hermit":
        return EngineChoice(
            "hermit",
            "HermiT, as asked for, lists what follows in OWL 2 DL; proofs are by the matrix engine",
        )
    if n_classes > max_stand_ins:
        return EngineChoice(
            "matrix",
            f"matrix engine for {n_individuals:,} individuals, Nemo engine for superclasses: "
            f"{n_classes:,} classes are more than the {max_stand_ins:,} that matrices follow",
        )
    return EngineChoice(
        "matrix",
        f"matrix engine: {n_individuals:,} individuals, and {n_classes:,} classes are at most "
        f"the {max_stand_ins:,} that matrices follow",
    )


def saturate_by(
    choice: EngineChoice,
    normal: NormalForm,
    types: IntArray,
    facts: Mapping[int, IntArray],
    *,
    stand_ins: Sequence[int],
    classes: Sequence[int],
    max_pairs: int,
    announce: Announce | None,
) -> Saturation:
    """Close types and facts by the chosen engine.

    Args:
        choice: the engine.
        normal: the axioms.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.
        stand_ins: classes whose consequences are wanted too.
        classes: classes that can have a member, so that matrices need no other witnesses.
        max_pairs: pairs that the closure of one role may have; Nemo has no such limit.
        announce: told of large results before they are made; Nemo tells nothing.

    Raises:
        ClosureSizeError: a role would relate more pairs than allowed.
        OntologyError: the engine fails.
    """
    if choice.name == "nemo":
        return saturate_with_nemo(normal, normal.n_individuals, types, facts, stand_ins=stand_ins)
    return matrix_engine.saturate(
        normal,
        normal.n_individuals,
        types,
        facts,
        stand_ins=stand_ins,
        classes=classes,
        max_pairs=max_pairs,
        announce=announce,
    )
