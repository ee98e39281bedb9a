"""The slow tests as a study: all of them are found, and a failure is not kept as a result."""

import pytest

from studies import slow_tests
from studies.slow_tests import STUDY, SlowTestsError

TESTS = """
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("n", range(6))
def test_many(n):
    assert n < 5, "five is too much"


@pytest.mark.slow
def test_one():
    pass


def test_fast():
    pass
"""


def test_tests_run_in_blocks_and_failures_are_errors(tmp_path, monkeypatch):
    (tmp_path / "test_toy.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow: long\naddopts = -q -p no:cacheprovider\n")
    monkeypatch.setattr(slow_tests, "ROOT", tmp_path)
    slow_tests.collected.cache_clear()
    try:
        first, second, one = STUDY.tasks(1)
        assert [str(task) for task in (first, second, one)] == [
            "test_toy.py::test_many [0:4]",
            "test_toy.py::test_many [4:6]",
            "test_toy.py::test_one [0:1]",
        ]
        assert STUDY.run(first) == 4
        with pytest.raises(SlowTestsError, match="five is too much"):
            STUDY.run(second)
    finally:
        slow_tests.collected.cache_clear()
    assert STUDY.conclude({first: 4, one: 1}).table == "5 slow tests passed."
