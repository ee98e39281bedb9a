"""The weighted filter as it is driven: the batch fit before it runs, then where it stands, and what it says."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES, DISTINCT
from tests.weighted.cases import assert_same_state, codes, errors, follow, solved, stream
from vieta.laws import inputs, motion, noise
from vieta.sets import as_data
from vieta.weighted import tracker
from vieta.weighted.weighted_engine import WeightedEngine

every_case = pytest.mark.parametrize("case", DISTINCT, ids=str)


@every_case
def test_filter_and_batch_agree_within_a_fraction_of_their_error(case):
    sets, psi = case.draw(2000)
    one, two = solved(sets, psi), follow(sets, psi).estimate()
    assert np.all(abs(one.theta - two.theta) < 0.5 * errors(one))
    assert_allclose(errors(one), errors(two), rtol=0.1)
    assert two.noise.shape == one.noise.shape
    assert (two.n_sets, two.transform) == (2000, "weighted")


def test_an_estimate_before_the_start_is_the_batch_fit():
    records = vieta.simulate((-2.0, 5.0, 8.0), n=100, seed=0, noise=noise.Gaussian(0.09))
    early, batch = follow(records.sets).estimate(), solved(records.sets)
    assert_array_equal(early.theta, batch.theta)
    assert_array_equal(early.cov, batch.cov)
    assert codes(early) == codes(batch)


def test_drift_takes_the_information_at_its_word():
    data = as_data(*CASES[1].draw(400))
    for drift in (None, 1e-6):
        f = follow(data.sets[:, :, 0], data.inputs, drift=drift, young=0)
        inverse = np.linalg.inv(f.state.information)
        expected = inverse @ f.state.meat @ inverse if drift is None else inverse
        order = np.argsort(f.state.theta[:, 0])
        assert_allclose(f.estimate().cov, expected[np.ix_(order, order)], rtol=1e-9)


def test_the_point_is_unknown_before_the_start():
    data = as_data(*CASES[1].draw(300))
    engine = WeightedEngine(data.part(0, 0), tracker.Settings())
    assert engine.init().count == 0
    early = engine.advance(engine.init(), data.part(0, 100))
    assert np.isnan(engine.point(early)).all()
    late = engine.advance(early, data.part(100, 300))
    assert_array_equal(engine.parameters(engine.point(late)[None])[0].real, late.theta)


def test_bounded_influence_reaches_the_filter():
    sets, psi = CASES[1].draw(400)
    sets[::50, 0] += 30.0
    thetas = [follow(sets, psi, robust=robust).estimate().theta for robust in (False, True)]
    assert not np.array_equal(*thetas)
    assert abs(thetas[1] - CASES[1].theta).max() < abs(thetas[0] - CASES[1].theta).max()


@pytest.mark.parametrize(
    ("options", "tracks"), [({}, False), ({"robust": True}, False), ({"memory": 500.0}, True), ({"drift": 1e-5}, True)]
)
def test_changes_are_reported_with_their_times(options, tracks):
    data = as_data(*CASES[1].draw(300))
    f = stream(data, **options)
    f.state = f.engine.advance(f.state, data)
    assert codes(f.estimate()) == []
    assert f.engine.changes(f.state) == ()
    times = np.array([10, 2000, 30_000, 40_000, 50_000, 60_000])
    f.state = replace(f.state, changes=times)
    (one,) = f.estimate().findings
    assert one.code == "parameters-changed"
    assert one.facts == {"times": "2,000, 30,000, 40,000, 50,000, 60,000", "tracks": tracks, "largest": 0.0}
    assert f.engine.changes(f.state) == tuple(times)


def test_starts_and_doubts_are_reported():
    data = as_data(*CASES[1].draw(300))
    f = stream(data)
    sure = f.engine.advance(f.state, data)
    for safe, collecting, expected in (
        (1, 0, []),
        (0, 0, ["unsafe-start"]),
        (1, 1, []),  # nothing yet says that the surprise was more than chance
        (1, 2, ["contradicted-now"]),
        (0, 2, ["unsafe-start", "contradicted-now"]),
        (tracker.RIVALLED, 0, ["rival-at-start"]),
    ):
        after = data.sets[:40] + (3.0 if collecting == 2 else 0.0)
        kept = {"collected_sets": after, "collected_inputs": data.inputs[:40]} if collecting else {}
        f.state = replace(sure, safe=safe, collecting=int(collecting > 0), **kept)
        assert codes(f.estimate()) == expected


@pytest.mark.parametrize("cut", [50, tracker.FIRST, tracker.FIRST + 30, 899, 964, 1000, 1050])
@pytest.mark.parametrize("p", [1, 2])
def test_resumes_from_a_file_with_the_same_bits_wherever_it_was(p, cut, tmp_path):
    theta, to = (
        ((-1.0, 0.5, 2.0), (-1.0, 1.0, 2.0)) if p == 1 else (((1.0, -0.5), (-1.0, 2.0)), ((1.5, -0.5), (-1.0, 1.0)))
    )
    psi = inputs.Uniform(0.5, 1.5) if p == 1 else inputs.Matrices(rows=2)
    records = vieta.simulate(
        theta, n=1400, seed=1, noise=noise.Gaussian(0.04), inputs=psi, motion=motion.Jump(at=900, to=to)
    )
    whole = vieta.SymmetricFilter(len(theta), p).partial_fit(records.sets, records.inputs).estimate()
    vieta.SymmetricFilter(len(theta), p).partial_fit(records.sets[:cut], records.inputs[:cut]).save(tmp_path / "filter")
    again = vieta.SymmetricFilter.load(tmp_path / "filter")
    resumed = again.partial_fit(records.sets[cut:], records.inputs[cut:]).estimate()
    for name in ("theta", "cov", "noise_var", "condition"):
        assert_array_equal(getattr(resumed, name), getattr(whole, name), err_msg=name)
    assert resumed.warnings == whole.warnings
    assert len(whole.warnings) == 1


# --- self-checks ------------------------------------------------------------------------------------------------------

THETA = np.array([[-3.0, 1.0], [0.0, -1.0], [3.0, 0.5]])


def lines(seed, n, jump=0.0, at=0, drift=0.0, rho=0.0, shock=0.0, slow=False, sd=0.5):
    """Sets of three lines, inputs, and the parameters after the last set."""
    rng = np.random.default_rng([seed, n])
    x = np.sin(2 * np.pi * np.arange(n) / 700) if slow else rng.normal(size=n)
    X, theta = np.stack([np.ones(n), x], axis=1), np.repeat(THETA[None], n, axis=0)
    theta[at:, 1, 0] += jump * sd
    theta = theta + np.cumsum(np.sqrt(drift) * rng.normal(size=(n, 3, 2)), axis=0)
    v = rng.normal(size=(n, 3))
    for k in range(1, n if rho else 0):
        v[k] = rho * v[k - 1] + np.sqrt(1 - rho**2) * v[k]
    v = np.sqrt(1 - shock) * v + np.sqrt(shock) * rng.normal(size=(n, 1))
    y = np.einsum("nd,nld->nl", X, theta) + sd * v
    return rng.permuted(y, axis=1), X, theta[-1]


def followed(seed, options=None, **what):
    """The codes, the errors in standard errors, and the filter's state."""
    sets, X, truth = lines(seed, **what)
    f = follow(sets, X, **(options or {}))
    estimate = f.estimate()
    return codes(estimate), (estimate.theta - truth[np.argsort(truth[:, 0])]) / errors(estimate), f.state


@pytest.mark.parametrize("seed", range(4))
def test_a_small_jump_is_reported_and_left_behind(seed):
    found, z, state = followed(seed, n=14_000, jump=0.25, at=8000)
    assert found == ["parameters-changed"]
    assert abs(int(state.changes[0]) - 8000) <= 512
    assert abs(z).max() < 5.0
    assert 0.05 < abs(state.shift).max() < 0.25
    calm, z, state = followed(seed, n=14_000)
    assert calm == []
    assert abs(z).max() < 5.0


@pytest.mark.parametrize("options", [{}, {"drift": "auto"}], ids=str)
def test_a_slow_walk_is_reported_and_its_errors_hold(options):
    z, found = [], []
    for seed in range(5):
        names, one, _ = followed(seed, options, n=12_000, drift=2e-6)
        z.append(one)
        found.append("parameters-wander" in names)
        assert names
    assert sum(found) >= 4
    assert np.sqrt(np.mean(np.square(z))) < 1.6


@pytest.mark.parametrize("rho", [0.4, 0.9])
def test_memory_is_reported_and_errors_allow_for_it(rho):
    z, alone = [], 0
    for seed in range(5):
        names, one, _ = followed(seed, n=8000, rho=rho, slow=True)
        assert "noise-has-memory" in names
        alone += names == ["noise-has-memory"]
        z.append(one)
    assert alone == 5
    assert 0.5 < np.sqrt(np.mean(np.square(z))) < 1.6
    found = follow(*lines(0, 8000, rho=rho, slow=True)[:2]).estimate().findings
    finding = next(one for one in found if one.code == "noise-has-memory")
    assert finding.facts["factor"] > 0.7 * np.sqrt((1 + rho) / (1 - rho))
    assert finding.facts["effective"] < 8000


@pytest.mark.parametrize("seed", range(3))
def test_a_shock_is_reported_and_allowed_for(seed):
    names, z, state = followed(seed, n=6000, shock=0.4)
    assert names == ["common-shock"]
    assert state.shared.active
    assert abs(z).max() < 4.0
    names, z, _ = followed(seed, {"shock": "none"}, n=6000, shock=0.4)
    assert names == ["dependent-noise"]
    assert abs(z).max() > 5.0


@pytest.mark.parametrize("what", [{"shock": 0.5}, {"rho": 0.8, "slow": True}], ids=str)
def test_while_sets_are_few_an_estimate_is_that_of_a_batch(what):
    sets, X, _ = lines(1, 600, **what)
    early, batch = follow(sets, X), solved(sets, X)
    assert len(early.state.held_sets) == 600
    found = early.estimate()
    assert_allclose(found.theta, batch.theta, atol=0.02 * errors(batch).min())
    assert_allclose(errors(found), errors(batch), rtol=0.01)
    assert codes(found) == codes(batch) != []
    assert found.shock_sd == pytest.approx(batch.shock_sd, rel=0.01)


def test_after_a_jump_first_sets_count_as_all_sets_do():
    sets, X, _ = lines(0, 5000, jump=8.0, at=4000)
    f = follow(sets, X)
    assert 900 < len(f.state.held_sets) <= 1010
    found = f.estimate()
    assert (found.n_sets, found.n_sets_effective) == (5000, 5000.0)


def test_a_shock_that_comes_late_is_found_and_allowed_for():
    sets, X, _ = lines(3, 12_000)
    shaken = sets + np.where(np.arange(12_000) < 2100, 0.0, 0.5 * np.random.default_rng(0).normal(size=12_000))[:, None]
    f = stream(as_data(sets, X)).absorb(shaken[:2100], X[:2100])
    assert not f.state.shared.active
    found = f.absorb(shaken[2100:], X[2100:]).estimate()
    assert f.state.shared.active
    assert "common-shock" in codes(found)
    assert np.all(abs(found.theta - THETA) < 4.0 * errors(found))
    assert found.shock_sd == pytest.approx(0.5, rel=0.1)


def test_a_jump_of_systems_that_share_a_shock_is_found_and_left_behind():
    sets, X, truth = lines(2, 12_000, jump=0.5, at=7000, shock=0.5)
    f = follow(sets, X)
    found = f.estimate()
    assert sorted(codes(found)) == ["common-shock", "parameters-changed"]
    assert abs(f.state.changes[-1] - 7000) <= 512
    assert np.all(abs(found.theta - truth) < 4.0 * errors(found))


@pytest.mark.parametrize("seed", range(3))
def test_with_constant_inputs_a_shock_shows_in_products_or_in_the_misfit(seed):
    rng = np.random.default_rng(seed)
    alone = np.array([-2.0, 1.0, 4.0]) + 0.5 * rng.normal(size=(4000, 3))
    assert codes(follow(alone).estimate()) == []
    shared = 0.5 * np.sqrt(0.4) * rng.normal(size=(4000, 1))
    sets = np.array([-2.0, 1.0, 4.0]) + np.sqrt(0.6) * (alone - [-2.0, 1.0, 4.0]) + shared
    assert codes(follow(sets).estimate()) == ["common-shock"]
    assert codes(follow(sets, shock="none").estimate()) == ["noise-shared-or-unequal"]


def test_inputs_of_other_sets_are_noticed():
    """From some set on the inputs belong to other sets: nothing fits any more."""
    sets, X, _ = lines(0, 4000)
    rng = np.random.default_rng(0)
    wrong = np.concatenate([X[:200], X[rng.permutation(3800) + 200]])
    assert codes(follow(sets, wrong).estimate())


@pytest.mark.parametrize(
    "what", [{"jump": 0.4, "at": 2500}, {"drift": 1e-5}, {"rho": 0.8, "slow": True}, {"shock": 0.4}], ids=str
)
def test_self_checks_do_not_depend_on_the_cut_nor_on_a_file(what, tmp_path):
    sets, X, _ = lines(1, 6000, **what)
    whole = vieta.SymmetricFilter(3, 2).partial_fit(sets, X)
    parts = vieta.SymmetricFilter(3, 2)
    ends = [0, 100, 128, 383, 384, 700, 2500, 3000, 3001, 5999, 6000]
    for a, b in itertools.pairwise(ends):
        parts.partial_fit(sets[a:b], X[a:b])
        parts.save(tmp_path / "filter")
        parts = vieta.SymmetricFilter.load(tmp_path / "filter")
    assert_same_state(whole._state, parts._state)
    one, two = parts.estimate(), whole.estimate()
    assert [(f.code, f.facts) for f in one.findings] == [(f.code, f.facts) for f in two.findings] != []
    assert_array_equal(one.cov, two.cov)


@pytest.mark.parametrize("seed", range(2))
def test_a_filter_that_forgets_too_slowly_says_that_it_lags(seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.ones(10_000), rng.standard_normal(10_000)])
    for step in (0.0, 0.005):
        path = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]]) + step * rng.standard_normal((10_000, 3, 2)).cumsum(
            axis=0
        )
        sets = np.einsum("nd,nld->nl", rows, path) + 0.3 * rng.standard_normal((10_000, 3))
        found = vieta.SymmetricFilter(3, 2, memory=500).partial_fit(rng.permuted(sets, axis=1), rows).estimate()
        assert ("filter-lags" in {one.code for one in found.findings}) is (step > 0.0)
        assert "noise-has-memory" not in {one.code for one in found.findings}


def test_errors_of_a_filter_that_forgets_hold_its_lag():
    """A walk of .002 a set beside noise of sd .5: errors are twice what they would be if the parameters stood still."""
    grown, plain = [], []
    for seed in range(20):
        rng = np.random.default_rng([seed, 31])
        path = np.array([1.0, 3.0, 6.0]) + 0.002 * rng.standard_normal((4000, 3)).cumsum(axis=0)
        psi = rng.standard_normal(4000)
        sets = rng.permuted(psi[:, None] * path + 0.5 * rng.standard_normal((4000, 3)), axis=1)
        follower = vieta.SymmetricFilter(3, memory=500).partial_fit(sets, psi)
        found, state = follower.estimate(), follower._state
        inverse = np.linalg.inv(state.information)
        error = found.theta.ravel() - path[-1]
        grown.append(error / found.stderr.ravel())
        plain.append(error / np.sqrt(np.sort(np.diag(inverse @ state.meat @ inverse))))
        assert set(codes(found)) <= {"filter-lags"}
    most = 1.0 + 3.0 * np.sqrt(2.0 / np.size(grown))
    assert np.mean(np.square(grown)) < most
    assert np.mean(np.square(plain)) > 2.0 * most


def test_noise_with_memory_is_no_lag():
    rng = np.random.default_rng(5)
    noise = rng.standard_normal((5000, 3))
    for k in range(1, 5000):
        noise[k] = 0.6 * noise[k - 1] + 0.8 * noise[k]
    rows = np.column_stack([np.ones(5000), rng.standard_normal(5000)])
    sets = rows @ np.array([[0.0, 1.0], [2.0, -0.5], [5.0, 2.0]]).T + 0.5 * noise
    found = vieta.SymmetricFilter(3, 2, memory=500).partial_fit(rng.permuted(sets, axis=1), rows).estimate()
    assert codes(found) == ["noise-has-memory"]
