"""From the text of one rule to its parts, still by name."""

from __future__ import annotations

from typing import NamedTuple

from hybridkg.rules.names import SELF, VARIABLE, split_outside_quotes, unquote
from hybridkg.rules.spelling import MOST_ATOMS


class Atom(NamedTuple):
    """relation(first,second); a term is a variable letter or a constant's name."""

    relation: str
    #: (is a variable, letter or name) of both places.
    terms: tuple[tuple[bool, str], tuple[bool, str]]


class ParsedRule(NamedTuple):
    """A rule by name; steps are (relation, is read from tail to head)."""

    #: "closed", "constant", "dangling", "zero", "loop_constant" or "loop_dangling".
    kind: str
    head: tuple[str, bool]
    body: tuple[tuple[str, bool], ...]
    head_constant: str | None
    body_constant: str | None
    #: counts of the line, None where it is the rule alone.
    predictions: int | None
    support: int | None
    #: why this well-formed rule is not covered, empty where it is.
    refused: str = ""
    #: further counts, None where the line has none.
    pca_body: int | None = None
    head_size: int | None = None
    #: what the counts mean, where the line tells.
    semantics: str | None = None


def parse_rule(line: str, atoms: dict[str, Atom] | None = None) -> ParsedRule:
    """Take one rule line apart.

    Args:
        line: without its line end.
        atoms: text -> atom of the lines before, is added to; rules of one file share most
            of their atoms.

    Raises:
        ValueError: the line is malformed; the message says what was found.
    """
    columns = split_outside_quotes(line, "\t")
    if len(columns) not in (1, 4):
        raise ValueError(f"{len(columns)} columns, expected 4 or the rule alone")
    predictions = support = None
    if len(columns) == 4:
        predictions, support = count(columns[0]), count(columns[1])
    check_counts(predictions, support)
    sides = split_outside_quotes(f"{columns[-1]} ", " <= ")
    if len(sides) != 2:
        raise ValueError(f"{len(sides) - 1} times ' <= ', expected once between head and body")
    known = {} if atoms is None else atoms
    head = _known_atom(sides[0].strip(), known)
    body = tuple([_known_atom(text, known) for text in _atom_texts(sides[1].strip())])
    return classify(head, body, predictions, support)


def count(text: str) -> int:
    """Return a count of a rule file.

    Raises:
        ValueError: it is no whole number below 2**31.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < 2**31):
        raise ValueError(f"count {shown(text)}, expected a whole number below 2**31")
    return int(text)


def check_counts(predictions: int | None, support: int | None) -> None:
    """Refuse more right predictions than predictions.

    Raises:
        ValueError: there are more.
    """
    if predictions is not None and support is not None and support > predictions:
        raise ValueError(f"support {support} is more than the {predictions} predictions")


def shown(text: str) -> str:
    """Quote a part of a line for a message, cut where it is long."""
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."


def _atom_texts(body: str) -> list[str]:
    if not body:
        return []
    texts = split_outside_quotes(body, "), ")
    return [text + ")" for text in texts[:-1]] + texts[-1:]


def _known_atom(text: str, atoms: dict[str, Atom]) -> Atom:
    atom = atoms.get(text)
    if atom is None:
        atom = atoms[text] = _atom(text)
    return atom


def _atom(text: str) -> Atom:
    relation, opened, rest = _relation(text)
    if not opened or not rest.endswith(")"):
        raise ValueError(f"atom {shown(text)}, expected relation(term,term)")
    terms = split_outside_quotes(rest[:-1], ",")
    if len(terms) != 2:
        raise ValueError(
            f"atom {shown(text)} has {len(terms)} terms, expected 2; a name with a comma is "
            "written in double quotes"
        )
    if SELF in terms:
        terms = [
            other if term == SELF else term for term, other in zip(terms, terms[::-1], strict=True)
        ]
    first, second = (_term(term) for term in terms)
    return Atom(unquote(relation), (first, second))


def _relation(text: str) -> tuple[str, str, str]:
    parts = split_outside_quotes(text, "(")
    return (parts[0], "(" if len(parts) > 1 else "", "(".join(parts[1:]))


def _term(text: str) -> tuple[bool, str]:
    if VARIABLE.fullmatch(text):
        return True, text
    return False, unquote(text)


def classify(
    head: Atom, body: tuple[Atom, ...], predictions: int | None, support: int | None
) -> ParsedRule:
    """Tell the kind of a rule from its atoms; another form is marked as refused."""
    counts = (predictions, support)
    (first_free, first), (second_free, second) = head.terms
    if len(body) > MOST_ATOMS:
        return _refused(head, counts, f"the body has {len(body)} atoms, more than {MOST_ATOMS}")
    if first_free and second_free:
        return _without_constant(head, body, counts)
    if not first_free and not second_free:
        return _refused(head, counts, "the head has no variable")
    variable, constant = (first, second) if first_free else (second, first)
    head_step = (head.relation, not first_free)
    if not body:
        return ParsedRule("zero", head_step, (), constant, None, *counts)
    steps, end = _chain(body, variable)
    if steps is None or len(steps) > 1:
        reason = f"a rule with a constant in its head has one body atom with {variable}"
        return _refused(head, counts, reason)
    kind, body_constant = ("dangling", None) if end[0] else ("constant", end[1])
    return ParsedRule(kind, head_step, steps, constant, body_constant, *counts)


def _without_constant(
    head: Atom, body: tuple[Atom, ...], counts: tuple[int | None, int | None]
) -> ParsedRule:
    (_, first), (_, second) = head.terms
    steps, end = _chain(body, first)
    step = (head.relation, False)
    if first == second:
        if steps is None or len(steps) != 1:
            reason = "a rule with one variable in both places of the head has one body atom with it"
            return _refused(head, counts, reason)
        if end[0]:
            return ParsedRule("loop_dangling", step, steps, None, None, *counts)
        return ParsedRule("loop_constant", step, steps, None, end[1], *counts)
    if steps is None or end != (True, second):
        reason = f"the body is no chain from {first} to {second} through distinct variables"
        return _refused(head, counts, reason)
    return ParsedRule("closed", step, steps, None, None, *counts)


def _chain(
    body: tuple[Atom, ...], start: str
) -> tuple[tuple[tuple[str, bool], ...] | None, tuple[bool, str]]:
    """Order the body atoms as a walk from a variable; None where they are no walk."""
    left, steps = list(body), []
    visited = {(True, start)}
    here = (True, start)
    while left:
        following = [atom for atom in left if here in atom.terms]
        if len(following) != 1:
            return None, here
        atom = following[0]
        left.remove(atom)
        turned = atom.terms[0] != here
        here = atom.terms[0] if turned else atom.terms[1]
        if here in visited or (left and not here[0]):
            return None, here
        visited.add(here)
        steps.append((atom.relation, turned))
    return tuple(steps), here


def _refused(head: Atom, counts: tuple[int | None, int | None], reason: str) -> ParsedRule:
    return ParsedRule("closed", (head.relation, False), (), None, None, *counts, reason)
