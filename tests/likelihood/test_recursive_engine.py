"""Recursive EM as a filter: its start, its steps, and what its companion reports about it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.likelihood import cases
from tests.likelihood.cases import Found, one_step
from vieta.errors import DivergedError, InputError
from vieta.laws import inputs, labels, motion
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import recursive_scoring
from vieta.likelihood.assumed import assume
from vieta.likelihood.orders import informative
from vieta.likelihood.recursive_engine import RecursiveEngine, require_step
from vieta.options import as_start
from vieta.scenarios import simulate
from vieta.set_requirements import require_finite
from vieta.sets import as_data
from vieta.weighted import tracker

PSI = inputs.Gaussian()


def draw(law=None, n=3000, seed=0, theta=(4, 5), **laws):
    records = simulate(theta, n=n, seed=seed, noise=law or Gaussian(4.0), inputs=PSI, **laws)
    return records.sets, records.inputs


class Stream:
    """An engine and its state, driven as a filter drives it."""

    def __init__(self, law="gaussian", noise_var=None, step=0.0, start=None, prior=None):
        self.options = assume(law, noise_var), step, start, prior
        self.engine = None

    def partial_fit(self, sets, psi=None):
        data = as_data(sets, psi)
        require_finite(data)
        if self.engine is None:
            noise, step, start, prior = self.options
            first = as_start(start, data.n_systems, data.dim)
            orders = None if prior is None else informative(prior, data.n_systems)
            self.engine = RecursiveEngine(data.part(0, 0), noise, step, first, orders, law_free="free")
            self.state = self.engine.init()
        self.state = self.engine.advance(self.state, data)
        return self

    def estimate(self):
        return Found(self.engine.estimate(self.state))


make = Stream


@pytest.mark.parametrize("law", ["gaussian", "laplace", "student-t"])
def test_errors_are_as_claimed_and_the_right_law_is_not_doubted(law):
    shapes = {"gaussian": Gaussian(4.0), "laplace": Laplace(4.0), "student-t": StudentT(4.0)}
    z, warned = [], 0
    for seed in range(12):
        found = make(law=law).partial_fit(*draw(shapes[law], n=2000, seed=seed)).estimate()
        z.append((found.theta.ravel() - [4, 5]) / found.stderr.ravel())
        warned += "law-contradicted" in found.codes
    assert abs(np.mean(np.square(z)) - 1) < 4 * np.sqrt(2 / 24)
    assert warned <= 1


@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_variance_is_noticed(seed):
    found = make(noise_var=1.0).partial_fit(*draw(Laplace(4.0), n=10_000, seed=seed)).estimate()
    assert abs(found.theta.ravel() - [4, 5]).max() > 0.2
    assert found.findings["law-contradicted"].facts["instead"] == "free"
    assert "(Gaussian, sd 1)" in str(found.findings["law-contradicted"])


def test_with_step_and_start_it_is_the_equation_of_the_paper():
    sets, psi = draw(n=50)
    f = make(step=0.01, start=[1.0, 2.0], noise_var=0.5).partial_fit(sets, psi)
    asked = recursive_scoring.Settings(Gaussian(0.5), True, step=0.01)
    state = recursive_scoring.init(asked, np.array([[1.0], [2.0]]))
    for k in range(50):
        state = recursive_scoring.update(asked, state, sets[k][:, None], psi[k].reshape(1, 1))
    assert_allclose(f.engine.point(f.state), state.theta.ravel(), rtol=1e-10)
    assert "start-not-forgotten" in f.estimate().codes


def test_a_constant_step_scatters_as_told():
    """Steady state of many runs: variance step / 2 for each parameter, when the law is right."""
    ends, step = [], 3e-3
    for seed in range(20):
        records = draw(Gaussian(1.0), n=2500, seed=seed, theta=(1, 4))
        f = make(step=step, start=[1.0, 4.0], noise_var=1.0).partial_fit(*records)
        ends.append(f.engine.point(f.state))
    claimed = f.estimate().cov
    assert_array_equal(claimed, 0.5 * step * np.eye(2))
    white = (np.array(ends) - [1, 4]) / np.sqrt(0.5 * step)
    assert abs(np.mean(white**2) - 1) < 4 * np.sqrt(2 / 40)
    assert not abs(2.5 * np.mean(white**2) - 1) < 4 * np.sqrt(2 / 40)
    assert f.estimate().codes == ()


def test_changes_are_told_where_all_is_remembered_and_followed_with_a_step():
    sets, psi = draw(Gaussian(0.25), n=4000, theta=(1, 4), motion=motion.Jump(2000, np.array([[2.0], [6.0]])))
    mixed = make().partial_fit(sets, psi).estimate()
    assert abs(mixed.findings["change-averaged"].facts["after"] - 2000) < 100
    followed = make(step=3e-3, noise_var=0.25).partial_fit(sets, psi).estimate()
    assert np.all(abs(followed.theta.ravel() - [2, 6]) < 5 * followed.stderr.ravel())
    assert followed.codes == ()


def test_before_it_starts_an_estimate_is_one_step_from_what_was_collected():
    sets, psi = draw(Gaussian(0.25), n=60)
    found = make().partial_fit(sets, psi).estimate()
    expected = np.sort(one_step(sets, psi).theta, axis=0)
    assert found.solution.transform == "likelihood"
    assert_array_equal(found.theta, expected)


def test_the_shape_of_vector_noise_is_learnt():
    C = np.array([[1.0, 0.6], [0.6, 2.0]])
    records = simulate([[-3.0, 0.0], [3.0, 1.0]], n=8000, seed=0, noise=Gaussian(C))
    f = make().partial_fit(records.sets)
    assert_allclose(f.estimate().noise, C, atol=0.1)
    cut = make()
    for part in np.split(records.sets, [100, 129, 3000, 4096]):
        cut.partial_fit(part)
    assert_array_equal(cut.estimate().theta, f.estimate().theta)
    known = make(noise_var=C).partial_fit(records.sets)
    assert_array_equal(known.estimate().noise, C)


@pytest.mark.parametrize(
    "options",
    [
        {"law": "laplace"},
        {"law": Laplace(4.0)},
        {"law": StudentT(df=4), "noise_var": "estimate"},
        {"noise_var": 4.0, "step": 1e-3, "start": [3.0, 6.0]},
        {"prior": [0.9, 0.1], "noise_var": 4.0, "step": 1e-3, "start": [3.0, 6.0]},
        {"prior": labels.Weighted((0.7, 0.3), ((1, 0), (0, 1)))},
        {"prior": [0.7, 0.3], "law": "laplace", "noise_var": 4.0},
    ],
    ids=str,
)
def test_filters_come_back_from_disk(options, tmp_path):
    sets, psi = draw(n=900)
    first, whole = (vieta.SymmetricFilter(2, method="recursive-em", **options) for _ in range(2))
    whole.partial_fit(sets, psi)
    first.partial_fit(sets[:500], psi[:500]).save(tmp_path / "filter")
    again = vieta.SymmetricFilter.load(tmp_path / "filter").partial_fit(sets[500:], psi[500:])
    assert_array_equal(again.estimate().theta, whole.estimate().theta)
    assert_array_equal(again.estimate().cov, whole.estimate().cov)


def test_a_law_of_ones_own_runs():
    law = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    found = make(law=law).partial_fit(*draw(law, n=400)).estimate()
    assert np.all(abs(found.theta.ravel() - [4, 5]) < 5 * found.stderr.ravel())


def test_a_start_needs_a_step_and_different_rows():
    start = np.array([[1.0], [2.0]])
    for rows, step, code in ((start, None, "start-needs-step"), (0 * start, np.array(0.1), "equal-rows")):
        with pytest.raises(InputError) as error:
            require_step(rows, step)
        assert error.value.code == code
    require_step(start, np.array(0.1))
    require_step(None, None)
    assert str(InputError("x", "{option.start} needs {option.step}")) == "start= needs step="


def of_order(seed, n=2000, theta=(4, 5), prior=(0.9, 0.1), **laws):
    laws = {"noise": Gaussian(4.0)} | laws
    return simulate(theta, n=n, seed=seed, labels=labels.Weighted(prior), **laws).sets


@pytest.mark.parametrize(
    "options",
    [{}, {"noise_var": 1.0}, {"law": "laplace"}, {"noise_var": 1.0, "step": 1e-2, "start": [3.0, 6.0]}],
    ids=str,
)
@pytest.mark.parametrize("n", [100, 900])
def test_a_uniform_prior_is_none(options, n):
    sets, psi = draw(Gaussian(1.0), n=n)
    found, expected = (make(prior=prior, **options).partial_fit(sets, psi).estimate() for prior in ([0.5, 0.5], None))
    for name in ("theta", "cov", "noise"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, err_msg=name)


def test_enumerated_orders_are_what_permanents_are():
    """A prior that is uniform but for its last digits is enumerated; the recursion from a given start is then the same."""
    sets, psi = draw(Gaussian(1.0), n=900)
    asked = {"noise_var": 1.0, "step": 1e-2, "start": [3.0, 6.0]}
    nearly = make(prior=[0.5 + 1e-11, 0.5 - 1e-11], **asked).partial_fit(sets, psi)
    assert nearly.engine.orders is not None
    expected = make(**asked).partial_fit(sets, psi).estimate().theta
    assert_allclose(nearly.estimate().theta, expected, rtol=1e-9)


@pytest.mark.parametrize("theta", [(4, 5), (5, 4)])
@pytest.mark.parametrize("options", [{}, {"noise_var": 4.0}], ids=str)
def test_a_true_prior_lowers_the_error_and_a_wrong_one_biases(options, theta):
    """Nine of ten sets in the same order. A prior of 999 in 1000 takes the others for noise, and draws the systems together."""

    def errors(prior):
        found = [make(prior=prior, **options).partial_fit(of_order(seed, theta=theta)).estimate() for seed in range(8)]
        return np.array([one.theta.ravel() - [4, 5] for one in found]), np.array([one.stderr.ravel() for one in found])

    (without, _), (known, claimed), (wrong, _) = errors(None), errors([0.9, 0.1]), errors([0.999, 0.001])
    assert np.mean(known**2) < 0.4 * np.mean(without**2)
    assert abs(np.mean((known / claimed) ** 2) - 1) < 4 * np.sqrt(2 / 16)
    apart = np.diff(known, axis=1).mean(), np.diff(wrong, axis=1).mean()
    assert abs(apart[0]) < 0.1  # the gap of one, and its bias: a tenth of the labels exchanged takes 0.2 of it
    assert -0.3 < apart[1] < -0.1


@pytest.mark.parametrize("theta", [(4, 5), (5, 4)])
def test_a_running_filter_uses_the_prior_however_systems_are_numbered(theta):
    squares = []
    for seed in range(6):
        sets = of_order(seed, n=3000, theta=theta, noise=Gaussian(2.0), prior=(0.95, 0.05))
        known, without = (make(prior=prior).partial_fit(sets) for prior in ([0.95, 0.05], None))
        assert known.state.started
        assert_allclose(known.state.recursion.theta.ravel(), theta, atol=0.2)  # system l of the prior is row l
        squares.append([((f.estimate().theta.ravel() - [4, 5]) ** 2).sum() for f in (known, without)])
    known, without = np.mean(squares, axis=0)
    assert known < 0.7 * without


def test_rows_of_a_start_are_the_systems_of_the_prior():
    sets = of_order(0, n=1500, theta=(1, 4), noise=Gaussian(1.0))
    asked = {"prior": [0.999, 0.001], "noise_var": 1.0, "step": 0.01}
    right = make(start=[1.5, 3.5], **asked).partial_fit(sets)
    turned = make(start=[3.5, 1.5], **asked | {"prior": [0.001, 0.999]}).partial_fit(sets)
    assert_allclose(turned.estimate().theta, right.estimate().theta, rtol=1e-9)
    assert_allclose(turned.state.recursion.theta[::-1], right.state.recursion.theta, rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"noise_var": 1.0}, {"step": 1e-3, "noise_var": 1.0}], ids=str)
def test_with_a_prior_too_a_stream_may_be_cut_anywhere(options):
    sets = of_order(1, n=700, theta=(4, 1), noise=Gaussian(1.0))
    whole = make(prior=[0.9, 0.1], **options).partial_fit(sets)
    assert whole.state.started
    cut = make(prior=[0.9, 0.1], **options)
    for part in np.split(sets, [1, 100, 128, 129, 400, 512]):
        cut.partial_fit(part)
    assert_array_equal(cut.estimate().theta, whole.estimate().theta)
    assert_array_equal(cut.estimate().cov, whole.estimate().cov)
    exchanged = make(prior=[0.9, 0.1], **options).partial_fit(
        np.where(np.arange(700)[:, None] % 2, sets, sets[:, ::-1])
    )
    assert not np.allclose(exchanged.estimate().theta, whole.estimate().theta, atol=1e-3)  # the order carries meaning


@pytest.mark.parametrize("n", [400, 3000])
def test_a_prior_that_the_sets_contradict_is_doubted(n):
    sets = of_order(0, n=n, theta=(1, 4), noise=Gaussian(4.0), prior=(0.7, 0.3))
    assert "prior-doubtful" in make(prior=[0.999, 0.001]).partial_fit(sets).estimate().codes
    assert make(prior=[0.7, 0.3]).partial_fit(sets).estimate().codes == ()


@pytest.mark.parametrize("prior", [None, [0.3, 0.7]])
def test_a_set_that_the_law_excludes_is_told_and_leaves_the_filter_as_it_was(prior):
    law = Skewed(1.0, skewness=0.8)
    sets = simulate((0, 3), n=400, seed=0, noise=law).sets
    sets[333] = -50.0, 3.0
    f = make(law=law, prior=prior).partial_fit(sets[:300])
    before = f.estimate()
    with pytest.raises(
        InputError, match=r"sets\[333\], counted from the beginning of the stream, cannot come from noise"
    ):
        f.partial_fit(sets[300:])
    assert f.state.count == 300
    assert_array_equal(f.estimate().theta, before.theta)
    assert np.isfinite(f.partial_fit(sets[334:]).estimate().theta).all()


def test_divergence_is_an_error_and_leaves_the_state_as_it_was():
    f = make(step=50.0, start=[1.0, 2.0], noise_var=1e-4).partial_fit(*draw(n=1))
    with pytest.raises(DivergedError) as error:
        f.partial_fit(*draw(n=2000, seed=1))
    assert error.value.code == "diverged"
    assert f.state.count == 1


def test_points_are_the_parameters_and_nan_before_it_runs():
    sets, psi = draw(Gaussian(0.25), n=400)
    f = make().partial_fit(sets[:20], psi[:20])
    assert np.isnan(f.engine.point(f.state)).all()
    f.partial_fit(sets[20:], psi[20:])
    point = f.engine.point(f.state)
    assert_array_equal(f.engine.parameters(point[None])[0].real, f.state.recursion.theta)


@pytest.mark.parametrize("noise_var", [0.2, 5.0])
def test_a_variance_that_is_far_off_is_reported(noise_var):
    sets, psi = cases.draw(Gaussian(1.0), n=400, theta=(1, 7))
    assert "noise-size" in make(noise_var=noise_var).partial_fit(sets, psi).estimate().codes
    assert "noise-size" not in make(noise_var=1.0).partial_fit(sets, psi).estimate().codes


def test_a_start_that_is_not_safe_is_reported(monkeypatch):
    monkeypatch.setattr(tracker, "MOST", 256)  # sets collected before it must start
    near, far = (simulate((1.0, 1.0 + gap), n=300, seed=0, noise=Gaussian(1.0)).sets for gap in (0.05, 9.0))
    found, control = make().partial_fit(near), make().partial_fit(far)
    assert found.state.started
    assert control.state.started
    assert "unsafe-start" in found.estimate().codes
    assert "unsafe-start" not in control.estimate().codes


def test_states_of_a_stream_pass_the_check_and_others_do_not():
    sets, psi = draw(n=300, theta=(-20, 20))
    stream = Stream()
    for at in range(0, 300, 60):
        stream.partial_fit(sets[at : at + 60], psi[at : at + 60])
        stream.engine.check(stream.state)
    assert stream.state.started
    state, recursion = stream.state, stream.state.recursion
    for change in (
        {"count": 299},
        {"started": 0},
        {"base": -state.base},
        {"recursion": replace(recursion, scale=0.0)},
        {"recursion": replace(recursion, information=-recursion.information)},
        {"companion": replace(state.companion, safe=3)},
    ):
        with pytest.raises(InputError) as refused:
            stream.engine.check(replace(state, **change))
        assert refused.value.code == "state-range"
