"""Tables: no number is ever cut, however narrow the terminal."""

import numpy as np
import pytest
from rich.table import Table

from vieta.cli import display
from vieta.cli.console import show_table, whole_width
from vieta.estimators import Estimate
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
    warnings=(),
)
ACCOUNT = Account(ESTIMATE, "", 0.95, 100, 100, None, {}, ())
INTERVAL = "[-1.25416, -1.21496]"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_a_table_is_wider_than_the_terminal_rather_than_cut(monkeypatch, capsys, is_terminal):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("rich.console.Console.is_terminal", is_terminal)
    show_table(display._table(ACCOUNT))
    shown = capsys.readouterr().out
    assert INTERVAL in shown
    assert "2.34567" in shown
    assert "…" not in shown


def test_columns_of_words_are_wrapped(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("rich.console.Console.is_terminal", True)
    table = Table("words")
    table.add_row("word " * 20)
    show_table(table)
    assert len(capsys.readouterr().out.splitlines()[0]) == 30  # the frame


@pytest.mark.parametrize(("width", "left"), [(80, 4), (50, 3), (30, 2), (5, 2)])
def test_columns_of_a_live_table_make_way(width, left):
    table = display._fitting_table(ACCOUNT, width)
    assert len(table.columns) == left
    assert whole_width(table) <= max(width, 30)
