"""The likelihood methods behind the facade: what they take, what they find, what they say."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose
from vieta.estimators.fit_findings import of_iterations
from vieta.estimators.likelihood_fit import matched

import vieta
from vieta.laws import inputs
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import em

BATCH = pytest.mark.parametrize("method", ["one-step", "em"])
CONTRADICTED = "The data contradict the assumed noise"


def draw(law, n=4000, seed=0, theta=(4, 5)):
    records = vieta.simulate(theta, n=n, seed=seed, noise=law, inputs=inputs.Gaussian())
    return records.sets, records.inputs


@BATCH
@pytest.mark.parametrize("law", ["gaussian", "laplace", "student-t", Laplace(4.0), StudentT(4.0, df=8)], ids=repr)
def test_every_law_makes_a_whole_estimate(method, law):
    estimate = vieta.fit(*draw(Laplace(4.0), n=1200), method=method, law=law)
    assert (estimate.method, estimate.transform, estimate.n_sets) == (method, "likelihood", 1200)
    assert np.all(np.linalg.eigvalsh(estimate.cov) > 0)
    assert np.all(np.diff(estimate.theta[:, 0]) > 0)
    assert estimate.noise_var == (4.0 if isinstance(law, Laplace | StudentT) else pytest.approx(4.0, rel=0.2))
    assert "likelihood" in estimate.summary()


@BATCH
def test_the_right_law_makes_errors_smaller_and_is_not_doubted(method):
    warned, smaller = 0, []
    for seed in range(8):
        sets, psi = draw(Laplace(4.0), seed=seed, n=1500)
        estimate = vieta.fit(sets, psi, method=method, law="laplace")
        warned += any(CONTRADICTED in text for text in estimate.warnings)
        smaller.append(np.trace(estimate.cov) / np.trace(vieta.fit(sets, psi).cov))
    assert warned <= 1  # one in a hundred: P(more than 1 of 8) is 0.3 %
    assert np.mean(smaller) < 0.8


@BATCH
@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_law_is_named_in_words(method, seed):
    sets, psi = draw(Laplace(4.0), n=6000, seed=seed)
    wrong = vieta.fit(sets, psi, method=method, law="gaussian", noise_var=1.0)
    text = next(text for text in wrong.warnings if CONTRADICTED in text)
    assert "(Gaussian, sd 1)" in text
    assert "use method 'efficient', or another law=" in text
    right = vieta.fit(sets, psi, method=method, law="laplace")
    assert not any(CONTRADICTED in text for text in right.warnings)


def test_em_may_start_elsewhere_and_ends_at_the_same_place():
    sets, psi = draw(Gaussian(1.0))
    expected = vieta.fit(sets, psi, method="em")
    turned = vieta.fit(sets, psi, method="em", start=[5.5, 3.5])
    assert_allclose(turned.theta, expected.theta, atol=1e-4)
    assert_allclose(turned.cov, expected.cov, rtol=1e-2, atol=1e-2 * abs(expected.cov).max())
    assert_allclose(expected.theta.ravel(), np.sort(em(sets, psi).theta.ravel()), rtol=1e-12)


def test_em_that_did_not_settle_says_so(monkeypatch):
    monkeypatch.setattr(import_module("vieta.likelihood.maximization"), "ITERATIONS", 2)
    found = vieta.fit(*draw(Gaussian(4.0)), method="em", start=[0.0, 9.0])
    assert any("EM had not settled after 2 iterations" in text for text in found.warnings)


def test_em_that_came_to_a_halt_says_so():
    words = of_iterations(7, converged=False, halted=True)
    assert len(words) == 1
    assert "EM came to a halt after 7 iterations" in words[0]
    assert of_iterations(7, converged=True, halted=False) == ()


SIZE = "The noise is not of the size that was given"


@pytest.mark.parametrize("method", ["one-step", "em", "recursive-em"])
@pytest.mark.parametrize("noise_var", [0.2, 0.01, 5.0])
def test_a_variance_that_is_far_off_is_told(method, noise_var):
    rng = np.random.default_rng(0)
    sets = rng.permuted(np.array([1.0, 7.0]) + rng.normal(size=(400, 2)), axis=1)
    told = {}
    for given in (noise_var, 1.0):
        filtered = vieta.SymmetricFilter(2, method=method, noise_var=given) if method == "recursive-em" else None
        found = (
            vieta.fit(sets, method=method, noise_var=given)
            if filtered is None
            else filtered.partial_fit(sets).estimate()
        )
        told[given] = any(SIZE in text for text in found.warnings)
    assert told == {noise_var: True, 1.0: False}


@BATCH
@pytest.mark.parametrize("noise_var", [0.1, 0.03, 0.003])
def test_standard_errors_hold_however_small_the_variance_that_was_given(method, noise_var):
    """Systems far apart: the estimates are averages, whose error is that of the readings, 1 / sqrt(400)."""
    rng = np.random.default_rng(1)
    sets = rng.permuted(np.array([1.0, 9.0]) + rng.normal(size=(400, 2)), axis=1)
    found = vieta.fit(sets, method=method, noise_var=noise_var)
    assert_allclose(found.stderr, 0.05, rtol=0.15)


@BATCH
@pytest.mark.parametrize("n", [2, 3, 8])
def test_very_few_sets_do_not_contradict_a_law(method, n):
    for seed in range(10):
        sets = vieta.simulate((1.0, 4.0), n=n, seed=seed).sets
        found = vieta.fit(sets, method=method)
        assert not any(CONTRADICTED in text for text in found.warnings)
        assert any("Very few sets" in text for text in found.warnings)


@BATCH
@pytest.mark.parametrize("law", [Skewed(1.0, skewness=1.0), Skewed(1.0, skewness=-0.7)], ids=repr)
def test_a_law_with_a_bound_may_be_claimed_and_its_errors_hold(method, law):
    """Mean square of the errors in their standard errors, against that of 24 normal numbers."""
    off = []
    for seed in range(12):
        records = vieta.simulate((0.0, 2.0), n=1000, seed=seed, noise=law)
        found = vieta.fit(records.sets, method=method, law=law)
        off.append((found.theta.ravel() - [0.0, 2.0]) / found.stderr.ravel())
    assert abs(np.mean(np.square(off)) - 1.0) < 4 * np.sqrt(2 / 24)
    assert not abs(np.mean(np.square(2.0 * np.array(off))) - 1.0) < 4 * np.sqrt(2 / 24)


@BATCH
@pytest.mark.parametrize("seed", range(3))
def test_one_value_twice_is_never_passed_off_as_two(method, seed):
    records = vieta.simulate((2.0, 2.0, 7.0), n=1000, seed=seed, noise=Gaussian(0.25))
    estimate = vieta.fit(records.sets, method=method)
    assert np.isfinite(estimate.theta).all()
    assert any("1 and 2" in text or "two systems are only" in text for text in estimate.warnings)


def test_findings_of_the_symmetric_estimate_come_along():
    rng = np.random.default_rng(0)
    sets = np.concatenate([rng.normal([0, 3], 0.1, size=(500, 2)), rng.normal([1, 4], 0.1, size=(500, 2))])
    found = vieta.fit(sets, method="one-step")
    assert any("seem to change with time, most clearly after set 500" in text for text in found.warnings)


@BATCH
@pytest.mark.parametrize("noise_var", [None, "estimate"])
def test_any_density_serves(method, noise_var):
    law = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    found = vieta.fit(*draw(law, theta=(-2, 5, 8), n=1000), method=method, law=law, noise_var=noise_var)
    off = abs(found.theta.ravel() - [-2, 5, 8]) / found.stderr.ravel()
    assert off.max() < 5
    assert not np.all(abs(found.theta.ravel() - [-1.5, 5, 8]) < 5 * found.stderr.ravel())
    assert found.noise_var == pytest.approx(np.pi**2 / 3, rel=0.15)
    assert not any("EM had not settled" in text for text in found.warnings)


def test_rows_are_matched():
    like = np.array([[0.0, 1.0], [5.0, 5.0], [2.0, 2.0]])
    assert_allclose(matched(like[[2, 0, 1]] + 0.1, like), like + 0.1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "em", "law": "cauchy"}, "law='cauchy' is not known. Choose one of gaussian, laplace, student-t"),
        ({"method": "em", "law": Skewed(0.01, skewness=1.0)}, "cannot come from noise of law Skewed"),
        ({"method": "em", "noise_var": -1.0}, "must not be negative"),
        ({"method": "em", "start": [1.0, 1.0]}, "rows 0 and 1 of the start are equal"),
        (
            {"method": "one-step", "start": [1.0, 2.0]},
            "start= belongs to .*'em'; method 'one-step' takes law=, noise_var=",
        ),
        ({"method": "one-step", "transform": "tensor"}, "transform= belongs to 'rls'"),
        ({"method": "em", "memory": 10.0}, "memory= belongs to 'efficient' and 'rls'"),
        ({"method": "efficient", "law": "laplace"}, "law"),
    ],
)
def test_options_that_do_not_belong_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        vieta.fit(np.random.default_rng(0).normal(size=(30, 2)), **options)


@BATCH
def test_too_many_systems_are_refused_with_the_cost(method):
    with pytest.raises(ValueError, match=r"17 systems take about .* operations a set.*Use method 'efficient'"):
        vieta.fit(np.random.default_rng(0).normal(size=(30, 17)), method=method)
