"""The table of an estimate: every number of it, in the place that the header names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.estimators import table
from vieta.findings import finding
from vieta.reading_model import ReadingModel

THETA = np.array([[1.0, -2.5], [3.25, 1e-7]])
STDERR = np.array([[0.1, 0.2], [np.nan, 1234.5]])
INTERVAL = np.stack([THETA - STDERR, THETA + STDERR], axis=-1)


def test_rows_are_systems_and_parameters_in_order():
    shown = table.table(
        THETA, STDERR, INTERVAL, 0.9, names=["slope", "rate"], truth=THETA + 1.0, truth_name="truth at the end"
    )
    assert shown.header == ["system", "parameter", "truth at the end", "estimate", "std. error", "90% interval"]
    assert shown.rows == [
        ["1", "slope", "2", "1", "0.1", "[0.9, 1.1]"],
        ["1", "rate", "-1.5", "-2.5", "0.2", "[-2.7, -2.3]"],
        ["2", "slope", "4.25", "3.25", "not known", "not known"],
        ["2", "rate", "1", "1e-07", "1.23e+03", "[-1234.5, 1234.5]"],
    ]


def test_noise_of_each_system_stands_beside_its_first_parameter():
    shown = table.table(THETA, STDERR, INTERVAL, 0.9, noise_sd=np.array([0.5, np.nan]))
    assert shown.header[-1] == "noise sd"
    assert [row[-1] for row in shown.rows] == ["0.5", "", "not known", ""]
    assert table.table(THETA, STDERR, INTERVAL, 0.9, noise_sd=np.full(2, np.nan)).header[-1] == "90% interval"


def test_one_parameter_has_no_column_of_names():
    shown = table.table(THETA[:, :1], STDERR[:, :1], INTERVAL[:, :1], 0.999)
    assert shown.header == ["system", "estimate", "std. error", "99.9% interval"]
    assert [row[0] for row in shown.rows] == ["1", "2"]


@pytest.mark.parametrize(
    ("noise", "said"), [(0.25, "0.5"), (np.diag([4.0, 9.0]), "2, 3"), (-1e-20, "0"), (np.array([[2.0]]), "1.414")]
)
def test_the_noise_is_told_by_its_deviation_unless_it_is_not_known(noise, said):
    assert table.noise_sd(noise, ()) == said
    assert table.noise_sd(noise, (finding("few-sets", n_sets=3, unknowns=4),)) == said
    assert table.noise_sd(noise, (finding("noise-unknown", n_sets=1),)) == "not known"


@given(st.lists(st.lists(st.text("abc ", max_size=9), min_size=3, max_size=3), min_size=1, max_size=5))
def test_text_has_its_columns_under_each_other(rows):
    shown = table.Table(["system", "parameter", "estimate"], rows)
    widths = [max(len(row[k]) for row in [shown.header, *rows]) for k in range(3)]
    for line, row in zip(table.as_lines(shown), [shown.header, *rows]):
        padded = line.ljust(sum(widths) + 4)
        starts = np.cumsum([0, *[w + 2 for w in widths[:-1]]])
        cells = [padded[a : a + w] for a, w in zip(starts, widths)]
        assert cells == [row[0].rjust(widths[0]), row[1].ljust(widths[1]), row[2].rjust(widths[2])]


def test_probabilities_of_being_seen_stand_beside_the_systems_where_some_are_below_one():
    theta, error = np.array([[1.0, 2.0], [3.0, 4.0]]), np.full((2, 2), 0.1)
    interval = np.stack([theta - 0.2, theta + 0.2], axis=-1)
    found = table.table(theta, error, interval, 0.95, detection=np.array([0.9, 0.72]))
    assert found.header[-1] == "seen"
    assert [row[-1] for row in found.rows] == ["0.9", "", "0.72", ""]
    assert "seen" not in table.table(theta, error, interval, 0.95, detection=np.ones(2)).header


@pytest.mark.parametrize(
    ("seen", "errors", "rate", "said"),
    [
        (
            [0.9, 0.9],
            [0.01, 0.01],
            2.0,
            "seen with probability 0.9 (0.01), 2 (0.1) false readings a set, noise law gaussian",
        ),
        (
            [0.9, 0.5],
            [0.01, 0.02],
            0.0,
            "seen with probability 0.9 (0.01), 0.5 (0.02), 0 false readings a set, noise law gaussian",
        ),
    ],
)
def test_the_line_on_what_is_seen_and_false(seen, errors, rate, said):
    none = np.empty(0)
    model = ReadingModel(
        np.array(seen), np.array(errors), rate, 0.1, "gaussian", 0.0, none, np.ones(2), np.eye(1), none, none, none
    )
    assert table.seen_lines(model) == [said]
    assert table.seen_lines(None) == []
