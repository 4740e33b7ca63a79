"""Run the command line: ``hybridkg``, or ``python -m hybridkg``."""

from __future__ import annotations

from hybridkg.cli import _interrupts


def main() -> None:
    """Load the commands and run; Ctrl-C while they load is no error of theirs."""
    _interrupts.watch()
    try:
        from hybridkg.cli.main import run

        run()
    except BaseException:
        if _interrupts.was_interrupted():
            _interrupts.leave("interrupted; what was finished before is kept")
        raise
    finally:
        _interrupts.ignore()


if __name__ == "__main__":
    main()
