"""Run the command line as ``python -m hybridkg``."""

from hybridkg.cli.main import run

run()
