"""Run the command line: ``hybridkg``, or ``python -m hybridkg``."""

from __future__ import annotations

import sys


def main() -> None:
    """Load the commands and run; Ctrl-C while they load is no error of theirs."""
    try:
        from hybridkg.cli.main import run
    except KeyboardInterrupt:
        print("error: interrupted before anything was done", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
