"""Entry point: one application, its commands, and the exit code of every error."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import typer

from hybridkg import __version__
from hybridkg.cli._exit_codes import BAD_INPUT, INCONSISTENT, INTERRUPTED
from hybridkg.cli._interrupts import was_interrupted
from hybridkg.cli._output import emit, note, printable
from hybridkg.cli.audit import audit
from hybridkg.cli.candidates import candidates
from hybridkg.cli.closure import closure
from hybridkg.cli.compare import compare
from hybridkg.cli.datasets import datasets
from hybridkg.cli.demo import demo
from hybridkg.cli.evaluate import evaluate
from hybridkg.cli.explain import explain
from hybridkg.cli.inspect import inspect
from hybridkg.cli.oracle import oracle
from hybridkg.cli.rules import rules
from hybridkg.cli.split import split
from hybridkg.cli.train import train
from hybridkg.errors import HybridKGError, InconsistentOntologyError

app = typer.Typer(
    name="hybridkg",
    help=(
        "Symbolic and neural knowledge-graph completion on one table.\n\n"
        "Exit codes: 0 fine, 1 findings (leaks, violations over a limit), 2 bad input or usage, "
        "3 inconsistent data."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(shown: bool) -> None:
    if shown:
        print(f"hybridkg {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """Take the options that stand before a command."""


app.command()(demo)
app.command()(datasets)
app.command()(inspect)
app.command()(split)
app.command()(closure)
app.command()(explain)
app.command()(train)
app.command()(candidates)
app.command()(evaluate)
app.command()(compare)
app.command()(oracle)
app.command()(audit)
app.add_typer(rules, name="rules")


def run() -> None:
    """Run the command line; every expected error is one sentence and an exit code.

    After Ctrl-C nothing but the interruption is told: :mod:`hybridkg.__main__` does that.
    """
    try:
        app()
    except InconsistentOntologyError as error:
        _leave_with_culprits(error)
    except HybridKGError as error:
        _leave(str(error), BAD_INPUT)
    except SystemExit as leaving:
        # typer turns Ctrl-C into this exit code without a word.
        if leaving.code == INTERRUPTED:
            _leave("interrupted; what was finished before is kept", INTERRUPTED)
        raise
    except MemoryError as error:
        _leave(
            f"out of memory ({str(error) or 'no more to be had'}); expected input that fits; take "
            "a part of it, lower a limit such as --max-pairs, or use a machine with more memory",
            BAD_INPUT,
        )
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _leave(f"{place}{error.strerror or error}", BAD_INPUT)


def _leave_with_culprits(error: InconsistentOntologyError) -> NoReturn:
    """Print the contradiction first, and what is to blame for all of it when that is found."""
    if was_interrupted():
        sys.exit(INTERRUPTED)
    print(f"error: {printable(str(error))}", file=sys.stderr, flush=True)
    facts = [" ".join(triple) for triple in error.triples]
    facts += [f"{entity} type {name}" for entity, name in error.types]
    if facts:
        shown = "; ".join(facts[:20]) + (f"; and {len(facts) - 20} more" if facts[20:] else "")
        bound = "" if error.blamed.complete else ", at least"
        note(
            f"to blame over all minimal sets{bound}: {len(error.triples)} triples and "
            f"{len(error.types)} types ({printable(shown)})"
        )
    found = {
        "clashing": error.clashing,
        "culprit_sets": error.culprits,
        "triples": error.triples,
        "types": error.types,
    }
    if "--json" in sys.argv:
        document = {"error": str(error), "exit_code": INCONSISTENT, **found}
        emit(document, as_json=True, text="")
    sys.exit(INCONSISTENT)


def _leave(message: str, code: int, **found: Any) -> None:
    """Print one sentence, and the same as JSON where JSON was asked for; then leave."""
    if was_interrupted():
        # Whatever went wrong, it went wrong because of that.
        sys.exit(INTERRUPTED)
    print(f"error: {printable(message)}", file=sys.stderr)
    if "--json" in sys.argv:
        emit({"error": message, "exit_code": code, **found}, as_json=True, text="")
    sys.exit(code)
