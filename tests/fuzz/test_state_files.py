"""Whatever is in the file of a filter: it is refused in words, or the filter that it gives goes on; nothing crashes and everything ends."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import state_files
from tests.test_contract import FILTERS, every_filter

ROOT = Path(__file__).parents[2]
ROUND = len(state_files.ALTERATIONS)
SECONDS = 300  # an endless loop has as many


def tried(methods, seed, count):
    """The outcome of each alteration by the method, from a process of its own: it may crash."""
    words = [str(seed), str(count), *methods]
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.state_files", *words]
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, env=env, check=False)
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (0, "done"), f"{lines[-1]}\n{done.stderr[-2000:]}"
    return {name: [one.split(": ")[1] for one in lines if one.startswith(f"{name} ")] for name in methods}


def test_altered_files_are_refused_or_harmless():
    for method, found in tried(FILTERS, 0, 2 * ROUND).items():
        assert len(found) == 2 * ROUND, method
        assert found.count("refused") > ROUND / 2, method  # the alterations do alter
        assert found.count("went on") > 0, method  # and not all of them are foolish


@pytest.mark.slow
@every_filter
@pytest.mark.parametrize("seed", [1, 2])
def test_many_altered_files_are_refused_or_harmless(method, seed):
    found = tried([method], seed, 304)[method]
    assert found.count("refused") > 100
    assert found.count("went on") > 10


def test_alterations_are_the_same_every_time():
    first, again = (list(state_files.altered("rls", 7, ROUND)) for _ in range(2))
    assert [(name, content) for name, content, _ in first] == [(name, content) for name, content, _ in again]
    assert len({content for _, content, _ in first}) == ROUND


def test_a_file_that_is_not_altered_goes_on(tmp_path):
    for sample in state_files.samples():
        (tmp_path / "state").write_bytes(state_files.saved("rls", sample))
        assert state_files.tried(tmp_path / "state", sample) == f"went on: {sample.absorbed + state_files.FURTHER} sets"
