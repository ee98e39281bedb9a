"""Rounded measurements: the likelihood against all permutations, the step, and the bias that ignoring it has."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import THETA, by_permutations, data, drawn, slopes
from vieta.answers.rounded import FAMILY, RoundedLikelihood, recognised
from vieta.errors import InputError


def test_the_likelihood_is_the_sum_over_all_permutations():
    sets, psi, b = drawn("rounded", 12)
    law, block, sd = RoundedLikelihood(3, 2, 1.0), data(sets, psi, b), 0.6
    u = np.append(THETA.ravel(), np.log(sd))
    logs, scores = law.scores(block, u)
    twin = by_permutations(
        lambda y, e: stats.norm.cdf((y + 0.5 - e) / sd) - stats.norm.cdf((y - 0.5 - e) / sd),
        sets,
        psi @ THETA.T + b[:, None],
    )
    assert_allclose(np.exp(logs), twin, rtol=1e-7)
    assert_allclose(scores, slopes(lambda v: law.scores(block, v)[0], u), atol=2e-6)


@pytest.mark.parametrize("sd", [0.2, 0.5, 4.0])
def test_moments_are_those_of_rounded_numbers(sd):
    law = RoundedLikelihood(1, 1, 1.0)
    eta = np.array([0.1, 0.4])
    found = FAMILY.moments(law, data(np.zeros((2, 1)), eta), np.array([1.0, np.log(sd)]))
    values = np.arange(-60, 61)
    P = stats.norm.cdf((values + 0.5 - eta[:, None]) / sd) - stats.norm.cdf((values - 0.5 - eta[:, None]) / sd)
    mean = P @ values
    assert_allclose(found.mean, mean, atol=1e-6)
    assert_allclose(found.variance, P @ values**2 - mean**2, rtol=1e-5)


def test_steps_are_recognised():
    assert recognised(np.array([-3.0, -1.0, 5.0])) == 2.0
    assert_allclose(recognised(np.array([0.1, 0.3, 0.7, 1.1])), 0.2)
    with pytest.raises(InputError, match="no step"):
        recognised(np.array([0.0, 1.0, 2.5, 3.7]))


def test_what_rounding_does_to_an_estimate_is_undone():
    """Noise of a fifth of a step, and a system below half a step: as a measurement it is biased, as a rounded one not."""
    rng, theta = np.random.default_rng(5), np.array([[0.35], [3.0]])
    psi = rng.uniform(0.2, 1.2, 1500)
    sets = np.rint(psi[:, None] * theta.T + 0.2 * rng.standard_normal((1500, 2)))
    found = vieta.fit(sets, psi, family="rounded", step=1.0)
    assert np.all(abs(found.theta - theta) < 4.5 * found.stderr)
    as_numbers = (psi @ sets.min(axis=1)) / (psi @ psi)  # least squares with labels: the systems do not meet
    assert abs(as_numbers - theta[0, 0]) > 5 * found.stderr[0, 0]
    assert found.answers.names == ("step", "sd before rounding")


@pytest.mark.parametrize(
    ("sets", "options", "code"),
    [
        ([[1.0, 2.0], [2.5, 3.0]], {"step": 1.0}, "not-on-grid"),
        ([[1.0, 1.0], [1.0, 1.0]], {}, "readings-constant"),
        ([[1.0, 2.0], [2.0, 3.0]], {"step": -1.0}, "out-of-range"),
    ],
)
def test_bad_steps_are_refused(sets, options, code):
    with pytest.raises(InputError) as caught:
        vieta.fit(sets, family="rounded", **options)
    assert caught.value.code == code


def test_noise_that_rounding_hides_is_reported():
    rng = np.random.default_rng(0)
    hidden = vieta.fit(np.tile([1.0, 5.0], (200, 1)), family="rounded")
    assert "noise-below-step" in {one.code for one in hidden.findings}
    seen = vieta.fit(np.rint([1.2, 5.4] + 0.4 * rng.standard_normal((400, 2))), family="rounded")
    assert "noise-below-step" not in {one.code for one in seen.findings}


def test_a_step_finer_than_that_of_the_readings_is_reported():
    rng = np.random.default_rng(1)
    sets = 2.0 * np.rint(np.array([1.2, 9.4]) + rng.standard_normal((300, 2)))
    codes = {step: [one.code for one in vieta.fit(sets, family="rounded", step=step).findings] for step in (1.0, 2.0)}
    assert "step-too-fine" in codes[1.0]
    assert "step-too-fine" not in codes[2.0]
