"""Ctrl-C: one sentence and exit code 130, wherever it comes in.

An interruption that meets a library while it loads, or a kernel while it is compiled, may be
swallowed there, come out as another error, or end the process. It therefore waits until that is
over, is remembered, and is repeated until the command stops.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

from hybridkg.cli._exit_codes import INTERRUPTED

#: Seconds until a swallowed interruption is repeated, and between further ones; more than
#: removing temporary files takes.
_AGAIN = (1.0, 0.5)
#: Seconds between two looks at whether a library has loaded.
_WAIT = 0.05
#: Packages whose code must not be stopped half-way.
_DELICATE = ("importlib", "numba", "llvmlite", "_frozen_importlib", "_frozen_importlib_external")
_asked = threading.Event()


def watch() -> None:
    """Remember Ctrl-C from now on; only the main thread can."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _first)


def was_interrupted() -> bool:
    """Tell whether Ctrl-C came in since :func:`watch`."""
    return _asked.is_set()


def ignore() -> None:
    """Let nothing interrupt what is finished, and whose output is written."""
    _stop_repeating()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def leave(message: str) -> NoReturn:
    """Print one sentence, and the same as JSON where JSON was asked for; end the process.

    At once, because libraries that were stopped half-way may not survive an orderly end; files
    are written under temporary names, which are gone by now.
    """
    ignore()
    print(f"error: {message}", file=sys.stderr, flush=True)
    if "--json" in sys.argv:
        print(json.dumps({"error": message, "exit_code": INTERRUPTED}, indent=1))
    sys.stdout.flush()
    if was_interrupted():
        os._exit(INTERRUPTED)
    sys.exit(INTERRUPTED)


def _first(number: int, frame: FrameType | None) -> None:
    _asked.set()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _again)
    _again(number, frame)


def _again(_: int, frame: FrameType | None) -> None:
    if hasattr(signal, "setitimer"):
        if _is_delicate(frame):
            signal.setitimer(signal.ITIMER_REAL, _WAIT)
            return
        signal.setitimer(signal.ITIMER_REAL, *_AGAIN)
    raise KeyboardInterrupt


def _is_delicate(frame: FrameType | None) -> bool:
    """Tell whether a library is being loaded, or a kernel compiled."""
    while frame is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in _DELICATE:
            return True
        frame = frame.f_back
    return False


def _stop_repeating() -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
