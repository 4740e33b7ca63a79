"""Weights on disk: safetensors, never a pickle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import DataError, MissingExtraError
from hybridkg.types import AnyArray


def save_arrays(path: str | Path, arrays: Mapping[str, AnyArray]) -> None:
    """Write named arrays, atomically; equal arrays give equal bytes.

    Raises:
        MissingExtraError: safetensors is not installed.
    """
    try:
        from safetensors.numpy import save
    except ImportError as error:
        raise MissingExtraError("storing weights", "embeddings") from error
    # Without metadata: safetensors writes its entries in random order.
    content = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def load_arrays(path: str | Path, names: tuple[str, ...]) -> tuple[AnyArray, ...]:
    """Read named arrays.

    Raises:
        MissingExtraError: safetensors is not installed.
        DataError: the file is missing, damaged, or holds other arrays.
    """
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load
    except ImportError as error:
        raise MissingExtraError("reading stored weights", "embeddings") from error
    try:
        found = load(Path(path).read_bytes())
    except (OSError, SafetensorError) as error:
        raise DataError(f"{path}: expected a safetensors file; {error}") from error
    if sorted(found) != sorted(names):
        raise DataError(f"{path}: arrays {sorted(found)}, expected {sorted(names)}")
    return tuple(found[name] for name in names)
