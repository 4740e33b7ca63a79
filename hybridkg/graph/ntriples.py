"""Write statements as N-Triples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hybridkg.graph.statements import BLANK, Statements, literal_text

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


def ntriples_of(
    found: Statements, *, blank: str = "b", rename: Callable[[str], str] = str
) -> Iterator[str]:
    """Yield each statement as a line; named graphs are united.

    Args:
        found: statements of one or more documents.
        blank: start of the labels of blank nodes, which are numbered anew.
        rename: gives the IRI that is written for an IRI.
    """
    terms = [_term(term, f"_:{blank}{n}", rename) for n, term in enumerate(found.terms)]
    columns = (found.subjects, found.predicates, found.objects)
    for s, p, o in zip(*(column.tolist() for column in columns), strict=True):
        # Statements about statements have no place in N-Triples.
        if terms[s] is not None and terms[o] is not None:
            yield f"{terms[s]} {terms[p]} {terms[o]} .\n"


def _term(term: str, label: str, rename: Callable[[str], str]) -> str | None:
    if term.startswith(BLANK):
        return label
    if term.startswith('"'):
        text = literal_text(term)
        rest = term[len(text) + 2 :]
        kind = f"^^<{rest[2:]}>" if rest.startswith("^^") else rest
        return f'"{text.translate(_ESCAPES)}"{kind}'
    return None if term.startswith("<<") else f"<{rename(term)}>"
