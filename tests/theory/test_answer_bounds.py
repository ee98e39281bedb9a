"""Bounds of answers, against all outcomes and against labeled ones; the price of rounding by quadrature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.answers.cases import count_law
from vieta.errors import InputError
from vieta.laws import answers
from vieta.theory import (
    answer_bound,
    answers_needed,
    dither_price,
    quantization_price,
    rounding_bias,
    rounding_price,
)

OFFSET = np.linspace(-3.0, 3.0, 13)
THETA = np.array([-1.0, 1.0])


def test_the_bound_of_binary_answers_is_the_information_over_all_outcomes():
    information, step = np.zeros((2, 2)), 1e-5
    for b in OFFSET:
        P = count_law(stats.logistic.cdf(THETA + b))
        moved = [
            [count_law(stats.logistic.cdf(THETA + b + sign * step * np.eye(2)[j])) for sign in (1, -1)]
            for j in range(2)
        ]
        slopes = [(up - down) / (2 * step) for up, down in moved]
        information += [[np.sum(a * c / P) for c in slopes] for a in slopes]
    found = answer_bound(THETA, answers.Binary(), offset=OFFSET)
    assert_allclose(found.covariance, np.linalg.inv(information / len(OFFSET)), rtol=1e-6)
    needed = answers_needed(THETA, answers.Binary(), 0.1, offset=OFFSET)
    assert 1.96 * found.stderr(needed).max() <= 0.1001
    assert 1.95996 * found.stderr(needed - 1).max() > 0.0999


@pytest.mark.parametrize(
    ("law", "variance"),
    [
        (answers.Count(), lambda eta: np.exp(-eta)),
        (answers.Binary("logit"), lambda eta: 1.0 / (stats.logistic.cdf(eta) * stats.logistic.sf(eta))),
        (answers.Ordinal((0.0,)), lambda eta: 1.0 / (stats.logistic.cdf(eta) * stats.logistic.sf(eta))),
        (answers.Rounded(0.01), lambda eta: 1.0),
    ],
)
def test_one_system_has_the_textbook_bound(law, variance):
    for eta in (-0.5, 0.8):
        found = answer_bound([eta], law, draws=40_000).covariance[0, 0]
        assert_allclose(found, variance(eta), rtol=0.05)


def test_labels_are_worth_something_and_fewer_levels_cost():
    inputs = np.column_stack([np.ones(9), np.linspace(-2, 2, 9)])
    theta = np.array([[-1.0, 1.0], [1.0, -0.5]])
    errors = [
        np.trace(answer_bound(theta, law, inputs).covariance)
        for law in (answers.Ordinal((-3, -2, -1, 0, 1, 2, 3)), answers.Ordinal((-1, 1)), answers.Binary())
    ]
    assert errors[0] < errors[1] < errors[2]
    with pytest.raises(InputError):
        answer_bound(theta, answers.Binary(), np.ones(9))
    with pytest.raises(InputError):
        answer_bound(theta, answers.Number(), inputs)


@pytest.mark.parametrize("step", [0.3, 1.0, 2.0, 3.0])
def test_the_price_of_rounding_is_that_of_the_fisher_information(step):
    values = step * np.arange(-60, 61)
    phases = step * (np.arange(200) + 0.5) / 200
    a = values - step / 2 - phases[:, None]
    P = np.maximum(stats.norm.cdf(a + step) - stats.norm.cdf(a), 1e-300)
    terms = np.where(abs(a) < 7.0, (stats.norm.pdf(a) - stats.norm.pdf(a + step)) ** 2 / P, 0.0)
    information = terms.sum(axis=1).mean()
    assert_allclose(rounding_price(step), 1.0 / information, rtol=1e-3)
    assert_allclose(rounding_price(2 * step, 2.0), rounding_price(step), rtol=1e-9)
    if step < 1:
        assert_allclose(rounding_price(step), 1 + step**2 / 12, rtol=1e-3)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_price_of_a_scale_is_that_of_maximum_likelihood_from_its_levels(levels):
    """Labeled means of which only the level is seen, by scoring on shares of levels; a scale of many levels costs nothing."""
    cuts, rng, n, runs = (
        np.linspace(-1.0, 1.0, levels + 1)[1:-1] if levels > 2 else np.zeros(1),
        np.random.default_rng(0),
        400,
        1500,
    )
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    counts = np.stack(
        [
            np.bincount((one[:, None] > cuts).sum(axis=1), minlength=levels)
            for one in 0.3 + rng.standard_normal((runs, n))
        ]
    )
    m = np.full(runs, 0.3)
    for _ in range(8):
        a = ends - m[:, None]
        P, slope = np.diff(stats.norm.cdf(a), axis=1), -np.diff(stats.norm.pdf(a), axis=1)
        m = m + (counts * slope / P).sum(axis=1) / (n * (slope**2 / P).sum(axis=1))
    price = quantization_price(cuts, [0.3])
    assert abs(n * m.var() / price - 1.0) < 5.0 * np.sqrt(2.0 / runs) + 0.05
    assert price > quantization_price(np.linspace(-5, 5, 101), [0.3]) > 1.0
    assert_allclose(
        quantization_price(2.0 * np.arange(-9, 10), np.linspace(-1, 1, 65)[:-1] + 1 / 64),
        rounding_price(2.0),
        rtol=1e-3,
    )
    with pytest.raises(InputError):
        quantization_price([1.0, 0.0], [0.0])


@pytest.mark.parametrize("width", [1.0, 2.0, 3.0])
def test_ignoring_the_rounding_is_biased_by_so_much_and_a_dither_removes_it_at_a_price(width):
    rng, places, n = np.random.default_rng(1), width * np.arange(16) / 16.0, 60_000
    y = places[:, None] + rng.standard_normal((16, n))
    plain, dithered = (width * np.rint(y / width + shift) for shift in (0.0, rng.random(y.shape) - 0.5))
    off, chance = abs(plain.mean(axis=1) - places).max(), 4.5 * np.sqrt((1.0 + width**2 / 4.0) / n)
    assert abs(off - rounding_bias(width)) < chance + 0.05 * rounding_bias(width)
    assert abs(dithered.mean(axis=1) - places).max() < chance
    assert_allclose(dithered.var(axis=1).mean(), dither_price(width), rtol=0.02)
    if width == 3.0:
        assert off > 2.0 * chance  # what the dither removes
