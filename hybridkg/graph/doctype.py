"""Refuse XML whose DOCTYPE asks for more than names, before anything is spelled out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.parsers import expat

from hybridkg.errors import OntologyError

#: Characters that the value of an XML entity may have; a namespace has fewer, and a long value
#: named often would fill the memory.
MAX_ENTITY = 1_000
#: References that stand for one character only.
_REFERENCE = re.compile(r"&(?!#|amp;|lt;|gt;|quot;|apos;)")


def refuse_doctype(data: bytes, path: str | Path) -> None:
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
        parser.Parse(data, True)
    except (_PrologRead, expat.ExpatError):
        # Whatever is broken here is said by the reader of the whole file.
        return


class _PrologRead(Exception):  # noqa: N818 - a signal, caught where it is awaited
    """The first element is reached, so all declarations have been met."""


def unfinished_line(data: bytes) -> tuple[int, str] | None:
    """Return the line and what is wrong where XML is not well-formed, None where it is."""
    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        return error.lineno, expat.ErrorString(error.code)
    return None
