"""The study of answers, in a small version: rows, bounds and what is concluded."""

import numpy as np
import pytest

from studies.answers import STUDY
from studies.answers.labeled import labeled_bound
from studies.answers.measure import bound
from studies.answers.rows import ROWS

BINARY = ROWS[:3]


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_binary_rows_come_near_the_bound_and_cover(row):
    runs = np.array([STUDY.one_run(row, seed) for seed in range(12)])
    over = runs[:, 0].mean() / bound(row)
    assert abs(over - 1.0) < 4.0 * np.sqrt(2.0 / (12 * row.theta.size)) + 0.1
    assert runs[:, 2].mean() > 0.95 - 4.0 * np.sqrt(0.05 / (12 * row.theta.size))
    assert not runs[:, 4].any()
    text, _ = STUDY.line(row, runs, bound(row))
    assert text.startswith(f"| {row.name} |")


def test_two_of_the_ratios_that_were_asked_for_lie_below_the_bound():
    """What no unbiased estimator can do: 1.6 where the bound is 1.72, and 2.1 where it is 2.6."""
    floors = [bound(row) / labeled_bound(row) for row in BINARY]
    assert np.allclose(floors, [1.72, 2.19, 2.60], atol=0.05)
    assert [row.most < floor for row, floor in zip(BINARY, floors, strict=True)] == [True, False, True]


@pytest.mark.parametrize("row", ROWS[3:], ids=lambda row: row.name)
def test_other_rows_draw_answers_of_their_family(row):
    answers, psi, b = row.sets(0, 50)
    assert answers.shape == (50, len(row.theta))
    assert psi.shape == (50, 2)
    assert b is None
