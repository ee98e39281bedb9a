"""The study of answers, in a small version: rows, bounds and what is concluded."""

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.special import expit, logsumexp
from scipy.stats import norm

from studies.answers import STUDY
from studies.answers.basins import batch, is_within, one_cell_run
from studies.answers.designs import KINDS, Cell
from studies.answers.labeled import floor
from studies.answers.measure import bound
from studies.answers.oracle import off, oracle, tolerance, without_cause
from studies.answers.outcome import Case, faults, tables
from studies.answers.rows import ROWS
from tests.answers.cases import count_law
from vieta.findings import finding

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


def test_four_of_the_ratios_that_were_asked_for_lie_below_the_bound():
    """What no unbiased estimator can do."""
    floors = {row.name: floor(row) for row in ROWS if row.most is not None}
    assert np.allclose(list(floors.values()), [1.72, 2.19, 2.60, 1.41, 1.36], atol=0.05)
    assert [row.most < floors[row.name] for row in ROWS if row.most] == [True, False, True, True, True]


@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_the_bound_of_right_and_wrong_by_all_outcomes(row):
    """Scores of counts by differences of their probabilities, over all outcomes and Gauss-Hermite nodes of the easiness."""
    theta, step = row.theta[:, 0], 1e-5
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    information = np.zeros((len(theta), len(theta)))
    labeled = np.zeros(len(theta))
    for b, w in zip(row.offset_sd * nodes, weights / weights.sum(), strict=True):
        p = expit(theta + b)
        law, slopes = count_law(p), []
        for l in range(len(theta)):
            up, down = (count_law(expit(theta + b + sign * step * (np.arange(len(theta)) == l))) for sign in (1, -1))
            slopes.append((up - down) / (2.0 * step))
        information += w * np.einsum("in,jn,n->ij", slopes, slopes, 1.0 / np.maximum(law, 1e-12))
        labeled += w * p * (1.0 - p)
    second = np.trace(np.linalg.inv(information)) / (1.0 / labeled).sum()
    assert abs(floor(row) / second - 1.0) < 0.02


def test_the_bound_of_counts_by_all_permutations():
    """Scores by differences of the sum over permutations; with labels the information has a closed form."""
    row, n, step = ROWS[4], 20_000, 1e-4
    y, psi, _ = row.sets(77, n)

    def logs(theta):
        eta = psi @ theta.T
        orders = [(y[:, order] * eta - np.exp(eta)).sum(axis=1) for order in map(list, permutations(range(3)))]
        return logsumexp(orders, axis=0)

    moves = step * np.eye(6).reshape(6, 3, 2)
    scores = np.array([(logs(row.theta + move) - logs(row.theta - move)) / (2.0 * step) for move in moves])
    unlabeled = np.trace(np.linalg.inv(scores @ scores.T / n))
    labeled = 0.0
    for a, c in row.theta:
        mean = np.exp(a + 0.5 * c**2)  # E exp(a + c x), and its moments
        labeled += np.trace(np.linalg.inv(mean * np.array([[1.0, c], [c, 1.0 + c**2]])))
    assert abs(floor(row) / (unlabeled / labeled) - 1.0) < 0.05


def test_the_bound_of_rounded_numbers_is_more_than_was_asked_for_even_with_labels():
    """Information about a mean from a number that is rounded to two deviations, over the place of the mean, by quadrature."""
    m = np.linspace(-1.0, 1.0, 2001)[:, None]
    ends = np.arange(-9.0, 10.0, 2.0)
    chance = np.diff(norm.cdf(ends - m), axis=1)
    slope = -np.diff(norm.pdf(ends - m), axis=1)
    price = 1.0 / (slope**2 / np.maximum(chance, 1e-300)).sum(axis=1).mean()
    assert abs(price - 1.33) < 0.01
    assert floor(ROWS[-1]) > price > ROWS[-1].most


@pytest.mark.parametrize("family", KINDS)
def test_a_run_of_a_cell_is_judged(family):
    cell = Cell(family, "items", 2, 60)
    run = one_cell_run(cell, 0)
    assert set(run) == {"seed", "batch"}
    assert json.loads(json.dumps(run)) == run
    assert Case(cell, 0, run["batch"]).kind in ("right", "wide", "reported")


def test_what_is_wrong_and_silent_is_told_from_what_is_right_wide_or_reported():
    cell = Cell("binary", "x alone", 2, 3000)
    given = cell.draw(1)
    found = batch(cell, given)
    assert off(found.theta, given) < tolerance(given)
    assert is_within(found, given)
    far = given._replace(theta=given.theta + 2.0)
    assert off(found.theta, far) > tolerance(given)
    assert not is_within(found, far)
    result = {
        "right": False,
        "within": False,
        "error": None,
        "codes": [],
        "causeless": [],
        "off": 2.0,
        "truth": {"below": 5.0, "apart": 3.0},
        "covered": 0.0,
    }
    kinds = [
        {},
        {"truth": {"below": 0.0, "apart": 0.01}},
        {"codes": ["rival-solution"]},
        {"error": "x"},
        {"within": True},
        {"right": True},
    ]
    cases = [Case(cell, 0, result | one) for one in kinds]
    assert [one.kind for one in cases] == ["silent", "beyond", "reported", "reported", "wide", "right"]
    assert faults(cases)
    assert not faults(cases[1:])
    assert "the truth is likelier" in tables(cases)
    assert "on the hill of the truth" in tables(cases)
    assert "Nothing is wrong and silent" in tables(cases[2:])


def test_a_finding_has_a_cause_where_the_truth_itself_gives_one():
    """Two systems that are one, against two that are far apart; a rival that is left, against one that is excluded."""
    cell = Cell("binary", "1, normal", 2, 400)
    given = cell.draw(0)
    rng = np.random.default_rng(0)

    def drawn(theta):
        right = rng.random((400, 2)) < expit(given.inputs @ theta.T)
        return oracle(cell, given._replace(theta=theta, sets=right.astype(float), offset=np.zeros(400)))

    close, apart = drawn(np.array([[0.5, 1.0], [0.6, 1.0]])), drawn(np.array([[-1.5, 1.0], [1.5, -1.0]]))
    said = (finding("systems-coincide", pairs="1 and 2"), finding("few-sets", n_sets=3, unknowns=6))
    rival = (finding("rival-solution", behind=1.0, rival="[-1.5, -1]; [1.5, 1]"),)
    memory = (finding("memory", n_effective=100.0, n_sets=400),)
    for known, expected in ((close, []), (apart, ["systems-coincide"])):
        assert without_cause(said, known.given.theta, known) == expected
        assert without_cause(memory, known.given.theta, known) == ["memory"]
    assert without_cause(rival, apart.given.theta, apart) == ["rival-solution"]
    assert not apart.leaves(apart.given.theta)
    left = replace(apart, given=apart.given._replace(theta=apart.given.theta + 3.0))  # as if the truth were elsewhere
    assert without_cause(rival, apart.given.theta, left) == []


def test_the_page_has_rows_and_random_parameters():
    tasks = STUDY.tasks(2)
    few = [tasks[0], next(task for task in tasks if task.row == Cell("binary", "items", 3, 60).name)]
    found = STUDY.conclude({task: STUDY.run(task) for task in few})
    assert few[0].row in found.table
    assert "## Random parameters, batch" in found.table


@pytest.mark.parametrize("row", ROWS[3:], ids=lambda row: row.name)
def test_other_rows_draw_answers_of_their_family(row):
    answers, psi, b = row.sets(0, 50)
    assert answers.shape == (50, len(row.theta))
    assert psi.shape == (50, 2)
    assert b is None
