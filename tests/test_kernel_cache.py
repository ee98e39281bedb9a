"""Machine code on disk: found again, never stale, never half, whatever happens to the files."""

import os
import subprocess
import sys
from types import ModuleType

import pytest

from vieta import kernel_cache
from vieta.cache_directory import Place
from vieta.compiled import compile_now


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "chosen", lambda: Place("user", tmp_path))
    monkeypatch.setattr(kernel_cache, "readable", lambda: (tmp_path,))
    return tmp_path


def made(step="1.0"):
    """A kernel of one module that calls one of another; each time anew, as in a new process."""
    called, caller = ModuleType("cases.called"), ModuleType("cases.caller")
    exec(f"def part(x):\n    return x + {step}\n", vars(called))
    caller.part = compile_now(called.part)
    exec("def whole(x):\n    return 2.0 * part(x)\n", vars(caller))
    return compile_now(caller.whole)


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_second_process_loads_what_the_first_compiled(folder):
    first, second = made(), made()
    assert first(1.0) == 4.0
    assert hits(first) == 0
    assert second(1.0) == 4.0
    assert hits(second) == 1
    assert len(names(folder)) == 2  # of the kernel and the one that it calls


def test_other_arguments_have_files_of_their_own(folder):
    kernel = made()
    assert (kernel(1.0), kernel(1)) == (4.0, 4.0)
    again = made()
    assert (again(1), again(1.0)) == (4.0, 4.0)
    assert hits(again) == 2


def test_a_change_in_a_kernel_that_is_called_is_seen(folder):
    """By numba's own cache it is not."""
    assert made()(1.0) == 4.0
    before = names(folder)
    changed = made("2.0")
    assert changed(1.0) == 6.0
    assert hits(changed) == 0
    assert len(names(folder)) == len(before)  # what is old makes way
    assert not set(names(folder)) & set(before)
    assert made()(1.0) == 4.0


def test_another_version_of_the_compiler_is_another_file(folder, monkeypatch):
    made()(1.0)
    monkeypatch.setattr(kernel_cache.numba, "__version__", "0.0")
    kernel = made()
    assert kernel(1.0) == 4.0
    assert hits(kernel) == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:100],
        lambda content: content[:-1],
        lambda content: (
            content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 1]) + content[len(content) // 2 + 1 :]
        ),
        lambda content: os.urandom(1000),
        lambda content: content[32:],
    ],
    ids=["empty", "cut short", "without the last byte", "one bit", "garbage", "no digest"],
)
def test_damaged_files_are_compiled_again(folder, damage):
    made()(1.0)
    for path in folder.iterdir():
        path.write_bytes(damage(path.read_bytes()))
    kernel = made()
    assert kernel(1.0) == 4.0
    assert hits(kernel) == 0
    mended = made()
    assert mended(1.0) == 4.0
    assert hits(mended) == 1


def test_a_file_with_a_right_digest_and_no_machine_code_is_compiled_again(folder):
    import hashlib
    import pickle

    made()(1.0)
    for path in folder.iterdir():
        content = pickle.dumps("something else")
        path.write_bytes(hashlib.sha256(content).digest() + content)
    assert made()(1.0) == 4.0


def test_a_full_disk_is_no_reason_to_fail(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kernel_cache.os, "replace", full)
    assert made()(1.0) == 4.0
    assert names(folder) == []  # nor is half a file left


def test_without_a_place_kernels_are_compiled_and_not_kept(monkeypatch):
    monkeypatch.setattr(kernel_cache, "chosen", lambda: None)
    monkeypatch.setattr(kernel_cache, "readable", lambda: ())
    for _ in range(2):
        kernel = made()
        assert kernel(1.0) == 4.0
        assert hits(kernel) == 0
        assert kernel.stats.cache_path is None


def test_kernels_are_read_where_they_cannot_be_written(folder, tmp_path_factory, monkeypatch):
    made()(1.0)
    own = tmp_path_factory.mktemp("own")
    monkeypatch.setattr(kernel_cache, "chosen", lambda: Place("user", own))
    monkeypatch.setattr(kernel_cache, "readable", lambda: (own, folder))
    kernel = made()
    assert kernel(1.0) == 4.0
    assert hits(kernel) == 1
    assert names(own) == []


def test_whether_machine_code_is_kept(folder):
    kernel = made()
    cache = kernel_cache.KernelCache(kernel.py_func)
    assert not cache.kept()
    kernel(1.0)
    assert cache.kept()
    assert not kernel_cache.KernelCache(made("2.0").py_func).kept()
    kernel.recompile()
    assert cache.kept()
    cache.flush()
    assert not cache.kept()


TINY = """
from vieta.compiled import compile_now
@compile_now
def part(x):
    return x + 1.0
@compile_now
def whole(x):
    return 2.0 * part(x)
print(whole(1.0), whole(1), sum(whole.stats.cache_hits.values()))
"""


def starts(folder, count):
    """What so many processes say that start at the same time."""
    (folder / "tiny.py").write_text(TINY)
    env = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    running = [
        subprocess.Popen(
            [sys.executable, str(folder / "tiny.py")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        )
        for _ in range(count)
    ]
    ends = [process.communicate() for process in running]
    assert [end[1] for end in ends] == [""] * count
    return [end[0].split() for end in ends]


@pytest.mark.parametrize("count", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_first_starts_at_the_same_time_do_no_harm(tmp_path, count):
    said = starts(tmp_path, count)
    assert all(one[:2] == ["4.0", "4.0"] for one in said)
    assert sum(int(one[2]) for one in said) == 2 * (count - 1)  # each kernel is compiled by one of them
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(kept) == 4  # two kernels for two kinds of arguments, and nothing half
    assert starts(tmp_path, 1) == [["4.0", "4.0", "2"]]


LOADED_FIRST = """
import sys
import numpy as np
from vieta.compiled import compile_now
@compile_now
def total(x):
    y = np.empty(len(x))
    for i in range(len(x)):
        y[i] = 2.0 * x[i]
    return y
@compile_now
def norm(x):
    return np.sqrt((x * x).sum())
once = total(np.ones(3))
hits, light = sum(total.stats.cache_hits.values()), "numba.np.arraymath" not in sys.modules
print(once.sum(), hits, light, norm(once + 0.0) ** 2 if len(sys.argv) > 1 else "")
"""


def test_machine_code_is_loaded_without_what_compiling_needs_and_more_can_be_compiled_after_it(tmp_path):
    """Without any of what numba loads to compile, which takes long; kernels that allocate need its memory management."""
    path = tmp_path / "mixed.py"
    path.write_text(LOADED_FIRST)
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def said(*words):
        command = [sys.executable, str(path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout.split()

    assert said() == ["6.0", "0", "False"]
    assert said() == ["6.0", "1", "True"]
    six, hits, light, twelve = said("compile")
    assert (six, hits, light) == ("6.0", "1", "True")
    assert abs(float(twelve) - 12.0) < 1e-9
