"""The study of basins: its data, its verdicts and counts, and a small version of it."""

import json
from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from studies.basins import STUDY
from studies.basins.cause import Cause, cause, has_cause, information
from studies.basins.cells import CELLS, DEVIATIONS, INPUTS, SETS, SYSTEMS, Cell, Records, off
from studies.basins.counts import Case, Counts, cells_of, codes_on_right, faults
from studies.basins.measure import compared, is_right, one_run
from studies.basins.true_of_data import are_true
from studies.running.study import Task
from vieta.search.ascent import climb
from vieta.search.problem import problem

CELL = Cell("1, t", 3, 0.2, 500)


def case(
    cell=CELL, seed=0, truth=True, right=False, codes=(), error=None, below=0.0, within=False, moved=0.0, cause=None
):
    result = {"error": error, "is_right": right, "is_within": within, "codes": list(codes), "off": 3.0, "below": below}
    return Case(cell, seed, {"is_right": truth}, result | {"moved": moved, "has_cause": bool(cause)})


# --- data -----------------------------------------------------------------------------------------------------------


def test_there_is_a_cell_for_everything_and_cheap_ones_come_first():
    assert len(CELLS) == len(INPUTS) * len(SYSTEMS) * len(DEVIATIONS) * len(SETS) == 432
    tasks = STUDY.tasks(8)
    assert len(tasks) == len(set(tasks)) == 864
    assert {task.start for task in tasks[:432]} == {0}  # some runs of every cell before there are more of any
    assert tasks[0].row == "constant; L=2; sd 0.05; N=50"
    assert not any("N=5000" in task.row for task in tasks[:288])


@pytest.mark.parametrize("name", INPUTS)
def test_curves_have_unit_size_and_the_noise_its_share_of_the_gap(name):
    sizes, gaps, noises = [], [], []
    for seed in range(150):
        cell = Cell(name, 3, 0.2, 50)
        made = cell.draw(seed)
        means = made.inputs @ made.theta.T
        sizes.append((means**2).mean() / made.inputs.shape[1])
        gaps.append(0.2 * np.median(np.diff(np.sort(means, axis=1), axis=1)) / made.sd)
        noises.append((made.sets.sum(axis=1) - means.sum(axis=1)).var() / made.sd**2)
    assert abs(np.mean(sizes) - 1) < 5 * np.std(sizes) / np.sqrt(150)
    assert not abs(np.mean(sizes) - 2) < 5 * np.std(sizes) / np.sqrt(150)
    assert_allclose(gaps, 1.0)
    assert abs(np.mean(noises) - 3) < 5 * np.std(noises) / np.sqrt(150)  # sums of three


# --- verdicts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_of_the_worst_curve_at_the_best_matching(seed):
    made = CELL.draw(seed)
    rng = np.random.default_rng(seed)
    theta = rng.permutation(made.theta + 0.1 * rng.standard_normal(made.theta.shape))
    squares = [
        ((made.inputs @ (theta[list(order)] - made.theta).T) ** 2).mean(axis=0) for order in permutations(range(3))
    ]
    best = min(squares, key=sum)
    assert_allclose(off(theta, made), np.sqrt(best.max()) / made.sd)
    assert off(made.theta[::-1], made) == 0.0
    step = made.sd * np.array([1.0, 0.0])
    assert is_right(made.theta + 0.49 * step, made)
    assert not is_right(made.theta + 0.51 * step, made)


def test_the_truth_is_likelier_than_a_wrong_basin():
    made = Cell("1, cos, sin", 3, 0.2, 500).drawn(np.random.default_rng(1))
    given = compared(made)
    wrong = made.theta.copy()
    wrong[[0, 1], 1:] = wrong[[1, 0], 1:]  # two systems exchange their seasons
    assert climb(given, made.theta, 0).likelihood > climb(given, wrong, 0).likelihood + 1.0
    assert is_right(climb(given, made.theta).theta, made)


def test_counts_by_hand():
    cases = [
        case(right=True),
        case(right=True, codes=["rival-solution", "memory"], cause=False),
        case(right=True, codes=["rival-solution"], cause=True),
        case(right=True, codes=["memory"]),
        case(below=5.0),  # a wrong basin without a word
        case(within=True, truth=False),
        case(codes=["few-sets"], below=-2.0),  # likelier than the truth
        case(codes=["few-sets", "not-certified"], below=9.0),
        case(error="too-few-sets"),
    ]
    found = Counts.of(cases)
    expected = {"runs": 9, "answered": 8, "right": 4, "reported": 3, "few": 1, "silent": 2, "within": 1, "below": 2}
    expected |= {"lost": 4, "likelier": 1, "losable": 8, "caused": 1, "doubted": 1, "noted": 1}
    assert vars(found) == expected
    assert cells_of(found) == (
        "9",
        "4",
        "3 (1 by few-sets only)",
        "2 (1 within)",
        "2",
        "4/8 (1 likelier)",
        "1",
        "1",
        "1",
    )
    assert codes_on_right(cases) == {"memory": 2, "rival-solution": 2}
    assert len(faults(cases)) == 5
    assert faults([case(right=True)] * 100) == []
    assert faults([case(right=True, codes=["rival-solution"], cause=True)] * 100) == []
    assert (
        "findings without cause on 3 of 100"
        in faults([case(right=True)] * 97 + [case(right=True, codes=["rival-solution"], cause=False)] * 3)[0]
    )
    assert faults([case(right=True)] * 2000 + [case(cell=Cell("1, t", 8, 1.0, 50), truth=False)]) == []  # one in 2001


# --- causes ---------------------------------------------------------------------------------------------------------


def open_pairing(decisive, sd, seed):
    """Two systems under [1, x] with x in {0, 1}, which leaves the pairing open, and so many sets with x = 2, which settle it."""
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.integers(0, 2, 100 - decisive), np.full(decisive, 2)])
    rows, theta = np.stack([np.ones(100), x], axis=1), np.array([[0.0, 1.0], [2.0, 2.0]])
    return Records(rng.permuted(rows @ theta.T + sd * rng.standard_normal((100, 2)), axis=1), rows, theta, sd)


@pytest.mark.parametrize("seed", range(3))
def test_a_doubt_has_a_cause_where_the_data_leave_another_answer(seed):
    assert cause(open_pairing(0, 0.2, seed), 0.5).undecided  # on another hill
    assert not cause(open_pairing(40, 0.2, seed), 0.8).undecided
    wide = open_pairing(40, 1.0, seed)
    assert cause(wide, 0.1).undecided  # on the same hill: within a third of the labeled errors of the curve
    assert not cause(open_pairing(40, 0.2, seed), 2.0).undecided


@pytest.mark.parametrize("seed", range(3))
def test_a_doubt_has_a_cause_where_systems_are_close_for_their_errors(seed):
    rng = np.random.default_rng(seed)
    for gap, close in ((3.0, False), (0.5, True)):
        theta = np.array([[0.0], [gap]])
        sets = rng.permuted(theta[:, 0] + rng.standard_normal((200, 2)), axis=1)
        found = cause(Records(sets, np.ones((200, 1)), theta, 1.0), 50.0)
        assert not found.undecided
        assert has_cause(["systems-coincide", "memory"], found, 1) is close
    assert found.apart < 6.0


@pytest.mark.parametrize("seed", range(3))
def test_a_doubt_has_a_cause_where_the_rival_that_is_shown_is_one_for_the_oracle(seed):
    made = open_pairing(0, 0.2, seed)
    exchanged = np.array([[0.0, 3.0], [2.0, 0.0]])  # the same sets for x in {0, 1}
    assert cause(made, 50.0, [exchanged, made.theta]).undecided
    assert not cause(made, 50.0, [made.theta]).undecided
    assert not cause(open_pairing(40, 0.2, seed), 50.0, [exchanged, made.theta]).undecided


@pytest.mark.parametrize("seed", range(3))
def test_findings_about_the_sets_are_true_or_not(seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(500), rng.standard_normal(500)])
    for gap, slope, unknowable, nothing in ((0.7, 1e-3, True, True), (8.0, 1.0, False, False)):
        theta = np.array([[0.0, slope], [gap, -slope]])
        made = Records(rng.permuted(rows @ theta.T + rng.standard_normal((500, 2)), axis=1), rows, theta, 1.0)
        assert are_true(["shock-unknowable"], made) is unknowable
        assert are_true(["inputs-explain-nothing"], made) is nothing
        assert are_true(["shock-unknowable", "inputs-explain-nothing"], made) is (unknowable and nothing)
        assert not are_true(["memory"], made)


def test_what_counts_as_close_depends_on_the_finding():
    assert not has_cause(["not-separated"], Cause(undecided=False, apart=5.0), 1)
    assert has_cause(
        ["systems-coincide"], Cause(undecided=False, apart=5.0), 3
    )  # three errors in each of three directions
    assert has_cause(["not-certified"], Cause(undecided=True, apart=50.0), 1)
    assert not has_cause(["not-certified"], Cause(undecided=False, apart=50.0), 1)


@pytest.mark.parametrize("seed", range(2))
def test_the_information_is_that_of_labels_where_systems_are_far_apart_and_less_where_not(seed):
    """Beside simulation: labels give X'X for each system in units of the noise, and one reading less than none."""
    made = Cell("1, normal", 2, 0.05, 50).draw(seed)
    for sd, least, most in ((1e-3, 0.9, 1.1), (3.0, 0.0, 0.8)):
        given = problem(made.sets[:, :, None], made.inputs[:, None, :], np.array([[sd**2]]))
        labeled = np.kron(np.eye(2), made.inputs.T @ made.inputs / sd**2)
        shares = np.linalg.eigvals(np.linalg.solve(labeled, information(given, made.theta))).real
        assert least < shares.min() < most
        assert shares.max() < 1.25


def test_kinds_of_wrong_answers():
    assert "wrong basin" in case(below=5.0).kind
    assert "error of the data" in case(truth=False).kind
    assert "not near its top" in case(moved=2.0).kind
    assert "as likely" in case().kind


# --- small ----------------------------------------------------------------------------------------------------------

SMALL = [
    Cell(name, L, share, N)
    for name in ("1, normal", "1, t", "1, cos, sin", "x in {0..4}", "2 groups, covariate", "constant")
    for L, share, N in ((2, 0.2, 50), (3, 0.05, 500), (3, 0.2, 500))
]


@pytest.mark.parametrize("cell", SMALL, ids=lambda cell: cell.name)
def test_small_version_is_right_or_reported(cell):
    for seed in range(2):
        found = one_run(cell, seed)
        for mode in ("batch", "online"):
            one = Case(cell, seed, found["truth"], found[mode])
            assert one.is_right or not one.is_silent, (mode, seed, one.kind, found)
            assert cell.sets < 500 or not one.is_below, (mode, seed, found)
        json.dumps(found)


def test_the_page_has_tables_and_every_silent_case():
    tasks = [Task("constant; L=2; sd 0.05; N=50", 0, 2), Task("1, t; L=2; sd 0.2; N=50", 0, 2)]
    results = {task: STUDY.run(task) for task in tasks}
    page = STUDY.conclude(results).table
    assert page.count("Nothing is wrong and silent.") == 2
    assert (
        "Cells without any run, those that take longest: 34 of 36 with N = 50, L = 2, 36 of 36 with N = 50, L = 3,"
        in page
    )
    assert "| constant; 2 | 2 | 2 | 0 | 0 | 0 | 0/2 |" in page
    results[tasks[1]][1]["online"] |= {"is_right": False, "codes": [], "off": 7.0, "below": 12.0}
    found = STUDY.conclude(results)
    assert "| 1, t; L=2; sd 0.2; N=50 | 1 | 7.00 | 12 | " in found.table
    assert "online: wrong and silent in 1 of 4 runs" in found.missed
