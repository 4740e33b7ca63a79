"""Kept machine code never outlives a source that it was made from."""

import os

from hybridkg.rules.jit import drop_stale_code


def test_kept_code_older_than_a_called_kernel_is_dropped(tmp_path):
    for name, age in (("caller_kernels.py", 100), ("called_kernels.py", 10)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1_000_000 - age, 1_000_000 - age))
    kept = tmp_path / "__pycache__" / "caller_kernels.run-1.py311.nbi"
    kept.parent.mkdir()
    kept.touch()
    os.utime(kept, (1_000_000, 1_000_000))
    assert drop_stale_code(tmp_path) == 0
    os.utime(kept, (1_000_000 - 50, 1_000_000 - 50))
    assert drop_stale_code(tmp_path) == 1
    assert not kept.exists()


def test_a_folder_without_kernels_is_left_alone(tmp_path):
    assert drop_stale_code(tmp_path) == 0
