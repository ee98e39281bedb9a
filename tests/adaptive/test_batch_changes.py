"""Changes of the parameters behind incomplete sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.test_shared_noise import THETA, draw
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.batch_changes import change, of_change
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data, in_canonical_order
from vieta.sums import in_memory


def jumped(seed, by, *, n=400, rate=1.0):
    """Three lines, of which the second jumps after half of the sets."""
    rng = np.random.default_rng(seed)
    psi = np.column_stack([np.ones(n), rng.normal(size=n)])
    y = psi @ THETA.T + 0.3 * rng.normal(size=(n, 3))
    y[n // 2 :, 1] += by
    sets = [np.concatenate([row[rng.random(3) < 0.8], rng.uniform(-8.0, 14.0, rng.poisson(rate))]) for row in y]
    return in_canonical_order(as_incomplete(as_data(sets, psi[:, None, :]), 3))


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_jump_is_found_and_dated(seed, rate):
    passes = in_memory(jumped(seed, 0.3, rate=rate))
    (found,) = of_change(passes, fit(passes))
    assert found.code == "change-in-batch"
    assert abs(found.facts["after"] - 200) < 40


def test_without_a_jump_nothing_is_found():
    """Twelve fits; at a level of .5 % one alarm has probability .06, two .0017."""
    alarms = 0
    for seed in range(12):
        passes = draw(200 + seed, n=200).passes()
        alarms += change(passes, fit(passes)) is not None
    assert alarms <= 1


def test_memory_is_no_change():
    passes = draw(7, n=300, ar=0.8).passes()
    assert of_change(passes, fit(passes)) == ()


def test_blocks_do_not_matter():
    data = jumped(3, 0.6, n=200)
    found = fit(in_memory(data))
    whole, cut = change(in_memory(data), found), change(in_memory(data, 3), found)
    assert whole.after == cut.after
    assert_allclose([whole.jumps, whole.walks], [cut.jumps, cut.walks], rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("seed", [24, 27, 28, 29])
def test_lines_that_cross_among_false_readings_do_not_change(seed):
    """False readings explain more of a line's scores at one time than at another, which looked like a change to three of these."""
    rng = np.random.default_rng([seed, 4, 512, 10, 10, 10])
    t = np.linspace(0.0, 1.0, 512)
    psi, theta = np.column_stack([np.ones(512), t, t * t]), 2.0 * rng.normal(size=(4, 3))
    theta[:, 0] += 1.5 * rng.permutation(np.arange(4))
    y = psi @ theta.T + 0.1 * rng.normal(size=(512, 4))
    low, high = y.min() - 1.0, y.max() + 1.0
    sets = [
        rng.permutation(np.concatenate([row[rng.random(4) < 1.0], rng.uniform(low, high, rng.poisson(1.0))]))
        for row in y
    ]
    passes = in_memory(in_canonical_order(as_incomplete(as_data(sets, psi[:, None, :]), 4)))
    assert change(passes, fit(passes)) is None
