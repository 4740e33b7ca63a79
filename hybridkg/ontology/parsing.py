"""Hand RDF text to rdflib, and turn what it says of broken text into one sentence."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from hybridkg.errors import OntologyError
from hybridkg.graph.read import rdf_suffix

if TYPE_CHECKING:
    from rdflib import Graph

#: rdflib's name of a syntax -> its own.
_SYNTAXES = {"turtle": "Turtle", "xml": "RDF/XML", "nt": "N-Triples", "json-ld": "JSON-LD"}
#: Characters that the value of an XML entity may have; a namespace has fewer, and a long value
#: named often would fill the memory.
MAX_ENTITY = 1_000
#: References that stand for one character only.
_REFERENCE = re.compile(r"&(?!#|amp;|lt;|gt;|quot;|apos;)")
#: Place in front of a message of rdflib's RDF/XML reader.
_XML_PLACE = re.compile(r"[^:\s]*:(\d+):\d+: (.*)", re.DOTALL)


def parse_rdf(text: str, syntax: str, path: str | Path) -> Graph:
    """Parse text into an rdflib graph.

    Args:
        text: the whole file.
        syntax: "turtle", "xml", "nt" or "json-ld".
        path: the file, for messages and as the base of relative IRIs.

    Raises:
        OntologyError: the text is not of this syntax, or its DOCTYPE asks for more than names.
    """
    from rdflib import Graph

    if syntax == "xml":
        refuse_doctype(text, path)
    graph = Graph()
    base = Path(path).resolve().as_uri()
    try:
        with warnings.catch_warnings():
            # rdflib's own JSON-LD reader uses a class that rdflib deprecates.
            warnings.simplefilter("ignore", DeprecationWarning)
            graph.parse(data=text, format=syntax, publicID=base)
    except Exception as error:
        line, reason = _complaint(error)
        place = f"{path}:{line}" if line else str(path)
        advice = "Mend the file, or download it again if it was cut"
        if rdf_suffix(path) in (".nq", ".trig"):
            advice = "Named graphs are not read; convert the file to Turtle or N-Triples"
        raise OntologyError(
            f"{place}: expected {_SYNTAXES[syntax]}; {reason}; nothing was loaded. {advice}"
        ) from error
    return graph


def refuse_doctype(text: str, path: str | Path) -> None:
    """Refuse XML whose DOCTYPE declares anything but short, flat names.

    Entities inside entities grow exponentially when they are spelled out, and what is declared
    elsewhere is never fetched. Namespaces, as editors of ontologies write them, pass.

    Raises:
        OntologyError: with the entity, before anything is spelled out.
    """

    def refuse(what: str) -> None:
        raise OntologyError(
            f"{path}: the DOCTYPE {what}; expected entities that stand for one namespace each; "
            "write the text out in the file, or convert it to Turtle with a tool that you trust"
        )

    def doctype(name: str, system: str | None, public: str | None, inner: bool) -> None:
        if system or public:
            refuse(f"names an external DTD {system or public!r}, which is not fetched")

    def entity(
        name: str,
        parameter: bool,
        value: str | None,
        base: str | None,
        system: str | None,
        public: str | None,
        notation: str | None,
    ) -> None:
        if value is None:
            refuse(f"declares an external entity {name!r} ({system!r}), which is not fetched")
        elif parameter:
            refuse(f"declares a parameter entity {name!r}")
        elif _REFERENCE.search(value):
            refuse(f"declares an entity {name!r} that refers to other entities")
        elif len(value) > MAX_ENTITY:
            refuse(f"declares an entity {name!r} of {len(value):,} characters")

    def root(name: str, attributes: Any) -> None:
        raise _PrologRead

    parser = expat.ParserCreate("utf-8")
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.StartElementHandler = root
    try:
        parser.Parse(text.encode(), True)
    except (_PrologRead, expat.ExpatError):
        # Whatever is broken here is said by the reader of the whole file.
        return


class _PrologRead(Exception):  # noqa: N818 - a signal, caught where it is awaited
    """The first element is reached, so all declarations have been met."""


def _complaint(error: Exception) -> tuple[int | None, str]:
    """Return the line, where it is known, and what is wrong, without line breaks."""
    line: int | None = None
    if isinstance(error, RecursionError):
        reason = "its parts are nested too deeply"
    elif hasattr(error, "_why"):
        line, reason = _turtle_complaint(error)
    elif isinstance(error, json.JSONDecodeError):
        line, reason = error.lineno, error.msg
    elif hasattr(error, "getLineNumber") and hasattr(error, "getMessage"):
        line, reason = error.getLineNumber(), str(error.getMessage())
    else:
        reason = str(error)
        placed = _XML_PLACE.fullmatch(reason)
        if placed:
            line, reason = int(placed[1]), placed[2]
    return line, " ".join(reason[:200].split())


def _turtle_complaint(error: Any) -> tuple[int, str]:
    """Read rdflib's error of Turtle by its parts.

    Its text shows bytes, an empty file name, and a number that counts some lines twice.
    """
    raw, at = bytes(error._str), int(error._i)
    reason = str(error._why)
    if "newline" not in reason:
        # The place is in front of the white space before the token.
        rest = raw[at:]
        skipped = len(rest) - len(rest.lstrip())
        at += skipped if skipped < len(rest) else 0
    line = raw[:at].count(b"\n")
    shown = raw.split(b"\n")[line].decode("utf-8", errors="replace").strip()
    unbound = re.fullmatch(r'Prefix "(.*)" not bound', reason)
    if unbound:
        reason = f"the prefix {unbound[1]!r} is not declared"
    return line + 1, f"{reason} in {shown if len(shown) <= 80 else shown[:77] + '...'!r}"
