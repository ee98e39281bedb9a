"""Recursive EM behind the filter: its start, its steps, and what its companion says of it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.likelihood import recursive_em
from vieta.simulation import inputs, motion
from vieta.simulation.noise import Density, Gaussian, Laplace, StudentT

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
    asked = recursive_em.Settings(Gaussian(0.5), True, step=0.01)
    state = recursive_em.init(asked, np.array([[1.0], [2.0]]))
    for k in range(50):
        state = recursive_em.update(asked, state, sets[k][:, None], psi[k].reshape(1, 1))
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
    ],
)
def test_bad_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        make(**options)


def test_too_many_systems_are_refused_at_once():
    with pytest.raises(ValueError, match=r"17 systems take about .* operations a set"):
        vieta.SymmetricFilter(17, method="recursive-em")


def test_divergence_is_an_error_and_leaves_the_filter_as_it_was():
    f = make(step=50.0, start=[1.0, 2.0], noise_var=1e-4)
    with pytest.raises(vieta.DivergedError, match="recursive EM has diverged"):
        f.partial_fit(*draw(n=2000))
    assert f.n_sets == 0
