"""The one way in which kernels of this package are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a kernel on first use and keep the machine code beside the module.

    No kernel runs in parallel: results never depend on a thread count.
    """
    return cast(Kernel, numba.njit(cache=True, nogil=True)(function))
