"""The soak in small."""

import mmap

import numpy as np
import pytest

from studies.soak import KILLED, STUDY, WHOLE, faults, memory, updates, watching

GOOD = {"sets": 10, "growth": 0.1, "eigenvalues": 0.5, "errors": 2.0, "seconds": 1.0, "state": "abc", "kills": 0}


@pytest.mark.parametrize("name", updates.OPTIONS)
def test_updates(name):
    found = updates.soak(updates.OPTIONS[name], 40_000, 2000)
    assert found["sets"] == 40_000
    assert faults(found | {"growth": 0.0}) == []  # the memory of a process that runs other tests is not its own
    assert found["eigenvalues"] < 1.0


def test_a_killed_watch_ends_as_one_in_one_piece():
    whole, killed = (watching.soak(10_000, kills, 2000) for kills in (0, 1))
    assert (whole["kills"], killed["kills"]) == (0, 1)
    assert whole["state"] == killed["state"]
    assert faults(whole | {"growth": 0.0}) == faults(killed) == []


def test_batches_are_new_and_the_same_in_every_run():
    (first, psi), (second, _) = updates.drawn(0, 50), updates.drawn(1, 50)
    assert not np.array_equal(first, second)
    assert np.array_equal(updates.drawn(0, 50)[0], first)
    assert abs(first - psi[:, None] * updates.THETA).max() < 6


def test_what_is_wrong_is_said():
    assert faults(GOOD) == faults(GOOD | {"growth": None}) == []
    assert faults(GOOD | {"growth": 9.0}) == ["memory grew by 9.0 MB"]
    for ratio in (0.0, -1e-3, float("nan")):
        assert "not positive definite" in faults(GOOD | {"eigenvalues": ratio})[0]
    assert "standard errors from the truth" in faults(GOOD | {"errors": 6.0})[0]
    assert len(faults(GOOD | {"errors": float("nan")})) == 1


def test_the_table_and_a_state_that_differs():
    tasks = STUDY.tasks(3)
    good = STUDY.conclude({task: GOOD | {"kills": 3 * (task.row == KILLED)} for task in tasks})
    assert good.missed == ()
    assert good.table.splitlines()[-1] == f"| {KILLED} | 10 | 0.1 MB | 0.50 | 10 | 3 |"
    differing = STUDY.conclude({task: GOOD | {"state": "abd" if task.row == WHOLE else "abc"} for task in tasks})
    assert differing.missed == (f"{KILLED}: its state differs from that of a watch in one piece",)


def test_memory_that_grows_is_seen():
    before = memory.resident()
    if before is None:
        pytest.skip("there is no /proc")
    with mmap.mmap(
        -1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    ) as held:  # new pages, where an array might take what others have left
        held.write(b"1" * len(held))
        assert memory.resident() - before > 20
