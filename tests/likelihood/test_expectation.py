from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar

from tests.coefficients.cases import CASES
from tests.likelihood import cases
from tests.likelihood.cases import em, enumerated, passes_of
from vieta.errors import InputError, NotIdentifiableError
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT, Uniform
from vieta.likelihood import log_likelihood
from vieta.likelihood.expectation import expect, parted, rounding
from vieta.likelihood.model import evaluate
from vieta.scenarios import simulate
from vieta.sets import as_data
from vieta.symmetric import canonical_order
from vieta.weighted import solve

CHOSEN = [CASES[i] for i in (0, 1, 3, 8, 13, 14, 16)]
LAWS = {"gaussian": Gaussian(0.5), "laplace": Laplace(0.5), "student-t": StudentT(0.5)}
LOGISTIC = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))), 0.5)
NORMAL = Density(lambda v: -0.5 * v**2 - 0.5 * np.log(2 * np.pi))
KINKED = Density(lambda v: -np.sqrt(2) * np.abs(v) - 0.5 * np.log(2))


def draw(law, n=300, seed=0):
    return cases.draw(law, n, seed)


@pytest.mark.parametrize("noise_var", ["estimate", 0.3])
@pytest.mark.parametrize("law", [*LAWS, LOGISTIC, KINKED, NORMAL], ids=[*LAWS, "logistic", "kinked", "normal"])
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_the_likelihood_never_falls(case, law, noise_var):
    sets, psi = case.draw(150, noise=0.6)
    start = case.theta + np.random.default_rng(0).normal(size=case.theta.shape)
    found = em(sets, psi, law=law, noise_var=noise_var, start=start)
    climbs = np.diff(found.log_likelihood)
    assert climbs.min() > -1e-9 * abs(found.log_likelihood[-1])
    assert found.log_likelihood[-1] > found.log_likelihood[0] + 1.0


@pytest.mark.parametrize(
    "law",
    [Gaussian(), StudentT(), LOGISTIC, Skewed(skewness=-1.0)],
    ids=["gaussian", "student-t", "logistic", "skewed"],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_end_is_where_a_general_optimizer_ends(law, seed):
    sets, psi = draw(law.scaled(1.0), seed=seed)
    found = em(sets, psi, law=law, noise_var="estimate")

    def loss(x):
        value = -log_likelihood(x[:2], law.scaled(np.exp(x[2])), sets, psi).sum()
        return min(value, 1e9)  # sets that a law excludes

    best = minimize(loss, [4.0, 5.0, 0.1], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-8})
    assert best.success
    assert found.converged
    assert_allclose(np.sort(found.theta.ravel()), np.sort(best.x[:2]), atol=2e-4)
    assert_allclose(found.law.variance, np.exp(best.x[2]), rtol=2e-4)


@pytest.mark.parametrize("law", LAWS)
def test_scores_vanish_at_the_end(law):
    """For Laplace noise, whose score jumps, no further than one jump."""
    sets, psi = draw(LAWS[law].scaled(2.0), n=1000)
    found = em(sets, psi, law=law)
    at_end = evaluate(as_data(sets, psi), found.theta, found.law)
    size = np.sqrt((at_end.scores**2).sum(axis=0))
    assert np.all(abs(at_end.scores.sum(axis=0)) < (0.1 if law == "laplace" else 1e-3) * size)
    assert abs(at_end.scale_scores.sum()) < 0.01 * np.sqrt((at_end.scale_scores**2).sum())
    off = evaluate(as_data(sets, psi), found.theta + 0.1, found.law)
    assert np.any(abs(off.scores.sum(axis=0)) > size)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", [*LAWS, LOGISTIC], ids=[*LAWS, "logistic"])
def test_parameters_that_are_right_do_not_end_it_while_the_scale_is_not(law, seed):
    """From where it ended, with a scale that has to be found anew; nearly no overlap, so that one step finds the parameters."""
    records = simulate((-2.0, 5.0, 8.0), n=200, seed=seed, noise=Gaussian(0.01))
    found = em(records.sets, law=law, noise_var="estimate")
    again = em(records.sets, law=law, noise_var="estimate", start=found.theta)
    assert_allclose(again.law.variance, found.law.variance, rtol=1e-3)
    assert_allclose(again.log_likelihood[-1], found.log_likelihood[-1], atol=1e-3)


def test_outliers_do_not_keep_the_scale_of_heavy_tails_large():
    """One system: Student-t against a general optimizer of the same likelihood."""
    y = np.r_[np.linspace(-1, 1, 101), -30, 30][:, None]
    found = em(y, law="student-t")
    best = minimize_scalar(lambda x: -log_likelihood([0.0], StudentT(np.exp(x)), y).sum(), bounds=(-5, 5))
    assert found.converged
    assert_allclose(found.law.variance, np.exp(best.x), rtol=1e-3)


@pytest.mark.parametrize("noise_var", ["estimate", 2.0])
@pytest.mark.parametrize(("named", "own", "near"), [("gaussian", NORMAL, 2e-4), ("laplace", KINKED, 2e-3)])
def test_a_density_of_ones_own_ends_where_the_named_law_does(named, own, near, noise_var):
    """To a small part of a standard error, which is .05; with a kink the likelihood bends at every reading."""
    sets, psi = draw(Laplace(2.0), n=1000)
    expected, found = (em(sets, psi, law=law, noise_var=noise_var) for law in (named, own))
    assert found.converged
    assert_allclose(found.theta, expected.theta, atol=near)
    assert_allclose(found.law.variance, expected.law.variance, rtol=near)
    assert_allclose(found.log_likelihood[-1], expected.log_likelihood[-1], atol=1e-3)
    other = em(sets, psi, law=LOGISTIC, noise_var=noise_var)
    assert abs(other.theta - expected.theta).max() > 5 * near


def test_the_gaussian_step_is_least_squares_on_mean_readings():
    rng = np.random.default_rng(0)
    sets, psi, theta = rng.normal(size=(40, 3)), rng.normal(size=(40, 2)), rng.normal(size=(3, 2))
    law = Gaussian(0.7)
    found = em(sets, psi, law=law, start=theta)
    means = np.empty((40, 3))
    for k in range(40):
        P = enumerated(law.log_density((sets[k][:, None] - theta @ psi[k])[..., None]))[1]
        means[k] = P.T @ sets[k]
    sums = expect(passes_of(sets, psi), theta, law).sums
    step = np.linalg.solve(sums.normal, sums.gradient[..., None])[..., 0]
    assert_allclose(theta + step, np.linalg.lstsq(psi, means)[0].T, rtol=1e-10)
    assert len(found.log_likelihood) > 1


@pytest.mark.parametrize("law", [*LAWS, LOGISTIC], ids=[*LAWS, "logistic"])
def test_the_truth_is_found_when_the_law_is_right_and_missed_when_it_is_not(law):
    """Bias of many small fits, in its own standard errors; noise of variance 4 taken for Gaussian of variance 1."""

    def bias(assumed, noise_var):
        ends = []
        for seed in range(10):
            sets, psi = draw(LAWS.get(law, law).scaled(4.0), n=1500, seed=seed)
            ends.append(np.sort(em(sets, psi, law=assumed, noise_var=noise_var).theta.ravel()))
        ends = np.array(ends)
        return abs(ends.mean(axis=0) - [4, 5]) / (ends.std(axis=0, ddof=1) / np.sqrt(10))

    assert bias(law, 4.0).max() < 4.5
    assert bias("gaussian", 1.0).min() > 6.0


def test_rows_follow_the_start_and_vectors_are_taken():
    records = simulate("example-3", n=300, seed=0)
    found = em(records.sets, records.inputs)
    assert_allclose(found.theta[canonical_order(found.theta)], records.truth, atol=0.05)
    turned = em(records.sets, records.inputs, start=records.truth[::-1])
    assert_allclose(turned.theta, records.truth[::-1], atol=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_a_symmetric_start_whose_rows_coincide_is_no_trap(seed):
    """Where rows meet the likelihood has a saddle; EM from far apart and from the default must end alike."""
    records = simulate((4, 5), n=400, seed=seed + 20, noise=Gaussian(4.0))
    passes = passes_of(records.sets)
    coincident = replace(solve.fit(passes), theta=np.full((2, 1), records.sets.mean()))
    start = parted(passes, coincident)
    assert abs(start[0, 0] - start[1, 0]) > 0.2
    near, far = (em(records.sets, noise_var=4.0, start=s) for s in (start, [2.0, 7.0]))
    assert_allclose(near.log_likelihood[-1], far.log_likelihood[-1], atol=1e-3)
    apart = np.array([[1.0], [9.0]])
    assert_allclose(parted(passes, replace(coincident, theta=apart)), apart)


def test_sets_without_noise_are_no_special_case():
    psi = np.random.default_rng(0).normal(size=50)
    sets = np.outer(psi, [1.0, 3.0])
    for law in ("gaussian", LOGISTIC):
        found = em(sets, psi, law=law, noise_var="estimate")
        assert_allclose(np.sort(found.theta.ravel()), [1.0, 3.0], rtol=1e-9)


@pytest.mark.parametrize("blocks", [2, 7])
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_blocks_add_up_to_all_sets(case, blocks):
    """The E-step, the floor of the variance, and where EM ends; without the first block it ends elsewhere."""
    sets, psi = case.draw(150, noise=0.6)
    whole, several = (expect(passes_of(sets, psi, n), case.theta, Gaussian(0.3)) for n in (1, blocks))
    assert_allclose(several.likelihood, whole.likelihood, rtol=1e-12)
    for name in ("normal", "gradient", "squares", "spread", "count"):
        expected = getattr(whole.sums, name)
        assert_allclose(getattr(several.sums, name), expected, rtol=1e-9, atol=1e-12 * np.max(abs(expected)))
    assert_allclose(rounding(passes_of(sets, psi, blocks)), 1e-16 * np.mean(sets**2), rtol=1e-12)
    start = case.theta + 0.2 * np.random.default_rng(0).normal(size=case.theta.shape)
    one, many = (em(sets, psi, start=start, blocks=n) for n in (1, blocks))
    assert_allclose(many.theta, one.theta, rtol=1e-9, atol=1e-9 * abs(one.theta).max())
    assert_allclose(many.law.variance, one.law.variance, rtol=1e-9, atol=1e-12)
    less = em(sets[20:], None if psi is None else psi[20:], start=start, blocks=blocks)
    assert not np.allclose(less.theta, one.theta, rtol=1e-4)


def test_no_block_is_read_into_arrays_that_grow_with_all_sets(monkeypatch):
    """Pieces within a block add up too, and the sets that a law excludes keep their numbers."""
    from vieta.likelihood import model

    law = Skewed(0.05, skewness=1.0)
    sets = simulate((0.0, 5.0), n=300, seed=0, noise=law).sets
    sets[[157, 201]] = -50.0, 5.0
    whole = expect(passes_of(sets), np.array([[0.0], [5.0]]), law)
    monkeypatch.setattr(model, "PIECE", 40)  # ten sets
    found = expect(passes_of(sets, blocks=3), np.array([[0.0], [5.0]]), law)
    for one in (whole, found):
        assert (one.excluded.count, one.excluded.first) == (2, 157)
        assert one.likelihood == -np.inf


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"start": [[1.0], [1.0]]}, "equal-rows"),
        ({"law": Skewed(0.01, skewness=1.0)}, "law-excludes-sets"),
        ({"law": Uniform()}, "law-ends-abruptly"),
        ({"law": Skewed()}, "law-ends-abruptly"),
        ({"law": "cauchy"}, "unknown-law"),
    ],
)
def test_bad_options_are_refused(options, code):
    with pytest.raises(InputError) as error:
        em(np.random.default_rng(0).normal(size=(20, 2)), **options)
    assert error.value.code == code


def test_inputs_that_do_not_identify_are_refused():
    y = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(NotIdentifiableError, match="the inputs do not identify the parameters"):
        em(y, np.zeros(20), start=[1.0, 3.0], noise_var=1.0)


def test_too_many_systems_are_refused_with_the_cost():
    with pytest.raises(InputError, match=r"20 systems take about 3e.07 operations a set.*default method"):
        em(np.random.default_rng(0).normal(size=(20, 20)), start=np.arange(20.0))
