import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.errors import InputError
from vieta.laws.detection import Bursts, Complete, Independent, Saturating

N = 40_000
SEEDS = range(3)


def readings(n=N, L=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, L, 1)) + np.arange(L)[:, None]


def drawn(law, seed, n=N, L=3):
    return law.draw(np.random.default_rng(seed), readings(n, L, seed))


def test_complete_sees_all():
    assert drawn(Complete(), 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_independent_detection(seed):
    p = np.array([0.9, 0.5, 0.2])
    seen = drawn(Independent(p), seed)
    assert_allclose(seen.mean(axis=0), p, atol=5 * np.sqrt(0.25 / N))
    both = (seen[:, 0] & seen[:, 1]).mean()
    assert abs(both - 0.45) < 5 * np.sqrt(0.25 / N)
    again = (seen[1:, 1] & seen[:-1, 1]).mean()
    assert abs(again - 0.25) < 5 * np.sqrt(0.25 / N)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("length", [1.0, 4.0, 20.0])
def test_bursts_have_their_share_and_length(seed, length):
    seen = drawn(Bursts((0.9, 0.5, 0.75), length), seed)
    effective = N / (2 * length + 1)
    assert_allclose(seen.mean(axis=0), [0.9, 0.5, 0.75], atol=5 * np.sqrt(0.25 / effective))
    for own in seen.T:
        missed = ~own
        begun = int((missed[1:] & ~missed[:-1]).sum() + missed[0])
        measured = missed.sum() / begun
        assert abs(measured - length) < 5 * length / np.sqrt(begun)


def test_independent_misses_are_not_bursts():
    """The negative control of the test above: silences of independent misses last 1 / p sets."""
    missed = ~drawn(Independent(0.5), 0)[:, 0]
    begun = (missed[1:] & ~missed[:-1]).sum()
    assert abs(missed.sum() / begun - 2.0) < 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_saturating_detection_follows_the_reading(seed):
    given = readings(seed=seed)
    seen = Saturating(limit=1.0, width=0.5, probability=0.8).draw(np.random.default_rng(seed), given)
    low = abs(given[:, :, 0] - 0.5) < 0.05
    high = abs(given[:, :, 0] - 2.0) < 0.05
    for chosen, at in ((low, 0.5), (high, 2.0)):
        expected = 0.8 / (1.0 + np.exp((at - 1.0) / 0.5))
        assert abs(seen[chosen].mean() - expected) < 5 * np.sqrt(0.25 / chosen.sum()) + 0.02


def test_what_is_above_the_limit_is_cut_off():
    given = readings()
    assert_array_equal(Saturating(limit=1.0).draw(np.random.default_rng(0), given), given[:, :, 0] <= 1.0)


@pytest.mark.parametrize("law", [Independent(0.7), Bursts(0.7, 3.0), Saturating(1.0, 0.5)])
def test_a_longer_draw_begins_with_the_shorter(law):
    given = readings(100)
    few, many = (law.draw(np.random.default_rng(1), given[:n]) for n in (40, 100))
    assert_array_equal(few, many[:40])


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: Independent(1.2), "not-a-probability"),
        (lambda: Independent([]), "not-a-probability"),
        (lambda: Bursts(0.9, 0.5), "burst-too-short"),
        (lambda: Bursts(0.1, 2.0), "burst-too-rare"),
        (lambda: Saturating(width=-1.0), "negative-width"),
        (lambda: drawn(Independent((0.5, 0.5)), 0), "probabilities-count"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, code):
    with pytest.raises(InputError) as caught:
        make()
    assert caught.value.code == code
