"""The weighted fit: as good as with labels, honest about its errors, and the same from every start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.coefficients.cases import CASES, shuffle
from tests.weighted.cases import set_error
from vieta.laws import inputs, noise
from vieta.paper.baselines import labeled_least_squares
from vieta.sets import as_data
from vieta.weighted import solve
from vieta.weighted.search import starts

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.mark.parametrize(
    ("theta", "law", "psi", "ordinary"),
    [
        ((-2.0, 5.0, 8.0), noise.Gaussian(0.09), None, 0.9),  # under one input nothing is there to weight
        ((-2.0, 5.0, 8.0), noise.Gaussian(0.09), inputs.Uniform(0.5, 1.5), 2.0),
        (((-2.0, 6.0), (4.0, 5.0)), noise.Gaussian(0.01), inputs.Matrices(rows=2), 2.0),
        (((1.0, 3.0, 0.0), (6.0, 0.0, 2.0), (-4.0, 1.0, 1.0)), noise.Laplace(0.04), inputs.Gaussian(), 2.0),
    ],
    ids=["numbers", "inputs", "matrices", "vectors"],
)
def test_as_good_as_with_labels(theta, law, psi, ordinary):
    weighted, plain, oracle = [], [], []
    for seed in range(40):
        records = vieta.simulate(theta, n=300, seed=seed, noise=law, inputs=psi)
        truth = records.truth
        weighted.append(set_error(vieta.fit(records.sets, records.inputs).theta, truth))
        plain.append(set_error(vieta.fit(records.sets, records.inputs, method="least-squares").theta, truth))
        oracle.append(set_error(labeled_least_squares(records.readings, records.inputs).theta, truth))
    assert np.mean(weighted) < 1.25 * np.mean(oracle)
    assert np.mean(plain) > ordinary * np.mean(oracle)  # the control


@every_case
def test_every_start_leads_to_the_same_solution(case):
    data = case.data(400)
    psi = solve.as_matrices(data)
    found = solve.fit(data)
    assert found.converged
    noise_ = solve.noise_covariance(data.sets, psi)
    reached = 0
    for start in starts(data, psi):
        theta, settled = solve._iterate(data.sets, psi, start, noise_, np.inf)
        reached += settled and solve._same(theta, found.theta)
    assert reached >= 2


@pytest.mark.parametrize("seed", range(6))
def test_sets_that_change_their_direction_are_no_failure_to_settle(seed):
    records = vieta.simulate("matrix-inputs", n=1000, seed=seed)
    found = solve.fit(as_data(records.sets, records.inputs))
    assert found.converged
    z = (found.theta[np.argsort(found.theta[:, 0])] - records.truth).ravel() / np.sqrt(np.diag(found.cov)).max()
    assert abs(z).max() < 5.0


def test_solution_is_a_zero_of_the_scores():
    from vieta.weighted.equations import accumulate

    for case in CASES:
        data = case.data(300)
        found = solve.fit(data)
        H, g, _, _ = accumulate(
            data.sets, solve.as_matrices(data), found.theta, found.noise, np.linalg.inv(found.noise), np.inf
        )
        assert g @ np.linalg.solve(H, g) < 1e-6
        assert np.median(found.squares) < 1.5


@pytest.mark.parametrize("D", [1, 3])
def test_one_system_is_ordinary_least_squares(D):
    rng = np.random.default_rng(D)
    rows = rng.normal(size=(200, D))
    readings = rows @ rng.normal(size=D) + 0.3 * rng.normal(size=200)
    expected = np.linalg.lstsq(rows, readings)[0]
    estimate = vieta.fit(readings[:, None], rows)
    assert_allclose(estimate.theta[0], expected, rtol=0, atol=1e-6)
    classical = 0.3 * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
    assert_allclose(estimate.stderr[0], classical, rtol=0.35)


@every_case
def test_exact_data_are_recovered(case):
    sets, psi = case.draw(100, noise=0.0)
    estimate = vieta.fit(sets, psi)
    assert_allclose(estimate.theta, case.theta, rtol=0, atol=1e-6)
    assert estimate.warnings == ()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@every_case
def test_units_of_readings_and_inputs_do_not_matter(case, scale):
    sets, psi = case.draw(300)
    expected, readings = vieta.fit(sets, psi), vieta.fit(scale * sets, psi)
    assert_allclose(readings.theta / scale, expected.theta, rtol=0, atol=1e-6)
    assert_allclose(readings.stderr / scale, expected.stderr, rtol=1e-4)
    assert_allclose(readings.noise_var / scale**2, expected.noise_var, rtol=0, atol=1e-8)
    if psi is not None:
        moved = vieta.fit(sets, scale * psi)
        assert_allclose(moved.theta * scale, expected.theta, rtol=0, atol=1e-6)
        assert_allclose(moved.stderr * scale, expected.stderr, rtol=1e-4)


@pytest.mark.parametrize(
    ("theta", "law", "psi"),
    [
        ((-1.0, 0.5, 2.0), noise.Skewed(0.09), inputs.Uniform(0.5, 1.5)),
        (((1.0, -0.5), (-1.0, 2.0)), noise.Laplace(0.09), inputs.Rows()),
        (((1.0, -0.5), (-1.0, 2.0)), noise.Gaussian(0.09), inputs.Matrices(rows=2)),
    ],
    ids=["numbers", "rows", "matrices"],
)
def test_intervals_hold_for_any_noise(theta, law, psi):
    runs, hits, short = 150, [], []
    for seed in range(runs):
        records = vieta.simulate(theta, n=400, seed=seed, noise=law, inputs=psi)
        estimate = vieta.fit(records.sets, records.inputs)
        z = abs(estimate.theta - records.truth) / estimate.stderr
        hits.append(z < 1.96)
        short.append(z < 1.28)
    tolerance = 4.5 * np.sqrt(0.95 * 0.05 / runs)
    assert np.all(abs(np.mean(hits, axis=0) - 0.95) < tolerance)
    assert not np.all(abs(np.mean(short, axis=0) - 0.95) < tolerance)


def contaminated(seed, share, p=1):
    """Sets, of which some have one reading far off; and the truth."""
    rng = np.random.default_rng(seed)
    truth = np.array([[-2.0], [1.0], [4.0]]) if p == 1 else np.array([[-2.0, 1.0], [1.0, 3.0], [4.0, 0.0]])
    sets = truth + 0.3 * rng.normal(size=(600, 3, p))
    hit = rng.random(600) < share
    sets[hit, rng.integers(3, size=hit.sum())] += 6.0 * rng.standard_t(2, size=(hit.sum(), p))
    sets = shuffle(sets, rng)
    return (sets[:, :, 0] if p == 1 else sets), truth


@pytest.mark.parametrize("p", [1, 2])
def test_robust_fit_pays_with_outliers_and_costs_little_without(p):
    errors = {(robust, share): [] for robust in (False, True) for share in (0.0, 0.02)}
    for (robust, share), found in errors.items():
        for seed in range(40 if p == 1 else 16):
            sets, truth = contaminated(seed, share, p)
            found.append(set_error(vieta.fit(sets, robust=robust).theta, truth))
    mean = {key: np.mean(found) for key, found in errors.items()}
    assert mean[True, 0.02] < 0.6 * mean[False, 0.02]
    assert mean[True, 0.0] < 1.2 * mean[False, 0.0]


def test_noise_is_that_of_the_sum():
    for case in CASES:
        data = case.data(2000, noise=0.3)
        cov = solve.noise_covariance(data.sets, solve.as_matrices(data))
        assert_allclose(cov, 0.09 * np.eye(len(cov)), atol=5 * 0.09 * np.sqrt(2 / 2000))


def test_weak_inputs_are_measured():
    rng = np.random.default_rng(0)
    psi = rng.normal(size=(200, 1, 3))
    assert solve.weakest_input(psi) > 0.3
    assert_allclose(solve.weakest_input(psi * [1.0, 1e-4, 1e3]), solve.weakest_input(psi), rtol=1e-6)  # units
    psi[:, 0, 2] = psi[:, 0, 1]
    assert solve.weakest_input(psi) < 1e-13
    psi[:, 0, 2] = 0.0
    assert solve.weakest_input(psi) == 0.0


def test_inputs_that_tell_nothing_are_refused():
    rng = np.random.default_rng(0)
    data = as_data(rng.normal(size=(50, 2)), np.ones((50, 2)))
    with pytest.raises(vieta.NotIdentifiableError, match="do not identify the parameters: in 50 set"):
        solve.fit(data)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_very_few_sets_are_no_crash(n):
    for case in CASES:
        sets, psi = case.draw(n)
        try:
            estimate = vieta.fit(sets, psi)
        except vieta.NotIdentifiableError:
            continue
        assert estimate.theta.shape == case.theta.shape
        assert any("Very few sets" in text for text in estimate.warnings)
