"""Compiled kernels that are older than their sources are forgotten."""

import os

from studies.running import kernels


def test_old_ones_are_deleted_and_new_ones_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "PACKAGE", tmp_path)
    (tmp_path / "kernel.py").write_text("from numba import njit\n")
    (tmp_path / "__pycache__").mkdir()
    for name, age in (("old.nbi", 10), ("old.nbc", 10), ("new.nbi", -10), ("old.pyc", 10)):
        file = tmp_path / "__pycache__" / name
        file.touch()
        time = (tmp_path / "kernel.py").stat().st_mtime - age
        os.utime(file, (time, time))
    kernels.forget_old_kernels()
    assert sorted(path.name for path in (tmp_path / "__pycache__").iterdir()) == ["new.nbi", "old.pyc"]
