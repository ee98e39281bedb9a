"""The study of the one-step estimate, in small; in full by `python -m studies --only likelihood`."""

from dataclasses import replace

import numpy as np
import pytest

from studies.likelihood import ROWS, STUDY, line, outcome, reached
from studies.running.study import Task
from tests.likelihood.cases import em
from vieta.laws import inputs
from vieta.laws.noise import Laplace
from vieta.scenarios import simulate

NAMES = {row.name: row for row in ROWS}
WRONG = NAMES["(4, 5), Laplace sd 2, taken for Gaussian sd 1"]


def test_the_study_in_small():
    right, wrong = outcome(replace(ROWS[0], n=1500), range(12)), outcome(replace(WRONG, n=4000), range(6))
    assert reached(ROWS[0], right)
    assert abs(right.ratio - 1) < 4 * np.sqrt(2 / 24)
    assert reached(WRONG, wrong)
    assert not reached(ROWS[0], wrong)  # the study can fail
    assert line(ROWS[0], right).count("|") == 7


def test_runs_in_blocks_make_the_table_and_the_targets():
    """Made-up runs at the bound, but for one row that is three times as far."""
    rng = np.random.default_rng(0)
    tasks = STUDY.tasks(40)
    assert [str(task) for task in tasks[:3]] == [
        f"{ROWS[0].name} [0:20]",
        f"{ROWS[0].name} [20:40]",
        f"{ROWS[1].name} [0:20]",
    ]

    def result(task: Task):
        far = 3.0 if task.row == ROWS[2].name else 1.0
        doubted = 0.0 if task.row == WRONG.name else 0.5
        runs = [(far * square, 2.0, 1.0, doubted) for square in rng.exponential(size=20)]
        return {"runs": runs, "bound": 1.0 if task.start == 0 else None}

    found = STUDY.conclude({task: result(task) for task in tasks})
    assert found.missed == (ROWS[2].name,)
    assert found.table.count("\n") == len(ROWS) + 1


@pytest.mark.slow
@pytest.mark.parametrize(("noise_var", "limit"), [(4.0, [4.031, 4.969]), (1.0, [3.598, 5.402]), (0.5, [3.551, 5.449])])
def test_how_far_a_gaussian_law_errs_on_laplace_noise(noise_var, limit):
    ends = []
    for seed in range(4):
        records = simulate((4, 5), n=100_000, seed=seed, noise=Laplace(4.0), inputs=inputs.Gaussian())
        ends.append(np.sort(em(records.sets, records.inputs, noise_var=noise_var).theta.ravel()))
    assert abs(np.mean(ends, axis=0) - limit).max() < 0.015
