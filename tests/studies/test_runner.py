"""A run of studies goes on where it was killed, and keeps and writes nothing that is not whole and of this code."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from studies.running.results import opened
from studies.running.runner import CodeChangedError, Run
from studies.running.stamp import OLDER
from tests.studies.toys import Toy, validate

ROOT = Path(__file__).parents[2]
ALL = ["a [0:4]", "a [4:8]", "a [8:12]", "b [0:4]", "b [4:8]", "b [8:12]"]


def killed_with(folder, results):
    """Kill a run when it has so many results."""
    command = [sys.executable, "-m", "tests.studies.toys", str(folder), str(results)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


def page(folder):
    return (folder / "docs" / "toy.md").read_text()


def test_a_killed_run_goes_on_to_the_same_page(tmp_path):
    validate(Toy(), tmp_path / "whole")
    killed_with(tmp_path, 2)
    assert not (tmp_path / "docs").exists()  # no half of a table
    killed_with(tmp_path, 5)
    last = Toy()
    validate(last, tmp_path)
    assert len(last.ran) == 1
    assert page(tmp_path) == page(tmp_path / "whole")


def test_a_page_of_what_is_there_says_how_much_is_missing(tmp_path):
    validate(Toy(bad=(8,)), tmp_path)
    with opened(tmp_path / "validate") as results:
        run = Run({"toy": Toy()}, None, results, tmp_path / "docs")
        run.conclude_so_far()
    assert run.studies["toy"].ran == []
    assert (
        "So far 4 of 6 parts were run; what follows is of these alone.\n\n| a | [0, 1, 4, 9, 16, 25, 36, 49] |"
        in page(tmp_path)
    )
    validate(Toy(), tmp_path)
    assert "So far" not in page(tmp_path)


def test_nothing_is_run_twice_and_more_runs_add_to_those_that_are_there(tmp_path):
    validate(Toy(), tmp_path, runs=8)
    again = Toy()
    assert validate(again, tmp_path, runs=8).missed == []
    assert again.ran == []
    more = Toy()
    validate(more, tmp_path)
    assert sorted(more.ran) == ["a [8:12]", "b [8:12]"]


def test_the_page_does_not_depend_on_how_the_work_is_shared(tmp_path):
    for workers in (1, 3):
        validate(Toy(), tmp_path / str(workers), workers=workers)
    assert page(tmp_path / "1") == page(tmp_path / "3")


def test_other_code_runs_everything_anew(tmp_path):
    validate(Toy(), tmp_path)
    other = Toy("two")
    validate(other, tmp_path)
    assert sorted(other.ran) == ALL
    assert "code=two" in page(tmp_path)


def test_a_task_that_fails_is_reported_not_kept_and_no_page_is_written(tmp_path, capsys):
    bad = validate(Toy(bad=(4,)), tmp_path)
    assert sorted(bad.failed) == ["toy: a [4:8]", "toy: b [4:8]"]
    assert "FAILED toy: a [4:8]: ArithmeticError: a bad seed" in capsys.readouterr().out
    assert not (tmp_path / "docs").exists()
    mended = Toy()
    assert validate(mended, tmp_path).failed == []
    assert sorted(mended.ran) == ["a [4:8]", "b [4:8]"]


def test_results_are_not_kept_when_the_code_changes_during_a_run(tmp_path):
    class Edited(Toy):
        def run(self, task):
            self.code = "two"
            return super().run(task)

    with pytest.raises(CodeChangedError, match="the code of toy changed while it was measured"):
        validate(Edited(), tmp_path)
    with opened(tmp_path / "validate") as results:
        assert results.get(Toy(), Toy().tasks(4)[0], "one") is None


def test_the_tasks_that_took_longest_come_first(tmp_path):
    validate(Toy(), tmp_path)
    with opened(tmp_path / "validate") as results, ThreadPoolExecutor(1) as pool:
        slow = next(one for one in results._records.values() if one.task == "b [4:8]")
        results.add(replace(slow, seconds=100.0))
        results.forget(Toy())
        again = Toy()
        Run({"toy": again}, None, results, tmp_path / "docs")(pool, 1)
    assert again.ran[0] == "b [4:8]"


def test_a_finished_page_carries_its_stamp_to_the_readme(tmp_path):
    other = "<!-- study=other code=old commit=abc date=2000-01-01 runs=1 -->\n*Of a study that is not run.*\n"
    (tmp_path / "README.md").write_text(
        f"Text.\n<!-- study=toy code=old commit=abc date=2000-01-01 runs=1 -->\n*{OLDER}*\n{other}More.\n"
    )
    validate(Toy(), tmp_path)
    readme = (tmp_path / "README.md").read_text()
    assert "code=one" in readme
    assert OLDER not in readme
    assert readme.startswith("Text.\n<!--")
    assert readme.endswith(f"*\n{other}More.\n")
    assert [line for line in page(tmp_path).splitlines() if line.startswith(("<!--", "*"))] == readme.splitlines()[1:3]


POOL = """
import signal
import time
from studies.running.runner import processes
from tests.studies.toys import with_a_child

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell has ignored in the background
    with processes(1) as pool:
        print(*pool.submit(with_a_child).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_processes_and_what_they_started_end_with_the_one_that_started_them(end):
    with subprocess.Popen(
        [sys.executable, "-c", POOL], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as parent:
        left = [int(word) for word in parent.stdout.readline().split()]
        assert len(left) == 2
        assert all(is_running(process) for process in left)
        parent.send_signal(end)
        said = parent.communicate()[1]
        assert end == signal.SIGKILL or b"leaked" not in said
    for _ in range(400):
        left = [process for process in left if is_running(process)]
        if not left:
            return
        time.sleep(0.05)
    for process in left:
        os.kill(process, signal.SIGKILL)
    pytest.fail(f"{len(left)} processes live on")


def is_running(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
