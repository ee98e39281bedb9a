"""Tables, lines and remarks: no number is ever cut, however narrow the terminal, and severities are seen without colour."""

import re
import time

import pytest
import rich.progress
from rich.console import Console

from vieta import compiled
from vieta.cli import console
from vieta.report.remarks import Remark

HEADER = ["system", "parameter", "estimate", "95% interval"]
ROWS = [["1", "slope", "-1.23456", "[-1.25416, -1.21496]"], ["1", "rate", "2.34567", "[2.3, 2.4]"]]


def plain(text):
    """Without what makes it bold."""
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_table_of_numbers_is_wider_than_the_terminal_rather_than_cut(monkeypatch, capsys, is_terminal):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("rich.console.Console.is_terminal", is_terminal)
    table = console.number_table("3 systems", HEADER, ROWS, section=2)
    console.show_table(table)
    shown = plain(capsys.readouterr().out)
    assert all(cell in shown for row in ROWS for cell in row)
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) == console.full_width(table) > 30


def test_words_stand_left_and_numbers_right():
    table = console.number_table("", HEADER, ROWS)
    assert [column.justify for column in table.columns] == ["right", "left", "right", "right"]


def test_columns_of_words_are_wrapped_and_a_note_stands_below(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    table = console.word_table("title", ["n", "says"], [["12", "word " * 20]], ["says"], "a note")
    console.show_table(table)
    shown = plain(capsys.readouterr().out)
    assert max(len(line) for line in shown.splitlines()) == 30
    assert "(a note)" in shown
    assert [column.justify for column in table.columns] == ["right", "left"]


def test_remarks_have_the_mark_of_their_grade(capsys):
    remarks = [
        Remark("all well", "fine"),
        Remark("by the way", "note"),
        Remark("mind", "caution"),
        Remark("no", "serious"),
    ]
    console.show_remarks("What to make of it", remarks)
    assert capsys.readouterr().out == "What to make of it\n- all well\n- by the way\n! mind\n!! no\n"


def test_grades_have_colours_that_differ():
    styles = {console.remark_line(Remark("x", grade)).style for grade in console.STYLES}
    assert len(styles) == 4
    assert "red" in str(console.remark_line(Remark("x", "serious")).style)


@pytest.mark.parametrize("is_terminal", [False, True])
def test_lines_are_broken_on_a_terminal_only_and_mean_no_markup(monkeypatch, capsys, is_terminal):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("rich.console.Console.is_terminal", is_terminal)
    console.say("[bold]" + "words " * 20)
    shown = plain(capsys.readouterr().out)
    assert shown.startswith("[bold]")
    assert (len(shown.splitlines()) > 1) == is_terminal


@pytest.mark.parametrize("rereads", [False, True])
def test_progress_is_silent_elsewhere_than_on_a_terminal(capsys, rereads):
    with console.reading(100, rereads=rereads) as progress:
        for _ in range(30):
            progress(10)
    with console.working("something"):
        pass
    assert capsys.readouterr() == ("", "")


def test_a_bar_follows_the_bytes_and_goes_back_when_they_do(monkeypatch):
    seen = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda *_, **kept: seen.append(tuple(kept.values())))
    with console.reading(10) as progress:
        for count in (4, -4, 10):
            progress(count)
    assert seen == [(0.4, "reading"), (0.0, "reading"), (1.0, "estimating")]


@pytest.mark.parametrize("size", [10, 0])  # nobody knows how much a pipe holds
def test_a_bar_begins_anew_with_every_pass_over_what_was_read(size):
    seen = []
    with console.following(lambda *said: seen.append(said)), console.reading(size) as progress:
        progress(10)
        for share in (0.0, 0.5, 1.0, 0.0, 1.0):
            progress.passed(share)
    first, second = "estimating, pass 1", "estimating, pass 2"
    assert seen[1:] == [(first, 0.0), (first, 0.5), (first, 1.0), (second, 0.0), (second, 1.0)]


def test_time_goes_on_after_all_is_read(monkeypatch):
    ended, stop = [], rich.progress.Progress.stop
    monkeypatch.setattr("rich.progress.Progress.stop", lambda bar: (ended.append(bar.finished), stop(bar)))
    with console.reading(10) as progress:
        progress(10)
        progress.passed(0.0)
        progress.passed(1.0)
    assert ended == [False]


def test_what_is_compiled_is_named_beside_the_share_of_the_pass():
    seen = []
    with console.following(lambda *said: seen.append(said)), console.reading(10) as progress:
        progress.passed(0.0)
        progress.passed(0.5)
        compiled._begin("new_kernel")
        compiled._end()
    assert seen[2:] == [("compiling new kernel, once on this machine", 0.5), ("estimating, pass 1", 0.5)]


def test_signs_of_life_go_to_standard_error(monkeypatch, capsys):
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setenv("TERM", "xterm")
    with console.reading(100, rereads=True) as progress:
        progress(150)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert Console().width > 0
    assert "pass 2" in shown.err


@pytest.mark.parametrize("sign", ["reading", "working"])
def test_signs_of_life_name_what_is_being_compiled(monkeypatch, capsys, sign):
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with {"reading": lambda: console.reading(100), "working": lambda: console.working("Example 1")}[sign]():
        compiled._begin("new_kernel")
        time.sleep(0.3)  # a few pictures later
        compiled._end()
    assert "compiling new kernel, once on this machine" in capsys.readouterr().err
