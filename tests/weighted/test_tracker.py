"""The weighted filter on a stream: starts by itself, follows changes, forgets when told, and never grows."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES, DISTINCT, shuffle
from tests.weighted.cases import assert_same_state, codes, errors, follow, stream, with_labels
from vieta.errors import InputError
from vieta.estimators.storage import flatten
from vieta.laws import inputs, motion, noise
from vieta.sets import as_data
from vieta.sums import in_memory
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


# --- starts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", DISTINCT, ids=str)
def test_hands_over_from_the_batch_fit_of_the_first_sets(case):
    data = case.data(tracker.FIRST)
    before = tracker.advance(tracker.Settings(), tracker.init(data), data.part(0, tracker.FIRST - 1))
    assert not before.tracking
    assert len(before.collected_sets) == tracker.FIRST - 1
    after = tracker.advance(tracker.Settings(), before, data.part(tracker.FIRST - 1, tracker.FIRST))
    assert after.tracking
    assert after.safe
    assert not after.collecting
    assert len(after.collected_sets) == 0
    found = solve.fit(in_memory(data))
    assert_array_equal(after.theta, found.theta)
    assert_array_equal(after.information, found.information)
    assert_array_equal(after.meat, found.outer)
    assert_array_equal(after.noise, found.noise)
    assert_allclose(after.power, found.noise * case.n_systems * tracker.FIRST)
    assert after.numbers.tolist() == [tracker.FIRST, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert after.record.sizes[0, 0] == after.record.tally[-2] == tracker.FIRST


def test_collects_on_until_a_fit_is_safe():
    theta = (1.0, 1.35)
    records = vieta.simulate(theta, n=tracker.MOST, seed=0, noise=noise.Gaussian(0.09))
    f = stream(as_data(records.sets, None))
    tracked = []
    for k in range(0, tracker.MOST, 64):
        f.absorb(records.sets[k : k + 64])
        tracked.append(f.state.tracking)
    first = 64 * (1 + tracked.index(1))
    assert tracker.FIRST < first < tracker.MOST
    assert first & (first - 1) == 0  # twice as many each time
    assert f.state.safe
    assert np.all(abs(f.estimate().theta - records.truth) < 5 * errors(f.estimate()))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_start_that_is_not_safe_is_told(seed):
    same = vieta.simulate((1.0, 1.0), n=tracker.MOST + 100, seed=seed, noise=noise.Gaussian(0.25))
    f = follow(same.sets)
    assert f.state.tracking
    assert not f.state.safe
    assert "unsafe-start" in codes(f.estimate())
    apart = vieta.simulate((1.0, 4.0), n=tracker.MOST + 100, seed=seed, noise=noise.Gaussian(0.25))
    assert codes(follow(apart.sets).estimate()) == []


# --- changes --------------------------------------------------------------------------------------------------------


@every_jump
@pytest.mark.parametrize("seed", SEEDS)
def test_a_jump_is_found_followed_and_dated(name, seed):
    theta, to, law, psi = JUMPS[name]
    moved = motion.Jump(at=AT, to=to)
    records = vieta.simulate(theta, n=END, seed=seed, noise=law, inputs=psi, motion=moved)
    f = follow(records.sets, records.inputs)
    assert len(f.state.changes) == 1
    assert abs(f.state.changes[0] - AT) <= 100
    estimate = f.estimate()
    assert np.all(abs(estimate.theta - records.truth) < 5 * errors(estimate))
    assert codes(estimate) == ["parameters-changed"]


@every_jump
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_changes_without_a_jump(name, seed):
    theta, _, law, psi = JUMPS[name]
    records = vieta.simulate(theta, n=END, seed=seed, noise=law, inputs=psi)
    f = follow(records.sets, records.inputs)
    assert len(f.state.changes) == 0
    assert codes(f.estimate()) == []


@pytest.mark.parametrize("name", ["inputs", "rows"])
def test_after_a_jump_it_is_as_good_as_with_labels(name):
    theta, to, law, psi = JUMPS[name]
    reached, oracle = [], []
    for seed in range(25):
        records = vieta.simulate(theta, n=AT + 2500, seed=seed, noise=law, inputs=psi, motion=motion.Jump(at=AT, to=to))
        reached.append(((follow(records.sets, records.inputs).estimate().theta - records.truth) ** 2).sum())
        labeled = with_labels(records.readings[AT:], records.inputs[AT:])
        order = np.lexsort(labeled.T[::-1])
        oracle.append(((labeled[order] - records.truth) ** 2).sum())
    assert np.mean(reached) < 1.5 * np.mean(oracle)


def test_several_jumps_are_all_found():
    rng = np.random.default_rng(0)
    levels = np.array([[-2.0, 1.0], [0.0, 3.0], [-4.0, 2.0], [1.0, 5.0]])
    sets = shuffle(np.repeat(levels, 3000, axis=0) + 0.3 * rng.normal(size=(12_000, 2)), rng)
    f = follow(sets)
    assert_allclose(f.state.changes, [3000, 6000, 9000], atol=100)
    assert_allclose(f.estimate().theta.ravel(), levels[-1], atol=0.05)


def test_while_in_doubt_it_says_so():
    theta, to, law, _ = JUMPS["numbers"]
    records = vieta.simulate(theta, n=AT + 130, seed=0, noise=law, motion=motion.Jump(at=AT, to=to))
    f = follow(records.sets[: AT - 1])
    assert codes(f.estimate()) == []
    assert any("contradicted-now" in codes(f.absorb(y[None]).estimate()) for y in records.sets[AT - 1 :])


# --- tracking -------------------------------------------------------------------------------------------------------


def test_drift_follows_a_random_walk_and_memory_does_too():
    """And so does a filter that has to find out by itself, better than all sets with their labels would."""
    ways = {"drift": {"drift": 1e-5}, "memory": {"memory": 60.0}, "auto": {"drift": "auto"}, "default": {}}
    reached = {name: [] for name in ("all", *ways)}
    for seed in range(6):
        records = vieta.simulate(
            (-2.0, 1.0, 4.0), n=5000, seed=seed, noise=noise.Gaussian(0.04), motion=motion.Drift(1e-5)
        )
        truth = np.sort(records.truth, axis=None)
        reached["all"].append(((with_labels(records.readings, None).ravel() - records.truth.ravel()) ** 2).mean())
        for name, options in ways.items():
            estimate = follow(records.sets, **options).estimate()
            reached[name].append(((estimate.theta.ravel() - truth) ** 2).mean())
    for name in ways:
        assert np.mean(reached[name]) < 0.5 * np.mean(reached["all"]), name


def test_drift_claims_the_error_it_has():
    """For one number and a steady state, the Riccati equation gives the variance."""
    q, r = 1e-4, 0.04
    P = 0.5 * (q + np.sqrt(q * q + 4 * q * r))  # before a set
    expected = P * r / (P + r)
    z = []
    for seed in range(200):
        records = vieta.simulate((0.0,), n=600, seed=seed, noise=noise.Gaussian(r), motion=motion.Drift(q))
        estimate = follow(records.sets, drift=q).estimate()
        z.append(((estimate.theta - records.truth) / errors(estimate)).item())
    assert_allclose(estimate.cov.item(), expected, rtol=0.2)
    assert abs(np.var(z) - 1.0) < 5 * np.sqrt(2 / 200) + 0.1


def test_memory_is_worth_so_many_sets():
    n, memory = 3000, 100.0
    records = vieta.simulate((-2.0, 1.0, 4.0), n=n, seed=0, noise=noise.Gaussian(0.04))
    estimate = follow(records.sets, memory=memory).estimate()
    assert_allclose(errors(estimate), 0.2 / np.sqrt(2 * memory), rtol=0.4)
    whole = follow(records.sets).estimate()
    assert_allclose(errors(whole), 0.2 / np.sqrt(n), rtol=0.2)


# --- for a long time ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"memory": 500.0}, {"drift": 1e-8}], ids=str)
def test_information_stays_positive_for_200_000_sets(options):
    records = vieta.simulate((-1.0, 0.5, 2.0), n=200_000, seed=0, noise=noise.Gaussian(0.04), inputs=inputs.Gaussian())
    f = stream(as_data(records.sets, records.inputs), **options)
    for part in np.split(np.arange(200_000), 8):
        f.absorb(records.sets[part], records.inputs[part])
        H = f.state.information
        assert_allclose(H, H.T, rtol=1e-9)
        assert np.linalg.eigvalsh(H).min() > 0.0
        estimate = f.estimate()
        assert np.all(abs(estimate.theta - records.truth) < 5 * errors(estimate))
    assert len(f.state.changes) == 0


@pytest.mark.parametrize("jumps", [False, True])
def test_memory_does_not_grow(jumps):
    rng = np.random.default_rng(0)
    levels = np.where((np.arange(65_536) // 400 % 2 == 1) & jumps, 3.0, 0.0)[:, None] + [-2.0, 1.0]
    sets = shuffle(levels + 0.3 * rng.normal(size=(65_536, 2)), rng)
    f, sizes = stream(as_data(sets, None)), []
    for part in np.split(np.arange(65_536), [16_384]):  # at both times the sample of all sets is as long
        f.absorb(sets[part])
        sizes.append(sum(np.asarray(array).nbytes for array in flatten(f.state).values()))
        assert len(f.state.recent_sets) <= tracker.BEFORE
        assert len(f.state.changes) <= tracker.CHANGES
    assert (len(f.state.changes) > 20) is jumps
    if not jumps:
        assert sizes[0] == sizes[1]


@pytest.mark.parametrize("options", [{}, {"memory": 20.0}, {"drift": 1e-4}, {"robust": True}], ids=str)
@pytest.mark.parametrize("p", [1, 2])
def test_sets_without_noise_are_no_special_case(p, options):
    rng = np.random.default_rng(p)
    truth = np.array([[-1.0], [0.5]]) if p == 1 else np.array([[-1.0, 2.0], [1.0, -0.5]])
    psi = rng.normal(size=(30_000, p, p))
    sets = shuffle(np.einsum("npd,ld->nlp", psi, truth), rng)
    f = follow(sets, psi, **options)
    assert_allclose(f.estimate().theta, truth, atol=1e-9)
    assert codes(f.estimate()) == []


# --- parts ----------------------------------------------------------------------------------------------------------


def test_advance_is_pure():
    data = as_data(*CASES[1].draw(900))
    start = tracker.advance(tracker.Settings(), tracker.init(data), data.part(0, 300))
    before = {name: np.copy(array) for name, array in flatten(start).items()}
    tracker.advance(tracker.Settings(), start, data.part(300, 900))
    for name, array in before.items():
        assert_array_equal(flatten(start)[name], array, err_msg=name)


@every_jump
@pytest.mark.parametrize("options", [{}, {"robust": True}, {"memory": 300.0}], ids=str)
def test_the_cut_of_a_stream_changes_no_bit(name, options):
    theta, to, law, psi = JUMPS[name]
    records = vieta.simulate(theta, n=2000, seed=1, noise=law, inputs=psi, motion=motion.Jump(at=900, to=to))
    data = as_data(records.sets, records.inputs)
    whole = stream(data, **options)
    whole.state = whole.engine.advance(whole.state, data)
    pieces = stream(data, **options)
    ends = [0, 1, 50, 127, 128, 129, 500, 963, 964, 1000, 1500, 2000]
    for a, b in itertools.pairwise(ends):
        pieces.state = pieces.engine.advance(pieces.state, data.part(a, b))
    assert_same_state(whole.state, pieces.state)


@pytest.mark.parametrize("at", [1000, 1024, 1025, 1063, 2000])
@pytest.mark.parametrize("p", [1, 2])
def test_a_large_change_is_dated_to_the_set(at, p):
    """The new parameters hold for the first time after exactly `at` sets, and that is the time reported."""
    rng = np.random.default_rng(at)
    old = np.array([[-2.0], [3.0]]) if p == 1 else np.array([[-2.0, 1.0], [3.0, 0.0]])
    new = old + np.array([[1.5], [-1.0]])
    sets = np.concatenate([np.repeat(old[None], at, axis=0), np.repeat(new[None], 500, axis=0)])
    sets = shuffle(sets + 0.02 * rng.normal(size=sets.shape), rng)
    f = follow(sets)
    assert f.state.changes.tolist() == [at]
    (one,) = f.estimate().findings
    assert (one.code, one.facts["times"]) == ("parameters-changed", f"{at:,}")


# --- states from files ------------------------------------------------------------------------------------------------


@every_jump
def test_every_state_of_a_stream_passes_the_check(name):
    before, after, law, psi = JUMPS[name]
    jump = motion.Jump(at=400, to=np.reshape(after, (len(after), -1)))
    records = vieta.simulate(before, n=900, seed=1, noise=law, inputs=psi, motion=jump)
    data = as_data(records.sets, records.inputs)
    state = tracker.init(data)
    for at in range(0, 900, 50):
        tracker.check(state)
        state = tracker.advance(tracker.Settings(), state, data.part(at, at + 50))
    assert len(state.changes) == 1
    tracker.check(state)


@pytest.mark.parametrize(
    "change",
    [
        {"tracking": 2}, {"collecting": 5}, {"safe": 7}, {"walk": -np.ones(2)}, {"count": 3}, {"changes": np.array([5, 4])},
        {"changes": np.array([10**6])}, {"numbers": np.array([300.0, 64.0, 1.0, 0.0, 0.0, 1.0])},
        {"numbers": np.array([300.0, 0.5, 1.0, 0.0, 0.0, 1.0])}, {"numbers": np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0])},
        {"numbers": np.array([300.0, 1.0, -1.0, 0.0, 0.0, 1.0])}, {"numbers": np.array([300.0, 1.0, 1.0, 0.0, 0.0, 0.5])},
        {"noise": np.zeros((1, 1))}, {"noise": -np.ones((1, 1))}, {"information": -np.eye(2)}, {"meat": np.array([[1.0, 5.0], [5.0, 1.0]])},
        {"recent_inputs": np.ones(3)}, {"recent_sets": np.full((100, 2, 1), 1e200)}, {"tracking": 0},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_state_that_no_stream_leaves_is_refused(change):
    data = as_data(vieta.simulate((-2.0, 5.0), n=300, seed=1, noise=noise.Gaussian(0.09)).sets, None)
    state = tracker.advance(tracker.Settings(), tracker.init(data), data)
    tracker.check(state)
    with pytest.raises(InputError) as refused:
        tracker.check(replace(state, **change))
    assert refused.value.code == "state-range"


def test_a_filter_that_does_not_run_yet_has_all_the_sets_that_it_collected():
    data = as_data(vieta.simulate((-2.0, 5.0), n=60, seed=1).sets, None)
    state = tracker.advance(tracker.Settings(), tracker.init(data), data)
    tracker.check(state)
    tracker.check(replace(state, count=60 + tracker.MOST))
    with pytest.raises(InputError, match="lost sets"):
        tracker.check(replace(state, count=61))


# --- inputs that go dark --------------------------------------------------------------------------------------------

TWO = np.array([[-1.0, 2.0], [3.0, -1.0]])
DARK = {
    "all zero": lambda psi: 0.0 * psi,
    "nearly zero": lambda psi: 1e-200 * psi,
    "one zero": lambda psi: psi * [1.0, 0.0],
    "one nearly zero": lambda psi: psi * [1.0, 1e-200],
    "constant": lambda psi: np.broadcast_to([2.0, 1.0], psi.shape),
}


def rows_of(rng, n):
    return rng.normal(size=(n, 2))


def readings_of(rng, psi):
    return rng.permuted(psi @ TWO.T + 0.1 * rng.normal(size=(len(psi), 2)), axis=1)


@pytest.mark.parametrize("options", [{"memory": 50}, {"memory": 2}, {"memory": 50, "drift": 1e-6}])
@pytest.mark.parametrize("kind", DARK)
def test_inputs_that_go_dark_leave_what_is_known(kind, options):
    rng = np.random.default_rng(1)
    f = vieta.SymmetricFilter(2, 2, **options)
    light = rows_of(rng, 1024)
    f.partial_fit(readings_of(rng, light), light)
    before = f.estimate()
    dark = DARK[kind](rows_of(rng, 4096))
    f.partial_fit(readings_of(rng, dark), dark)
    after = f.estimate()
    if kind in ("all zero", "nearly zero"):
        assert_array_equal(after.theta, before.theta)
    assert np.all(abs(after.theta - TWO) < 6.0 * after.stderr)
    ratio = after.stderr / before.stderr
    assert np.all(ratio > 0.1)
    assert np.all(ratio < (8.0 if "drift" in options else 3.0))
    f.partial_fit(readings_of(rng, light), light)
    assert np.all(abs(f.estimate().theta - TWO) < 0.5)
    assert not f.changes


@pytest.mark.parametrize("scale", [0.0, 1e-200])
def test_a_stretch_of_zeros_ends_in_nothing_worse(scale):
    """Neither information nor noise falls to zero, however long nothing at all is seen."""
    rng = np.random.default_rng(0)
    f = vieta.SymmetricFilter(2, memory=50)
    psi = rng.normal(size=500)
    f.partial_fit(psi[:, None] * [-1.0, 3.0] + 0.1 * rng.normal(size=(500, 2)), psi)
    before = f.estimate()
    f.partial_fit(scale * np.ones((40_000, 2)), scale * np.ones(40_000))
    assert_array_equal(f.estimate().theta, before.theta)
    assert_allclose(f.estimate().stderr, before.stderr, rtol=0.1)  # of which the lag is estimated from more sets


@pytest.mark.parametrize("kind", ["one zero", "constant"])
def test_the_cut_of_a_dark_stream_changes_no_bit(kind):
    rng = np.random.default_rng(2)
    psi = np.concatenate([rows_of(rng, 300), DARK[kind](rows_of(rng, 500))])
    sets = readings_of(rng, psi)
    whole = vieta.SymmetricFilter(2, 2, memory=20).partial_fit(sets, psi)
    pieces = vieta.SymmetricFilter(2, 2, memory=20)
    for at, to in itertools.pairwise([0, 1, 130, 131, 317, 320, 383, 384, 700, 799, 800]):
        pieces.partial_fit(sets[at:to], psi[at:to])
    assert_same_state(pieces._state, whole._state)
