"""The weighted fit: as good as with labels, honest about its errors, and the same from every start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.coefficients.cases import DISTINCT, shuffle
from tests.weighted.cases import codes, cut, errors, set_error, solved, with_labels
from vieta.coefficients import coefficient_sums
from vieta.coefficients.choice import choose_design
from vieta.errors import NotIdentifiableError
from vieta.laws import inputs, noise
from vieta.search.ascent import climb
from vieta.search.problem import problem
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve
from vieta.weighted.sum_regression import as_matrices, regress

every_case = pytest.mark.parametrize("case", DISTINCT, ids=str)


def by_coefficients(sets, inputs):
    """(L, D) ordinary least squares on the coefficients."""
    data = as_data(sets, inputs)
    design = choose_design("auto", data)
    return design.transform.inverse(coefficient_sums.fit(design, in_memory(data)).coefficients).theta


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
        weighted.append(set_error(solved(records.sets, records.inputs).theta, truth))
        plain.append(set_error(by_coefficients(records.sets, records.inputs), truth))
        oracle.append(set_error(with_labels(records.readings, records.inputs), truth))
    assert np.mean(weighted) < 1.25 * np.mean(oracle)
    assert np.mean(plain) > ordinary * np.mean(oracle)  # the control


@every_case
def test_rough_starts_lead_to_the_same_solution(case):
    data = case.data(400)
    found = solve.fit(in_memory(data))
    assert found.converged
    for seed in range(3):
        rough = found.theta + 0.03 * np.random.default_rng(seed).standard_normal(found.theta.shape)
        theta, converged = solve._iterate(in_memory(data), data, rough, found.noise, np.inf)
        assert converged
        assert_allclose(theta, found.theta, atol=1e-2 * np.sqrt(np.diag(found.cov)).max())


@pytest.mark.parametrize("seed", range(6))
def test_sets_that_change_their_direction_are_no_failure_to_settle(seed):
    records = vieta.simulate("matrix-inputs", n=1000, seed=seed)
    found = solve.fit(in_memory(as_data(records.sets, records.inputs)))
    assert found.converged
    z = (found.theta[np.argsort(found.theta[:, 0])] - records.truth).ravel() / np.sqrt(np.diag(found.cov)).max()
    assert abs(z).max() < 5.0


def test_solution_is_a_zero_of_the_scores():
    from vieta.weighted.equations import accumulate

    for case in DISTINCT:
        data = case.data(300)
        found = solve.fit(in_memory(data))
        H, g, M, squares = accumulate(data.sets, as_matrices(data), found.theta, found.noise)
        assert g @ np.linalg.solve(H, g) < 1e-6
        assert_allclose(found.information, H, rtol=1e-12, atol=1e-9)
        psi = as_matrices(data)
        gram = np.linalg.inv(np.einsum("npd,npe->de", psi, psi))
        leverage = np.einsum("npd,de,npe->n", psi, gram, psi) / min(psi.shape[1:])
        freed = solve.block_scores(data, found) / (1.0 - leverage)[:, None]
        assert_allclose(found.cov, np.linalg.inv(H) @ freed.T @ freed @ np.linalg.inv(H), rtol=1e-6, atol=1e-12)
        assert_allclose(found.misfit.median, np.median(squares), rtol=0.005)
        assert found.misfit.median < 1.5
        scores = solve.block_scores(data.part(7, 30), found)
        assert scores.shape == (23, case.theta.size)
        assert_allclose(solve.block_scores(data, found).T @ solve.block_scores(data, found), M, rtol=1e-9, atol=1e-9)
        assert_allclose(scores, solve.block_scores(data, found)[7:30])


@pytest.mark.parametrize("D", [1, 3])
def test_one_system_is_ordinary_least_squares(D):
    rng = np.random.default_rng(D)
    rows = rng.normal(size=(200, D))
    readings = rows @ rng.normal(size=D) + 0.3 * rng.normal(size=200)
    expected = np.linalg.lstsq(rows, readings)[0]
    estimate = solved(readings[:, None], rows)
    assert_allclose(estimate.theta[0], expected, rtol=0, atol=1e-6)
    classical = 0.3 * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows)))
    assert_allclose(errors(estimate)[0], classical, rtol=0.35)


@every_case
def test_exact_data_are_recovered(case):
    sets, psi = case.draw(100, noise=0.0)
    estimate = solved(sets, psi)
    assert_allclose(estimate.theta, case.theta, rtol=0, atol=1e-6)
    assert codes(estimate) == []


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@every_case
def test_units_of_readings_and_inputs_do_not_matter(case, scale):
    sets, psi = case.draw(300)
    expected, readings = solved(sets, psi), solved(scale * sets, psi)
    assert_allclose(readings.theta / scale, expected.theta, rtol=0, atol=1e-6)
    assert_allclose(errors(readings) / scale, errors(expected), rtol=1e-4)
    assert_allclose(readings.noise / scale**2, expected.noise, rtol=0, atol=1e-8)
    if psi is not None:
        moved = solved(sets, scale * psi)
        assert_allclose(moved.theta * scale, expected.theta, rtol=0, atol=1e-6)
        assert_allclose(errors(moved) * scale, errors(expected), rtol=1e-4)


@pytest.mark.parametrize("top", [1e3, 1e5, 1e6])
def test_inputs_of_very_different_size_are_as_good_as_scaled_ones(top):
    rng = np.random.default_rng(0)
    t = rng.random(2000)
    sets = shuffle(np.stack([1.0 - 2.0 * t, 2.0 + t], axis=1) + 0.03 * rng.normal(size=(2000, 2)), rng)
    small, large = (solved(sets, np.stack([np.ones(2000), size * t], axis=1)) for size in (1.0, top))
    assert_allclose(large.theta * [1.0, top], small.theta, rtol=1e-7)
    assert_allclose(errors(large) * [1.0, top], errors(small), rtol=1e-6)


@pytest.mark.parametrize(
    ("theta", "law", "psi"),
    [
        ((-1.0, 0.5, 2.0), noise.Skewed(0.09), inputs.Uniform(0.5, 1.5)),
        pytest.param(((1.0, -0.5), (-1.0, 2.0)), noise.Laplace(0.09), inputs.Rows(), marks=pytest.mark.slow),
        pytest.param(((1.0, -0.5), (-1.0, 2.0)), noise.Gaussian(0.09), inputs.Matrices(rows=2), marks=pytest.mark.slow),
    ],
    ids=["numbers", "rows", "matrices"],
)
def test_intervals_hold_for_any_noise(theta, law, psi):
    runs, hits, short = 150, [], []
    for seed in range(runs):
        records = vieta.simulate(theta, n=400, seed=seed, noise=law, inputs=psi)
        estimate = solved(records.sets, records.inputs)
        z = abs(estimate.theta - records.truth) / errors(estimate)
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


@pytest.mark.parametrize("p", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_robust_fit_pays_with_outliers_and_costs_little_without(p):
    reached = {(robust, share): [] for robust in (False, True) for share in (0.0, 0.02)}
    for (robust, share), found in reached.items():
        for seed in range(24 if p == 1 else 16):
            sets, truth = contaminated(seed, share, p)
            found.append(set_error(solved(sets, robust=robust).theta, truth))
    mean = {key: np.mean(found) for key, found in reached.items()}
    assert mean[True, 0.02] < 0.6 * mean[False, 0.02]
    assert mean[True, 0.0] < 1.2 * mean[False, 0.0]


@pytest.mark.parametrize("blocks", [1, 3])
def test_inputs_that_do_not_identify_are_refused(blocks):
    rng = np.random.default_rng(0)
    for psi in (np.zeros(50), np.ones((50, 2)), np.outer(rng.normal(size=50), [1.0, 2.0])):
        with pytest.raises(NotIdentifiableError) as caught:
            solve.fit(in_memory(as_data(rng.normal(size=(50, 2)), psi), blocks))
        assert (caught.value.code, caught.value.facts["n_sets"]) == ("inputs-not-identifying", 50)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_very_few_sets_are_no_crash(n):
    for case in DISTINCT:
        sets, psi = case.draw(n)
        try:
            estimate = solved(sets, psi)
        except NotIdentifiableError:
            continue
        assert estimate.theta.shape == case.theta.shape
        assert {"few-sets", "noise-unknown"} & set(codes(estimate))


@pytest.mark.parametrize("p", [1, 2])
def test_the_proper_score_is_least_at_the_truth(p):
    rng = np.random.default_rng(p)
    truth = np.array([[-1.0, 2.0], [1.0, -0.5]])
    psi = rng.normal(size=(4000, p, 2))
    data = as_data(np.einsum("npd,ld->nlp", psi, truth) + 0.3 * rng.normal(size=(4000, 2, p)), psi)
    noise_ = 0.09 * np.eye(p)
    best = solve.misfits(data, truth, noise_)
    assert_allclose(solve.misfits(data, truth[::-1], noise_), best)  # rows have no order
    for wrong in (truth + 0.1, truth * 1.1, truth[:, ::-1]):
        other = solve.misfits(data, wrong, noise_) - best
        assert other.mean() > 4.0 * other.std() / np.sqrt(4000)


def test_the_search_sees_some_of_the_sets_from_all_over_time(monkeypatch):
    """A search among many sets costs no more than among few."""
    records = vieta.simulate("example-1", n=30_000, seed=0)
    seen, inner = [], solve.search
    monkeypatch.setattr(
        solve, "search", lambda given, largest, near: seen.append(len(given.sets)) or inner(given, largest, near=near)
    )
    found = solve.fit(cut(as_data(records.sets, records.inputs), 1000, 1))
    assert seen == [solve.FEWEST_SEARCHED]
    assert found.converged
    assert found.n_sets == 30_000


@pytest.mark.parametrize(("away", "damped"), [(0.1, False), (8.0, True)])
def test_steps_longer_than_three_standard_errors_are_damped(away, damped, monkeypatch):
    """A step is long if its square, in standard errors, exceeds nine for each parameter."""
    records = vieta.simulate((0.0, 6.0), n=400, seed=0, noise=noise.Gaussian(1.0))
    data = as_data(records.sets, None)
    truth, called = np.array([[0.0], [6.0]]), []
    monkeypatch.setattr(solve, "_damping", lambda *_: called.append(1) or 1.0)
    start = truth + away / np.sqrt(400)  # so many standard errors off, in both parameters
    theta, settled = solve._iterate(in_memory(data), data, start, np.eye(1), np.inf)
    assert settled
    assert_allclose(theta, truth, atol=0.3)
    assert bool(called) is damped


@pytest.mark.parametrize("n", [20, 50, 500])
def test_gaussian_sets_are_not_taken_for_outliers_however_few_and_outliers_are(n):
    """Of 25 draws each: none is cut without outliers, all are with one set in ten that is far off."""
    cuts = np.zeros(2, dtype=int)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = np.stack([np.ones(n), *rng.normal(size=(3, n))], axis=1)
        sets = rows @ rng.normal(size=(4, 2)) + rng.normal(size=(n, 2))
        spoilt = sets + 100.0 * (np.arange(n) % 10 == 0)[:, None]
        for i, one in enumerate((sets, spoilt)):
            data = as_data(one, rows)
            cuts[i] += len(solve._typical(data, regress(in_memory(data)))[0]) < n
    assert_allclose(cuts, [0, 25])


@pytest.mark.parametrize("seed", range(3))
def test_equations_that_leave_the_hill_of_the_search_have_gone_astray(seed):
    rng = np.random.default_rng(seed)
    rows = np.stack([np.ones(200), np.linspace(-1.0, 1.0, 200)], axis=1)
    theta, crossed = (
        np.array([[0.0, 3.0], [0.0, -3.0]]),
        np.array([[1.5, 0.0], [-1.5, 0.0]]),
    )  # lines that cross, or do not
    sets = problem((rows @ theta.T + rng.normal(size=(200, 2)))[:, :, None], rows[:, None, :], np.eye(1))
    start = solve.Start(climb(sets, theta).theta, 1.0, True, None, sets)
    assert not solve._is_astray(start, start.theta)
    assert not solve._is_astray(start, theta + 0.4)  # far, but on the same hill
    assert solve._is_astray(start, crossed)
    assert not solve._is_astray(start._replace(sets=None), crossed)


def test_all_sets_decide_between_solutions_that_some_leave(monkeypatch):
    """Two harmonics, noise as large as the gaps: of 5,000 sets the search compares 2,000. Some of the solutions that these leave are
    excluded by all; a rival that is left is one on all sets too.
    """
    from studies.basins.cells import Cell

    cell = Cell("two harmonics", 3, 1.0, 5000)
    rivals = {solve.MOST_DECISIVE: 0, 0: 0}
    for seed in range(8):
        records = cell.draw(seed)
        passes = in_memory(as_data(records.sets, records.inputs))
        for most in rivals:
            monkeypatch.setattr(solve, "MOST_DECISIVE", most)
            rivals[most] += solve.find_start(passes, regress(passes)).rival is not None
    decided, undecided = rivals.values()
    assert decided < undecided
