"""Readings that were fitted as measurements and look like answers."""

import numpy as np
import pytest

import vieta
from vieta.answers.number_findings import rounding_bias
from vieta.laws import inputs


def codes(found):
    return {one.code: one for one in found.findings}


@pytest.mark.parametrize("method", ["efficient", "least-squares"])
def test_zeros_and_ones_are_reported(method):
    rng = np.random.default_rng(0)
    sets = (rng.random((300, 2)) < [0.2, 0.8]).astype(float)
    assert codes(vieta.fit(sets, method=method))["binary-readings"].severity == "serious"


@pytest.mark.parametrize(("step", "severity"), [(0.1, None), (1.0, "note"), (2.5, "caution")])
def test_coarse_grids_are_reported(step, severity):
    records, grid = vieta.simulate((-5, 0, 9), n=600, seed=0, inputs=inputs.Uniform(0.5, 1.5)), 1.1 * step
    found = codes(vieta.fit(grid * np.rint(records.sets / grid), records.inputs))
    assert ("rounded-readings" in found) == (severity is not None)
    if severity is not None:
        assert found["rounded-readings"].severity == severity
        assert np.isclose(found["rounded-readings"].facts["step"], grid)


@pytest.mark.parametrize("low", [0, 1])
def test_levels_of_a_scale_that_are_fitted_as_measurements_are_reported(low):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(800)
    means = np.array([2.0, 3.5, 4.6]) + 0.8 * x[:, None] * np.array([1.0, -0.5, 0.3])
    noisy = means + rng.standard_normal(means.shape)
    psi = np.column_stack([np.ones(800), x])
    ratings = np.clip(np.rint(noisy), 1, 5) - 1 + low
    assert codes(vieta.fit(ratings, psi))["scale-readings"].severity == "caution"
    free = np.rint(noisy + 6.0)  # the same rounded, without ends
    assert "scale-readings" not in codes(vieta.fit(free, psi))


@pytest.mark.parametrize("sd", [0.2, 0.35, 0.5])
def test_the_bias_of_rounding_is_bounded_by_its_first_harmonic(sd):
    mean = np.linspace(0.0, 1.0, 41)
    noise = sd * np.random.default_rng(0).standard_normal(20_000)
    off = np.array([np.rint(one + noise).mean() - one for one in mean])
    chance = 4.0 * np.sqrt((sd**2 + 1 / 12) / len(noise))
    assert abs(off).max() < rounding_bias(1.0, sd) * (1.0 + np.exp(-6.0 * (np.pi * sd) ** 2)) + chance
    assert abs(off).max() > rounding_bias(1.0, sd) - chance
