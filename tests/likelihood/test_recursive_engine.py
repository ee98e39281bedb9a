"""Recursive EM behind the filter: its start, its steps, and what its companion says of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.estimators import storage
from vieta.laws import inputs, labels, motion
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import recursive_scoring

PSI = inputs.Gaussian()


def draw(law=Gaussian(4.0), n=3000, seed=0, theta=(4, 5), **laws):  # noqa: B008
    records = vieta.simulate(theta, n=n, seed=seed, noise=law, inputs=PSI, **laws)
    return records.sets, records.inputs


def make(**options):
    return vieta.SymmetricFilter(2, method="recursive-em", **options)


@pytest.mark.parametrize("law", ["gaussian", "laplace", "student-t"])
def test_errors_are_as_claimed_and_the_right_law_is_not_doubted(law):
    shapes = {"gaussian": Gaussian(4.0), "laplace": Laplace(4.0), "student-t": StudentT(4.0)}
    z, warned = [], 0
    for seed in range(12):
        found = make(law=law).partial_fit(*draw(shapes[law], n=2000, seed=seed)).estimate()
        z.append((found.theta.ravel() - [4, 5]) / found.stderr.ravel())
        warned += any("contradict" in text for text in found.warnings)
    assert abs(np.mean(np.square(z)) - 1) < 4 * np.sqrt(2 / 24)
    assert warned <= 1


@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_variance_is_noticed(seed):
    found = make(noise_var=1.0).partial_fit(*draw(Laplace(4.0), n=10_000, seed=seed)).estimate()
    assert abs(found.theta.ravel() - [4, 5]).max() > 0.2
    assert any("The data contradict the assumed noise (Gaussian, sd 1)" in text for text in found.warnings)


def test_with_step_and_start_it_is_the_equation_of_the_paper():
    sets, psi = draw(n=50)
    f = make(step=0.01, start=[1.0, 2.0], noise_var=0.5).partial_fit(sets, psi)
    asked = recursive_scoring.Settings(Gaussian(0.5), True, step=0.01)
    state = recursive_scoring.init(asked, np.array([[1.0], [2.0]]))
    for k in range(50):
        state = recursive_scoring.update(asked, state, sets[k][:, None], psi[k].reshape(1, 1))
    assert_allclose(f._engine.point(f._state), state.theta.ravel(), rtol=1e-10)
    assert any("has not forgotten its start" in text for text in f.estimate().warnings)


def test_a_constant_step_scatters_as_told():
    """Steady state of many runs: variance step / 2 for each parameter, when the law is right."""
    ends, step = [], 3e-3
    for seed in range(20):
        records = draw(Gaussian(1.0), n=2500, seed=seed, theta=(1, 4))
        f = make(step=step, start=[1.0, 4.0], noise_var=1.0).partial_fit(*records)
        ends.append(f._engine.point(f._state))
    claimed = f.estimate().cov
    assert_array_equal(claimed, 0.5 * step * np.eye(2))
    white = (np.array(ends) - [1, 4]) / np.sqrt(0.5 * step)
    assert abs(np.mean(white**2) - 1) < 4 * np.sqrt(2 / 40)
    assert not abs(2.5 * np.mean(white**2) - 1) < 4 * np.sqrt(2 / 40)
    assert f.estimate().warnings == ()


def test_changes_are_told_where_all_is_remembered_and_followed_with_a_step():
    sets, psi = draw(Gaussian(0.25), n=4000, theta=(1, 4), motion=motion.Jump(2000, np.array([[2.0], [6.0]])))
    mixed = make().partial_fit(sets, psi).estimate()
    text = next(text for text in mixed.warnings if "the estimate mixes before and after" in text)
    assert "last after set 2,0" in text or "last after set 1,9" in text
    followed = make(step=3e-3, noise_var=0.25).partial_fit(sets, psi).estimate()
    assert np.all(abs(followed.theta.ravel() - [2, 6]) < 5 * followed.stderr.ravel())
    assert followed.warnings == ()


def test_before_it_starts_an_estimate_is_one_step_from_what_was_collected():
    sets, psi = draw(Gaussian(0.25), n=60)
    found = make().partial_fit(sets, psi).estimate()
    expected = vieta.fit(sets, psi, method="one-step")
    assert found.method == "recursive-em"
    assert_array_equal(found.theta, expected.theta)


def test_the_shape_of_vector_noise_is_learnt():
    C = np.array([[1.0, 0.6], [0.6, 2.0]])
    records = vieta.simulate([[-3.0, 0.0], [3.0, 1.0]], n=8000, seed=0, noise=Gaussian(C))
    f = vieta.SymmetricFilter(2, 2, method="recursive-em").partial_fit(records.sets)
    assert_allclose(f.estimate().noise_var, C, atol=0.1)
    cut = vieta.SymmetricFilter(2, 2, method="recursive-em")
    for part in np.split(records.sets, [100, 129, 3000, 4096]):
        cut.partial_fit(part)
    assert_array_equal(cut.estimate().theta, f.estimate().theta)
    known = vieta.SymmetricFilter(2, 2, method="recursive-em", noise_var=C).partial_fit(records.sets)
    assert_array_equal(known.estimate().noise_var, C)


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
    whole = make(**options).partial_fit(sets, psi)
    first = make(**options).partial_fit(sets[:500], psi[:500])
    first.save(tmp_path / "filter")
    again = vieta.SymmetricFilter.load(tmp_path / "filter").partial_fit(sets[500:], psi[500:])
    assert_array_equal(again.estimate().theta, whole.estimate().theta)
    assert_array_equal(again.estimate().cov, whole.estimate().cov)
    assert again._options() == whole._options()


def test_a_law_of_ones_own_runs_but_cannot_be_saved(tmp_path):
    law = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    f = make(law=law).partial_fit(*draw(law, n=400))
    assert np.all(abs(f.estimate().theta.ravel() - [4, 5]) < 5 * f.estimate().stderr.ravel())
    with pytest.raises(ValueError, match="law Density cannot be saved: only gaussian, laplace, student-t can"):
        f.save(tmp_path / "filter")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"start": [1.0, 2.0]}, "start= needs step= with method 'recursive-em'"),
        ({"start": [1.0, 1.0], "step": 0.1}, "rows 0 and 1 of the start are equal"),
        ({"step": [0.1, 0.2]}, "must be a positive finite number"),
        ({"law": "normal"}, "law='normal' is not known"),
        ({"noise_var": 0.0}, "must be positive: without noise there is no likelihood"),
        ({"transform": "tensor"}, "transform= belongs to"),
        ({"drift": 0.1}, "drift= belongs to 'efficient'"),
        ({"prior": [0.5, 0.4]}, "`probabilities` must be non-negative and add up to 1"),
        ({"prior": [1.5, -0.5]}, "must be non-negative"),
        ({"prior": "uniform"}, "`probabilities` must"),
        (
            {"prior": [0.5, 0.3, 0.2]},
            r"3 probabilities came for 2 systems. Needed: one for each of the 2! = 2 permutations",
        ),
        ({"prior": labels.Weighted((1.0,), ((0, 1, 2),))}, "a prior of 1 probabilities came for 2 systems"),
    ],
)
def test_bad_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        make(**options)


@pytest.mark.parametrize("method", ["efficient", "lms", "averaged", "rls"])
def test_other_methods_take_no_prior(method):
    with pytest.raises(ValueError, match=f"prior= belongs to 'recursive-em'; method '{method}' takes"):
        vieta.SymmetricFilter(2, method=method, prior=[0.9, 0.1])


def test_nine_systems_are_too_many_for_a_prior():
    with pytest.raises(ValueError, match="9 systems have 362,880 permutations, and each set would need all of them"):
        vieta.SymmetricFilter(9, method="recursive-em", prior=np.full(10, 0.1))


def of_order(seed, n=2000, theta=(4, 5), prior=(0.9, 0.1), **laws):
    laws = {"noise": Gaussian(4.0)} | laws
    return vieta.simulate(theta, n=n, seed=seed, labels=labels.Weighted(prior), **laws).sets


@pytest.mark.parametrize(
    "options",
    [{}, {"noise_var": 1.0}, {"law": "laplace"}, {"noise_var": 1.0, "step": 1e-2, "start": [3.0, 6.0]}],
    ids=str,
)
@pytest.mark.parametrize("n", [100, 900])
def test_a_uniform_prior_is_none(options, n):
    sets, psi = draw(Gaussian(1.0), n=n)
    found, expected = (make(prior=prior, **options).partial_fit(sets, psi).estimate() for prior in ([0.5, 0.5], None))
    for name in ("theta", "cov", "noise_var"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, err_msg=name)


def test_enumerated_orders_are_what_permanents_are():
    """A prior that is uniform but for its last digits is enumerated; the recursion from a given start is then the same."""
    sets, psi = draw(Gaussian(1.0), n=900)
    asked = {"noise_var": 1.0, "step": 1e-2, "start": [3.0, 6.0]}
    nearly = make(prior=[0.5 + 1e-11, 0.5 - 1e-11], **asked)
    assert nearly._orders is not None
    expected = make(**asked).partial_fit(sets, psi).estimate().theta
    assert_allclose(nearly.partial_fit(sets, psi).estimate().theta, expected, rtol=1e-9)


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
        assert known._state.started
        assert_allclose(known._state.recursion.theta.ravel(), theta, atol=0.2)  # system l of the prior is row l
        squares.append([((f.estimate().theta.ravel() - [4, 5]) ** 2).sum() for f in (known, without)])
    known, without = np.mean(squares, axis=0)
    assert known < 0.7 * without


def test_rows_of_a_start_are_the_systems_of_the_prior():
    sets = of_order(0, n=1500, theta=(1, 4), noise=Gaussian(1.0))
    asked = {"prior": [0.999, 0.001], "noise_var": 1.0, "step": 0.01}
    right = make(start=[1.5, 3.5], **asked).partial_fit(sets)
    turned = make(start=[3.5, 1.5], **asked | {"prior": [0.001, 0.999]}).partial_fit(sets)
    assert_allclose(turned.estimate().theta, right.estimate().theta, rtol=1e-9)
    assert_allclose(turned._state.recursion.theta[::-1], right._state.recursion.theta, rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"noise_var": 1.0}, {"step": 1e-3, "noise_var": 1.0}], ids=str)
def test_with_a_prior_too_a_stream_may_be_cut_anywhere(options):
    sets = of_order(1, n=700, theta=(4, 1), noise=Gaussian(1.0))
    whole = make(prior=[0.9, 0.1], **options).partial_fit(sets)
    assert whole._state.started
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
    told = make(prior=[0.999, 0.001]).partial_fit(sets).estimate().warnings
    assert any("The prior over the orders may be what is wrong" in text for text in told)
    assert make(prior=[0.7, 0.3]).partial_fit(sets).estimate().warnings == ()


def test_files_from_before_there_were_priors_are_read():
    f = make()
    options = f._options()
    del options["prior"]
    assert vieta.SymmetricFilter(**storage.unwritten(options))._options() == f._options()


@pytest.mark.parametrize("prior", [None, [0.3, 0.7]])
def test_a_set_that_the_law_excludes_is_told_and_leaves_the_filter_as_it_was(prior):
    law = Skewed(1.0, skewness=0.8)
    sets = vieta.simulate((0, 3), n=400, seed=0, noise=law).sets
    sets[333] = -50.0, 3.0
    f = make(law=law, prior=prior).partial_fit(sets[:300])
    before = f.estimate()
    with pytest.raises(
        ValueError, match=r"sets\[333\], counted from the beginning of the stream, cannot come from noise of law"
    ):
        f.partial_fit(sets[300:])
    assert f.n_sets == 300
    assert_array_equal(f.estimate().theta, before.theta)
    assert np.isfinite(f.partial_fit(sets[334:]).estimate().theta).all()


def test_too_many_systems_are_refused_at_once():
    with pytest.raises(ValueError, match=r"17 systems take about .* operations a set"):
        vieta.SymmetricFilter(17, method="recursive-em")


def test_divergence_is_an_error_and_leaves_the_filter_as_it_was():
    f = make(step=50.0, start=[1.0, 2.0], noise_var=1e-4)
    with pytest.raises(vieta.DivergedError, match="recursive EM has diverged"):
        f.partial_fit(*draw(n=2000))
    assert f.n_sets == 0
