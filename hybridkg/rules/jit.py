"""The one way in which kernels of this package are compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the machine code beside the module.

    No kernel runs in parallel: results never depend on a thread count. Where
    no folder can be written to, the code is compiled anew in each process.
    """
    try:
        return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast(Kernel, numba.njit(nogil=True)(function))


def drop_stale_code(folder: Path) -> int:
    """Remove kept machine code that is older than any kernel source of a folder.

    Numba looks at a kernel's own file only; after an edit of a kernel that it
    calls from another file, it would go on running the old one.

    Returns:
        Number of kept kernels that were removed.
    """
    removed = 0
    with contextlib.suppress(OSError, ValueError):
        newest = max(source.stat().st_mtime for source in folder.glob("*_kernels.py"))
        for index in (folder / "__pycache__").glob("*_kernels.*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink(missing_ok=True)
                removed += 1
    return removed


drop_stale_code(Path(__file__).parent)
