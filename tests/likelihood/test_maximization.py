"""The M-step against its definition, sum by sum; and the climb."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.likelihood.cases import passes_of
from tests.naive import derivative
from vieta.errors import NotIdentifiableError
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import maximization
from vieta.likelihood.associations import associations
from vieta.likelihood.expectation import expect
from vieta.likelihood.maximization import NormalSums, ascend, ascent, climb, gather, is_mixture
from vieta.likelihood.model import residuals
from vieta.sets import as_data
from vieta.weighted.sum_regression import as_matrices

LOGISTIC = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))), 0.5)
LAWS = [Gaussian(0.5), Laplace(0.5), StudentT(0.5), LOGISTIC]
CHOSEN = [CASES[i] for i in (0, 1, 3, 8, 13, 14, 16)]


def naive(data, theta, law, P):
    """Sums of the M-step reading by reading; noise covariance s I."""
    sd = np.sqrt(float(law.variance))
    L, D = theta.shape
    H, g, squares, spread = np.zeros((L, D, D)), np.zeros((L, D)), 0.0, 0.0
    for k, psi in enumerate(as_matrices(data)):
        for i in range(L):
            for l in range(L):
                u = (data.sets[k, i] - psi @ theta[l]) / sd
                s = law.unit_score(u)
                w = s / u if is_mixture(law) else s**2
                H[l] += P[k, i, l] * psi.T @ np.diag(w) @ psi / sd**2
                g[l] += P[k, i, l] * psi.T @ s / sd
                squares += P[k, i, l] * float(u @ s)
                spread += P[k, i, l] * float(((u * s - 1) ** 2).sum())
    return NormalSums(H, g, squares, spread, data.sets.size)


@pytest.mark.parametrize("law", LAWS, ids=["gaussian", "laplace", "student-t", "logistic"])
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_sums_are_those_of_the_definition(case, law):
    data = as_data(*case.draw(6, noise=0.7))
    r = residuals(data, case.theta)
    P = associations(law.log_density(r)).marginals
    found, expected = gather(data, r, P, law), naive(data, case.theta, law, P)
    for name in ("normal", "gradient", "squares", "spread", "count"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-8, atol=1e-9, err_msg=name)


def test_which_laws_are_mixtures():
    assert [is_mixture(law) for law in (*LAWS, Skewed(skewness=0.5))] == [True, True, True, False, False]


@pytest.mark.parametrize("law", [Gaussian(0.5), StudentT(0.5)], ids=repr)
def test_the_gradient_is_that_of_the_likelihood(law):
    """Fisher's identity, for the parameters and for the scale."""
    sets, psi = CASES[1].draw(30, noise=0.7)
    passes, theta = passes_of(sets, psi), CASES[1].theta
    at = expect(passes, theta, law)
    slope = derivative(lambda t: np.atleast_1d(expect(passes, t, law).likelihood), theta)
    assert_allclose(at.sums.gradient.ravel(), slope.ravel(), rtol=1e-5)
    h = 1e-5
    up, down = (expect(passes, theta, law.scaled(np.exp(sign * h) * law.variance)).likelihood for sign in (1, -1))
    assert_allclose(0.5 * (at.sums.squares - at.sums.count), (up - down) / (2 * h), rtol=1e-5)


def test_the_step_and_its_length():
    normal, gradient = np.array([[[4.0]], [[2.0]]]), np.array([[2.0], [1.0]])
    sums = NormalSums(normal, gradient, squares=9.5, spread=5.0, count=10)
    step, length = ascent(sums, Gaussian(), True, 1e-9)
    assert_allclose(step, [0.5, 0.5])
    assert length == pytest.approx(1.5)
    step, length = ascent(sums, Gaussian(), False, 1e-9)  # scale (9.5 - 1.5) / 10
    assert_allclose(step, [0.5, 0.5, np.log(0.8)])
    assert length == pytest.approx(1.5 + 5.0 * np.log(0.8) ** 2)
    step, length = ascent(sums, LOGISTIC, False, 1e-9)  # scoring: 2 (9.5 - 10) / 5
    assert_allclose(step[2], -0.2)
    assert length == pytest.approx(1.5 + 1.25 * 0.04)
    assert ascent(sums, Gaussian(), False, 0.9)[0][2] == pytest.approx(np.log(0.9))  # the floor


def test_inputs_that_are_zero_are_refused():
    sums = NormalSums(np.zeros((2, 1, 1)), np.zeros((2, 1)), 1.0, 1.0, 10)
    with pytest.raises(NotIdentifiableError) as error:
        ascent(sums, Gaussian(), True, 1e-9)
    assert error.value.code == "inputs-not-identifying"


@pytest.mark.parametrize("longest", [1.0, 4.0, 100.0])
def test_a_step_that_goes_too_far_is_halved(longest):
    """Uphill on -x² from 1: whole steps below 2 are taken whole; from the top no step climbs."""

    def expect_from(x):
        return lambda step: SimpleNamespace(likelihood=-float((x - step[0]) ** 2), end=x - step[0])

    found = climb(expect_from(1.0), np.array([longest]), -1.0)
    taken = 1.0 - found.end
    assert 0.0 < taken < 2.0
    assert taken == longest or 2.0 * taken >= 2.0
    assert climb(expect_from(0.0), np.array([longest]), 0.0) is None


def on_parabola(x, slope=1.0):
    """An E-step on -x²/2 whose M-step goes all the way, or past it."""
    sums = NormalSums(np.array([[[1.0 / slope]]]), np.array([[-x]]), 1.0, 1.0, 1)
    return SimpleNamespace(x=x, law=Gaussian(), likelihood=-0.5 * x * x, sums=sums)


def plan(slope=1.0, converged=True):
    return lambda now: (lambda step: on_parabola(now.x + step[0], slope), converged)


def test_how_an_ascent_ends(monkeypatch):
    found = ascend(on_parabola(3.0), True, 1e-16, plan())
    assert (found.converged, found.halted, found.end.x) == (True, False, 0.0)
    assert_allclose(found.log_likelihood, [-4.5, 0.0])
    half = ascend(on_parabola(3.0, 0.5), True, 1e-16, plan(0.5))  # each step goes half the way
    assert np.all(np.diff(half.log_likelihood) > 0)
    assert half.converged
    assert 0.5 * half.end.x**2 < maximization.TOLERANCE
    monkeypatch.setattr(maximization, "ITERATIONS", 3)
    short = ascend(on_parabola(3.0, 0.5), True, 1e-16, plan(0.5))
    assert (short.converged, short.halted, short.end.x) == (False, False, 0.375)


def test_an_ascent_that_cannot_climb_halts_on_a_slope_and_converges_near_a_top():
    def stuck(now):
        return (lambda step: SimpleNamespace(likelihood=now.likelihood - 1.0)), True

    on_slope, near_top = (ascend(on_parabola(x), True, 1e-16, stuck) for x in (3.0, 0.05))
    assert (on_slope.converged, on_slope.halted) == (False, True)
    assert (near_top.converged, near_top.halted) == (True, False)
