"""What every command prints: one JSON document, or text; warnings go to standard error."""

from __future__ import annotations

import json as json_module
import math
import sys
from typing import Any


def emit(document: dict[str, Any], *, as_json: bool, text: str) -> None:
    """Print the document as JSON, or the text; nothing else goes to standard output.

    Args:
        document: keys in snake case; NaN and infinities become null.
        as_json: True for the document.
        text: what people read.
    """
    if as_json:
        print(json_module.dumps(_finite(document), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        print(text)


def warn(message: str) -> None:
    """Print one warning to standard error."""
    print(f"warning: {message}", file=sys.stderr)


def note(message: str) -> None:
    """Print one remark on progress to standard error."""
    print(message, file=sys.stderr)


def shows_progress() -> bool:
    """Tell whether somebody watches: progress bars are for terminals."""
    return sys.stderr.isatty()


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
