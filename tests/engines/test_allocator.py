"""Memory that a worker keeps while it works: settings of the C library, and when they are left alone."""

import os
import subprocess
import sys

import pytest

from vieta.engines import allocator
from vieta.engines.allocator import KEPT, MAPPED, SETTING, TRIM, USUAL, reusing_memory


class Library:
    """Notes what is asked of it."""

    def __init__(self):
        self.asked = []

    def mallopt(self, what, value):
        self.asked.append((what, value))

    def malloc_trim(self, pad):
        self.asked.append("trim")


@pytest.fixture
def library(monkeypatch):
    found = Library()
    monkeypatch.setattr(allocator, "_library", lambda: found)
    monkeypatch.setenv(SETTING, "65536")
    return found


def test_the_first_that_works_changes_settings_and_the_last_changes_them_back(library):
    with reusing_memory():
        begun = [(TRIM, KEPT), (MAPPED, allocator.LARGEST)]
        assert library.asked == begun
        with reusing_memory():
            assert library.asked == begun
        assert library.asked == begun
    assert library.asked == [*begun, (TRIM, 65536), (MAPPED, USUAL), "trim"]


def test_settings_are_changed_back_after_an_error(library):
    with pytest.raises(ZeroDivisionError), reusing_memory():
        raise ZeroDivisionError
    assert library.asked[-1] == "trim"
    assert allocator._working == [0]


@pytest.mark.parametrize("given", [None, "", "many", str(1 << 30)])
def test_a_process_that_does_not_give_memory_back_at_once_is_left_as_it_is(library, monkeypatch, given):
    monkeypatch.delenv(SETTING) if given is None else monkeypatch.setenv(SETTING, given)
    with reusing_memory():
        pass
    assert library.asked == []


FAULTS = """
import resource, numpy as np
from contextlib import nullcontext
from vieta.engines.allocator import reusing_memory
faults = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def work():
    before = faults()
    for _ in range(50):
        np.ones(1 << 17).sum()
    return faults() - before
plain = work()
with reusing_memory():
    kept = work()
print(plain, kept, work())
"""


@pytest.mark.skipif(allocator._library() is None, reason="the C library is another one than glibc")
def test_arrays_take_the_memory_of_those_before_them():
    made = subprocess.run(
        [sys.executable, "-c", FAULTS],
        env={**os.environ, SETTING: "65536"},
        capture_output=True,
        text=True,
        check=True,
    )
    before, within, after = map(int, made.stdout.split())
    assert 5 * within < before  # a page is asked for once, not fifty times
    assert after > 5 * within  # and the setting is as it was
