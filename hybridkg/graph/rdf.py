"""RDF files as statements: any syntax of RDF, plain or packed, in one sentence where broken."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridkg.errors import OntologyError
from hybridkg.graph.doctype import refuse_doctype, unfinished_line
from hybridkg.graph.line_syntax import add_lines
from hybridkg.graph.rdf_errors import NO_IRI, bad_iri, refusal, refuse_bad_iris, sentence
from hybridkg.graph.statements import StatementBuilder, statements_of_graph
from hybridkg.graph.syntaxes import START, Syntax, syntax_of
from hybridkg.graph.tsv import open_bytes

if TYPE_CHECKING:
    from pyoxigraph import RdfFormat

#: Place in front of a message of rdflib's RDF/XML reader.
_XML_PLACE = re.compile(r"[^:\s]*:(\d+):\d+: (.*)", re.DOTALL)
_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']""")


def sniff(path: str | Path) -> Syntax:
    """Return the syntax of a file by its first bytes.

    Raises:
        DataError: the file cannot be opened or its archive is damaged.
        OntologyError: the file is of a kind that is known not to be read.
    """
    with open_bytes(path) as stream:
        return syntax_of(stream.read(START), path)


def read_bytes(path: str | Path) -> bytes:
    """Read a file, unpacked where its first bytes name gzip, xz or bzip2.

    Raises:
        DataError: the file is missing or its archive is damaged.
    """
    with open_bytes(path) as stream:
        return stream.read()


def add_document(builder: StatementBuilder, path: str | Path, syntax: Syntax) -> None:
    """Add the statements of an RDF file to a builder; nothing else is read or fetched.

    Args:
        builder: takes the statements as one more document.
        path: the file; relative IRIs are read from its own place.
        syntax: what :func:`sniff` says of it, a syntax of RDF.

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: the text is not of this syntax.
    """
    builder.open_document()
    if syntax == "N-Triples":
        _add_lines_or_turtle(builder, path)
    elif syntax == "Turtle":
        _add_turtle(builder, path, read_bytes(path))
    elif syntax == "RDF/XML":
        _add_xml(builder, path, xml_bytes(path))
    else:
        assert syntax == "JSON-LD", syntax
        _add_json(builder, path, read_bytes(path))


def _add_lines_or_turtle(builder: StatementBuilder, path: str | Path) -> None:
    mark = builder.mark()
    try:
        with open_bytes(path) as stream:
            add_lines(builder, stream, str(path))
    except SyntaxError as error:
        builder.go_back(mark)
        content = read_bytes(path)
        # Every N-Triples line is Turtle, so a later part may be of that syntax.
        try:
            _parse_turtle(builder, path, content)
        except SyntaxError as other:
            if (other.lineno or 0) <= (error.lineno or 0):
                raise refusal(path, "N-Triples", error, content) from error
            raise refusal(path, "Turtle", other, content) from other


def _add_turtle(builder: StatementBuilder, path: str | Path, content: bytes) -> None:
    try:
        _parse_turtle(builder, path, content)
    except SyntaxError as error:
        syntax = "TriG" if str(path).lower().endswith(".trig") else "Turtle"
        raise refusal(path, syntax, error, content) from error


def _parse_turtle(builder: StatementBuilder, path: str | Path, content: bytes) -> None:
    from pyoxigraph import RdfFormat

    text = content.removeprefix(b"\xef\xbb\xbf")
    syntax = "TriG" if str(path).lower().endswith(".trig") else "Turtle"
    _parse(builder, path, text, RdfFormat.TRIG, syntax)


def _parse(
    builder: StatementBuilder, path: str | Path, text: bytes, kind: RdfFormat, syntax: str
) -> None:
    """Parse text; IRIs need not be more than what the grammar of RDF asks for.

    Two number signs or a lone percent sign are against the rules of IRIs, but published
    ontologies have them, and they mean no other IRI. Spaces and brackets never pass.
    """
    from pyoxigraph import parse

    base = Path(path).resolve().as_uri()
    mark = builder.mark()
    try:
        quads = parse(input=text, format=kind, base_iri=base)
        builder.add_quads(quads, str(path))
    except SyntaxError as error:
        if " IRI" not in str(error):
            raise
        builder.go_back(mark)
        quads = parse(input=text, format=kind, base_iri=base, lenient=True)
        builder.add_quads(quads, str(path))
        refuse_bad_iris(builder.terms(), path, text, syntax, line=error.lineno)
    builder.declare(quads.prefixes)


def xml_bytes(path: str | Path) -> bytes:
    """Read an XML file as UTF-8, once its DOCTYPE is found to declare names only.

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: its encoding is unknown or its DOCTYPE asks for more than names.
    """
    content = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    named = _ENCODING.match(content)
    if named and named[1].lower() not in (b"utf-8", b"utf8", b"us-ascii"):
        encoding = named[1].decode()
        try:
            text = content.decode(encoding)
        except (LookupError, UnicodeDecodeError) as error:
            raise OntologyError(
                f"{path}: its first line names the encoding {encoding!r}, in which it cannot be "
                "read; expected UTF-8; convert the file, for example with iconv"
            ) from error
        content = text[: named.start(1)].encode() + b"utf-8" + text[named.end(1) :].encode()
    refuse_doctype(content, path)
    return content


def _add_xml(builder: StatementBuilder, path: str | Path, content: bytes) -> None:
    from pyoxigraph import RdfFormat

    # pyoxigraph takes the end of a cut file for the end of the document.
    broken = unfinished_line(content)
    if broken is not None:
        raise sentence(path, "RDF/XML", *broken)
    try:
        _parse(builder, path, content, RdfFormat.RDF_XML, "RDF/XML")
    except SyntaxError as error:
        base = Path(path).resolve().as_uri()
        line, reason = _xml_complaint(content, str(error), base)
        raise sentence(path, "RDF/XML", line, reason) from error


def _xml_complaint(content: bytes, reason: str, base: str) -> tuple[int | None, str]:
    """Find the line that pyoxigraph does not tell."""
    from rdflib import Graph

    try:
        Graph().parse(data=content, format="xml", publicID=base)
    except Exception as error:
        placed = _XML_PLACE.fullmatch(str(error))
        if placed:
            return int(placed[1]), placed[2]
    return None, reason


def _add_json(builder: StatementBuilder, path: str | Path, content: bytes) -> None:
    from rdflib import Dataset

    try:
        text = content.decode("utf-8-sig")
        _refuse_parts_of_json(json.loads(text), path, content)
        graph = Dataset()
        with warnings.catch_warnings():
            # rdflib's own reader uses a class that rdflib deprecates, and warns of bad IRIs.
            warnings.simplefilter("ignore", DeprecationWarning)
            graph.parse(data=text, format="json-ld", publicID=Path(path).resolve().as_uri())
    except OntologyError:
        raise
    except RecursionError as error:
        raise sentence(path, "JSON-LD", None, "its parts are nested too deeply") from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise sentence(path, "JSON-LD", line, f"no UTF-8 text ({error.reason})") from error
    except json.JSONDecodeError as error:
        raise sentence(path, "JSON-LD", error.lineno, error.msg) from error
    except Exception as error:
        raise sentence(path, "JSON-LD", None, str(error)) from error
    found = statements_of_graph(graph, source=str(path))
    refuse_bad_iris(found.terms, path, content, "JSON-LD")
    builder.add_statements(found)


def _refuse_parts_of_json(node: Any, path: str | Path, content: bytes) -> None:
    """Refuse what JSON-LD would fetch, and names that it would drop without a word."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        if not isinstance(node, dict):
            continue
        context = node.get("@context")
        parts = context if isinstance(context, list) else [context]
        remote = [c for c in parts if isinstance(c, str)] + [
            c["@import"] for c in parts if isinstance(c, dict) and "@import" in c
        ]
        if remote:
            raise OntologyError(
                f"{path}: the JSON-LD context {remote[0]!r} would have to be fetched; "
                "write the context into the file, or convert the file to Turtle"
            )
        name = node.get("@id")
        bad = NO_IRI.search(name) if isinstance(name, str) else None
        if bad:
            raise bad_iri(path, "JSON-LD", str(name), f"the character {bad[0]!r}", content)
        waiting += node.values()
