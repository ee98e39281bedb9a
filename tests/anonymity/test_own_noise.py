"""The noise that an audit takes: each system's own, and what stands in for one that is not known."""

import numpy as np
from numpy.testing import assert_allclose

from tests.anonymity.test_auditing import twins
from vieta.anonymity.guesses import assign
from vieta.anonymity.own_noise import known_systems, own_noise, positive
from vieta.anonymity.reading_weights import log_weights
from vieta.laws.noise import Gaussian

NAN = np.nan


def variances(noise_sd, noise_var=2.0):
    return np.asarray(own_noise(twins(noise_sd=np.array(noise_sd), noise_var=noise_var)).variance)


def test_each_system_has_its_own():
    assert_allclose(variances([1.0, 2.0, 0.5]), [1.0, 4.0, 0.25])


def test_those_that_are_not_known_share_what_is_left():
    assert_allclose(variances([1.0, NAN, NAN]), [1.0, 2.5, 2.5])
    assert_allclose(variances([1.0, 3.0, NAN]), [1.0, 9.0, 2.0])  # nothing is left: the mean
    assert variances([NAN, NAN, NAN]) == 2.0
    assert variances([]) == 2.0
    assert known_systems(twins(noise_sd=np.array([1.0, NAN, 2.0]))).tolist() == [True, False, True]
    assert not known_systems(twins()).any()


def test_no_system_is_without_noise_unless_all_are():
    assert variances([1.0, 0.0, 1.0]).min() > 0.0
    assert variances([1.0, 1.0, 1.0], noise_var=0.0) == 0.0


def test_the_noise_of_vectors_keeps_its_shape():
    shape = np.array([[2.0, 0.5], [0.5, 1.0]])
    found = variances([1.0, 2.0, 3.0], noise_var=shape)
    assert_allclose(np.trace(found, axis1=1, axis2=2) / 2.0, [1.0, 4.0, 9.0])
    for one in found:
        assert_allclose(one / np.trace(one), shape / 3.0)
    assert np.linalg.eigvalsh(positive(np.array([[1.0, 0.0], [0.0, -1e-12]]))).min() > 0.0


def test_a_common_shift_changes_no_guess():
    rng = np.random.default_rng(0)
    means = np.broadcast_to(np.array([0.0, 1.0, 2.5])[:, None], (200, 3, 1))
    readings = means + rng.normal(size=(200, 3, 1))
    shifted = readings + 5.0 * rng.normal(size=(200, 1, 1))
    guess = assign(log_weights(Gaussian(1.0), readings, means))
    assert (guess == assign(log_weights(Gaussian(1.0), shifted, means))).all()
    unequal = Gaussian([0.1, 1.0, 4.0])  # control: sizes that differ make the guess depend on the shift
    assert (assign(log_weights(unequal, readings, means)) != assign(log_weights(unequal, shifted, means))).any()
