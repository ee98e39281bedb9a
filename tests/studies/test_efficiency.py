"""The efficiency study in small: one run of each method, and the table and targets from made-up runs."""

from dataclasses import replace

import numpy as np
import pytest

from studies.efficiency import STUDY
from studies.efficiency.bounds import bound
from studies.efficiency.measure import METHODS, one_run
from studies.efficiency.rows import ROWS
from studies.efficiency.unseen_laws import laws
from studies.running.simulation import Simulation


def test_one_run_has_all_methods_in_their_order():
    found = one_run(replace(ROWS[2], n=2000), 3)
    assert len(found) == len(METHODS)
    squared, labeled, covered, warned = np.array(found).T
    assert (labeled == labeled[0]).all()
    assert squared[2] < 5 * labeled[0] < squared[0]  # efficient, and LMS
    assert set(warned) <= {0.0, 1.0}
    assert ((covered >= 0) & (covered <= 1)).all()
    assert one_run(replace(ROWS[2], n=2000), 3) == found


def results(ratio, covered=0.95, warned=0.0, learned=1.0):
    """Made-up runs of each row, in which the efficient method has this ratio in the first row and 1 elsewhere."""
    found = {}
    for task in STUDY.tasks(20):
        mine = ratio if task.row == ROWS[0].name else 1.0
        run = [(9.0, 1.0, 0.9, 0.0), (3.0, 1.0, 0.9, 0.0), *[(mine, 1.0, covered, warned)] * 2]
        run += [(learned * mine, 1.0, covered, warned)] * 2
        found[task] = {"runs": [run] * 10, "bound": 0.7 if task.start == 0 else None}
    return found


def test_the_table_and_the_targets():
    good = STUDY.conclude(results(2.0))
    assert good.missed == ()
    assert good.table.count("\n") == len(ROWS) + 1
    assert (
        f"| {ROWS[0].name} (n=20,000) | 9.00 ± 0.00 | 3.00 ± 0.00 |" + 4 * " 2.00 ± 0.00 |" + " 1.00 ± 0.00 | 0.70 |"
        in good.table
    )
    assert good.picture.startswith(b"\x89PNG")


def test_rows_that_were_not_run_are_left_out():
    some = {task: one for task, one in results(2.0).items() if task.row in (ROWS[0].name, ROWS[2].name)}
    without_bound = {task: one for task, one in some.items() if task != next(iter(some))}
    for found in (some, without_bound):
        assert STUDY.conclude(found).table.count("\n") == 3


def test_targets_can_be_missed():
    assert without_picture(2.8).missed == (ROWS[0].name,)
    assert len(without_picture(2.0, covered=0.9).missed) == len(ROWS)
    assert "80 (0 flagged)" in without_picture(200.0).table
    assert "80 (80 flagged)" in without_picture(200.0, warned=1.0).table
    assert len(without_picture(2.0, learned=1.04).missed) == 0
    assert len(without_picture(2.0, learned=1.06).missed) == len(ROWS)


def without_picture(*arguments, **options):
    return Simulation.conclude(STUDY, results(*arguments, **options))


def test_laws_have_the_moments_that_are_said():
    """Mean zero and variance one, by draws, which are made by other means than the densities."""
    rng = np.random.default_rng(0)
    for law in laws().values():
        u = law.unit(rng, (200_000,))
        errors = 5.0 / np.sqrt(len(u)) * np.array([1.0, np.std(u**2)])
        assert np.all(abs(np.array([u.mean(), (u**2).mean() - 1.0])) < errors)
    assert sum(row.name.endswith("sd 3") for row in ROWS) == len(laws())


def test_one_method_over_another():
    from studies.efficiency.outcome import Outcome

    rng = np.random.default_rng(0)
    base = rng.chisquare(3, size=400)
    one, other = (Outcome(s, base, base, base) for s in (1.5 * base * np.exp(0.1 * rng.normal(size=400)), base))
    ratio, error = one.over(other)
    assert abs(ratio - 1.5 * np.exp(0.005)) < 4 * error < 0.1  # paired: far below that of independent runs
    assert one.coverage_error == pytest.approx(base.std(ddof=1) / 20)


def test_the_median_over_parameters():
    from studies.efficiency.outcome import Outcome

    rng = np.random.default_rng(0)
    squared, labeled = rng.random(40), rng.random(40)
    one = Outcome(squared, labeled, squared, squared, same=10)
    each = [squared[i : i + 10].sum() / labeled[i : i + 10].sum() for i in (0, 10, 20, 30)]
    assert one.ratio == pytest.approx(np.median(each))
    assert one.standard_error > 0.0
    assert replace(one, same=0).ratio == pytest.approx(squared.mean() / labeled.mean())
    row = next(row for row in ROWS if row.same)
    assert np.array_equal(row.theta(0), row.theta(9))
    assert not np.array_equal(row.theta(0), row.theta(10))
    assert bound(row) is None
