"""Files: atomic writing, digests, JSON documents, and the data that travels in the wheel."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybridkg.errors import DataError

#: Read once: asking for it changes it for a moment, which other threads would see.
_UMASK = os.umask(0)
os.umask(_UMASK)
#: Bidirectional classes of characters that turn the direction of what follows.
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that replaces it when the block ends well.

    Args:
        path: the file to write; missing parent folders are created.

    Yields:
        The temporary path, in the same folder, so that the rename is atomic.

    Raises:
        DataError: there is something at that path that is no plain file, or nothing can be
            written there.
    """
    # A link stays, and what it leads to is replaced.
    final = Path(path).resolve()
    if final.exists() and not final.is_file():
        kind = "a folder" if final.is_dir() else "no plain file, but a device or a pipe"
        raise DataError(f"{path} is {kind}; expected the path of a file to write; name another")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", suffix=".part", dir=final.parent)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written ({error.strerror}); expected a path in a folder that can; "
            "name another"
        ) from error
    os.close(handle)
    temporary = Path(name)
    # mkstemp makes the file private; a result file is as readable as any other new file.
    temporary.chmod(0o666 & ~_UMASK)
    try:
        yield temporary
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text with LF line ends, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, document: Any) -> None:
    """Write one JSON document, keys sorted, atomically."""
    write_text(path, json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def read_json(path: str | Path) -> Any:
    """Read one JSON document.

    Raises:
        DataError: the file is missing or is not JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise DataError(f"{path}: expected a JSON document; {error}") from error


def digest_file(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_bytes(*parts: bytes) -> str:
    """Return the SHA-256 over the parts in order, each preceded by its length."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "little"))
        total.update(part)
    return total.hexdigest()


def packaged_file(folder: str, name: str) -> Path:
    """Locate a file of the top-level ``ontologies`` or ``rules`` folder.

    In a wheel these folders lie inside the package, in a checkout beside it.

    Raises:
        DataError: the installation is incomplete.
    """
    package = Path(__file__).resolve().parent
    for root in (package / "_data", package.parent):
        candidate = root / folder / name
        if candidate.is_file():
            return candidate
    raise DataError(f"{folder}/{name} is not part of this installation; reinstall hybridkg")


def escape_controls(text: str) -> str:
    r"""Show control characters as they would be typed, so that no label can steer a terminal.

    Line separators, marks that turn the direction of text, and lone surrogates count too.

    >>> print(escape_controls("a\x1b[31m\tb"))
    a\x1b[31m\x09b
    """
    if text.isprintable():
        return text
    return "".join(_escaped(char) if _is_control(char) else char for char in text)


def _is_control(char: str) -> bool:
    kind = unicodedata.category(char)
    return kind in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(char) in _TURNING


def _escaped(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
