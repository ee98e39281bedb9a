"""The line of progress, and the time left."""

import io

from studies.running.progress import RARELY, Progress, expected_seconds
from studies.running.results import Record, opened
from tests.studies.toys import Toy


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self):
        return True


def test_a_task_takes_as_long_as_it_did_or_as_others_like_it(tmp_path):
    study, other = Toy(), Toy()
    jobs = [*((study, task) for task in study.tasks(8)), *((other, task) for task in other.tasks(4))]
    other.name = "other"
    with opened(tmp_path) as results:
        assert set(expected_seconds(jobs, results).values()) == {None}
        for task, seconds in (("a [0:4]", 1.0), ("b [0:4]", 4.0)):
            results.add(Record("toy", task, "old code", "abc1234", "2026-01-01", seconds, None))
        found = {(job[0].name, str(job[1])): seconds for job, seconds in expected_seconds(jobs, results).items()}
    assert found[("toy", "a [0:4]")] == found[("toy", "a [4:8]")] == 1.0
    assert found[("toy", "b [4:8]")] == 4.0
    assert found[("other", "a [0:4]")] == 2.5


def test_a_terminal_shows_one_line(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    clock.now += 75
    progress.show(1, 4, None, "toy")
    progress.show(2, 4, 90.0, "a text that is longer than the line of the terminal is")
    lines = stream.getvalue().split("\r\x1b[K")[1:]
    assert lines[0] == "1 of 4 tasks, 1 min 15 s, time left not known; toy"
    assert lines[1].startswith("2 of 4 tasks, 1 min 15 s, about 1 min 30 s left; a text")
    assert len(lines[1]) == 59


def test_elsewhere_there_is_a_line_now_and_then_and_in_the_end():
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock)
    for done in range(4):
        progress.show(done, 4, 1.0, "toy")
        clock.now += 0.4 * RARELY
    progress.show(4, 4, 0.0, "toy")
    assert [line.split(" ")[0] for line in stream.getvalue().splitlines()] == ["0", "3", "4"]
    assert "\x1b" not in stream.getvalue()
