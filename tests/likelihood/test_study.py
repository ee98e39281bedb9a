"""The study of the one-step estimate, in small; in full by `python -m studies.likelihood`."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from studies.likelihood import ROWS, line, reached, study
from tests.likelihood.cases import em
from vieta.laws import inputs
from vieta.laws.noise import Laplace
from vieta.scenarios import simulate

NAMES = {row.name: row for row in ROWS}


def test_the_study_in_small():
    with ThreadPoolExecutor(1) as pool:
        right = study(replace(ROWS[0], n=1500), 12, pool)
        wrong_row = NAMES["(4, 5), Laplace sd 2, taken for Gaussian sd 1"]
        wrong = study(replace(wrong_row, n=4000), 6, pool)
    assert reached(ROWS[0], right)
    assert abs(right.ratio - 1) < 4 * np.sqrt(2 / 24)
    assert reached(wrong_row, wrong)
    assert not reached(ROWS[0], wrong)  # the study can fail
    assert line(ROWS[0], right).count("|") == 7


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS[:-1], ids=lambda row: row.name)
def test_one_step_reaches_the_bound_and_tells_a_wrong_law(row):
    with ThreadPoolExecutor(1) as pool:
        assert reached(row, study(row, 60, pool))


@pytest.mark.slow
@pytest.mark.parametrize(("noise_var", "limit"), [(4.0, [4.031, 4.969]), (1.0, [3.598, 5.402]), (0.5, [3.551, 5.449])])
def test_how_far_a_gaussian_law_errs_on_laplace_noise(noise_var, limit):
    ends = []
    for seed in range(4):
        records = simulate((4, 5), n=100_000, seed=seed, noise=Laplace(4.0), inputs=inputs.Gaussian())
        ends.append(np.sort(em(records.sets, records.inputs, noise_var=noise_var).theta.ravel()))
    assert abs(np.mean(ends, axis=0) - limit).max() < 0.015
