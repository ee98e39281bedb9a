import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.errors import InputError
from vieta.laws import inputs, labels
from vieta.laws.noise import Gaussian, Laplace, Skewed
from vieta.paper.baselines import recursive_em


def test_it_is_the_filter_of_that_name():
    records = vieta.simulate((4, 5), n=500, seed=0, noise=Gaussian(4.0), inputs=inputs.Gaussian())
    found = recursive_em(records.sets, records.inputs, step=1e-3, start=[3.0, 6.0], noise_var=4.0, record_every=100)
    f = vieta.SymmetricFilter(2, method="recursive-em", step=1e-3, start=[3.0, 6.0], noise_var=4.0)
    trace = f.trace(records.sets, records.inputs, every=100)
    assert_array_equal(found.index, trace.index)
    assert_array_equal(found.theta, trace.theta)


def test_a_uniform_prior_may_be_written_out():
    records = vieta.simulate((1, 2, 4), n=60, seed=0, inputs=inputs.Gaussian())
    asked = {"step": 1e-2, "start": [0.0, 3.0, 5.0], "noise_var": 1.0, "record_every": 20}
    listed = recursive_em(records.sets, records.inputs, prior=np.full(6, 1 / 6), **asked)
    assert_allclose(listed.theta, recursive_em(records.sets, records.inputs, **asked).theta, rtol=1e-9)


def test_a_certain_prior_is_labeled_data():
    records = vieta.simulate((4, 5), n=3000, seed=0, noise=Gaussian(4.0), labels=labels.Weighted((0.0, 1.0)))
    found = recursive_em(records.sets, step=2e-3, start=[0.0, 9.0], noise_var=1.0, prior=[0.0, 1.0])
    assert_allclose(found.final.ravel(), [4.0, 5.0], atol=5 * np.sqrt(1e-3 * 4.0))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_wrong_variance_drives_two_systems_apart(seed):
    """Example 2 in small, with a larger step: the limit for variance 1/2 is near 3.55 and 5.45, for variance 4 near the truth."""
    records = vieta.simulate((4, 5), n=60_000, seed=seed, noise=Laplace(4.0), inputs=inputs.Gaussian())
    asked = {"start": [1.0, 2.0], "record_every": 100}
    wrong = recursive_em(records.sets, records.inputs, step=2e-4, noise_var=0.5, **asked).theta[300:].mean(axis=0)
    right = recursive_em(records.sets, records.inputs, step=2e-3, law="laplace", noise_var=4.0, **asked)
    assert_allclose(np.sort(wrong.ravel()), [3.55, 5.45], atol=0.06)
    assert_allclose(np.sort(right.theta[300:].mean(axis=0).ravel()), [4.0, 5.0], atol=0.1)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"start": None}, "start= is missing"),
        ({"start": [1.0, 1.0]}, "equal"),
        ({"prior": [0.5, 0.6]}, "add up to 1"),
        ({"prior": [1 / 6] * 6}, r"6 probabilities"),
        ({"noise_var": -1.0}, "must not be negative"),
        ({"law": "normal"}, "'normal' is not known"),
    ],
)
def test_bad_options_are_refused(options, text):
    with pytest.raises(InputError, match=text):
        recursive_em(np.ones((3, 2)), **({"step": 0.1, "start": [1.0, 2.0], "noise_var": 1.0} | options))


@pytest.mark.parametrize("options", [{}, {"noise_var": None}, {"noise_var": "estimate"}], ids=str)
@pytest.mark.parametrize("law", ["gaussian", "laplace"])
def test_a_variance_that_is_not_known_is_refused(law, options):
    for asked in (law, Laplace(4.0)):
        noise_var = "estimate" if asked != law else options.get("noise_var")
        with pytest.raises(InputError, match=r"is not a variance.*SymmetricFilter estimates it") as caught:
            recursive_em(np.ones((3, 2)), step=0.1, start=[1.0, 2.0], law=asked, noise_var=noise_var)
        assert caught.value.code == "variance-unknown"
        assert caught.value.facts == {"value": noise_var}


def test_a_law_brings_its_own_variance():
    records = vieta.simulate((4, 5), n=100, seed=0, noise=Laplace(4.0))
    asked = {"step": 1e-2, "start": [3.0, 6.0]}
    own = recursive_em(records.sets, law=Laplace(4.0), **asked)
    assert_array_equal(own.theta, recursive_em(records.sets, law="laplace", noise_var=4.0, **asked).theta)
    other = recursive_em(records.sets, law=Laplace(4.0), noise_var=1.0, **asked)
    assert_array_equal(other.theta, recursive_em(records.sets, law="laplace", noise_var=1.0, **asked).theta)
    assert not np.allclose(own.theta, other.theta)


@pytest.mark.parametrize("record_every", [None, 2, 4])
def test_a_set_that_the_law_excludes_is_reported_by_its_number(record_every):
    law = Skewed(1.0, skewness=0.8)
    sets = vieta.simulate((0, 3), n=8, seed=0, noise=law).sets
    sets[5] = -50.0, 3.0
    asked = {"step": 1e-4, "start": [-0.1, 2.9], "law": law, "record_every": record_every}
    with pytest.raises(
        ValueError, match=r"sets\[5\], counted .*, cannot come from noise of law Skewed at the parameters"
    ):
        recursive_em(sets, **asked)
    assert np.isfinite(recursive_em(np.delete(sets, 5, axis=0), **asked).theta).all()


def test_too_many_systems_are_refused_with_the_cost():
    with pytest.raises(ValueError, match="9 systems have 362,880 permutations"):
        recursive_em(np.ones((3, 9)), step=0.1, start=np.arange(9.0), noise_var=1.0, prior=np.full(4, 0.25))
    with pytest.raises(ValueError, match="17 systems take about"):
        recursive_em(np.ones((3, 17)), step=0.1, start=np.arange(17.0), noise_var=1.0)
