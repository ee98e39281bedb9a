"""`fit`: all the sets at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import every_case
from vieta import sums
from vieta.coefficients import coefficient_sums
from vieta.errors import ComputationError, IncompleteSetsError, InputError
from vieta.estimators import fit_passes
from vieta.estimators.batch import left_open
from vieta.laws import inputs, noise
from vieta.method import registry
from vieta.paper.baselines import labeled_least_squares
from vieta.sets import as_data
from vieta.sums import Passes, in_memory


@every_case
def test_fit_is_least_squares_and_the_inverse(case):
    sets, psi = case.draw(300)
    data, design = as_data(sets, psi), case.design()
    estimate = vieta.fit(sets, psi, method="least-squares", transform=case.name)
    solution = coefficient_sums.fit(design, in_memory(data))
    assert_array_equal(estimate.theta, design.transform.inverse(solution.coefficients).theta)
    G = design.transform.sensitivity(estimate.theta)
    assert_allclose(estimate.cov, G @ solution.covariance @ G.T, rtol=1e-9, atol=1e-12 * abs(estimate.cov).max())
    assert_array_equal(np.squeeze(estimate.noise_var), np.squeeze(solution.noise))
    assert (estimate.method, estimate.transform) == ("least-squares", design.transform.name)


def test_one_system_is_ordinary_least_squares():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    readings = rows @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=200)
    estimate, oracle = (
        vieta.fit(readings[:, None], rows, method="least-squares"),
        labeled_least_squares(readings[:, None], rows),
    )
    assert_allclose(estimate.theta, oracle.theta, rtol=1e-9)
    assert_allclose(estimate.noise_var, oracle.noise_var.item(), rtol=1e-9)
    assert_allclose(estimate.stderr, oracle.stderr, rtol=0.3)  # a sandwich against the classical formula


def test_the_oracle_with_labels_is_better_and_both_are_right():
    records = vieta.simulate((-2.0, 5.0, 8.0), n=5000, seed=0, noise=noise.Gaussian(0.04), inputs=inputs.Gaussian())
    estimate = vieta.fit(records.sets, records.inputs, method="least-squares")
    oracle = labeled_least_squares(records.readings, records.inputs)
    assert np.all(abs(estimate.theta - oracle.theta) < 5 * estimate.stderr)
    assert np.all(oracle.stderr < estimate.stderr)


@pytest.mark.parametrize("method", vieta.methods())
def test_unknown_options_are_refused(method):
    with pytest.raises(InputError) as caught:
        vieta.fit(np.ones((5, 2)), method=method, color="red")
    assert caught.value.code == "unknown-option"
    assert caught.value.facts["name"] == "color"
    assert f"method {method!r} takes" in str(caught.value)


def test_options_reach_the_filter():
    sets = np.random.default_rng(0).normal([0.0, 5.0], size=(300, 2))
    f = vieta.SymmetricFilter(2, method="lms", step=0.01, start=[0.0, 4.0]).partial_fit(sets)
    assert_array_equal(vieta.fit(sets, method="lms", step=0.01, start=[0.0, 4.0]).theta, f.estimate().theta)
    with pytest.raises(
        InputError, match=r"memory= belongs to 'adaptive', 'efficient' and 'rls'; method 'lms' takes start=, step="
    ):
        vieta.fit(sets, method="lms", memory=10.0)


def test_weighted_estimation_in_batch_can_be_robust_and_tracks_with_the_filter():
    sets = np.random.default_rng(0).normal([0.0, 5.0], size=(300, 2))
    vieta.fit(sets, robust=True)
    for options in ({"memory": 100.0}, {"drift": 0.1}):
        filtered = vieta.SymmetricFilter(2, **options).partial_fit(sets).estimate()
        assert_array_equal(vieta.fit(sets, **options).theta, filtered.theta)


def test_blocks_of_a_stream_give_the_estimate_of_all_sets():
    records = vieta.simulate("example-1", n=900, seed=2)
    whole = vieta.fit(records.sets, records.inputs)
    cut = fit_passes(in_memory(as_data(records.sets, records.inputs), 5))
    assert_allclose(cut.theta, whole.theta, rtol=1e-9)
    assert_allclose(cut.cov, whole.cov, rtol=1e-7, atol=1e-12 * abs(whole.cov).max())
    assert cut.warnings == whole.warnings


def test_every_block_is_checked():
    good = as_data([[1.0, 2.0]] * 40, None)
    bad = as_data([[1.0, np.nan]] * 40, None)
    with pytest.raises(IncompleteSetsError) as caught:
        fit_passes(Passes(good.part(0, 0), lambda: [good, bad]), method="efficient")
    assert caught.value.code == "nan-reading"


def test_a_block_of_another_shape_is_refused_by_its_number():
    first, second = as_data([[1.0, 2.0]] * 40, None), as_data([[1.0, 2.0, 3.0]] * 40, None)
    with pytest.raises(InputError) as caught:
        fit_passes(Passes(first.part(0, 0), lambda: [first, second]))
    assert caught.value.code == "block-shape"
    assert caught.value.facts["index"] == 40


def test_sets_of_different_sizes_are_refused_in_one_place():
    with pytest.raises(IncompleteSetsError) as caught:
        vieta.fit([[1.0, 2.0], [3.0, 4.0], [5.0]], method="efficient")
    assert caught.value.code == "incomplete-sets"
    assert caught.value.facts == {"index": 2, "given": 1, "needed": 2, "count": 1, "n_sets": 3, "method": "efficient"}


@pytest.mark.parametrize("method", ["efficient", "least-squares", "rls"])
def test_number_of_systems_is_checked(method):
    assert len(vieta.fit([[1.0, 2.0]] * 9, n_systems=2, method=method).theta) == 2
    with pytest.raises(ValueError, match=r"sets of 2 readings were given, and n_systems=3"):
        vieta.fit([[1.0, 2.0]] * 9, n_systems=3, method=method)


def test_unknown_names():
    with pytest.raises(
        ValueError, match=r"method 'kalman' is not known. Choose one of: efficient, .*least-squares, .*rls"
    ):
        vieta.fit([[1.0, 2.0]], method="kalman")
    with pytest.raises(ValueError, match=r"transform='em' is not known. Choose one of: auto, elementary"):
        vieta.fit([[1.0, 2.0]], method="least-squares", transform="em")


def test_numbers_whose_products_are_too_large():
    sets = 1e90 * np.random.default_rng(0).normal([0.0, 5.0, 9.0, 14.0], size=(300, 4))
    with pytest.raises(ComputationError, match=r"degree 4 are too large.*Scale readings and inputs"):
        vieta.fit(sets, method="least-squares")


@pytest.mark.parametrize("method", ["efficient", "least-squares", "one-step", "em"])
def test_one_absurd_number_is_named(method):
    sets = np.random.default_rng(0).normal([0.0, 5.0], size=(300, 2))
    sets[7, 1] = 1e200
    with pytest.raises(ValueError, match=r"sets\[7\] holds 1e\+200, which is too large to be squared"):
        vieta.fit(sets, method=method)
    with pytest.raises(ValueError, match=r"inputs\[0\] holds -1e\+101"):
        vieta.fit(sets[:7], np.full(7, -1e101), method=method)


def test_small_numbers():
    sets = 1e-100 * np.random.default_rng(0).normal([0.0, 5.0], size=(300, 2))
    assert_allclose(
        vieta.fit(sets, method="least-squares").theta / 1e-100,
        vieta.fit(sets / 1e-100, method="least-squares").theta,
        rtol=1e-9,
    )


def test_a_set_of_a_later_block_is_named_by_its_number_among_all():
    sets = np.random.default_rng(0).normal([0.0, 5.0], size=(300, 2))
    sets[207, 1] = 1e200
    with pytest.raises(ValueError, match="too large") as refused:
        fit_passes(in_memory(as_data(sets, None), blocks=4))
    assert (refused.value.code, refused.value.facts["index"]) == ("too-large", 207)


@pytest.mark.parametrize("method", list(registry.every()))
@pytest.mark.parametrize("shape", [(5, 10_000), (3, 300), (4, 40, 10)])
def test_sets_too_large_to_fit_are_refused_in_numbers(method, shape):
    with pytest.raises(InputError, match=r"systems|transpose"):
        vieta.fit(np.random.default_rng(0).normal(size=shape), method=method)


def test_far_more_systems_than_sets_can_tell_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(vieta.NotIdentifiableError, match=r"5 set.s. of 100 readings .* 100 unknowns; at least 50 sets"):
        vieta.fit(rng.normal(size=(5, 100)))
    assert len(vieta.fit(np.arange(20.0) + 0.01 * rng.normal(size=(5, 20))).theta) == 20  # not far more


@pytest.mark.parametrize("transform", ["tensor", "convolution"])
def test_a_transform_of_too_many_coefficients_is_refused(transform):
    with pytest.raises(InputError, match="coefficients"):
        vieta.fit(np.random.default_rng(0).normal(size=(3, 64, 2)), method="least-squares", transform=transform)


@pytest.mark.parametrize("method", sorted(registry.every()))
def test_incomplete_sets_that_are_read_in_passes_are_refused_by_their_place(method):
    """Also by methods that look at the shape of the sets before they read any."""
    sets = [np.ones((2, 2)), np.ones((2, 2)), np.ones((1, 2))]
    if registry.get(method).takes_incomplete:
        pytest.skip("takes them")
    with pytest.raises(IncompleteSetsError, match=r"sets\[2\]"):
        fit_passes(in_memory(as_data(sets, None)), method=method)


def test_passes_without_a_method_are_fitted_by_one_that_takes_them():
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 120)
    complete = [np.array([1.0, 3.0]) * x + 0.1 * rng.normal(size=2) for x in psi]
    short = [*complete[:-9], *(one[:1] for one in complete[-9:])]
    assert fit_passes(in_memory(as_data(complete, psi, 2))).method == "efficient"
    late = [as_data(short[:60], psi[:60]), as_data(short[60:], psi[60:], 2)]  # known only when the second block is read
    found = fit_passes(Passes(late[0].part(0, 0), lambda: late))
    assert found.method == "adaptive"
    assert_allclose(found.theta, vieta.fit(short, psi, n_systems=2).theta, rtol=1e-6)


def test_sets_that_are_left_open_have_their_systems_counted():
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 120)
    sets = [np.array([1.0, 4.0])[rng.random(2) < 0.8] * x for x in psi]
    sets = [one + 0.1 * rng.normal(size=len(one)) for one in sets]
    opened = left_open(in_memory(as_data(sets, psi, 2)))
    assert (opened.like.size, opened.like.is_complete) == (0, False)
    found = fit_passes(opened)
    assert found.theta.shape == (2, 1)
    assert any(one.code.startswith("number-") for one in found.findings)


def _incomplete(records, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(records.sets.shape) < 0.1, np.nan, records.sets)


@pytest.mark.parametrize("method", ["efficient", "least-squares", "em", "one-step", "adaptive", "rls"])
def test_the_number_of_threads_changes_no_bit_and_the_cutting_only_rounding(monkeypatch, method):
    monkeypatch.setattr(sums, "PIECE", 190)
    records = vieta.simulate("example-1", n=1000, seed=3)
    sets = _incomplete(records) if method == "adaptive" else records.sets
    whole, *found = (vieta.fit(sets, records.inputs, method=method, threads=n) for n in (None, 1, 2, 3))
    for one in found:
        assert_array_equal(one.theta, found[0].theta)
        assert_array_equal(one.cov, found[0].cov)
        assert [f.code for f in one.findings] == [f.code for f in whole.findings]
    assert_allclose(found[0].theta, whole.theta, rtol=1e-9)
    assert_allclose(found[0].stderr, whole.stderr, rtol=1e-8)


def test_answers_take_threads_too(monkeypatch):
    monkeypatch.setattr(sums, "PIECE", 150)
    rng = np.random.default_rng(0)
    psi = rng.standard_normal((600, 1))
    sets = (rng.random((600, 2)) < 1 / (1 + np.exp(-(psi * np.array([-2.0, 2.0]))))).astype(float)
    one, two = (vieta.fit(sets, psi, family="binary", threads=n) for n in (1, 2))
    assert_array_equal(one.theta, two.theta)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_threads_are_counted(threads):
    with pytest.raises(vieta.VietaError, match="threads"):
        vieta.fit([[1.0, 2.0], [2.0, 3.0]], threads=threads)
