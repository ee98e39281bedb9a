"""Noises that go together and errors of inputs, in sets with missed and false readings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import Drawn
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.assumed_scores import Scored
from vieta.adaptive.set_model import expect
from vieta.adaptive.shared_noise import adjustment, of_shared_noise, pair_scores, pair_values, varied_inputs

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])


def draw(seed, *, n=500, rho=0.0, error=0.0, ar=0.0, rate=1.0):
    """Three lines, seen with probability .8, noises of deviation .3 with correlation rho and memory, inputs with errors."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    own = rng.normal(size=(n, 3))
    for k in range(1, n):
        own[k] = ar * own[k - 1] + np.sqrt(1.0 - ar**2) * own[k]
    noise = 0.3 * (np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1.0 - rho) * own)
    psi = np.column_stack([np.ones(n), x])
    y = psi @ THETA.T + noise
    sets = []
    for row in y:
        false = rng.uniform(y.min() - 1.0, y.max() + 1.0, rng.poisson(rate))
        sets.append(np.concatenate([row[rng.random(3) < 0.8], false]))
    psi[:, 1] += error * rng.normal(size=n)
    return Drawn(sets, psi[:, None, :], THETA, np.empty(0))


def codes(drawn):
    passes = drawn.passes()
    return [(one.code, one.facts.get("column")) for one in of_shared_noise(passes, fit(passes))]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("violation", "expected"),
    [
        ({}, []),
        ({"ar": 0.8}, []),
        ({"rho": 0.5}, [("noises-together", None)]),
        ({"error": 0.3}, [("input-errors", 2)]),
        ({"error": 0.3, "rate": 0.0}, [("input-errors", 2)]),
    ],
)
def test_each_is_told_from_the_others(violation, expected, seed):
    assert codes(draw(seed, **violation)) == expected


def test_values_of_clean_sets_are_standard_normal():
    """Ten fits: mean and variance of the values within 4 standard errors."""
    z = []
    for seed in range(10):
        passes = draw(100 + seed, n=150).passes()
        found = fit(passes)
        z.append(pair_values(passes, found, varied_inputs(found)))
    z = np.array(z)
    assert (abs(z.mean(axis=0)) < 4.0 / np.sqrt(10)).all()
    assert (z.var(axis=0) < 1.0 + 4.0 * np.sqrt(2.0 / 10)).all()


def test_constant_inputs_have_no_errors():
    passes = draw(0, n=150).passes()
    assert varied_inputs(fit(passes)).tolist() == [False, True]


def test_blocks_and_order_do_not_matter():
    drawn = draw(3, n=150)
    found = fit(drawn.passes())
    varied, model = varied_inputs(found), found.chosen.model
    whole = pair_values(drawn.passes(), found, varied)
    assert_allclose(pair_values(drawn.passes(4), found, varied), whole, rtol=1e-9)
    assert pair_scores(drawn.data, model, expect(drawn.data, model), varied).shape == (150, 2)


def test_scores_that_explain_everything_leave_nothing():
    h = np.random.default_rng(1).normal(size=(40, 2))
    rows = np.column_stack([h, h @ [1.0, 2.0], np.arange(40.0)])
    assert not adjustment(Scored.of(rows), 2)[:, 0].any()
    assert adjustment(Scored.of(rows), 2)[:, 1].any()
