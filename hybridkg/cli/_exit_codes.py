"""Exit codes of the commands."""

from __future__ import annotations

FINE, FINDINGS, BAD_INPUT, INCONSISTENT, INTERRUPTED = 0, 1, 2, 3, 130
