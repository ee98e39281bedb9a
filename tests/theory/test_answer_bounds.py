"""Bounds of answers, against all outcomes and against labeled ones; the price of rounding by quadrature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.answers.cases import count_law
from vieta.errors import InputError
from vieta.laws import answers
from vieta.theory import answer_bound, answers_needed, rounding_price

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
