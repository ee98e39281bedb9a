"""Noise that is other noise with more added: theorems, sums that are known, and characteristic functions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vieta.anonymity import map_error, noise_dominates
from vieta.laws.noise import Density, Finite, Gaussian, Laplace, Skewed, StudentT, Uniform

LAWS = [
    Gaussian(1.0), Laplace(1.0), Uniform(1.0), StudentT(1.0, df=3.0), Skewed(1.0, skewness=2.0),
    Skewed(1.0, skewness=-0.7), Finite(1.0, values=(-1, 2), probabilities=(2 / 3, 1 / 3)),
]  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_gaussian_noise_is_ordered_as_its_covariances(seed, p):
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(2, p, p))
    less, more = A @ A.T, A @ A.T + B @ B.T
    assert noise_dominates(less, more).holds
    u = A @ np.eye(p)[0]  # in coordinates where `less` is the identity, u is a unit vector
    assert not noise_dominates(less, 1.2 * less - 0.5 * np.outer(u, u)).holds
    assert noise_dominates(less, less).holds


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (Laplace(1.0), Laplace(1.5)),
        (StudentT(1.0, df=4.0), StudentT(3.0, df=4.0)),
        (Skewed([1.0, 2.0]), Skewed([1.0, 9.0])),
        (Uniform(2.0), Uniform(2.0)),
        (Laplace(np.diag([1.0, 2.0])), Laplace(np.diag([2.0, 2.0]))),
        (Laplace([[2.0, 1.0], [1.0, 2.0]]), Laplace([[4.0, 2.0], [2.0, 4.0]])),
        (Gaussian(0.0), Uniform(1.0)),
        (1.0, np.diag([1.0, 2.0])),
        ([1.0, 2.0], 2.0),
    ],
    ids=repr,
)
def test_sums_by_a_theorem(less, more):
    assert noise_dominates(less, more).holds is True


def test_what_is_added_to_laplace_noise_is_nothing_or_laplace_noise():
    """The mixture behind self-decomposability: with probability b²/c² nothing, otherwise noise of the larger law."""
    rng, n = np.random.default_rng(1), 200_000
    less, more = Laplace(1.0).unit(rng, (n,)), Laplace(1.0).unit(rng, (n,))
    added = np.where(rng.random(n) < 1 / 3, 0.0, np.sqrt(3.0) * Laplace(1.0).unit(rng, (n,)))
    apart = abs(
        np.quantile(less + added, [0.1, 0.3, 0.7, 0.9]) - np.sqrt(3.0) * np.quantile(more, [0.1, 0.3, 0.7, 0.9])
    )
    assert np.all(apart < 0.03)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (2.0, 1.0),
        (Laplace(2.0), Laplace(1.0)),
        (Laplace(1.0), Gaussian(100.0)),
        (Gaussian(1.0), Laplace(100.0)),
        (Gaussian(1.0), StudentT(4.0)),
        (Uniform(1.0), Uniform(1.3)),
        (Uniform(1.0), Laplace(50.0)),
        (Finite(1.0), Finite(2.0)),
        (Skewed(1.0), Laplace(1.9)),
        (Laplace([[2.0, 1.0], [1.0, 2.0]]), Laplace(1.0)),
        (Uniform([1.0, 0.0]), Uniform([1.3, 0.0])),
    ],
    ids=repr,
)
def test_no_noise_can_be_added(less, more):
    assert noise_dominates(less, more).holds is False


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (Uniform(1.0), Uniform(4.0)),  # with a fair sign times sqrt(3)
        (Uniform(1.0), Uniform(9.0)),
        (Finite(1.0), Uniform(4.0 / 3.0)),  # a sign plus a uniform number on [-1, 1]
        (Skewed(1.0), Laplace(2.0)),  # a difference of two exponentials
        (Skewed(1.0, skewness=2.0), Skewed(2.0, skewness=np.sqrt(2.0))),  # a sum of two exponentials
        (Finite(1.0), Finite(2.0, values=(-2, 0, 2), probabilities=(0.25, 0.5, 0.25))),
    ],
    ids=repr,
)
def test_sums_without_a_theorem_are_never_denied(less, more):
    found = noise_dominates(less, more)
    assert found.holds is None
    assert "no proof" in found.reason


def test_what_cannot_be_told():
    logistic = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    assert noise_dominates(logistic, logistic.scaled(5.0)).reason == "this law's characteristic function is not known"
    mixed = noise_dominates(Laplace([[2.0, 1.0], [1.0, 2.0]]), Laplace(4.0))
    assert mixed.holds is None
    assert "coordinates of this noise are mixed" in mixed.reason


def test_variances_must_fit_the_same_systems():
    with pytest.raises(ValueError, match=r"shapes \(2,\) and \(3,\), which do not fit"):
        noise_dominates([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="`variance` must not be negative"):
        noise_dominates(-1.0, 1.0)


@pytest.mark.parametrize("shape", [Gaussian(), Laplace(), StudentT(df=3.0), Skewed(skewness=1.0)], ids=repr)
def test_added_noise_hides_more(shape):
    errors = [map_error([0, 1], shape.scaled(v)).probability for v in (0.2, 0.5, 1.0, 3.0)]
    assert np.all(np.diff(errors) > 0.01)
