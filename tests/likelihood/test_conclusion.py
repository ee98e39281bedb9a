"""The likelihood methods on all sets: what they find, and what they report."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.likelihood.cases import Found, draw, em, passes_of
from vieta.errors import InputError
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import expectation, maximization
from vieta.likelihood.assumed import assume
from vieta.likelihood.conclusion import covariance, em_solution, one_step_solution
from vieta.likelihood.model import evaluate
from vieta.likelihood.sandwich import conclude
from vieta.likelihood.score_sums import places
from vieta.options import as_start
from vieta.scenarios import simulate
from vieta.sums import Passes
from vieta.weighted import solve

NAMES = {"law_free": "free", "one_step": "one"}


def fit(sets, psi=None, *, method, law="gaussian", noise_var=None, start=None, blocks=1):
    passes, noise = passes_of(sets, psi, blocks), assume(law, noise_var)
    if method == "one-step":
        return Found(one_step_solution(passes, noise, law_free=NAMES["law_free"]))
    return Found(em_solution(passes, noise, as_start(start, passes.like.n_systems, passes.like.dim), **NAMES))


BATCH = pytest.mark.parametrize("method", ["one-step", "em"])
CONTRADICTED = "law-contradicted"


@BATCH
@pytest.mark.parametrize("law", ["gaussian", "laplace", "student-t", Laplace(4.0), StudentT(4.0, df=8)], ids=repr)
def test_every_law_makes_a_whole_estimate(method, law):
    estimate = fit(*draw(Laplace(4.0), n=1200), method=method, law=law)
    assert (estimate.solution.transform, estimate.solution.n_sets) == ("likelihood", 1200)
    assert np.all(np.linalg.eigvalsh(estimate.cov) > 0)
    assert np.all(np.diff(estimate.theta[:, 0]) > 0)
    assert estimate.noise.shape == (1, 1)
    assert estimate.noise[0, 0] == (4.0 if isinstance(law, Laplace | StudentT) else pytest.approx(4.0, rel=0.2))


@BATCH
def test_the_right_law_makes_errors_smaller_and_is_not_doubted(method):
    warned, smaller = 0, []
    for seed in range(8):
        sets, psi = draw(Laplace(4.0), seed=seed, n=1500)
        estimate = fit(sets, psi, method=method, law="laplace")
        warned += CONTRADICTED in estimate.codes
        smaller.append(np.trace(estimate.cov) / np.trace(solve.fit(passes_of(sets, psi)).cov))
    assert warned <= 1  # one in a hundred: P(more than 1 of 8) is 0.3 %
    assert np.mean(smaller) < 0.8


@BATCH
@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_law_is_reported(method, seed):
    sets, psi = draw(Laplace(4.0), n=6000, seed=seed)
    wrong = fit(sets, psi, method=method, law="gaussian", noise_var=1.0).findings[CONTRADICTED]
    assert wrong.severity == "serious"
    assert (wrong.facts["law"], wrong.facts["sd"], wrong.facts["instead"]) == ("Gaussian", 1.0, "free")
    assert wrong.facts["p_value"] < 0.01
    assert "(Gaussian, sd 1)" in str(wrong)
    assert "use method 'free', or another law=" in str(wrong)
    assert CONTRADICTED not in fit(sets, psi, method=method, law="laplace").codes


@BATCH
@pytest.mark.parametrize("blocks", [2, 7])
def test_several_blocks_are_one(method, blocks):
    records = simulate("example-3", n=250, seed=0)
    one, many = (fit(records.sets, records.inputs, method=method, blocks=n) for n in (1, blocks))
    assert_allclose(many.theta, one.theta, rtol=1e-9)
    assert_allclose(many.cov, one.cov, rtol=1e-9, atol=1e-9 * abs(one.cov).max())
    assert_allclose(many.noise, one.noise, rtol=1e-9)
    assert many.codes == one.codes
    less = fit(records.sets[25:], records.inputs[25:], method=method, blocks=blocks)
    assert not np.allclose(less.theta, one.theta, rtol=1e-6)


def test_no_array_of_all_sets_leaves_a_pass():
    """Each pass returns as many numbers for 400 sets as for 40."""
    theta, noise = np.array([[4.0], [5.0]]), assume("gaussian", 1.0)
    sizes, of_each_set = [], []
    for n in (40, 400):
        passes = passes_of(*draw(Gaussian(1.0), n=n))
        symmetric, seen = solve.fit(passes), []

        class Watched(Passes):
            def total(self, work, seen=seen):
                found = super().total(work)
                seen.append(numbers(found))
                return found

        watched = Watched(passes.like, passes.read)
        expectation.fit(watched, noise, theta)
        places(watched, [(theta, noise.law)])
        conclude(watched, symmetric, theta, noise.law, False)
        assert len(seen) > 4
        sizes.append(max(seen))
        of_each_set.append(numbers(evaluate(passes.head(n), theta, noise.law)))
    assert sizes[0] == sizes[1]
    assert of_each_set[1] == 10 * of_each_set[0]  # an array of all sets would be noticed


def numbers(found):
    """How many numbers an object of sums holds."""
    if hasattr(found, "__dataclass_fields__"):
        return sum(numbers(getattr(found, name)) for name in found.__dataclass_fields__)
    if isinstance(found, tuple | list):
        return sum(map(numbers, found))
    return int(np.size(found))


def test_em_may_start_elsewhere_and_ends_at_the_same_place():
    sets, psi = draw(Gaussian(1.0))
    expected = fit(sets, psi, method="em")
    turned = fit(sets, psi, method="em", start=[5.5, 3.5])
    assert_allclose(turned.theta, expected.theta, atol=1e-4)
    assert_allclose(turned.cov, expected.cov, rtol=1e-2, atol=1e-2 * abs(expected.cov).max())
    assert_allclose(expected.theta.ravel(), np.sort(em(sets, psi).theta.ravel()), rtol=1e-12)


def test_em_that_did_not_converge_reports_it(monkeypatch):
    sets, psi = draw(Gaussian(4.0))
    assert "em-not-converged" not in fit(sets, psi, method="em", start=[0.0, 9.0]).codes
    monkeypatch.setattr(maximization, "ITERATIONS", 2)
    found = fit(sets, psi, method="em", start=[0.0, 9.0]).findings["em-not-converged"]
    assert found.facts == {"iterations": 2, "instead": "one"}


@BATCH
@pytest.mark.parametrize("noise_var", [0.2, 0.01, 5.0])
def test_a_variance_that_is_far_off_is_reported(method, noise_var):
    rng = np.random.default_rng(0)
    sets = rng.permuted(np.array([1.0, 7.0]) + rng.normal(size=(400, 2)), axis=1)
    found = fit(sets, method=method, noise_var=noise_var).findings["noise-size"]
    assert found.facts["ratio"] == pytest.approx(1 / noise_var, rel=0.3)
    assert "noise-size" not in fit(sets, method=method, noise_var=1.0).codes


@BATCH
@pytest.mark.parametrize("noise_var", [0.1, 0.03, 0.003])
def test_standard_errors_hold_however_small_the_variance_that_was_given(method, noise_var):
    """Systems far apart: the estimates are averages, whose error is that of the readings, 1 / sqrt(400)."""
    rng = np.random.default_rng(1)
    sets = rng.permuted(np.array([1.0, 9.0]) + rng.normal(size=(400, 2)), axis=1)
    found = fit(sets, method=method, noise_var=noise_var)
    assert_allclose(found.stderr, 0.05, rtol=0.15)


@BATCH
@pytest.mark.parametrize("n", [2, 3, 8])
def test_very_few_sets_do_not_contradict_a_law(method, n):
    for seed in range(10):
        found = fit(simulate((1.0, 4.0), n=n, seed=seed).sets, method=method)
        assert CONTRADICTED not in found.codes
        assert "few-sets" in found.codes


@BATCH
@pytest.mark.parametrize("law", [Skewed(1.0, skewness=1.0), Skewed(1.0, skewness=-0.7)], ids=repr)
def test_a_law_with_a_bound_may_be_claimed_and_its_errors_hold(method, law):
    """Mean square of the errors in their standard errors, against that of 24 normal numbers."""
    off = []
    for seed in range(12):
        records = simulate((0.0, 2.0), n=1000, seed=seed, noise=law)
        found = fit(records.sets, method=method, law=law)
        off.append((found.theta.ravel() - [0.0, 2.0]) / found.stderr.ravel())
    assert abs(np.mean(np.square(off)) - 1.0) < 4 * np.sqrt(2 / 24)
    assert not abs(np.mean(np.square(2.0 * np.array(off))) - 1.0) < 4 * np.sqrt(2 / 24)


@BATCH
@pytest.mark.parametrize("seed", range(3))
def test_one_value_twice_is_never_passed_off_as_two(method, seed):
    records = simulate((2.0, 2.0, 7.0), n=1000, seed=seed, noise=Gaussian(0.25))
    estimate = fit(records.sets, method=method)
    assert np.isfinite(estimate.theta).all()
    assert {"systems-coincide", "not-separated", "barely-separated"} & {*estimate.codes}


@BATCH
def test_findings_of_the_symmetric_estimate_come_along(method, monkeypatch):
    from vieta.findings import finding
    from vieta.likelihood import conclusion

    seen = []

    def of_fit(passes, found, *, robust):
        seen.append((found.n_sets, robust))
        return (finding("weak-inputs", dim=1, times=1e6),)

    monkeypatch.setattr(conclusion.weighted_findings, "of_fit", of_fit)
    found = fit(*draw(Gaussian(1.0), n=300), method=method)
    assert seen == [(300, False)]
    assert found.codes[-1] == "weak-inputs"


@BATCH
@pytest.mark.parametrize("noise_var", [None, "estimate"])
def test_any_density_serves(method, noise_var):
    law = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    found = fit(*draw(law, theta=(-2, 5, 8), n=1000), method=method, law=law, noise_var=noise_var)
    off = abs(found.theta.ravel() - [-2, 5, 8]) / found.stderr.ravel()
    assert off.max() < 5
    assert not np.all(abs(found.theta.ravel() - [-1.5, 5, 8]) < 5 * found.stderr.ravel())
    assert found.noise[0, 0] == pytest.approx(np.pi**2 / 3, rel=0.15)
    assert "em-not-converged" not in found.codes


def test_covariances_of_laws():
    assert_allclose(covariance(Gaussian(4.0), 1), [[4.0]])
    C = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert_allclose(covariance(Laplace(C), 2), C)


def test_one_set_has_no_standard_errors():
    found = fit([[1.0, 5.0, 9.0]], method="one-step")
    assert np.isnan(found.cov).all()
    assert "noise-unknown" in found.codes


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"method": "em", "law": "cauchy"}, "unknown-law"),
        ({"method": "em", "law": Skewed(0.01, skewness=1.0)}, "law-excludes-sets"),
        ({"method": "em", "start": [1.0, 1.0]}, "equal-rows"),
        ({"method": "one-step", "noise_var": 0.0}, "noise-var-zero"),
    ],
)
def test_bad_options_are_refused(options, code):
    with pytest.raises(InputError) as error:
        fit(np.random.default_rng(0).normal(size=(30, 2)), **options)
    assert error.value.code == code


@BATCH
def test_too_many_systems_are_refused_with_the_cost(method):
    with pytest.raises(InputError) as error:
        fit(np.random.default_rng(0).normal(size=(60, 17)), method=method, start=range(17) if method == "em" else None)
    assert (error.value.code, error.value.facts["n_systems"]) == ("too-many-systems", 17)
