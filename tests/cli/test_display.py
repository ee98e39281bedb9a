"""What `vieta watch` shows: columns make way on a narrow terminal, messages go where they belong, and JSON is lines."""

import json

import numpy as np
import pytest

from vieta.cli import display as live
from vieta.cli.console import full_width, show_table
from vieta.estimators import Estimate
from vieta.findings import finding
from vieta.report.watch_report import Account

ESTIMATE = Estimate(
    theta=np.array([[-1.23456], [2.34567]]),
    cov=np.diag([1e-4, 2e-4]),
    noise_var=0.01,
    n_sets=100,
    method="efficient",
    transform="weighted",
    imaginary=np.zeros((2, 1)),
    condition=1.0,
    findings=(finding("contradicted-now"),),
)
ACCOUNT = Account(ESTIMATE, "", ["100 sets from 100 lines"], 0.95, 100, 100)


@pytest.mark.parametrize(("width", "left"), [(80, 4), (50, 3), (30, 2), (5, 2)])
def test_columns_of_a_live_table_make_way(width, left):
    table = live._fitting_table(ACCOUNT, width)
    assert len(table.columns) == left
    assert full_width(table) <= max(width, 30)


def test_the_last_table_has_all_columns_however_narrow_the_terminal(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    show_table(live._table(ACCOUNT))
    assert "[-1.25416, -1.21496]" in capsys.readouterr().out


def test_messages_on_a_terminal_go_where_they_belong(monkeypatch, capsys):
    with live.on_terminal() as display:
        display.say("a remark")
        display.change(1500)
    assert capsys.readouterr().err == "a remark\nThe parameters changed after set 1,500.\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with live.on_terminal() as display:
        display.say("a remark")
    assert "a remark" in capsys.readouterr().out


def test_one_answer_in_the_end(capsys):
    display = live.in_the_end()
    display.report(lambda: pytest.fail("nobody looks at it"))
    display.change(7)
    display.answer(ACCOUNT)
    shown = capsys.readouterr()
    assert shown.err == "The parameters changed after set 7.\n"
    lines = shown.out.splitlines()
    assert lines[0] == "100 sets from 100 lines"
    assert lines[1].rstrip() == "2 systems, method efficient, noise sd 0.1"
    assert lines[-2:] == ["What to make of it", f"! {finding('contradicted-now')}"]


def test_lines_of_json(capsys):
    display = live.as_json()
    display.say("a remark")
    display.report(lambda: ACCOUNT)
    display.change(7)
    display.answer(ACCOUNT)
    shown = capsys.readouterr()
    first, second, third = map(json.loads, shown.out.splitlines())
    assert shown.err == "a remark\n"
    assert (first["event"], second, third["event"]) == ("estimate", {"event": "change", "after_set": 7}, "final")
    assert first["findings"][0]["severity"] == "caution"
    assert "cov" in third
    assert "cov" not in first
