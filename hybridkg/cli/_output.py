"""What every command prints: one JSON document, or text; warnings go to standard error."""

from __future__ import annotations

import json as json_module
import math
import os
import sys
from typing import Any

from hybridkg._io import escape_controls
from hybridkg.errors import DataError


def emit(document: dict[str, Any], *, as_json: bool, text: str) -> None:
    """Print the document as JSON, or the text; nothing else goes to standard output.

    A reader that closes the pipe early has seen enough: that is no error.

    Args:
        document: keys in snake case; NaN and infinities become null.
        as_json: True for the document.
        text: what people read.

    Raises:
        DataError: standard output cannot be written, on a full disk for example.
    """
    if as_json:
        text = json_text(document)
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _close_output()
    except OSError as error:
        _close_output()
        raise DataError(f"standard output cannot be written ({error.strerror})") from error


def json_text(document: dict[str, Any]) -> str:
    """Spell a document as JSON; NaN and infinities become null."""
    return json_module.dumps(_finite(document), indent=1, ensure_ascii=False, allow_nan=False)


def _close_output() -> None:
    """Send the rest to nowhere, so that the interpreter does not complain again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def note(message: str) -> None:
    """Print one remark on progress to standard error."""
    print(message, file=sys.stderr)


def shows_progress() -> bool:
    """Tell whether somebody watches: progress bars are for terminals."""
    return sys.stderr.isatty()


def printable(value: Any) -> Any:
    """Return a document with the control characters of all its texts shown, for people to read."""
    if isinstance(value, str):
        return escape_controls(value)
    if isinstance(value, dict):
        return {printable(key): printable(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [printable(part) for part in value]
    return value


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
