"""The filter: what it chooses, what it refuses, what it says of itself."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients import test_lms_recursion as test_lms
from tests.coefficients import test_rls_recursion as test_rls
from tests.coefficients.cases import CASES, SEEDS, agrees, every_case, some_cases
from tests.test_contract import assert_unchanged, chosen, every_filter, make, snapshot
from vieta.adaptive import stream_start
from vieta.adaptive.adaptive_engine import AdaptiveEngine
from vieta.coefficients import asymptotics, coefficient_filter
from vieta.laws import inputs, motion, noise
from vieta.method import registry
from vieta.weighted import tracker as weighted_stream

FILTERS = [name for name, one in registry.every().items() if one.has_engine]

NUMBERS = CASES[1]  # three systems, numbers as inputs
COLLECTING = {
    "efficient": weighted_stream.FIRST,
    "recursive-em": weighted_stream.FIRST,
    "adaptive": stream_start.FIRST,
}  # they fit their first sets to start
WHERE = {
    "efficient": weighted_stream,
    "recursive-em": weighted_stream,
    "adaptive": AdaptiveEngine,
}  # their function `advance`
COMPLETE = pytest.mark.parametrize("method", [name for name in FILTERS if not registry.get(name).takes_incomplete])


# --- one system -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [1, 3])
def test_one_system_is_the_textbook(dim):
    readings, rows = test_lms.one_system(dim)
    by_lms = vieta.SymmetricFilter(1, dim, method="lms", step=0.05).partial_fit(readings[:, None], rows)
    assert_array_equal(by_lms.estimate().theta[0], test_lms.textbook(readings, rows, 0.05))
    by_rls = vieta.SymmetricFilter(1, dim, method="rls", memory=50.0, regularization=0.5)
    w, _ = test_rls.textbook(readings, rows, 0.98, 0.5)
    assert_array_equal(by_rls.partial_fit(readings[:, None], rows).estimate().theta[0], w)


def test_one_system_averaged_is_the_mean_of_the_iterates():
    readings, rows = test_lms.one_system(1, n=60)
    got = vieta.SymmetricFilter(1, method="averaged", step=0.05).partial_fit(readings[:, None], rows[:, 0])
    iterates = [test_lms.textbook(readings[:k], rows[:k], 0.05) for k in range(1, 61)]
    assert_allclose(got._engine.point(got._state), np.mean(iterates, axis=0), rtol=1e-13)


# --- steps ----------------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_default_step_is_stable(case, method):
    f = make(case, method).partial_fit(*case.draw(300))
    bounds = asymptotics.step_bounds(f._engine.design, f._state.inputs)
    assert np.all(f._state.step > 0)
    assert np.all(f._state.step < 0.2 * bounds)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("method", FILTERS)
def test_units_of_the_inputs_do_not_matter(method, scale):
    sets, psi = NUMBERS.draw(600)
    estimate = make(NUMBERS, method).partial_fit(sets, scale * psi).estimate()
    expected = make(NUMBERS, method).partial_fit(sets, psi).estimate()
    assert_allclose(scale * estimate.theta, expected.theta, rtol=0, atol=1e-6)
    assert_allclose(scale * estimate.stderr, expected.stderr, rtol=1e-4)


@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_unstable_step_is_refused_and_forgotten(method):
    sets, psi = NUMBERS.draw(400)
    f = make(NUMBERS, method, step=[0.01, 0.01, 0.7]).partial_fit(sets[:200], psi[:200])
    before = snapshot(f)
    message = r"step 0.7 is unstable.*coefficients of degree 3 need a step below 0.\d+.*Bounds for degrees 1..3: "
    for call in (f.partial_fit, f.trace):
        with pytest.raises(vieta.errors.UnstableStepError, match=message):
            call(sets[200:], psi[200:])
        assert_unchanged(f, before)


@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_overflow_is_refused_and_forgotten(method):
    sets, psi = NUMBERS.draw(220)
    f = make(NUMBERS, method, step=1e4).partial_fit(sets[:2], psi[:2])
    before = snapshot(f)
    for call in (f.partial_fit, f.trace):
        with pytest.raises(vieta.DivergedError, match=r"no longer finite\. Use a smaller step"):
            call(sets[2:], psi[2:])
        assert_unchanged(f, before)


@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_a_filter_that_ran_away_gives_no_estimate(method):
    sets, psi = NUMBERS.draw(30)
    f = make(NUMBERS, method, step=5.0).partial_fit(sets, psi)
    assert np.isfinite(f._state.filter.coefficients).all()
    with pytest.raises(vieta.DivergedError, match=r"has diverged: its coefficients of degree \d predict .*smaller"):
        f.estimate()


def test_a_recursion_without_steps_is_not_told_to_take_smaller_ones():
    f = make(NUMBERS, "rls").partial_fit(*NUMBERS.draw(300))
    wild = replace(f._state.filter, coefficients=1e9 * f._state.filter.coefficients)
    f._state = replace(f._state, filter=wild)
    with pytest.raises(vieta.DivergedError, match=r"has diverged.* Use a longer memory") as error:
        f.estimate()
    assert "step" not in str(error.value)


def test_coefficients_that_cancel_are_no_divergence():
    """The readings -5 and 5 add up to nearly nothing: a start far from that is no runaway."""
    records = vieta.simulate((-5.0, 5.0), n=500, seed=0, noise=noise.Gaussian(1e-8))
    f = vieta.SymmetricFilter(2, method="lms", step=1e-3, start=[3.0, 4.0]).partial_fit(records.sets)
    assert "has not forgotten its start" in f.estimate().warnings[0]


# --- starts and transients ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "step", "told"), [(2000, 1e-4, True), (2000, 3e-2, False)])
def test_start_that_is_not_forgotten_is_told(n, step, told):
    sets, psi = NUMBERS.draw(n)
    estimate = make(NUMBERS, "lms", step=step, start=[-3.0, 0.0, 3.0]).partial_fit(sets, psi).estimate()
    found = [text for text in estimate.warnings if "has not forgotten its start" in text]
    assert bool(found) is told
    if told:
        assert "% of the first error in degree" in found[0]
        assert "Let it run longer" in found[0]


def test_average_forgets_its_start_more_slowly():
    sets, psi = NUMBERS.draw(2000)
    ends = {
        method: make(NUMBERS, method, step=1e-2, start=[-3.0, 0.0, 3.0]).partial_fit(sets, psi).estimate().warnings
        for method in ("lms", "averaged")
    }
    assert not ends["lms"]
    assert "has not forgotten its start" in ends["averaged"][0]


@pytest.mark.parametrize("method", ["rls", "lms", "averaged"])
def test_start_is_where_it_starts(method):
    options = {"regularization": 1e12} if method == "rls" else {"step": 1e-12}
    f = make(NUMBERS, method, start=NUMBERS.theta, **options).partial_fit(*NUMBERS.draw(50))
    assert_allclose(f.estimate().theta, NUMBERS.theta, atol=1e-6)


def test_forgetting_tracks_a_jump():
    records = vieta.simulate(
        (1.0, 4.0), n=4000, seed=1, noise=noise.Gaussian(0.01), motion=motion.Jump(at=2000, to=(-3.0, 0.0))
    )
    tracking = vieta.SymmetricFilter(2, method="rls", memory=100.0).partial_fit(records.sets).estimate()
    assert np.all(abs(tracking.theta - records.truth) < 5 * tracking.stderr)
    assert_allclose(tracking.stderr, 0.1 / np.sqrt(200), rtol=0.5)  # worth (1 + f) / (1 - f) sets
    remembering = vieta.SymmetricFilter(2, method="rls").partial_fit(records.sets).estimate()
    assert abs(remembering.theta - records.truth).max() > 1.0  # the control


def test_forgetting_is_worth_so_many_sets():
    found = []
    for seed in range(1500):
        records = vieta.simulate((1.0, 4.0), n=300, seed=seed, noise=noise.Gaussian(0.01))
        found.append(vieta.SymmetricFilter(2, method="rls", memory=50.0).partial_fit(records.sets).estimate())
    samples, predicted = np.array([e.theta.ravel() for e in found]), np.mean([e.cov for e in found], axis=0)
    assert agrees(samples, predicted)
    assert not agrees(samples, 1.25 * predicted)
    assert not agrees(samples, predicted / 1.25)


# --- trace ----------------------------------------------------------------------------------------------------------


@some_cases
@every_filter
def test_trace_is_repeated_fitting(case, method):
    sets, psi = case.draw(330)
    f, again = make(case, method), make(case, method)
    for stream_ in (f, again):
        stream_.partial_fit(sets[:30], None if psi is None else psi[:30])
    trace = f.trace(sets[30:], None if psi is None else psi[30:], every=70)
    assert_array_equal(trace.index, [100, 170, 240, 310, 330])
    for at, theta, imaginary in zip(trace.index, trace.theta, trace.imaginary):
        part = slice(again.n_sets, at)
        estimate = again.partial_fit(sets[part], None if psi is None else psi[part]).estimate()
        if at < COLLECTING.get(method, 0):
            assert np.isnan(theta).all()  # it collects its first sets, and an estimate fits them
        else:
            near = (
                0.2 * estimate.stderr.min() if method == "efficient" else 1e-7
            )  # a batch of the first sets, near the filter
            assert_allclose(theta, estimate.theta, rtol=0, atol=near)
        assert_allclose(imaginary, estimate.imaginary, rtol=0, atol=1e-7)
    assert_unchanged(f, snapshot(again))


@every_filter
def test_trace_that_fails_half_way_leaves_the_filter_as_it_was(method, monkeypatch):
    sets, psi = NUMBERS.draw(500)
    f = make(NUMBERS, method).partial_fit(sets[:50], psi[:50])
    before, calls = snapshot(f), []
    module = WHERE.get(method, coefficient_filter)
    advance = module.advance

    def fail_at_third(*args):
        calls.append(args)
        if len(calls) == 3:
            raise vieta.DivergedError("half-way", "half-way")
        return advance(*args)

    monkeypatch.setattr(module, "advance", fail_at_third)
    with pytest.raises(vieta.DivergedError, match="half-way"):
        f.trace(sets[50:], psi[50:])
    assert_unchanged(f, before)


@COMPLETE
def test_trace_names_the_set_that_is_incomplete(method):
    sets, psi = NUMBERS.draw(500)
    sets[321, 1] = np.nan
    f = make(NUMBERS, method)
    with pytest.raises(ValueError, match=r"sets\[321\] is incomplete: member 1"):
        f.trace(sets, psi)
    assert f.n_sets == 0


@pytest.mark.parametrize("every", [0, -1, 1.5, "x", None])
def test_trace_needs_a_whole_number(every):
    with pytest.raises(ValueError, match=r"`every` must be a whole number"):
        make(NUMBERS, "rls").trace(*NUMBERS.draw(10), every=every)


def test_trace_shows_complex_pairs():
    sets = vieta.simulate((1.0, 1.2), n=200, seed=0).sets
    trace = vieta.SymmetricFilter(2, method="rls").trace(sets, every=10)
    assert trace.theta.shape == trace.imaginary.shape == (20, 2, 1)
    assert (trace.imaginary != 0).any()


# --- errors that are claimed ----------------------------------------------------------------------------------------


@some_cases
@pytest.mark.parametrize("method", [*FILTERS, "least-squares"])
def test_noise_variance(case, method):
    n = 3000
    found = [
        np.atleast_2d(vieta.fit(*case.draw(n, seed, noise=0.3), method=method, **chosen(case, method)).noise_var)
        for seed in SEEDS
    ]
    assert found[0].shape == (found[0].shape[0],) * 2
    tolerance = 5 * np.sqrt(2 / (n * len(SEEDS)))
    mean = np.mean(found, axis=0) / 0.09
    assert np.all(abs(mean - np.eye(len(mean))) < tolerance)
    assert not np.all(abs(1.25 * mean - np.eye(len(mean))) < tolerance)


def test_noise_variance_of_unequal_systems_is_their_mean():
    records = vieta.simulate((-2.0, 0.0, 3.0), n=20_000, seed=0, noise=noise.Gaussian((0.01, 0.04, 0.1)))
    for method in vieta.methods():
        assert_allclose(vieta.fit(records.sets, method=method).noise_var, 0.05, rtol=5 * np.sqrt(2 / 20_000) + 0.01)


def coverage(theta, psi_law, n, runs, seed, levels, **options):
    """How often each parameter lies in its interval of each level."""
    hits = []
    for run in range(runs):
        records = vieta.simulate(theta, n=n, seed=1000 * seed + run, noise=noise.Gaussian(0.04), inputs=psi_law)
        estimate = vieta.fit(records.sets, records.inputs, **options)
        bounds = np.stack([estimate.conf_int(level) for level in levels])
        hits.append((bounds[..., 0] <= records.truth) & (records.truth <= bounds[..., 1]))
    return np.mean(hits, axis=0)


def check_covariances(theta, psi_law, n, runs, seed, **options):
    """The squared errors in terms of the covariance that is claimed have the mean M, of a chi-square: within 4.5 standard errors.

    They tell more than the share of intervals that hold: of 50 runs with three parameters a half of the variance that is missing.
    """
    squares = []
    for run in range(runs):
        records = vieta.simulate(theta, n=n, seed=1000 * seed + run, noise=noise.Gaussian(0.04), inputs=psi_law)
        estimate = vieta.fit(records.sets, records.inputs, **options)
        off = (estimate.theta - records.truth).ravel()
        assert_allclose(estimate.conf_int(0.95)[..., 1] - estimate.theta, 1.96 * estimate.stderr, rtol=0.01)
        squares.append(off @ np.linalg.solve(estimate.cov, off) / off.size)
    tolerance = 4.5 * np.sqrt(2.0 / (runs * off.size))
    assert abs(np.mean(squares) - 1.0) < tolerance
    for wrong in (0.45, 2.5):  # the controls: intervals of 95 % that are in truth of 81 %, or of 99.8 %
        assert not abs(np.mean(squares) / wrong - 1.0) < tolerance


def check_coverage(runs, **setting):
    right, short = coverage(runs=runs, levels=(0.95, 0.8), **setting)
    tolerance = 4.5 * np.sqrt(0.95 * 0.05 / runs)
    assert np.all(abs(right - 0.95) < tolerance)
    assert not np.all(abs(short - 0.95) < tolerance)


ELEMENTARY = {"theta": (-1.0, 0.5, 2.0), "psi_law": inputs.Uniform(0.5, 1.5)}
TENSOR = {"theta": ((1.0, -0.5), (-1.0, 2.0)), "psi_law": inputs.Rows()}


QUICK = ["lms", "rls", "averaged", "least-squares"]


@pytest.mark.parametrize("method", QUICK)
def test_intervals_of_numbers_hold(method):
    check_coverage(runs=300, seed=1, n=500, method=method, **ELEMENTARY)


@pytest.mark.parametrize("method", [name for name in vieta.methods() if name not in QUICK])
def test_covariances_of_numbers_hold(method):
    check_covariances(runs=50, seed=1, n=500, method=method, **ELEMENTARY)


@pytest.mark.parametrize("method", ["least-squares", "rls"])
def test_intervals_of_vectors_hold(method):
    check_coverage(runs=200, seed=2, n=1000, method=method, **TENSOR)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize("setting", [ELEMENTARY, TENSOR], ids=["elementary", "tensor"])
@pytest.mark.parametrize("method", vieta.methods())
def test_intervals_hold_to_a_percent(method, setting, seed):
    check_coverage(runs=1500, seed=seed, n=4000, method=method, **setting)


# --- refusals -------------------------------------------------------------------------------------------------------


@every_filter
def test_no_estimate_before_any_data(method):
    f = vieta.SymmetricFilter(2, method=method)
    assert f.n_sets == 0
    with pytest.raises(ValueError, match="has seen no sets yet: call partial_fit or update first"):
        f.estimate()


@every_filter
def test_no_estimate_before_the_inputs_tell(method):
    rng = np.random.default_rng(0)
    f = vieta.SymmetricFilter(2, 3, method=method).partial_fit(rng.normal(size=(2, 2)), rng.normal(size=(2, 3)))
    with pytest.raises(vieta.NotIdentifiableError, match=r"2 set\(s\).*or wait for more sets"):
        f.estimate()


@every_filter
def test_one_set_is_an_estimate_with_a_caution(method):
    estimate = vieta.SymmetricFilter(2, method=method).update([3.0, 1.0]).estimate()
    assert_allclose(estimate.theta, [[1.0], [3.0]], atol=1e-6)
    assert any("Very few sets: 1 can be fitted exactly" in text for text in estimate.warnings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_systems": 0}, "`n_systems` must be a whole number, 1 or more; got 0"),
        ({"n_systems": 2.0}, "`n_systems` must be a whole number, 1 or more; got 2.0"),
        ({"dim": 0}, "`dim` must be a whole number, 1 or more; got 0"),
        ({"method": "kalman"}, "method 'kalman' is not known. Choose one of: efficient, adaptive, averaged"),
        (
            {"method": "least-squares"},
            "method 'least-squares' needs all sets at once. Choose one of: efficient, adaptive, averaged",
        ),
        (
            {"method": "rls", "transform": "fourier"},
            "transform='fourier' is not known. Choose one of: auto, elementary",
        ),
        (
            {"step": 0.1},
            "step= belongs to 'averaged', 'lms' and 'recursive-em'; method 'efficient' takes drift=, memory=, robust=",
        ),
        ({"method": "lms", "step": -1.0}, "step=-1.0 must be a positive finite number, or 2 of them"),
        ({"method": "lms", "step": [0.1] * 3}, "must be a positive finite number, or 2 of them"),
        (
            {"method": "lms", "memory": 9.0},
            "memory= belongs to 'adaptive', 'efficient' and 'rls'; method 'lms' takes start=, step=",
        ),
        ({"method": "averaged", "regularization": 1.0}, "belongs to 'rls'"),
        ({"method": "rls", "drift": 0.1}, "drift= belongs to 'adaptive' and 'efficient'"),
        ({"method": "rls", "robust": True}, "robust= belongs to 'efficient'"),
        ({"transform": "tensor"}, "transform= belongs to 'averaged', 'least-squares', 'lms' and 'rls'"),
        ({"memory": 1.0}, "memory=1.0 must be a number of sets above 1"),
        ({"drift": -1.0}, "drift=-1.0 must be a positive variance a set"),
        ({"method": "rls", "start": [1.0]}, r"start= must be finite parameters of shape \(2, 1\); got \(1,\)"),
    ],
)
def test_bad_options(options, message):
    f = vieta.SymmetricFilter(**{"n_systems": 2, **options})  # stores, and checks nothing
    with pytest.raises(ValueError, match=message):
        f.check()
    with pytest.raises(ValueError, match=message):
        f.partial_fit([[1.0, 2.0]])
    assert f.n_sets == 0


@every_filter
def test_the_constructor_stores_so_that_a_filter_is_cloned_and_shown(method):
    f = make(NUMBERS, method).partial_fit(*NUMBERS.draw(300))
    again = f.clone()
    assert again.n_sets == 0
    assert again.get_params() == f.get_params()
    assert_unchanged(again.partial_fit(*NUMBERS.draw(300)), snapshot(f))
    assert repr(f).startswith(f"SymmetricFilter(n_systems=3, method={method!r}")


def test_what_is_given_is_kept_as_it_is():
    drift = [1e-6]
    f = vieta.SymmetricFilter(n_systems="three", drift=drift, memory=-1)
    assert f.n_systems == "three"
    assert f.options["drift"] is drift
    assert repr(f) == "SymmetricFilter(n_systems='three', drift=[1e-06], memory=-1)"


def test_update_refuses_what_is_ragged():
    f = vieta.SymmetricFilter(2, 2, method="rls")
    with pytest.raises(ValueError, match="`sets` must be an array of numbers"):
        f.update([[1.0, 2.0], [3.0]])
    assert f.n_sets == 0


# --- threads --------------------------------------------------------------------------------------------------------


def in_threads(work, count=4):
    """Run `work(i)` in several threads at once, and raise what they raise."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


@pytest.fixture
def frequent_switches():
    """Threads take turns far more often than usual."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("method", ["efficient", "lms"])
def test_no_set_is_lost_when_threads_share_a_filter(method, frequent_switches):
    data = NUMBERS.data(400)
    sets, psi = data.sets, data.inputs
    f = vieta.SymmetricFilter(3, method=method).partial_fit(sets[:200], psi[:200])
    in_threads(lambda i: [f.update(sets[k], psi[k]) for k in range(200 + i, 400, 4)])
    assert f.n_sets == 400


def test_copies_files_and_estimates_see_the_filter_between_two_calls(tmp_path, frequent_switches):
    data = NUMBERS.data(600)
    sets, psi = data.sets, data.inputs
    f = vieta.SymmetricFilter(3, method="lms").partial_fit(sets[:300], psi[:300])
    seen = []

    def work(i):
        if i == 0:
            for k in range(300, 600):
                f.update(sets[k], psi[k])
            return
        for _ in range(10):
            f.save(tmp_path / f"{i}")
            for one in (vieta.SymmetricFilter.load(tmp_path / f"{i}"), copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
                seen.append(one)
            f.estimate()

    in_threads(work)
    for one in seen:
        n = one.n_sets
        alone = vieta.SymmetricFilter(3, method="lms").partial_fit(sets[:n], psi[:n])
        assert_array_equal(one._state.filter.coefficients, alone._state.filter.coefficients)
        one.update(sets[0], psi[0])  # a copy has a lock of its own
    assert f.n_sets == 600


def test_an_interrupted_trace_leaves_the_filter_as_it_was(monkeypatch):
    data = NUMBERS.data(300)
    sets, psi = data.sets, data.inputs
    f = vieta.SymmetricFilter(3, method="rls").partial_fit(sets[:100], psi[:100])
    before, once = snapshot(f), vieta.SymmetricFilter._absorb

    def interrupted(self, data):
        if self.n_sets >= 200:
            raise KeyboardInterrupt
        return once(self, data)

    monkeypatch.setattr(vieta.SymmetricFilter, "_absorb", interrupted)
    with pytest.raises(KeyboardInterrupt):
        f.trace(sets[100:], psi[100:], every=50)
    assert_unchanged(f, before)


@pytest.mark.parametrize("method", FILTERS)
@pytest.mark.parametrize("size", [1e120, 1e300])
def test_readings_too_large_to_be_squared_are_refused_by_every_method(method, size):
    f = vieta.SymmetricFilter(2, method=method)
    with pytest.raises(vieta.VietaError, match="too large to be squared"):
        f.partial_fit(size * np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert f.n_sets == 0


# --- inputs that go dark --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.0, 1e-200])
@pytest.mark.parametrize(
    ("method", "options"),
    [("rls", {"memory": 50}), ("rls", {}), ("lms", {}), ("averaged", {}), ("averaged", {"step": 0.01})],
)
def test_sets_without_an_input_are_counted_and_change_nothing_else(method, options, scale):
    data = NUMBERS.data(500)
    dark, rng = scale * np.ones(40_000), np.random.default_rng(0)
    f = vieta.SymmetricFilter(3, method=method, **options).partial_fit(data.sets, data.inputs)
    before = f.estimate()
    after = f.partial_fit(0.1 * rng.normal(size=(40_000, 3)), dark).estimate()
    assert_array_equal(after.theta, before.theta)
    assert_array_equal(after.cov, before.cov)
    assert after.n_sets == 40_500
    f.partial_fit(data.sets, data.inputs).estimate()


@pytest.mark.parametrize("method", ["lms", "averaged"])
def test_steps_are_chosen_when_there_are_inputs_to_choose_them_by(method):
    data = NUMBERS.data(3000)
    late = vieta.SymmetricFilter(3, method=method).partial_fit(np.ones((1000, 3)), np.zeros(1000))
    late.partial_fit(data.sets, data.inputs)
    usual = vieta.SymmetricFilter(3, method=method).partial_fit(data.sets, data.inputs)
    assert_array_equal(late.estimate().theta, usual.estimate().theta)


@pytest.mark.parametrize("dark", [lambda psi: psi * [1.0, 0.0], lambda psi: np.broadcast_to([2.0, 1.0], psi.shape)])
def test_recursive_least_squares_keeps_what_it_knows_of_a_coordinate_that_is_dark(dark):
    rng, theta = np.random.default_rng(0), np.array([[-1.0, 2.0], [3.0, -1.0]])
    f = vieta.SymmetricFilter(2, 2, method="rls", memory=20)
    for psi in (rng.normal(size=(500, 2)), dark(rng.normal(size=(4000, 2))), rng.normal(size=(5, 2))):
        f.partial_fit(psi @ theta.T + 0.05 * rng.normal(size=(len(psi), 2)), psi)
        assert_allclose(f.estimate().theta, theta, atol=0.3)
