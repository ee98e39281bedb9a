"""Where the noise has its mean: against least squares with labels, and by hand."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import Drawn, model_of
from vieta.adaptive.common_shift import centred, common_shift, lopsidedness, of_tails, shifted_errors
from vieta.adaptive.law_choice import Chosen
from vieta.adaptive.set_ascent import Climbed
from vieta.adaptive.set_errors import set_errors
from vieta.adaptive.set_sums import Free, set_sums
from vieta.adaptive.set_survey import survey
from vieta.adaptive.sieve import UnitLaw, begun, binned

FAR = np.array([[-50.0, 1.0], [0.0, -2.0], [50.0, 3.0]])  # systems that are never confused


def lines(n, seed, law="skewed"):
    """Sets of rows [1, x], some readings missed."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    unit = rng.exponential(size=(n, 3)) - 1.0 if law == "skewed" else rng.normal(size=(n, 3))
    readings = FAR[:, 0] + np.outer(x, FAR[:, 1]) + 0.5 * unit
    seen = rng.random((n, 3)) < 0.7
    owners = np.concatenate([np.flatnonzero(one) for one in seen])
    psi = np.stack([np.ones(n), x], axis=1)[:, None, :]
    return Drawn([row[there] for row, there in zip(readings, seen, strict=True)], psi, FAR, owners)


def chosen_at(drawn, free, off=0.0, constant=1.0, law=None):
    model = model_of(drawn, rate=0.0, law=begun(UnitLaw(), 0.25) if law is None else law)
    model = replace(model, theta=drawn.theta + off)
    found = Climbed(model, set_sums(drawn.passes(), model, free), True)
    return Chosen(found, free, 0.0, found, constant)


@pytest.mark.parametrize("sd", ["common", "own"])
@pytest.mark.parametrize("seed", [0, 1])
def test_means_of_residuals_are_zero_afterwards(sd, seed):
    """With a mean of their own, systems whose slopes are right end where least squares with these slopes does."""
    drawn, free = lines(300, seed), Free(sd, "common", rate=False)
    before = chosen_at(drawn, free, off=np.array([[0.1, 0.0], [-0.05, 0.0], [0.2, 0.0]]))
    after = centred(before, common_shift(drawn.passes(3), before, survey(drawn.passes())))
    rows = np.repeat(drawn.inputs[:, 0], [len(one) for one in drawn.sets], axis=0)
    left = np.concatenate(drawn.sets) - (rows * after.model.theta[drawn.owners]).sum(axis=1)
    means = [left.mean()] if sd == "common" else [left[drawn.owners == l].mean() for l in range(3)]
    assert_allclose(means, 0.0, atol=3e-3)  # the mean of x is not quite zero
    assert_allclose(after.model.theta[:, 1], before.model.theta[:, 1], atol=0.02)


def test_errors_of_the_mean_are_those_of_a_mean():
    """Of an estimate that knows all but the constant, nothing but the error of a mean of so many residuals is left; others stay."""
    drawn, free = lines(400, 2), Free("common", "common", rate=False)
    at = chosen_at(drawn, free)
    shift = common_shift(drawn.passes(), at, survey(drawn.passes()))
    errors = set_errors(drawn.passes(), at.model, free, at.climbed.sums.clutter, survey(drawn.passes()).gram)
    constant = np.tile([1.0, 0.0], 3) / 3.0
    known = shifted_errors(replace(errors, cov=np.zeros((6, 6))), shift)
    n = len(drawn.owners)
    assert_allclose(np.sqrt(constant @ known.cov @ constant), 0.5 / np.sqrt(n), rtol=0.1)
    difference = np.array([1.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    after = shifted_errors(errors, shift).cov
    assert_allclose(difference @ after @ difference, difference @ errors.cov @ difference, rtol=1e-6)
    assert_allclose(constant @ after @ constant, constant @ known.cov @ constant, rtol=0.05)
    assert np.linalg.eigvalsh(after).min() > 0.0


def test_laws_with_a_centre_and_inputs_without_a_constant_are_left_alone():
    drawn, free = lines(50, 0), Free("common", "common", rate=False)
    known = survey(drawn.passes())
    for left in (chosen_at(drawn, free, law=UnitLaw(name="laplace")), chosen_at(drawn, free, constant=0.3)):
        assert common_shift(drawn.passes(), left, known) is None
        assert centred(left, None) is left


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_lopsided_noise_among_false_readings_is_reported(seed):
    rng = np.random.default_rng(seed)
    drawn = lines(50, seed)
    at = chosen_at(drawn, Free())

    def codes(u, constant=1.0, free=at.free):
        sums = replace(at.climbed.sums, residuals=binned(u, np.ones(len(u))))
        return [
            one.code
            for one in of_tails(replace(at, climbed=replace(at.climbed, sums=sums), constant=constant, free=free))
        ]

    skewed, normal = rng.exponential(size=600) - 1.0, rng.normal(size=600)
    assert codes(skewed) == ["tails-hidden"]
    assert codes(np.append(skewed, np.full(12, -6.0))) == ["tails-hidden"]  # false readings on the other side
    assert codes(normal) == []
    assert codes(skewed, constant=0.1) == []
    assert codes(skewed, free=Free(rate=False)) == []


def test_lopsidedness_of_normal_residuals_is_of_size_one():
    rng = np.random.default_rng(5)
    z = np.array([lopsidedness(binned(rng.normal(size=500), np.ones(500))) for _ in range(200)])
    assert_allclose(z.std(axis=0), 1.0, atol=0.2)
