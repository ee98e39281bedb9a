"""Few sets that two assignments explain as well, and those that the best one leaves too much of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.findings import at_least
from vieta.matching import match_rows
from vieta.weighted.panel_rivals import leaves_too_much, nearest_rival, of_panel


def lines(seed, n=12, sd=0.1, crossing=False):
    """Two lines, parallel or crossing, with the readings of each."""
    rows = np.column_stack([np.ones(n), np.linspace(-1.0, 1.0, n)])
    theta = np.array([[0.0, 1.0], [0.0, -1.0]]) if crossing else np.array([[0.0, 1.0], [3.0, 1.0]])
    readings = rows @ theta.T + sd * np.random.default_rng(seed).standard_normal((n, 2))
    return rows, theta, readings


def fitted(rows, readings):
    return np.linalg.lstsq(rows, readings, rcond=None)[0].T


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("crossing", [False, True])
def test_lines_that_noise_cannot_confuse_have_no_rival(seed, crossing):
    rows, theta, readings = lines(seed, crossing=crossing)
    best = fitted(rows, readings)
    others = [fitted(rows, np.sort(readings, axis=1)), theta + 0.2]  # one of which has the lines bounce off each other
    assert nearest_rival(of_panel(rows, readings, best), best, others) is None


@pytest.mark.parametrize("seed", range(3))
def test_parabolas_that_touch_have_the_rival_in_which_they_cross(seed):
    x = np.linspace(-1.0, 1.0, 16)
    rows = np.vander(x, 4, increasing=True)
    theta = np.array([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 0.0]])  # x² and -x²; x³ and -x³ is much the same
    readings = rows @ theta.T + 0.2 * np.random.default_rng(seed).standard_normal((16, 2))
    best = fitted(rows, readings)
    found = nearest_rival(of_panel(rows, readings, best), best, [])
    assert found is not None
    assert found.moved.min() > 1.0
    other = readings.copy()
    other[x < 0.0] = other[x < 0.0][:, ::-1]
    crossing = fitted(rows, other)
    crossing -= crossing.mean(axis=0)
    order = match_rows(found.theta, crossing)
    assert_allclose(found.theta[order] @ rows.T, crossing @ rows.T, atol=0.4)


def test_without_noise_there_is_nothing_to_compare():
    rows, theta, _ = lines(0)
    assert of_panel(rows, rows @ theta.T, theta) is None


def test_residuals_that_are_as_large_as_the_noise_of_the_sums_are_not_too_much():
    rng, alarms = np.random.default_rng(0), 0
    rows, theta, _ = lines(0, 20)
    for _ in range(300):
        readings = rows @ theta.T + rng.standard_normal((20, 2)) + rng.standard_normal((20, 1))  # a part is shared
        alarms += leaves_too_much(rows, readings, fitted(rows, readings)) > 0.0
    assert alarms == 0
    wrong = rows @ theta.T + 0.1 * rng.standard_normal((20, 2))
    wrong[::3] = wrong[::3, ::-1]
    assert leaves_too_much(rows, wrong, fitted(rows, wrong)) > 10.0


@pytest.mark.parametrize(("degree", "L", "N"), [(4, 2, 30), (7, 3, 40), (9, 2, 60), (1, 5, 12)])
def test_small_panels_are_right_or_doubted(degree, L, N):
    right = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rows = np.vander(rng.uniform(-1.0, 1.0, N), degree + 1, increasing=True)
        theta = 2.0 * rng.standard_normal((L, degree + 1))
        found = vieta.fit(rng.permuted(rows @ theta.T + 0.3 * rng.standard_normal((N, L)), axis=1), rows)
        own, true = found.theta @ rows.T, theta @ rows.T
        off = np.sqrt(((own[match_rows(own, true, unit=1.0)] - true) ** 2).mean(axis=1)) / 0.3
        is_right = np.all((off <= 0.5) | (off <= 5.0 * np.sqrt((degree + 1) / N)))
        right += is_right
        assert is_right or at_least(found.findings, "caution")
        for one in found.findings:
            if one.code == "rival-solution":
                assert not np.isfinite(found.stderr).all()
    assert right > 3
