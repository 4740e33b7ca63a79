"""Options that several commands share, spelled once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.errors import ConfigError
from hybridkg.types import TARGETS, TIE_POLICIES, Target, TiePolicy

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Ties = Annotated[
    str,
    typer.Option(help="Tie policy: expected, optimistic, pessimistic, realistic, or all of them."),
]
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


def tie_policies(text: str) -> list[TiePolicy]:
    """Return the tie policies that an option asks for.

    Raises:
        ConfigError: there is no such policy.
    """
    if text == "all":
        return list(TIE_POLICIES)
    found = [policy for policy in TIE_POLICIES if policy == text]
    if not found:
        raise ConfigError(f"--ties {text!r}; expected all or one of {', '.join(TIE_POLICIES)}")
    return found


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
