"""hybridkg: symbolic and neural knowledge-graph completion on one table."""

__version__ = "0.1.0"
