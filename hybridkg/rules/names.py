"""Terms of rule lines: which names stand as they are, and how the others are quoted.

A variable is one capital letter. A name is written as it is when a plain
AnyBURL reader would read it back as the same name; any other name is written
as a JSON string in double quotes.
"""

from __future__ import annotations

import json
import re

#: What a plain reader would cut a name at, or drop.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029",]|<=|^\s|\s$|^#')
#: A variable of a rule.
VARIABLE = re.compile(r"[A-Z]")
#: AnyBURL's word for "the other term of this atom": h(X,me_myself_i) is h(X,X).
SELF = "me_myself_i"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def quote(name: str, *, relation: bool = False) -> str:
    """Return a name as it stands in a rule line.

    >>> quote("Q42"), quote("X"), quote("Washington, D.C.")
    ('Q42', '"X"', '"Washington, D.C."')
    """
    plain = len(name) > 1 and not _UNSAFE.search(name) and not (relation and "(" in name)
    plain = plain and name != SELF
    return name if plain else json.dumps(name, ensure_ascii=False)


def unquote(term: str) -> str:
    """Return the name that a term of a rule line stands for.

    Raises:
        ValueError: the term is empty, badly quoted, or a bare single letter.
    """
    if term.startswith('"'):
        if not _QUOTED.fullmatch(term):
            raise ValueError(f"{term!r} starts with a quote, but is no JSON string")
        return str(json.loads(term))
    if len(term) < 2:
        raise ValueError(
            f"{term!r} is neither a variable (one capital letter) nor a name of two or more "
            'characters; a one-letter name is written in double quotes, as "a"'
        )
    return term


def split_outside_quotes(text: str, separator: str) -> list[str]:
    """Split at a separator, except inside double-quoted terms.

    A quote opens a quoted term only where a term can start: at the beginning
    and after a separator, a parenthesis or a comma.
    """
    if '"' not in text:
        return text.split(separator)
    parts, start, place = [], 0, 0
    while place < len(text):
        opens = text[place] == '"' and (place == 0 or text[place - 1] in "(, \t")
        quoted = _QUOTED.match(text, place) if opens else None
        if quoted:
            place = quoted.end()
        elif text.startswith(separator, place):
            parts.append(text[start:place])
            place += len(separator)
            start = place
        else:
            place += 1
    return [*parts, text[start:]]
