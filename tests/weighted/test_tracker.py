"""The weighted filter on a stream: starts by itself, follows changes, forgets when told, and never grows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES, shuffle
from tests.test_contract import assert_same_estimate, assert_unchanged, snapshot
from vieta.estimators.storage import flatten
from vieta.laws import inputs, motion, noise
from vieta.paper.baselines import labeled_least_squares
from vieta.sets import as_data
from vieta.weighted import solve, tracker

SEEDS = range(5)
JUMPS = {
    "numbers": ((-2.0, 5.0, 8.0), (0.0, 5.0, 9.0), noise.Gaussian(0.09), None),
    "inputs": ((-1.0, 0.5, 2.0), (-1.0, 1.0, 2.0), noise.Laplace(0.04), inputs.Uniform(0.5, 1.5)),
    "rows": (((1.0, -0.5), (-1.0, 2.0)), ((1.5, -0.5), (-1.0, 1.0)), noise.Gaussian(0.09), inputs.Rows()),
    "matrices": (((1.0, -0.5), (-1.0, 2.0)), ((1.5, -0.5), (-1.0, 1.0)), noise.Skewed(0.09), inputs.Matrices(rows=2)),
}
every_jump = pytest.mark.parametrize("name", JUMPS)
AT, END = 4321, 8000


def size(theta):
    return len(theta), np.atleast_2d(theta).shape[1] if np.ndim(theta) > 1 else 1


def follow(theta, records, **options):
    return vieta.SymmetricFilter(*size(theta), **options).partial_fit(records.sets, records.inputs)


# --- starts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
def test_hands_over_from_the_batch_fit_of_the_first_sets(case):
    data = case.data(tracker.FIRST)
    before = tracker.advance(tracker.Settings(), tracker.init(data), tracker.part(data, 0, tracker.FIRST - 1))
    assert not before.tracking
    assert len(before.collected_sets) == tracker.FIRST - 1
    after = tracker.advance(tracker.Settings(), before, tracker.part(data, tracker.FIRST - 1, tracker.FIRST))
    assert after.tracking
    assert after.safe
    assert not after.collecting
    assert len(after.collected_sets) == 0
    found = solve.fit(data)
    assert_array_equal(after.theta, found.theta)
    assert_array_equal(after.information, found.information)
    assert_array_equal(after.meat, found.meat)


def test_collects_on_until_a_fit_is_safe():
    theta = (1.0, 1.35)
    records = vieta.simulate(theta, n=tracker.MOST, seed=0, noise=noise.Gaussian(0.09))
    f = vieta.SymmetricFilter(2)
    tracked = []
    for k in range(0, tracker.MOST, 64):
        f.partial_fit(records.sets[k : k + 64])
        tracked.append(f._state.tracking)
    first = 64 * (1 + tracked.index(1))
    assert tracker.FIRST < first < tracker.MOST
    assert first & (first - 1) == 0  # twice as many each time
    assert f._state.safe
    assert np.all(abs(f.estimate().theta - records.truth) < 5 * f.estimate().stderr)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_start_that_is_not_safe_is_told(seed):
    same = vieta.simulate((1.0, 1.0), n=tracker.MOST + 100, seed=seed, noise=noise.Gaussian(0.25))
    f = follow((1.0, 1.0), same)
    assert f._state.tracking
    assert not f._state.safe
    assert any("had to start although the first sets did not separate" in text for text in f.estimate().warnings)
    apart = vieta.simulate((1.0, 4.0), n=tracker.MOST + 100, seed=seed, noise=noise.Gaussian(0.25))
    assert follow((1.0, 4.0), apart).estimate().warnings == ()


def test_an_estimate_before_the_start_is_the_batch_fit():
    records = vieta.simulate((-2.0, 5.0, 8.0), n=100, seed=0, noise=noise.Gaussian(0.09))
    f = vieta.SymmetricFilter(3).partial_fit(records.sets)
    assert_same_estimate(f.estimate(), vieta.fit(records.sets))


# --- changes --------------------------------------------------------------------------------------------------------


@every_jump
@pytest.mark.parametrize("seed", SEEDS)
def test_a_jump_is_found_followed_and_dated(name, seed):
    theta, to, law, psi = JUMPS[name]
    moved = motion.Jump(at=AT, to=to)
    records = vieta.simulate(theta, n=END, seed=seed, noise=law, inputs=psi, motion=moved)
    f = follow(theta, records)
    assert len(f._state.changes) == 1
    assert abs(f._state.changes[0] - AT) <= 100
    estimate = f.estimate()
    assert np.all(abs(estimate.theta - records.truth) < 5 * estimate.stderr)
    assert any(f"after set {f._state.changes[0]:,}" in text for text in estimate.warnings)


@every_jump
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_changes_without_a_jump(name, seed):
    theta, _, law, psi = JUMPS[name]
    f = follow(theta, vieta.simulate(theta, n=END, seed=seed, noise=law, inputs=psi))
    assert len(f._state.changes) == 0
    assert f.estimate().warnings == ()


@pytest.mark.parametrize("name", ["inputs", "rows"])
def test_after_a_jump_it_is_as_good_as_with_labels(name):
    theta, to, law, psi = JUMPS[name]
    errors, oracle = [], []
    for seed in range(25):
        records = vieta.simulate(theta, n=AT + 2500, seed=seed, noise=law, inputs=psi, motion=motion.Jump(at=AT, to=to))
        errors.append(((follow(theta, records).estimate().theta - records.truth) ** 2).sum())
        labeled = labeled_least_squares(records.readings[AT:], records.inputs[AT:]).theta
        order = np.lexsort(labeled.T[::-1])
        oracle.append(((labeled[order] - records.truth) ** 2).sum())
    assert np.mean(errors) < 1.5 * np.mean(oracle)


def test_several_jumps_are_all_found():
    rng = np.random.default_rng(0)
    levels = np.array([[-2.0, 1.0], [0.0, 3.0], [-4.0, 2.0], [1.0, 5.0]])
    sets = shuffle(np.repeat(levels, 3000, axis=0) + 0.3 * rng.normal(size=(12_000, 2)), rng)
    f = vieta.SymmetricFilter(2).partial_fit(sets)
    assert_allclose(f._state.changes, [3000, 6000, 9000], atol=100)
    assert_allclose(f.estimate().theta.ravel(), levels[-1], atol=0.05)


def test_while_in_doubt_it_says_so():
    theta, to, law, _ = JUMPS["numbers"]
    records = vieta.simulate(theta, n=AT + 130, seed=0, noise=law, motion=motion.Jump(at=AT, to=to))
    f = vieta.SymmetricFilter(3).partial_fit(records.sets[: AT - 1])
    assert f.estimate().warnings == ()
    doubts = [
        any("latest sets contradict" in text for text in f.update(y).estimate().warnings)
        for y in records.sets[AT - 1 :]
    ]
    assert any(doubts)


# --- tracking -------------------------------------------------------------------------------------------------------


def test_drift_follows_a_random_walk_and_memory_does_too():
    errors = {"all": [], "drift": [], "memory": []}
    for seed in range(6):
        records = vieta.simulate(
            (-2.0, 1.0, 4.0), n=5000, seed=seed, noise=noise.Gaussian(0.04), motion=motion.Drift(1e-5)
        )
        truth = np.sort(records.truth, axis=None)
        for name, options in (("all", {}), ("drift", {"drift": 1e-5}), ("memory", {"memory": 60.0})):
            estimate = follow((1.0, 2.0, 3.0), records, **options).estimate()
            errors[name].append(((estimate.theta.ravel() - truth) ** 2).mean())
    assert np.mean(errors["drift"]) < 0.5 * np.mean(errors["all"])
    assert np.mean(errors["memory"]) < 0.5 * np.mean(errors["all"])


def test_drift_claims_the_error_it_has():
    """For one number and a steady state, the Riccati equation gives the variance."""
    q, r = 1e-4, 0.04
    P = 0.5 * (q + np.sqrt(q * q + 4 * q * r))  # before a set
    expected = P * r / (P + r)
    z = []
    for seed in range(200):
        records = vieta.simulate((0.0,), n=600, seed=seed, noise=noise.Gaussian(r), motion=motion.Drift(q))
        estimate = follow((0.0,), records, drift=q).estimate()
        z.append(((estimate.theta - records.truth) / estimate.stderr).item())
    assert_allclose(estimate.cov.item(), expected, rtol=0.2)
    assert abs(np.var(z) - 1.0) < 5 * np.sqrt(2 / 200) + 0.1


def test_memory_is_worth_so_many_sets():
    n, memory = 3000, 100.0
    records = vieta.simulate((-2.0, 1.0, 4.0), n=n, seed=0, noise=noise.Gaussian(0.04))
    estimate = follow((1.0, 2.0, 3.0), records, memory=memory).estimate()
    assert_allclose(estimate.stderr, 0.2 / np.sqrt(2 * memory), rtol=0.4)
    whole = follow((1.0, 2.0, 3.0), records).estimate()
    assert_allclose(whole.stderr, 0.2 / np.sqrt(n), rtol=0.2)


# --- for a long time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"memory": 500.0}, {"drift": 1e-8}], ids=str)
def test_information_stays_positive_for_200_000_sets(options):
    records = vieta.simulate((-1.0, 0.5, 2.0), n=200_000, seed=0, noise=noise.Gaussian(0.04), inputs=inputs.Gaussian())
    f = vieta.SymmetricFilter(3, **options)
    for part in np.split(np.arange(200_000), 8):
        f.partial_fit(records.sets[part], records.inputs[part])
        H = f._state.information
        assert_allclose(H, H.T, rtol=1e-9)
        assert np.linalg.eigvalsh(H).min() > 0.0
        estimate = f.estimate()
        assert np.all(abs(estimate.theta - records.truth) < 5 * estimate.stderr)
    assert len(f._state.changes) == 0


@pytest.mark.parametrize("jumps", [False, True])
def test_memory_does_not_grow(jumps):
    rng = np.random.default_rng(0)
    levels = np.where((np.arange(60_000) // 400 % 2 == 1) & jumps, 3.0, 0.0)[:, None] + [-2.0, 1.0]
    sets = shuffle(levels + 0.3 * rng.normal(size=(60_000, 2)), rng)
    f, sizes = vieta.SymmetricFilter(2), []
    for part in np.split(np.arange(60_000), [20_000]):
        f.partial_fit(sets[part])
        sizes.append(sum(a.nbytes for a in flatten(f._state).values()))
        assert len(f._state.recent_sets) <= tracker.BEFORE
        assert len(f._state.changes) <= tracker.CHANGES
    assert (len(f._state.changes) > 20) is jumps
    if not jumps:
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize("options", [{}, {"memory": 20.0}, {"drift": 1e-4}, {"robust": True}], ids=str)
@pytest.mark.parametrize("p", [1, 2])
def test_sets_without_noise_are_no_special_case(p, options):
    rng = np.random.default_rng(p)
    truth = np.array([[-1.0], [0.5]]) if p == 1 else np.array([[-1.0, 2.0], [1.0, -0.5]])
    psi = rng.normal(size=(30_000, p, p))
    sets = shuffle(np.einsum("npd,ld->nlp", psi, truth), rng)
    f = vieta.SymmetricFilter(2, p, **options).partial_fit(sets, psi)
    assert_allclose(f.estimate().theta, truth, atol=1e-9)
    assert f.estimate().warnings == ()


# --- on disk --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cut", [50, tracker.FIRST, tracker.FIRST + 30, AT - 1, AT + 64, AT + 100, AT + 150], ids=lambda cut: f"after-{cut}"
)
@every_jump
def test_resumes_with_the_same_bits_wherever_it_was(name, cut, tmp_path):
    theta, to, law, psi = JUMPS[name]
    records = vieta.simulate(theta, n=AT + 500, seed=1, noise=law, inputs=psi, motion=motion.Jump(at=AT, to=to))
    part = lambda s: (records.sets[s], None if records.inputs is None else records.inputs[s])  # noqa: E731
    f = vieta.SymmetricFilter(*size(theta)).partial_fit(*part(slice(cut)))
    f.save(tmp_path / "filter")
    again = vieta.SymmetricFilter.load(tmp_path / "filter")
    assert_unchanged(again, snapshot(f))
    whole = follow(theta, records)
    assert_unchanged(again.partial_fit(*part(slice(cut, None))), snapshot(whole))
    assert_same_estimate(again.estimate(), whole.estimate())


# --- parts ----------------------------------------------------------------------------------------------------------


def test_separation_is_in_standard_errors_of_the_difference():
    theta = np.array([[0.0], [3.0]])
    assert_allclose(tracker.separation(theta, np.diag([1.0, 3.0])), 1.5)
    assert_allclose(tracker.separation(theta, np.array([[1.0, 0.5], [0.5, 1.0]])), 3.0)
    assert tracker.separation(theta[:1], np.eye(1)) == np.inf
    assert tracker.separation(theta, np.zeros((2, 2))) > 1e6
    assert tracker.separation(np.zeros((2, 1)), np.eye(2)) == 0.0


def test_advance_is_pure():
    data = as_data(*CASES[1].draw(400))
    start = tracker.advance(tracker.Settings(), tracker.init(data), tracker.part(data, 0, 300))
    before = {name: a.copy() for name, a in flatten(start).items()}
    tracker.advance(tracker.Settings(), start, tracker.part(data, 300, 400))
    for name, array in flatten(start).items():
        assert_array_equal(array, before[name], err_msg=name)
