"""Laws of answers: means and variances, prefixes, and the way through simulation and files."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import vieta
from vieta.errors import InputError
from vieta.laws import answers, inputs, noise

ETA = np.tile([-0.4, 0.8], (100_000, 1))[..., None]
MEANS = {
    "logit": (answers.Binary(), stats.logistic.cdf(ETA[0, :, 0])),
    "probit": (answers.Binary("probit"), stats.norm.cdf(ETA[0, :, 0])),
    "levels": (answers.Ordinal((-1.0, 0.5)), 3.0 - sum(stats.logistic.cdf(c - ETA[0, :, 0]) for c in (-1.0, 0.5))),
    "poisson": (answers.Count(), np.exp(ETA[0, :, 0])),
    "dispersed": (answers.Count(3.0), np.exp(ETA[0, :, 0])),
    "dithered": (answers.Rounded(2.0, dither=True), ETA[0, :, 0]),
    "number": (answers.Number(), ETA[0, :, 0]),
}


@pytest.mark.parametrize("name", MEANS)
def test_means_are_those_of_the_law(name):
    law, mean = MEANS[name]
    rng = np.random.default_rng(0)
    found = law.draw(rng, ETA, 0.1 * rng.standard_normal(ETA.shape))[..., 0]
    assert np.all(abs(found.mean(axis=0) - mean) < 5 * found.std(axis=0) / np.sqrt(len(ETA)) + 1e-12)
    if name == "dispersed":
        assert_allclose(found.var(axis=0) / mean, 3.0, rtol=0.05)


def test_rounding_without_dither_moves_the_mean():
    found = answers.Rounded(2.0).draw(np.random.default_rng(0), ETA, np.zeros(ETA.shape))
    assert_array_equal(found[0, :, 0], [0.0, 0.0])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: answers.Binary("log"),
        lambda: answers.Ordinal((1.0, 0.0)),
        lambda: answers.Count(0.5),
        lambda: answers.Rounded(0.0),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError):
        wrong()


@pytest.mark.parametrize("law", [answers.Binary(), answers.Count(2.0), answers.Rounded(0.5)])
def test_the_first_sets_of_a_longer_simulation_are_those_of_a_shorter_one(law):
    short, long = (vieta.simulate((0, 1), n=n, seed=3, answers=law, offset=inputs.Gaussian(0, 2)) for n in (20, 50))
    assert_array_equal(long.sets[:20], short.sets)
    assert_array_equal(long.offset[:20], short.offset)


def test_what_is_simulated_is_estimated():
    records = vieta.simulate((-1.5, 1.5), n=1500, seed=0, answers=answers.Binary(), offset=inputs.Gaussian(0, 2.25))
    found = vieta.fit(records.sets, records.inputs, family="binary", offset=records.offset)
    assert np.all(abs(found.theta - records.truth) < 4 * found.stderr)


def test_measurements_are_as_they_were():
    records = vieta.simulate((1, 2), n=5, seed=1, noise=noise.Gaussian(0.0))
    assert_allclose(np.sort(records.sets, axis=1), [[1.0, 2.0]] * 5)
    assert records.offset is None
