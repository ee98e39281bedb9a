"""Findings about a weighted fit: each where it belongs, and none on clean data."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.coefficients.cases import shuffle
from tests.weighted.cases import codes, cut, solved
from vieta.laws import noise
from vieta.sets import as_data
from vieta.weighted import solve, weighted_findings
from vieta.weighted.misfit import Misfit

SEEDS = range(5)
THETA = np.array([[-2.0], [1.0], [4.0]])
N = 3000


def clean(rng, n=N):
    psi = rng.uniform(0.5, 1.5, n)
    return psi, psi[:, None, None] * THETA, 0.3 * rng.normal(size=(n, 3, 1))


def found(sets, psi, rng, **options):
    """The findings of sets in random order, by code."""
    return {one.code: one for one in solved(shuffle(sets, rng)[:, :, 0], psi, **options).findings}


# --- spoiled data, each kind with its code -------------------------------------------------------------------------


def common_noise(rng):
    psi, m, v = clean(rng)
    return psi, m + np.sqrt(0.2) * v + np.sqrt(0.8) * 0.3 * rng.normal(size=(N, 1, 1))


def loud_inputs(rng):
    psi, m, v = clean(rng)
    return psi, m + v * psi[:, None, None]


def biased_inputs(rng):
    psi, m, v = clean(rng)
    return psi, m + v + 0.5 * (psi**2)[:, None, None]


def outliers(rng):
    psi, m, v = clean(rng)
    hit = rng.random(N) < 0.01
    v[hit, 0] += 6.0 * rng.standard_t(2, size=(hit.sum(), 1))
    return psi, m + v


def clutter(rng):
    psi, m, v = clean(rng)
    sets = m + v
    sets[:, 1] = rng.uniform(-3.0, 3.0, size=(N, 1))
    return psi, sets


def false_readings(rng):
    psi, m, v = clean(rng)
    sets, hit = m + v, rng.random(N) < 0.1
    sets[hit, 0] = rng.uniform(-6.0, 6.0, size=(hit.sum(), 1))
    return psi, sets


def change(rng):
    psi, m, v = clean(rng)
    m = m.copy()
    m[1200:, 0] *= 1.2
    return psi, m + v


def against_each_other(rng):
    """Two systems are disturbed by opposite amounts: their sum does not show it."""
    psi, m, v = clean(rng)
    shared = rng.normal(size=(N, 1))
    m[:, 0] += shared
    m[:, 1] -= shared
    return psi, m + 0.3 * v


def lost_member(rng):
    psi, m, v = clean(rng)
    sets, hit = m + v, rng.random(N) < 0.03
    sets[hit, 0] = sets[hit, 1]
    return psi, sets


def late_inputs(rng):
    psi, m, v = clean(rng)
    return np.roll(psi, 1), m + v


SPOILED = {
    common_noise: "common-shock",
    loud_inputs: "noise-depends-on-input",
    biased_inputs: "noise-depends-on-input",
    outliers: "outliers",
    clutter: "idle-system",
    false_readings: "uneven-noise",
    change: "change-in-batch",
    against_each_other: "model-misfit",
    lost_member: "readings-repeated",
    late_inputs: "inputs-shifted",
}


@pytest.mark.parametrize("kind", SPOILED, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_data_are_reported(kind, seed):
    rng = np.random.default_rng(seed)
    psi, sets = kind(rng)
    assert SPOILED[kind] in found(sets, psi, rng)


LAWS = {
    "gaussian": lambda rng, shape: rng.normal(size=shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape) / np.sqrt(2),
    "student-5": lambda rng, shape: rng.standard_t(5, size=shape) / np.sqrt(5 / 3),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "unequal": lambda rng, shape: rng.normal(size=shape) * np.array([[0.5], [1.0], [1.5]]),
}


@pytest.mark.parametrize("law", LAWS)
def test_no_noise_law_is_a_finding(law):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        psi, m, v = clean(rng)
        assert found(m + 0.3 * LAWS[law](rng, v.shape), psi, rng) == {}


@pytest.mark.parametrize(
    ("name", "n"), [("example-1", 3000), ("example-3", 2000), ("regressions", 3000), ("lines", 2000)]
)
def test_clean_scenarios_have_no_findings(name, n):
    reported = 0
    for seed in range(20):
        records = vieta.simulate(name, n=n, seed=seed)
        reported += bool(codes(solved(records.sets, records.inputs)))
    assert reported <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_robust_fit_says_that_outliers_are_bounded(seed):
    rng = np.random.default_rng(seed)
    psi, sets = outliers(rng)
    for robust in (False, True):
        facts = found(sets, psi, rng, robust=robust)["outliers"].facts
        assert facts["robust"] is robust
        assert facts["share"] >= weighted_findings.MANY_OUTLIERS


# --- too close, too few, too weak -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_one_value_twice_is_never_passed_off_as_two(seed):
    records = vieta.simulate((2.0, 2.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25))
    assert {"systems-coincide", "not-separated", "barely-separated"} & set(codes(solved(records.sets)))
    control = vieta.simulate((2.0, 4.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25))
    assert codes(solved(control.sets)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_too_few_sets_to_separate_are_reported(seed):
    near = {n: vieta.simulate((1.0, 1.7), n=n, seed=seed, noise=noise.Gaussian(1.0)).sets for n in (100, 20_000)}
    assert {"systems-coincide", "not-separated", "barely-separated"} & set(codes(solved(near[100])))
    assert codes(solved(near[20_000])) == []


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_systems_that_coincide_without_noise_are_reported(scale):
    for values in ([3.0, 3.0, 3.0], [3.0, 3.0, 7.0]):
        assert codes(solved(scale * np.tile(values, (100, 1)))) != []
    assert codes(solved(scale * np.tile([3.0, 3.001, 7.0], (100, 1)))) == []


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("at", [0, 1500, N - 1])
def test_one_wild_set_is_no_change(at, robust):
    for seed in SEEDS if robust else SEEDS[:1]:  # without bounds it takes long to give up
        rng = np.random.default_rng(seed)
        psi, m, v = clean(rng)
        sets = m + v
        sets[at] *= 100.0
        assert "change-in-batch" not in found(sets, psi, rng, robust=robust)


def test_a_change_near_the_end_is_reported_where_it_is():
    rng = np.random.default_rng(0)
    psi, m, v = clean(rng)
    m[-60:] *= 1.5
    facts = found(m + v, psi, rng)["change-in-batch"].facts
    assert abs(facts["after"] - (N - 60)) < 10
    assert facts["n_sets"] == N


@pytest.mark.parametrize("seed", SEEDS)
def test_weak_inputs_are_reported(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(2000, 2))
    theta = np.array([[1.0, -1.0], [-1.0, 2.0]])

    def findings(rows):
        sets = rows @ theta.T + 1e-5 * rng.normal(size=(2000, 2))
        return solved(shuffle(sets[:, :, None], rng)[:, :, 0], rows).findings

    assert findings(rows) == ()
    rows[:, 1] = rows[:, 0] + 1e-3 * rows[:, 1]
    (one,) = [one for one in findings(rows) if one.code == "weak-inputs"]
    assert one.facts["dim"] == 2
    assert 1e6 < one.facts["times"] < 2e7


# --- at the thresholds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("apart", "code", "times"),
    [
        (1.0, "not-separated", 64.0),
        (2.9, "not-separated", 7.6),
        (3.1, "barely-separated", 6.7),
        (5.9, "barely-separated", 1.84),
    ],
)
def test_how_far_apart_is_reported_with_what_it_takes(apart, code, times):
    (one,) = weighted_findings.of_separation(np.array([[0.0], [apart]]), 0.5 * np.eye(2))
    assert one.code == code
    assert_allclose(one.facts["apart"], apart, rtol=1e-6)
    assert_allclose(one.facts["times"], times, rtol=0.02)
    assert weighted_findings.of_separation(np.array([[0.0], [6.1]]), 0.5 * np.eye(2)) == ()


@pytest.fixture(scope="module")
def passes():
    psi, m, v = clean(np.random.default_rng(0))
    return cut(as_data((m + v)[:, :, 0], psi))


@pytest.fixture(scope="module")
def good(passes):
    return solve.fit(passes)


def spread(share, n=1000, typical=1.0):
    """Misfits of which the largest half per cent make up this share, the others being alike."""
    top = max(1, n // 200)
    rest = typical * (n - top)
    return Misfit.of(np.r_[np.full(n - top, typical), np.full(top, share / (1 - share) * rest / top)])


def test_outliers_from_30_per_cent_of_the_misfit_and_errors_1_4_times_as_large_on(good, passes):
    (one,) = weighted_findings.of_dominance(0.31, 1.41, robust=False)
    assert (one.code, one.severity, one.facts) == (
        "outliers",
        "caution",
        {"share": 0.31, "growth": 1.41, "robust": False},
    )
    assert weighted_findings.of_dominance(0.31, 1.39, robust=False) == ()
    (lost,) = weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.31), converged=False), robust=False)
    assert lost.facts.keys() == {"share", "robust"}  # where errors are not known, nor is by what they grew
    (bounded,) = weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.31)), robust=True)
    assert (bounded.severity, bounded.facts["robust"]) == ("note", True)
    assert weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.29)), robust=True) == ()
    assert (
        weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.31)), robust=False) == ()
    )  # errors are as they should be


def heavy_tails(rng):
    psi, m, v = clean(rng)
    return psi, m + 0.3 * rng.standard_t(3, size=v.shape) / np.sqrt(3.0)


def test_heavy_tails_alone_are_hardly_ever_reported():
    """Of 20 samples of Student's t with 3 degrees of freedom: now and then one has an extreme that does make errors larger."""
    reported = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        psi, sets = heavy_tails(rng)
        reported += "outliers" in found(sets, psi, rng)
    assert reported <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_errors_grow_by_what_a_robust_fit_saves(seed):
    rng = np.random.default_rng(seed)
    psi, sets = outliers(rng)
    data = cut(as_data(shuffle(sets, rng)[:, :, 0], psi))
    plain, bounded = solve.fit(data), solve.fit(data, 2.0)
    saved = np.sqrt(np.mean(np.diag(plain.plain_cov) / np.diag(bounded.plain_cov)))
    assert_allclose(solve.error_growth(data, plain, 2.0), saved, rtol=0.1)
    assert_allclose(solve.error_growth(data, plain, np.inf), 1.0)
    assert saved > 1.4


def test_uneven_noise_below_a_median_of_17_per_cent(good, passes):
    (one,) = weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.1, typical=0.165)), robust=True)
    assert (one.code, one.facts["robust"]) == ("uneven-noise", True)
    assert_allclose(one.facts["typical"], 0.165)
    assert weighted_findings.of_outliers(passes, replace(good, misfit=spread(0.1, typical=0.175)), robust=True) == ()


def test_a_model_that_misses_by_three_times_its_noise(good):
    (one,) = weighted_findings.of_model(replace(good, misfit=spread(0.1, typical=3.1)))
    assert (one.code, one.facts["n_systems"]) == ("model-misfit", 3)
    assert weighted_findings.of_model(replace(good, misfit=spread(0.1, typical=2.9))) == ()


def test_few_sets_report_no_shares(good, passes):
    few = replace(good, regression=replace(good.regression, n_sets=199), misfit=spread(0.9, n=199))
    assert weighted_findings.of_outliers(passes, few, robust=False) == ()
    fewer = replace(good, regression=replace(good.regression, n_sets=19), misfit=spread(0.1, typical=9.0))
    assert weighted_findings.of_model(fewer) == ()


def test_an_iteration_that_did_not_converge(good):
    assert weighted_findings.of_convergence(good) == ()
    (one,) = weighted_findings.of_convergence(replace(good, converged=False))
    assert (one.code, one.severity) == ("not-converged", "serious")


@pytest.mark.parametrize(
    ("variance", "parameter", "idle"), [(4.1, 0.1, True), (3.9, 0.1, False), (7.9, 0.29, True), (4.1, 0.31, False)]
)
def test_a_system_is_idle_from_four_times_the_variance_of_the_others_on(variance, parameter, idle):
    """And only if its parameter is within three standard errors, here 0.1, of zero."""
    theta, cov = np.array([[-2.0], [parameter], [4.0]]), 0.01 * np.eye(3)
    reported = weighted_findings.of_idle_systems(theta, cov, np.array([1.2, variance, 0.8]))
    assert bool(reported) is idle
    for one in reported:
        assert one.code == "idle-system"
        assert one.facts["n_systems"] == 3
        assert one.facts["fewer"] == 2
        assert_allclose(one.facts["times"], np.sqrt(variance))


def test_one_system_alone_is_not_idle():
    assert weighted_findings.of_idle_systems(np.zeros((1, 1)), np.eye(1), np.ones(1)) == ()


def test_data_without_noise_are_not_tested():
    psi = np.random.default_rng(0).uniform(0.5, 1.5, 500)
    passes = cut(as_data(psi[:, None] * THETA[:, 0], psi))
    assert weighted_findings.of_fit(passes, solve.fit(passes), robust=False) == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_years_beside_a_constant_put_no_answer_in_doubt(seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(160), 1990 + np.arange(160) // 4])
    sets = rows @ np.array([[-3990.0, 2.0], [2010.0, -1.0], [7.0, 0.0]]).T + rng.normal(size=(160, 3))
    found = solved(shuffle(sets[:, :, None], rng)[:, :, 0], rows)
    assert [(one.code, one.severity) for one in found.findings] == [("weak-inputs", "note")]


@pytest.mark.parametrize("seed", [1, 3, 5, 6])
def test_very_unequal_noise_is_not_taken_for_dependence(seed):
    """Noise of one system is 50 times that of another; six of the first ten seeds, these four among them, were reported."""
    rng = np.random.default_rng([seed, 5000, 2])
    rows = np.column_stack([np.ones(5000), rng.normal(size=5000)])
    sets = rows @ np.array([[0.0, 1.0], [2.0, -0.5], [5.0, 2.0]]).T + np.array([5.0, 1.0, 0.1]) * rng.normal(
        size=(5000, 3)
    )
    assert codes(solved(rng.permuted(sets, axis=1), rows)) == []
