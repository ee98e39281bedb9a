import numpy as np
import pytest

from vieta.anonymity.alterations import altered
from vieta.errors import InputError


def test_nothing_changes_unless_asked():
    sets = np.random.default_rng(0).normal(size=(20, 3, 1))
    assert altered(sets, 0.0, 0.0) is sets


def test_readings_are_rounded_to_the_nearest_multiple():
    sets = np.random.default_rng(1).normal(size=(50, 3, 2))
    found = altered(sets, 0.25, 0.0)
    assert abs(found - sets).max() <= 0.125
    np.testing.assert_allclose(found / 0.25, np.round(found / 0.25))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_share_of_the_readings_is_left_out(share):
    sets = np.arange(6000.0).reshape(2000, 3, 1)
    found = altered(sets, 0.0, share)
    left = sum(map(len, found)) / 6000
    assert abs(left - (1 - share)) < 5 * np.sqrt(share * (1 - share) / 6000)
    assert all(set(one.ravel()) <= set(of.ravel()) for one, of in zip(found, sets))
    assert [one.tolist() for one in altered(sets, 0.0, share)] == [one.tolist() for one in found]


@pytest.mark.parametrize(
    ("step", "share"), [(-1.0, 0.0), (np.nan, 0.0), (np.inf, 0.0), (0.0, -0.1), (0.0, 0.95), (0.0, np.nan)]
)
def test_what_makes_no_sense_is_refused(step, share):
    with pytest.raises(InputError):
        altered(np.zeros((2, 2, 1)), step, share)
