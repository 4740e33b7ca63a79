"""Options that several commands share, spelled once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hybridkg.errors import ConfigError
from hybridkg.types import FOREIGN_TIE_POLICIES, TARGETS, TIE_POLICIES, Target, TiePolicy

if TYPE_CHECKING:
    from hybridkg.ontology.normalise import Profile

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Ties = Annotated[
    str,
    typer.Option(
        help=(
            "Tie policy: expected, optimistic, pessimistic, realistic, or all of these; those of "
            "other tools are rounded_mean and absent_zero_optimistic, absent_zero_realistic, "
            "absent_zero_pessimistic. Several are separated by commas."
        )
    ),
]
#: What an evaluation asks; without one the default that its help names counts.
Split = Annotated[str | None, typer.Option(help="Split whose triples are asked; test by default.")]
Filter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        help="Known answers: all (train+valid+test, the default), train+valid, train, none.",
    ),
]
Pool = Annotated[
    str | None,
    typer.Option(
        "--candidates",
        help="all entities (default), those of train, or a FILE that `candidates` wrote.",
    ),
]
Unseen = Annotated[
    str | None,
    typer.Option(
        help="keep (default) or drop test triples with entities or relations unseen in train."
    ),
]
Targets = Annotated[str | None, typer.Option(help="both (default), tail or head.")]
OntologyFile = Annotated[
    Path | None, typer.Option("--ontology", help="OWL file; by default the data set's schema.ttl.")
]
Namespaces = Annotated[
    list[str] | None,
    typer.Option(
        "--namespace",
        help="IRI before the labels, for all kinds or as entity=IRI, class=IRI, relation=IRI.",
    ),
]
IriMap = Annotated[
    Path | None, typer.Option("--iri-map", help="Table of label and IRI, tab-separated.")
]

SetAside = Annotated[
    bool,
    typer.Option(
        "--set-aside-culprits",
        help="Reason without the facts that contradict the ontology; they are listed.",
    ),
]
ProfileName = Annotated[
    str, typer.Option("--profile", help="Axiom kinds that are used: el+ or el.")
]
TypesFile = Annotated[Path | None, typer.Option("--types-file", help="Table of entity and class.")]
Engine = Annotated[str, typer.Option(help="auto, matrix, nemo or hermit.")]
UniqueNames = Annotated[
    bool, typer.Option("--unique-names", help="Two names never mean one individual.")
]
MaxPairs = Annotated[
    int | None, typer.Option(help="Pairs that the closure of one relation may have.")
]


def profile_named(name: str) -> Profile:
    """Return a profile by its name.

    Raises:
        ConfigError: there is none of that name.
    """
    if name not in ("el+", "el"):
        raise ConfigError(f"profile {name!r}; expected 'el+' or 'el'")
    return cast("Profile", name)


def refuse_without_ontology(options: Mapping[str, object]) -> None:
    """Refuse options that only matter where an ontology is used.

    Args:
        options: option -> something true where it was given.

    Raises:
        ConfigError: one was given.
    """
    given = [option for option, value in options.items() if value]
    if given:
        raise ConfigError(
            f"{', '.join(given)} without an ontology would change nothing; expected --ontology "
            "FILE beside it; name the ontology or leave the option out"
        )


def refuse_below_one(options: Mapping[str, int | None]) -> None:
    """Refuse numbers that leave nothing to show.

    Raises:
        ConfigError: a number is below 1.
    """
    for option, value in options.items():
        if value is not None and value < 1:
            raise ConfigError(f"{option} {value}; expected 1 or more")


def tie_policies(text: str) -> list[TiePolicy]:
    """Return the tie policies that an option asks for, each once, in the order of the option.

    Args:
        text: names separated by commas; "all" stands for the four that are no other tool's.

    Raises:
        ConfigError: there is no such policy.
    """
    known = {policy: (policy,) for policy in (*TIE_POLICIES, *FOREIGN_TIE_POLICIES)}
    found: dict[TiePolicy, None] = {}
    for name in (part.strip() for part in text.split(",")):
        policies = TIE_POLICIES if name == "all" else known.get(cast("TiePolicy", name))
        if policies is None:
            raise ConfigError(
                f"--ties {text!r}; expected all or one of {', '.join(known)}, or several of them "
                "separated by commas"
            )
        found |= dict.fromkeys(policies)
    return list(found)


def given_protocol(
    *,
    split: str | None,
    known: str | None,
    unseen: str | None,
    targets: str | None,
    pool: str | None = None,
) -> dict[str, Any]:
    """Return the options of a protocol that were given, by the evaluator's names.

    Raises:
        ConfigError: targets are not both, tail or head; the evaluator checks the others.
    """
    options = {
        "split": split,
        "filter_name": known,
        "candidates": pool,
        "unseen": unseen,
        "targets": asked_targets(targets) if targets is not None else None,
    }
    return {option: value for option, value in options.items() if value is not None}


def asked_targets(text: str) -> tuple[Target, ...]:
    """Return the targets that ``--targets`` asks for.

    Raises:
        ConfigError: not both, tail or head.
    """
    if text == "both":
        return TARGETS
    found = tuple(target for target in TARGETS if target == text)
    if not found:
        raise ConfigError(f"--targets {text!r}; expected both, tail or head")
    return found


#: Suffix of an amount of memory -> bytes.
_UNITS = {
    "": 2**20,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
}


def n_bytes(option: str, text: str) -> int:
    """Read an amount of memory; a number alone counts mebibytes.

    Raises:
        ConfigError: no number above zero, or an unknown unit.

    >>> n_bytes("--memory", "1.5GiB"), n_bytes("--memory", "2")
    (1610612736, 2097152)
    """
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ").strip()
    unit = text[len(number) :].strip().lower()
    unit = f"{unit[0]}ib" if unit in ("k", "m", "g") else unit
    try:
        amount = float(number) * _UNITS[unit]
    except (KeyError, ValueError):
        amount = 0.0
    if not 1 <= amount < 2**62:
        raise ConfigError(f"{option} {text!r}; expected an amount such as 500MiB, 2GiB or 3GB")
    return int(amount)
