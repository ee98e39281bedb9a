"""Results survive a kill at any moment, and those of other code do not count."""

import pytest

from studies.running.results import BusyError, Record, opened
from tests.studies.toys import Toy

STUDY = Toy()
FIRST, SECOND, *_ = STUDY.tasks(8)


def record(task, code="one", seconds=2.0, result=(1.5, float("inf"))):
    return Record("toy", str(task), code, "abc1234", "2026-01-01", seconds, list(result))


def test_what_was_added_is_there_again(tmp_path):
    with opened(tmp_path) as results:
        results.add(record(FIRST))
    with opened(tmp_path) as again:
        assert again.get(STUDY, FIRST, "one") == record(FIRST)
        assert again.get(STUDY, FIRST, "two") is None
        assert again.get(STUDY, SECOND, "one") is None
        assert again.seconds(STUDY, FIRST) == 2.0
        assert again.seconds(STUDY, SECOND) is None


def test_a_line_that_was_cut_short_is_left_out_wherever_it_was_cut(tmp_path):
    with opened(tmp_path) as results:
        results.add(record(FIRST))
        results.add(record(SECOND))
    path = tmp_path / "results.ndjson"
    text = path.read_bytes()
    for cut in range(0, len(record(SECOND).line), 9):
        path.write_bytes(text[: len(text) - 1 - cut])
        with opened(tmp_path) as again:
            assert again.get(STUDY, FIRST, "one") == record(FIRST)
            assert again.get(STUDY, SECOND, "one") is None
            again.add(record(SECOND))
        assert path.read_bytes() == text


def test_the_latest_counts_and_the_file_keeps_no_other(tmp_path):
    with opened(tmp_path) as results:
        for code in ("one", "two", "three"):
            results.add(record(FIRST, code))
    with opened(tmp_path) as again:
        assert again.get(STUDY, FIRST, "three") is not None
        assert (tmp_path / "results.ndjson").read_bytes() == record(FIRST, "three").line


def test_what_is_forgotten_tells_how_long_it_took(tmp_path):
    with opened(tmp_path) as results:
        results.add(record(FIRST))
        results.forget(STUDY)
    with opened(tmp_path) as again:
        assert again.get(STUDY, FIRST, "one") is None
        assert again.seconds(STUDY, FIRST) == 2.0


def test_two_processes_do_not_share_a_folder(tmp_path):
    with opened(tmp_path), pytest.raises(BusyError, match="another process uses"), opened(tmp_path):
        pass
    with opened(tmp_path):
        pass
