"""Example 2: what is printed, judged by runs of ours; in small where that will do."""

import numpy as np
import pytest
from scipy import stats

from tests.paper.data import verdicts
from vieta.paper import example2
from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_example_2_recursive_em_is_biased_as_printed_and_we_are_not(seed):
    report = example2.run(seed)
    assert verdicts(report) == [WRONG_EXPLANATION, WRONG_EXPLANATION, REPRODUCED, REPRODUCED, REPRODUCED]
    assert abs(report.values["lms"][:, 1].mean(axis=0) - [[1.0], [3.0]]).max() < 0.1
    assert abs(report.values["inferred"].mean(axis=0) - example2.PAPER).max() < 0.03
    assert abs(report.values["stated"].mean(axis=0)[0] - [[3.598], [5.402]]).max() < 0.02
    assert abs(report.values["weighted"][:, :, 0].mean(axis=0) - [[[4.0], [5.0]], [[1.0], [3.0]]]).max() < 0.01
    assert "comes from the wrong variance more than from the wrong law" in report.rows[0].why


@pytest.mark.parametrize("seed", range(20))
def test_example_2_is_judged_the_same_whatever_the_seed(seed):
    """Runs that scatter as those of either variance do, about where it settles; the printed run is fixed."""
    rng = np.random.default_rng(seed)
    inferred = rng.normal([[[3.551], [5.449]], [[0.733], [3.267]]], 0.0128, size=(8, 2, 2, 1))
    stated = rng.normal([[[3.598], [5.402]], [[0.761], [3.239]]], 0.0093, size=(8, 2, 2, 1))
    assert [row.verdict for row in example2._rival_rows(inferred, stated)] == [WRONG_EXPLANATION] * 2
    assert [row.verdict for row in example2._rival_rows(inferred, inferred)] == [
        REPRODUCED
    ] * 2  # no better than itself
    assert example2._rival_rows(stated, inferred)[0].verdict == NOT_REPRODUCED


def test_the_likelihood_of_the_printed_run_is_that_of_students_t():
    rng = np.random.default_rng(0)
    ends = [rng.normal(example2.PAPER, sd, size=(6, 2, 2, 1)) for sd in (0.01, 0.03)]
    expected = []
    for runs in ends:
        scale = runs.std(axis=0, ddof=1) * np.sqrt(1 + 1 / 6)
        expected.append(stats.t.logpdf(example2.PAPER, 5, runs.mean(axis=0), scale).sum())
    got = [example2._log_likelihood(example2.PAPER, runs) for runs in ends]
    assert np.isclose(got[0] - got[1], expected[0] - expected[1])


def test_example_2_would_notice_numbers_that_are_not_the_printed_ones():
    runs = np.random.default_rng(0).normal(example2.PAPER, 0.01, size=(6, 2, 2, 1))
    assert [row.verdict for row in example2._rival_rows(runs, runs - 0.1)] == [WRONG_EXPLANATION] * 2
    assert [row.verdict for row in example2._rival_rows(runs + 0.1, runs)] == [NOT_REPRODUCED] * 2
    stops = np.stack([np.tile([example2.BEFORE, example2.AFTER], (6, 1, 1, 1)), np.full((6, 2, 2, 1), 0.01)], axis=2)
    assert example2._weighted_row(stops).verdict == REPRODUCED
    stops[:, 0, 0] += 0.05
    assert example2._weighted_row(stops).verdict == NOT_REPRODUCED


def test_example_2_would_notice_a_bias():
    ends = example2.run(0, n=60_000, runs=6, rivals=2).values["lms"][:, 1]
    assert example2._row(
        "now", ends, example2._expected(example2.BEFORE, example2.AFTER, 300_000), example2.AFTER
    ).verdict == (NOT_REPRODUCED)
