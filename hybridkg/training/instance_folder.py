"""The folder of an instance: whose it is, who trains into it now, whether it can be written.

One process at a time trains into a folder. It holds a lock on a file in it,
which the operating system releases when the process ends, however it ends. On
a system or file system without such locks (Windows, some network file systems)
nothing keeps two processes apart; a line of the progress says so.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hybridkg.errors import TrainingError

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

#: Written last: a folder that has it is whole.
MANIFEST = "manifest.json"
#: Stands in the folder while an instance is being trained; marks the folder as ours to clear.
UNFINISHED = "unfinished.json"
#: Locked by the process that trains into the folder; it holds the process's number.
LOCK = "training.lock"

_NO_LOCKS = "no file locks in this place; do not train into it from two processes at once"


def holds_manifest(root: Path) -> bool:
    """Tell whether the folder has a manifest; False as well where that cannot be seen."""
    # Path.is_file raises in a folder that may not be entered, and not in all versions.
    return os.access(root / MANIFEST, os.F_OK)


def holds_leftovers(root: Path) -> bool:
    """Tell whether a folder without a manifest holds what an interrupted training left."""
    return not holds_manifest(root) and any(name != LOCK for name in _names(root))


def refuse_foreign(root: Path) -> None:
    """Refuse a folder with files that no training of an instance can have left.

    Raises:
        TrainingError: naming one of the files.
    """
    names = _names(root)
    if MANIFEST in names or UNFINISHED in names:
        return
    # A training that is killed at its very start leaves the lock, or the mark half written.
    foreign = [name for name in names if name != LOCK and not name.startswith(f".{UNFINISHED}")]
    if foreign:
        raise TrainingError(
            f"{root}: holds {foreign[0]!r} but no {MANIFEST} and no {UNFINISHED}, so it is no "
            "instance; choose another out or label, or empty the folder"
        )


def refuse_unwritable(folder: Path) -> None:
    """Make a folder where it is missing, and refuse one in which no file can be made.

    Raises:
        TrainingError: saying what stands in the way.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        existing = next(
            (one for one in (folder, *folder.parents) if os.access(one, os.F_OK)), folder
        )
        reason = (
            f"{existing} is a file, and not a folder"
            if existing.is_file()
            else f"{existing}: {error.strerror}"
        )
        raise TrainingError(
            f"{folder}: cannot be written ({reason}); expected a folder, or a place where one can "
            "be made. Choose another out in the spec, or make room there"
        ) from error


@contextlib.contextmanager
def claim_folder(root: Path, report: Callable[[str], None] = lambda line: None) -> Iterator[None]:
    """Keep a folder for this process inside the block; make it where it is missing.

    Args:
        root: the folder of an instance.
        report: takes a line where the place knows no locks.

    Raises:
        TrainingError: another process has it, it holds something else, or cannot be written.
    """
    refuse_foreign(root)
    refuse_unwritable(root)
    if fcntl is None:
        report(_NO_LOCKS)
        yield
        return
    path = root / LOCK
    try:
        handle = _lock(path, report)
    except OSError as error:
        raise TrainingError(
            f"{path}: cannot be written ({error.strerror}); remove it, or choose another out"
        ) from error
    try:
        yield
    finally:
        # Removed while it is locked: who opened it before finds that it is gone, see _lock.
        path.unlink(missing_ok=True)
        os.close(handle)


def clear_folder(root: Path) -> None:
    """Empty a claimed folder of what an interrupted training left.

    Raises:
        TrainingError: it holds a finished instance, or something else.
    """
    if holds_manifest(root):
        raise TrainingError(f"{root}: holds a finished instance; remove it to train it again")
    refuse_foreign(root)
    # The mark goes last: a clearing that is interrupted can be taken up again.
    for name in sorted(_names(root), key=lambda name: name == UNFINISHED):
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif name != LOCK:
            path.unlink()


def _lock(path: Path, report: Callable[[str], None]) -> int:
    """Return an open descriptor of the lock file, locked where the system can."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 200, 0).decode(errors="replace") or "another process"
            os.close(handle)
            raise TrainingError(
                f"{path.parent}: in use by {holder}, which trains it; wait for its end, and run "
                "the training again if anything is missing then"
            ) from None
        except OSError:
            report(_NO_LOCKS)
        # The holder before may have removed the file between its opening and its locking here.
        if _is_still(path, handle):
            os.truncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
            return handle
        os.close(handle)


def _is_still(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _names(root: Path) -> list[str]:
    """Return the sorted names in a folder; none where it is no folder that can be listed."""
    try:
        return sorted(os.listdir(root))  # noqa: PTH208 (wants iterdir, which gives paths)
    except OSError:
        return []
