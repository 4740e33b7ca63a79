"""What is wrong with broken RDF, as one sentence with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hybridkg.errors import OntologyError
from hybridkg.graph.statements import BLANK, LITERAL, QUOTED

_PLACE = re.compile(r"Parser error at line \d+ (?:column \d+|between columns? .*? and .*?): ")
#: What the grammar of RDF keeps out of IRIs; lone surrogates have no bytes.
NO_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\ud800-\udfff]')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def refuse_bad_iris(
    terms: Iterable[str],
    path: str | Path,
    content: bytes,
    syntax: str,
    *,
    line: int | None = None,
) -> None:
    """Refuse IRIs that break the grammar of RDF; the line is for those that are escaped."""
    for term in terms:
        if term.startswith((BLANK, LITERAL, QUOTED)):
            continue
        bad = NO_IRI.search(term)
        if bad:
            raise bad_iri(path, syntax, term, f"the character {bad[0]!r}", content, line)
        if not _SCHEME.match(term):
            raise bad_iri(path, syntax, term, "a relative name", content, line)


def bad_iri(
    path: str | Path,
    syntax: str,
    term: str,
    what: str,
    content: bytes,
    line: int | None = None,
) -> OntologyError:
    """Say what is wrong with an IRI, at the first line that has the end of it."""
    # The end of an IRI is in the file where its start is a prefix or left out.
    tail = re.split("[#/]", term)[-1] or term
    at = content.find(tail.encode(errors="replace"))
    line = content.count(b"\n", 0, at) + 1 if at >= 0 else line
    return sentence(path, syntax, line, f"{what}, which no IRI may have, in {term!r}")


def refusal(path: str | Path, syntax: str, error: SyntaxError, content: bytes) -> OntologyError:
    """Put what pyoxigraph says of a text into one sentence, with the line shown."""
    reason = _plain_words(_PLACE.sub("", str(error.msg)))
    line = error.lineno
    if line is None:
        return sentence(path, syntax, None, reason)
    lines = content.split(b"\n")
    line = min(line, len(lines))
    while line > 1 and not lines[line - 1].strip():
        # A cut file is complained of at its very end.
        line -= 1
    shown = lines[line - 1].decode("utf-8", errors="replace").strip()
    shown = shown if len(shown) <= 80 else shown[:77] + "..."
    return sentence(path, syntax, line, f"{reason} in {shown!r}")


def _plain_words(reason: str) -> str:
    """Reword what a parser says most often."""
    undeclared = re.fullmatch(r"The prefix (.*) has not been declared", reason)
    if undeclared:
        return f"the prefix {undeclared[1]!r} is not declared"
    character = re.fullmatch(r"Invalid IRI code point '(.*)'", reason, re.DOTALL)
    if character:
        return f"the character {character[1]!r}, which no IRI may have,"
    return reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason


def sentence(path: str | Path, syntax: str, line: int | None, reason: str) -> OntologyError:
    """Say that a file is not of a syntax, and why."""
    place = f"{path}:{line}" if line else str(path)
    return OntologyError(
        f"{place}: expected {syntax}; {' '.join(reason[:300].split())}; nothing was loaded. "
        "Mend the file, or download it again if it was cut"
    )
