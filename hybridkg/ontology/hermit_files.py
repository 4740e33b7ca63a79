"""HermiT on what was read itself: what the engines here cannot use counts too."""

from __future__ import annotations

from pathlib import Path

from hybridkg.graph.ntriples import ntriples_of
from hybridkg.ontology.hermit import HermitOptions, HermitResult, check_statements
from hybridkg.ontology.load import parse_document


def check_file(path: str | Path, *, options: HermitOptions | None = None) -> HermitResult:
    """Ask HermiT for all that follows from an ontology file; names are its IRIs.

    Owlready2's own loader is left aside: it takes no Turtle, and fetches imports. Here imports
    are read from local files, and nothing is fetched.

    Args:
        path: any syntax of :func:`hybridkg.ontology.load.read_ontology`.
        options: memory, time and program.

    Raises:
        DataError: the file cannot be read or unpacked.
        MissingExtraError: neither Java nor the extra that brings it is there.
        OntologyError: the file is no ontology, or HermiT refuses it, or runs out of time or memory.
    """
    return check_statements("".join(ntriples_of(parse_document(path).statements)), options=options)
