"""Findings: each where it belongs, and none on clean data."""

from types import SimpleNamespace

import numpy as np
import pytest

import vieta
from tests.coefficients.cases import shuffle
from vieta.estimators import fit_findings
from vieta.laws import noise

SEEDS = range(5)
THETA = np.array([[-2.0], [1.0], [4.0]])
N = 3000


def clean(rng, n=N):
    psi = rng.uniform(0.5, 1.5, n)
    return psi, psi[:, None, None] * THETA, 0.3 * rng.normal(size=(n, 3, 1))


def words(sets, psi, rng, **options):
    return vieta.fit(shuffle(sets, rng)[:, :, 0], psi, **options).warnings


def told(text, warnings):
    return any(text in warning for warning in warnings)


# --- spoiled data, each kind with its words -------------------------------------------------------------------------


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


SPOILED = {
    common_noise: "noise seems to be dependent across the systems",
    loud_inputs: "noise seems to depend on the input",
    biased_inputs: "noise seems to depend on the input",
    outliers: "A few sets dominate",
    clutter: "does not answer to the input",
    false_readings: "Some sets are far noisier than most",
    change: "parameters seem to change with time",
    against_each_other: "do not look like 3 systems",
}


@pytest.mark.parametrize("kind", SPOILED, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_data_are_told(kind, seed):
    rng = np.random.default_rng(seed)
    psi, sets = kind(rng)
    assert told(SPOILED[kind], words(sets, psi, rng))


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
        assert words(m + 0.3 * LAWS[law](rng, v.shape), psi, rng) == ()


@pytest.mark.parametrize(
    ("name", "n"), [("example-1", 3000), ("example-3", 2000), ("regressions", 3000), ("lines", 2000)]
)
def test_clean_scenarios_have_no_findings(name, n):
    spoken = []
    for seed in range(20):
        records = vieta.simulate(name, n=n, seed=seed)
        spoken.append(bool(vieta.fit(records.sets, records.inputs).warnings))
    assert sum(spoken) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_robust_fit_says_that_outliers_are_bounded(seed):
    rng = np.random.default_rng(seed)
    psi, sets = outliers(rng)
    assert told("Use robust=True", words(sets, psi, rng))
    assert told("Their influence is bounded", words(sets, psi, rng, robust=True))


# --- too close, too few, too weak -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_one_value_twice_is_never_passed_off_as_two(seed):
    records = vieta.simulate((2.0, 2.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25))
    warnings = vieta.fit(records.sets).warnings
    assert told("may be one value twice", warnings) or told("standard errors apart", warnings)
    control = vieta.simulate((2.0, 4.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25))
    assert vieta.fit(control.sets).warnings == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_too_few_sets_to_separate_are_told(seed):
    near = {n: vieta.simulate((1.0, 1.7), n=n, seed=seed, noise=noise.Gaussian(1.0)).sets for n in (100, 20_000)}
    warnings = vieta.fit(near[100]).warnings
    assert told("standard errors apart", warnings) or told("may be one value twice", warnings)
    assert vieta.fit(near[20_000]).warnings == ()


def test_very_few_sets_are_told():
    assert told("Very few sets: 19 for 2 parameters", fit_findings.of_few_sets(2, 19))
    assert fit_findings.of_few_sets(2, 20) == ()
    assert told("Very few sets: 49 for 10 parameters", fit_findings.of_few_sets(10, 49))
    assert fit_findings.of_few_sets(10, 50) == ()


@pytest.mark.parametrize("method", ["efficient", "one-step", "least-squares", "rls"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_systems_that_coincide_without_noise_are_told(method, scale):
    for values in ([3.0, 3.0, 3.0], [3.0, 3.0, 7.0]):
        assert vieta.fit(scale * np.tile(values, (100, 1)), method=method).warnings != ()
    apart = vieta.fit(scale * np.tile([3.0, 3.001, 7.0], (100, 1)), method="efficient")
    assert apart.warnings == ()


def test_parameters_of_different_size_coincide_only_if_all_do():
    theta = np.array([[1e6, 1e-3], [1e6, 2e-3]])
    assert fit_findings.of_close_pairs(theta, np.zeros((4, 4))) == ()
    assert told("1 and 2", fit_findings.of_close_pairs(np.array([[1e6, 1e-3], [1e6, 1e-3]]), np.zeros((4, 4))))


@pytest.mark.parametrize("method", ["efficient", "one-step", "least-squares", "rls", "lms"])
def test_one_set_tells_no_standard_errors(method):
    estimate = vieta.fit([[1.0, 5.0, 9.0]], method=method)
    assert np.isnan(estimate.stderr).all()
    assert told("Very few sets: 1 can be fitted exactly", estimate.warnings)
    more = vieta.fit([[1.0, 5.0, 9.0], [1.5, 4.0, 9.5], [1.2, 4.4, 8.7]], method=method)
    assert (more.stderr > 0.0).all()


def test_two_sets_for_two_parameters_are_fitted_exactly():
    assert told("Very few sets: 2 can be fitted exactly", fit_findings.of_unknown_noise(2, 1, 2))
    assert fit_findings.of_unknown_noise(3, 1, 2) == ()
    assert fit_findings.of_unknown_noise(2, 2, 2) == ()


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("at", [0, 1500, N - 1])
def test_one_wild_set_is_no_change(at, robust):
    for seed in SEEDS if robust else SEEDS[:1]:  # without bounds it takes long to give up
        rng = np.random.default_rng(seed)
        psi, m, v = clean(rng)
        sets = m + v
        sets[at] *= 100.0
        assert not told("change with time", words(sets, psi, rng, robust=robust))


def test_a_change_near_the_end_is_told_where_it_is():
    rng = np.random.default_rng(0)
    psi, m, v = clean(rng)
    m[-60:] *= 1.5
    (text,) = [text for text in words(m + v, psi, rng) if "change with time" in text]
    assert abs(int(text.split("after set ")[1].split(" ")[0].replace(",", "")) - (N - 60)) < 10


def test_close_pairs():
    theta = np.array([[0.0], [1.0], [5.0]])
    assert told("Systems 1 and 2 lie within the error", fit_findings.of_close_pairs(theta, 0.1 * np.eye(3)))
    assert fit_findings.of_close_pairs(theta, 0.01 * np.eye(3)) == ()
    assert fit_findings.of_close_pairs(theta, np.zeros((3, 3))) == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_weak_inputs_are_told(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(2000, 2))
    theta = np.array([[1.0, -1.0], [-1.0, 2.0]])

    def warnings(rows):
        sets = rows @ theta.T + 1e-5 * rng.normal(size=(2000, 2))
        return vieta.fit(shuffle(sets[:, :, None], rng)[:, :, 0], rows).warnings

    assert warnings(rows) == ()
    rows[:, 1] = rows[:, 0] + 1e-3 * rows[:, 1]
    assert told("inputs hardly tell all 2 parameters apart", warnings(rows))


def test_inputs_that_tell_nothing_are_an_error():
    rng = np.random.default_rng(0)
    for psi in (np.zeros(100), np.ones((100, 2)), np.outer(rng.normal(size=100), [1.0, 2.0])):
        with pytest.raises(vieta.NotIdentifiableError, match="do not identify the parameters"):
            vieta.fit(rng.normal(size=(100, 2)), psi)


# --- of a filter ----------------------------------------------------------------------------------------------------


def test_changes_in_words():
    assert fit_findings.of_changes(np.zeros(0, dtype=np.int64)) == ()
    text = fit_findings.of_changes(np.array([10, 2000, 30_000, 40_000, 50_000, 60_000]))[0]
    assert "after set 2,000, 30,000, 40,000, 50,000, 60,000." in text


def test_starts_and_doubts_in_words():
    assert fit_findings.of_unsafe_start(True, False) == ()
    assert told("had to start", fit_findings.of_unsafe_start(False, False))
    assert told("latest sets contradict", fit_findings.of_unsafe_start(True, True))
    assert len(fit_findings.of_unsafe_start(False, True)) == 2


@pytest.mark.parametrize(("apart", "words"), [(1.0, "count as told apart from 3 on"), (5.0, "reliable from 6 on")])
def test_how_far_apart_is_said_with_what_it_takes(apart, words):
    found = SimpleNamespace(theta=np.array([[0.0], [apart]]), cov=0.5 * np.eye(2))
    assert told(words, fit_findings._separation(found))
    assert fit_findings._separation(SimpleNamespace(theta=np.array([[0.0], [7.0]]), cov=0.5 * np.eye(2))) == ()
