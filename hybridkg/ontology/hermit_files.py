"""HermiT on a whole file: what the engines here cannot use counts too."""

from __future__ import annotations

from pathlib import Path

from hybridkg.errors import OntologyError
from hybridkg.graph.tsv import open_bytes
from hybridkg.ontology.hermit import HermitOptions, HermitResult, check_statements

_PACKED = {".gz", ".xz", ".bz2"}


def check_file(path: str | Path, *, options: HermitOptions | None = None) -> HermitResult:
    """Ask HermiT for all that follows from an ontology file; names are its IRIs.

    Owlready2's own loader is left aside: it takes no Turtle, and fetches imports. Here imports
    are left out, so that nothing is fetched.

    Args:
        path: Turtle, N-Triples, N-Quads, TriG, RDF/XML or JSON-LD, plain, gzip, xz or bzip2; the
            suffix names the syntax.
        options: memory, time and program.

    Raises:
        DataError: the file cannot be read or unpacked.
        MissingExtraError: neither Java nor the extra that brings it is there.
        OntologyError: the file is no RDF, or HermiT refuses it, or runs out of time or memory.
    """
    return check_statements(statements_of(path), options=options)


def statements_of(path: str | Path) -> str:
    """Return the statements of an RDF file as N-Triples, named graphs united.

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: its suffix or its content is none of the syntaxes.
    """
    from pyoxigraph import RdfFormat, Triple, parse, serialize

    file = Path(path)
    suffixes = [suffix for suffix in file.suffixes if suffix not in _PACKED]
    suffix = suffixes[-1].lstrip(".") if suffixes else ""
    syntax = RdfFormat.RDF_XML if suffix == "owl" else RdfFormat.from_extension(suffix)
    if syntax is None:
        raise OntologyError(
            f"{path}: the suffix {suffix!r} names no RDF syntax; expected ttl, nt, nq, trig, rdf, "
            "owl or jsonld; convert the file, for example with ROBOT (robot convert)"
        )
    with open_bytes(file) as stream:
        content = stream.read()
    try:
        found = parse(input=content, format=syntax, base_iri=file.resolve().as_uri())
        triples = (Triple(one.subject, one.predicate, one.object) for one in found)
        written = serialize(triples, format=RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError) as error:
        raise OntologyError(
            f"{path}: expected {syntax.name}; {error}; mend the file, or name its syntax by its "
            "suffix"
        ) from error
    return (written or b"").decode("utf-8")
