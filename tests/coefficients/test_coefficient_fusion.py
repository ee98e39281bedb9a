"""Filters of recursive least squares on different streams: together they are the filter of all sets; those of other systems are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.coefficients.coefficient_fusion import require_agreement
from vieta.errors import InputError

CUTS = [(0, 700), (700, 1000), (1000, 2500)]


def filters(sets, inputs, cuts=CUTS, **options):
    L = sets.shape[1]
    dim = 1 if inputs.ndim == 1 else inputs.shape[1]
    return [vieta.SymmetricFilter(L, dim, method="rls", **options).partial_fit(sets[a:b], inputs[a:b]) for a, b in cuts]


def lines(n=2500, seed=0):
    """Two lines: inputs are matrices."""
    rng = np.random.default_rng(seed)
    psi = np.column_stack([np.ones(n), rng.standard_normal(n)])
    return psi @ np.array([[0.0, 1.0], [3.0, -1.0]]).T + 0.1 * rng.standard_normal((n, 2)), psi


def scalars(n=2500, seed=0):
    records = vieta.simulate("example-1", n=n, seed=seed)
    return records.sets, records.inputs


@pytest.mark.parametrize("options", [{}, {"regularization": 50.0}], ids=str)
@pytest.mark.parametrize("case", [scalars, lines])
def test_merged_filters_are_the_filter_of_all_sets(case, options):
    sets, inputs = case()
    (whole,) = filters(sets, inputs, [(0, 2500)], **options)
    merged = vieta.merge(filters(sets, inputs, **options), level=0.001)
    assert merged.n_sets == 2500
    assert_allclose(merged.estimate().theta, whole.estimate().theta, rtol=1e-6)
    if not options:  # a start that holds fast makes large innovations, in each filter anew, which count as noise
        assert_allclose(merged.estimate().stderr, whole.estimate().stderr, rtol=0.02)
    more = case(500, 9)
    assert_allclose(merged.partial_fit(*more).estimate().theta, whole.partial_fit(*more).estimate().theta, rtol=1e-6)


def test_a_merged_filter_is_saved_and_loaded(tmp_path):
    merged = vieta.merge(filters(*lines()))
    merged.save(tmp_path / "all.npz")
    assert_allclose(vieta.SymmetricFilter.load(tmp_path / "all.npz").estimate().theta, merged.estimate().theta)


def test_other_systems_are_refused():
    sets, inputs = lines()
    one, two = filters(sets, inputs, CUTS[:2])
    (other,) = filters(sets + 0.1, inputs, [(1000, 2500)])
    assert vieta.merge([one, two]).n_sets == 1000
    with pytest.raises(InputError, match="contradict each other") as error:
        vieta.merge([one, two, other])
    assert error.value.code == "merge-contradiction"


def test_filters_that_forget_and_gradients_are_refused():
    for method, options in (("rls", {"memory": 500}), ("lms", {"step": 1e-3})):
        both = [vieta.SymmetricFilter(3, method=method, **options).partial_fit(*scalars(400, seed)) for seed in (0, 1)]
        with pytest.raises(InputError) as error:
            vieta.merge(both)
        assert error.value.code == "merge-forgetting"


def test_filters_without_sets_add_nothing():
    one = filters(*scalars(), [(0, 2500)])[0]
    merged = vieta.merge([vieta.SymmetricFilter(3, method="rls"), one])
    assert_allclose(merged.estimate().theta, one.estimate().theta, rtol=1e-9)


def test_the_level_is_the_share_of_refusals_by_chance():
    """Coefficients drawn with known covariances: 400 times, so that the share has a standard error of one percent."""
    rng, refused = np.random.default_rng(0), 0
    roots = [np.diag([1.0, 2.0]) + 0.5, np.diag([0.1, 0.3]), np.array([[1.0, 0.0], [0.9, 0.1]])]
    for _ in range(400):
        try:
            require_agreement([R @ rng.standard_normal(2) for R in roots], [R @ R.T for R in roots], 0.05)
        except InputError:
            refused += 1
    assert abs(refused / 400 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400)


def test_filters_of_one_noise_are_rarely_refused():
    """The covariances are those that estimates have: at one percent, of 60 pairs of streams of the same systems few are refused."""
    refused = 0
    for seed in range(60):
        sets, inputs = lines(800, seed)
        try:
            vieta.merge(filters(sets, inputs, [(0, 400), (400, 800)]), level=0.01)
        except InputError:
            refused += 1
    assert refused <= 4
