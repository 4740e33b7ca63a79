"""Tell the syntax of an ontology or RDF file by its first bytes, whatever its suffix says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal, TypeAlias

from hybridkg.errors import OntologyError
from hybridkg.graph.read import rdf_suffix

Syntax: TypeAlias = Literal[
    "N-Triples", "Turtle", "RDF/XML", "JSON-LD", "OWL functional syntax", "OWL/XML"
]
#: Bytes that are looked at.
START = 1 << 16
#: First bytes of what is not UTF-8 text.
_FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"PAR1": "a Parquet file",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an Office document",
    b"\x89PNG": "an image",
}
_IRI = r'<[^<>"{}|^`\s]*>'
_STATEMENT = re.compile(
    rf"\s*(?:(?:{_IRI}|_:\S+)\s*{_IRI}\s*"
    rf'(?:{_IRI}|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^{_IRI})?)\s*(?:(?:{_IRI}|_:\S+)\s*)?\.\s*)?'
    r"(?:#.*)?$"
)
_COMMENTS = re.compile(r"(?:\s+|#[^\n]*(?:\n|$))*")
_XML_PROLOG = re.compile(
    r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)([\s/>][^>]*)?")
_UNREAD = {
    r"(?:Prefix|Ontology)\s*:": "OWL Manchester syntax",
    r"format-version\s*:": "OBO",
}


def syntax_of(start: bytes, path: str | Path) -> Syntax:
    """Return the syntax that the first bytes of a file are in.

    N-Triples stands for N-Quads too, and Turtle for TriG.

    Args:
        start: the first ``START`` unpacked bytes, or the whole file if that is shorter.
        path: the file, for messages and, where two syntaxes are possible, for its suffix.

    Raises:
        OntologyError: the file is empty or of a kind that is known not to be read.
    """
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise OntologyError(f"{path}: this is {what}; expected an ontology; convert it first")
    if b"\0" in start:
        line = start[: start.index(b"\0")].count(b"\n") + 1
        raise OntologyError(
            f"{path}:{line}: a NUL byte, as binary files have; expected an ontology as UTF-8 text; "
            "give the file itself, not one that a program keeps for its own use"
        )
    text = start.decode("utf-8-sig", errors="replace")
    body = text[_COMMENTS.match(text).end() :]  # type: ignore[union-attr]
    if not text.strip():
        raise OntologyError(f"{path}: the file is empty; expected an ontology")
    if re.match(r"\s*(<!doctype\s+html|<html)", text, re.IGNORECASE):
        raise OntologyError(
            f"{path}: this is an HTML page, not an ontology; download the file itself again"
        )
    for pattern, name in _UNREAD.items():
        if re.match(pattern, body):
            raise OntologyError(
                f"{path}: {name} is not read; convert the file to Turtle or RDF/XML, for example "
                "with ROBOT (robot convert) or Protégé"
            )
    if re.match(r"(?:Prefix|Ontology|Document)\s*\(", body):
        return "OWL functional syntax"
    if body.startswith("<"):
        found = _xml_syntax(body, path)
        if found is not None:
            return found
    if rdf_suffix(path) in (".json", ".jsonld") or re.match(
        r'[\[{]\s*("|[\[{]\s*"|[\]}]\s*$)', body
    ):
        return "JSON-LD"
    return "N-Triples" if _is_lines(text, len(start) < START, path) else "Turtle"


def _xml_syntax(body: str, path: str | Path) -> Syntax | None:
    """Return the kind of XML, or None for what is no XML."""
    prolog = _XML_PROLOG.match(body)
    rest = body[prolog.end() :] if prolog else body
    root = _ROOT.match(rest)
    name, attributes = (root[1], root[2] or "") if root else ("", "")
    if name.lower() == "html":
        raise OntologyError(
            f"{path}: this is an HTML page, not an ontology; download the file itself again"
        )
    is_xml = (prolog is not None and prolog.end() > 0) or body.startswith(("<?", "<!"))
    if not is_xml and name != "RDF" and "xmlns" not in attributes:
        return None
    if name == "Ontology" and re.search(r"ontologyIRI|www\.w3\.org/2002/07/owl#[\"']", attributes):
        return "OWL/XML"
    return "RDF/XML"


def _is_lines(text: str, whole: bool, path: str | Path) -> bool:
    """Tell whether each line is a statement of its own."""
    lines = text.split("\n")
    if not whole and len(lines) > 1:
        # The last line may go on.
        lines.pop()
    if rdf_suffix(path) in (".nt", ".nq"):
        # Only the first statement counts, so that a broken line is told as one of N-Triples.
        first = next((n for n, line in enumerate(lines) if line.strip()[:1] not in ("", "#")), 0)
        lines = lines[: first + 1]
    return all(_STATEMENT.match(line.rstrip("\r")) for line in lines)
