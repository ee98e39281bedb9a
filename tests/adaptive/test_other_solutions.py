"""Other solutions that make nearly the same sets."""

from dataclasses import replace

import numpy as np

from tests.adaptive.cases import draw, model_of
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.other_solutions import other_solutions
from vieta.adaptive.set_ascent import climb
from vieta.adaptive.set_sums import Free
from vieta.matching import match_rows

LINES = np.array([[5.8, 1.7], [-4.0, 3.8], [-2.2, 3.0], [5.6, -7.6]])


def lines(n, seed):
    """Lines over time of which two lie close, and noise that is as large as their gap."""
    drawn = draw(n, seed, theta=LINES, sd=1.5, seen=0.4, rate=0.0, law="laplace")
    rng = np.random.default_rng(seed + 100)
    rows = np.stack([np.ones(n), np.linspace(-1.0, 1.0, n)], axis=1)
    means = rows @ LINES.T
    seen = rng.random((n, 4)) < 0.4
    noise = 1.5 * rng.laplace(scale=0.5**0.5, size=(n, 4))
    return replace(drawn, sets=[(m + v)[s][:, None] for m, v, s in zip(means, noise, seen)], inputs=rows[:, None, :])


def test_a_pair_that_has_exchanged_its_slopes_is_put_right():
    drawn = lines(500, 0)
    free = Free(rate=False)
    truth = climb(drawn.passes(), model_of(drawn, sd=1.5, seen=0.4, rate=0.0), free, 1e-6)
    crossed = truth.model.theta.copy()
    crossed[[1, 2], 1] = crossed[[2, 1], 1] + [1.5, -1.5]
    wrong = climb(drawn.passes(), replace(truth.model, theta=crossed), free, 1e-6)
    others = other_solutions(drawn.passes(), 500, wrong.model, free, 1e-6)
    best = max([wrong, *(climb(drawn.passes(), one, free, 1e-6) for one in others)], key=lambda one: one.height)
    assert best.height > truth.height - 1.0


def test_close_lines_are_right_or_rivals_are_kept():
    for seed in (1,):
        drawn = lines(500, seed)
        found = fit(drawn.passes())
        truth = climb(drawn.passes(), replace(found.chosen.model, theta=LINES), found.chosen.free, 1e-6)
        assert found.chosen.climbed.height > truth.height - 1.0
        assert match_rows(found.chosen.model.theta, LINES).shape == (4,)
