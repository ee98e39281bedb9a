"""Peers: the data, the methods that need no package, the verdicts and the page; and trackers of two packages against each other."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from studies.peers import BY_NAME, STUDY
from studies.peers.measure import judged, one_run, prepared
from studies.peers.methods import METHODS
from studies.peers.outcome import Outcome, less_time, line, overview, smaller_errors, table
from studies.peers.plain import Answer, alternating, labeled, mixture, padasip_rls
from studies.peers.rows import NEAR, ROWS, Problem, Row, fixed, normal, start, times

CROSSING = fixed([0, 3, 0, 2], [0.5, -3, -0.5, 2])
CLEAR = Row("clear", fixed(-2, 5), normal(60), 0.1)
FALSE = Row("with false readings", fixed(-2, 5), normal(200), 0.1, 0.7, 1.0)
PLANE = Row("in the plane", CROSSING, times(40, 2), 0.2, 0.8, 1.0, 5.0)


def test_every_row_is_drawn_as_it_says():
    for row in ROWS:
        problem = row.draw(0)
        sizes = np.array([len(one) for one in problem.sets])
        L, N = len(problem.theta), len(sizes)
        expected, variance = L * row.seen + row.rate, L * row.seen * (1 - row.seen) + row.rate
        assert abs(sizes.mean() - expected) <= 5.0 * np.sqrt(variance / N)
        y, psi = problem.of(0)
        off = (y - np.einsum("kpd,d->kp", psi, problem.theta[0])) / row.sd
        assert abs((off**2).mean() - 1.0) < 5.0 * np.sqrt(2.0 / off.size)
        assert problem.is_complete == (row.seen == 1.0 and row.rate == 0.0)
        assert len(row.draw(0, longer=3).sets) == 3 * N
        sets, inputs = problem.natural
        assert len(sets) == len(inputs) == N
        false = np.concatenate([one[own < 0] for one, own in zip(problem.sets, problem.owners)])
        assert (abs(false) <= row.half).all()


def test_the_order_within_sets_tells_nothing():
    owners = np.array(ROWS[0].draw(3).owners)
    assert abs(owners.mean(axis=0) - 1.0).max() < 5.0 * np.sqrt(2.0 / 3.0 / len(owners))


def test_a_start_is_as_far_off_as_it_says():
    problem = PLANE.draw(0)
    begun = [start(problem, seed) for seed in range(200)]
    root = np.linalg.inv(np.linalg.cholesky(begun[0].cov))
    off = np.array([(one.theta - problem.theta) @ root.T for one in begun])
    assert abs((off**2).mean() - 1.0) < 5.0 * np.sqrt(2.0 / off.size)
    seen = np.mean([len(problem.of(l)[0]) for l in range(2)]) / len(problem.sets)
    expected = labeled(problem).covs.mean(axis=0) * NEAR**2 * seen / problem.seen
    assert_allclose(np.diag(begun[0].cov), np.diag(expected), rtol=0.5)


def test_least_squares_with_labels():
    problem = CLEAR.draw(0)
    for l, row in enumerate(labeled(problem).theta):
        y = np.array([one[own == l][0, 0] for one, own in zip(problem.sets, problem.owners)])
        x = problem.psi[:, 0, 0]
        assert_allclose(row, (x @ y) / (x @ x))
    assert_allclose(padasip_rls(problem).theta, labeled(problem).theta, rtol=1e-4)


@pytest.mark.parametrize("method", [alternating, mixture])
@pytest.mark.parametrize("row", [CLEAR, FALSE, PLANE], ids=lambda row: row.name)
def test_methods_with_a_start_come_near_to_labels_where_that_is_easy(method, row):
    ratios = []
    for seed in range(4):
        problem = row.draw(seed)
        found, least = (
            judged(problem, one)["squared"] for one in (method(problem, start(problem, seed)), labeled(problem))
        )
        ratios.append(found / least)
    assert np.median(ratios) < 2.0


def test_assignment_is_biased_where_readings_overlap():
    problem = Row("overlap", fixed(4, 5), normal(1000), 2.0).draw(0)
    found = judged(problem, alternating(problem, start(problem, 0)))
    assert found["squared"] > 20.0 * judged(problem, labeled(problem))["squared"]
    assert found["covered"] < 1.0


def test_errors_are_of_matched_rows_and_seen_through_the_inputs():
    problem = CLEAR.draw(0)
    off = np.array([[0.03], [-0.01]])
    covs = np.array([[[0.02**2]], [[0.02**2]]])
    found = judged(problem, Answer((problem.theta + off)[::-1], covs[::-1]))
    assert_allclose(found["squared"], (problem.psi**2).mean() * (off**2).mean())
    assert found["covered"] == 1.0
    assert judged(problem, Answer(problem.theta + off, covs / 4.0))["covered"] == 0.5
    assert not found["lost"]
    assert judged(problem, Answer(problem.theta + np.array([[4.0], [0.0]])))["lost"]
    assert judged(problem, Answer(problem.theta))["covered"] is None


def run(ours, other, labels, time=1.0):
    return {
        name: {"squared": squared, "covered": covered, "lost": squared > 5.0, "time": taken, "further": 0.5 if name == "vieta" else None}
        for name, squared, covered, taken in [
            ("labeled", labels, 1.0, 0.1), ("vieta", ours, 0.5, 2.0), ("mixture EM", other, None, time),
        ]
    }  # fmt: skip


def test_the_ratio_is_of_means_with_its_error():
    rng = np.random.default_rng(0)
    ratios, errors = [], []
    for _ in range(200):
        labels = rng.exponential(size=30)
        found = Outcome.of([run(1.5 * x * rng.uniform(0.5, 1.5), x, x) for x in labels], "vieta")
        ratios.append(found.ratio)
        errors.append(found.stderr)
    assert abs(np.mean(ratios) - 1.5) < 5.0 * np.std(ratios) / np.sqrt(200)
    assert_allclose(np.mean(errors), np.std(ratios), rtol=0.2)


def test_the_table_and_what_was_missed():
    runs = [run(2.0 + 0.1 * k, 1.0 + 0.1 * k, 1.0) for k in range(5)]
    text = table(runs)
    assert "| vieta | 2.20 ± 0.07 | 0% | 50% | 2 | 0.5 | L |" in text
    assert "| mixture EM | 1.20 ± 0.07 | 0% |  | 1 |  |" in text
    assert "Stone Soup" not in text
    assert smaller_errors(runs) == ["mixture EM has 1.20 of the labeled error, ours 2.20"]
    (said,) = less_time(runs)
    assert said == "mixture EM 1 µs a set; ours 2, and 0.5 for each further set, which is less than any other"
    (said,) = less_time([run(1.0, 1.0, 1.0, time=0.4)])
    assert said.endswith("for each further set, which is more than mixture EM")
    told = [one | {"vieta, normal noise": one["mixture EM"]} for one in runs]
    assert smaller_errors(told)[0].endswith("ours 2.20, and 1.20 if it is told the law of the noise")
    ahead = [run(1.0 + 0.1 * k, 2.0, 1.0, time=3.0) for k in range(5)]
    assert smaller_errors(ahead) == less_time(ahead) == []
    assert "± 3e+02" in line(METHODS[1], Outcome.of([run(1e3, 1.0, 1.0), run(1.6e3, 1.0, 1.0)], "vieta"))


def test_the_overview_has_a_line_for_each_row():
    text = overview({"one": [run(2.0, 1.0, 1.0)] * 2, "two": [run(1.0, 300.0, 1.0)] * 2}).split("\n")
    assert len(text) == 4
    assert text[2].startswith("| one | 2; 2 (0.5) |  |")
    assert text[3].endswith("| 300; 1 |")
    assert text[0].count("|") == text[1].count("|") == text[2].count("|")


def test_the_page_has_a_table_for_each_row():
    tasks = STUDY.tasks(4)
    assert {task.row for task in tasks} == set(BY_NAME)
    assert tasks[0].start == 0
    results = {task: [run(1.0, 2.0, 1.0, 3.0)] * 2 for task in tasks[:3]}
    conclusion = STUDY.conclude(results)
    assert conclusion.table.count("## ") == 3
    assert conclusion.missed == ()


def test_what_a_method_cannot_run_on_is_left_out():
    can = {method.name: method.can for method in METHODS}
    ten, plane = BY_NAME["L=10, unit gaps, sd .1"].draw(0), PLANE.draw(0)
    assert not can["PyRecEst JPDA"](ten)
    assert can["Stone Soup JPDA"](ten)
    assert not can["padasip RLS"](plane)


# --- trackers of other packages -------------------------------------------------------------------------------------


def answers(name: str, problem: Problem, seed: int) -> Answer:
    return prepared(name, problem, start(problem, seed))()


needs = partial(pytest.importorskip, reason="peers are behind the extra `peers`: make peers")


@pytest.mark.parametrize("row", [FALSE, PLANE], ids=lambda row: row.name)
def test_trackers_of_two_packages_agree(row):
    needs("stonesoup")
    needs("pyrecest")
    problem = row.draw(0)
    theirs, others = (answers(f"{name} JPDA", problem, 0) for name in ("Stone Soup", "PyRecEst"))
    error = np.sqrt(np.einsum("ldd->ld", theirs.covs))
    assert abs(theirs.theta - others.theta).max() < 0.1 * error.min()
    assert_allclose(theirs.covs, others.covs, rtol=0.1, atol=1e-2 * error.min() ** 2)
    assert judged(problem, answers("Stone Soup GNN", problem, 0))["lost"] is False
    assert judged(problem, answers("PyRecEst GNN", problem, 0))["lost"] is False


def test_one_run_has_all_methods():
    needs("stonesoup")
    needs("pyrecest")
    needs("padasip")
    row = Row("small", fixed(-2, 5), normal(40), 0.1)
    found = one_run(row, 0)
    assert list(found) == [method.name for method in METHODS]
    assert all(one["time"] > 0.0 and one["squared"] < 0.01 for one in found.values())
