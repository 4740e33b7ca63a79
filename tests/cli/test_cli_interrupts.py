"""Ctrl-C while libraries load, and where one swallows it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

#: Runs main() with a command that loads and works as told.
PROGRAM = """
import sys, time
import hybridkg.cli.main as cli
from hybridkg import __main__

def work():
    {work}

cli.run = work
print("ready", flush=True)
__main__.main()
"""


def interrupted(work: str, *options: str) -> tuple[int, str, str]:
    """Send Ctrl-C to a command at work; gives (exit code, standard output, standard error)."""
    program = PROGRAM.format(work=work)
    command = [sys.executable, "-c", program, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(15)",
        # A library that takes an interruption for a failure of its own.
        "\n    try: time.sleep(15)\n    except KeyboardInterrupt: pass\n    time.sleep(15)",
        "\n    try: time.sleep(15)\n    except KeyboardInterrupt: raise ImportError('half loaded')",
        # Inside an import the interruption waits.
        "\n    exec('import time; time.sleep(1.5); print(\"loaded\", flush=True)', "
        "{'__name__': 'numba.core'})\n    time.sleep(15)",
    ],
)
def test_an_interruption_is_one_sentence_wherever_it_comes_in(work: str) -> None:
    code, out, err = interrupted(work)
    assert code == 130
    assert err == "error: interrupted; what was finished before is kept\n"
    assert out == ("loaded\n" if "numba" in work else "")


def test_an_interruption_is_a_document_where_json_was_asked_for() -> None:
    code, out, err = interrupted("time.sleep(15)", "--json")
    assert (code, json.loads(out)["exit_code"]) == (130, 130)
    assert err == f"error: {json.loads(out)['error']}\n"


def test_what_is_finished_is_not_interrupted() -> None:
    code, out, err = interrupted(
        "\n    import atexit; atexit.register(lambda: (time.sleep(1), print('end', flush=True)))"
    )
    assert (code, out, err) == (0, "end\n", "")
