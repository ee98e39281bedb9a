import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.likelihood.cases import enumerated
from vieta.errors import InputError
from vieta.likelihood.associations import LARGEST, associations, operations, require_few


@pytest.mark.parametrize("L", [1, 2, 4])
def test_leading_axes_are_those_of_the_weights(L):
    weights = np.random.default_rng(L).normal(size=(3, 2, L, L))
    found = associations(weights)
    assert found.log_permanent.shape == (3, 2)
    for at in np.ndindex(3, 2):
        total, marginals = enumerated(weights[at])
        assert_allclose(found.log_permanent[at], total, rtol=1e-12, atol=1e-12)
        assert_allclose(found.marginals[at], marginals, atol=1e-12)
    assert not np.allclose(associations(weights[::-1]).log_permanent, found.log_permanent)


@pytest.mark.parametrize("L", [8, 11, 16])
def test_probabilities_are_doubly_stochastic(L):
    log_weights = 5.0 * np.random.default_rng(L).normal(size=(3, 2, L, L))
    found = associations(log_weights)
    assert (found.marginals >= 0).all()
    assert_allclose(found.marginals.sum(axis=-1), 1.0, atol=1e-12)
    assert_allclose(found.marginals.sum(axis=-2), 1.0, atol=1e-12)
    assert_allclose(associations(np.swapaxes(log_weights, -1, -2)).log_permanent, found.log_permanent, rtol=1e-12)


def test_sixteen_equal_weights():
    found = associations(np.zeros((16, 16)))
    assert_allclose(found.log_permanent, np.log(np.arange(1, 17)).sum(), rtol=1e-14)
    assert_allclose(found.marginals, 1 / 16, rtol=1e-12)


def test_lists_views_and_sets_that_nothing_explains():
    weights = np.asfortranarray(np.log([[1.0, 2.0], [3.0, 4.0]]))
    for given in (weights, weights.tolist(), weights[::-1][::-1]):
        assert_allclose(associations(given).marginals, [[0.4, 0.6], [0.6, 0.4]])
    nothing = associations([[0.0, -np.inf], [0.0, -np.inf]])
    assert nothing.log_permanent == -np.inf
    assert np.isnan(nothing.marginals).all()
    assert associations(np.zeros((0, 2, 2))).log_permanent.shape == (0,)


@pytest.mark.parametrize(
    ("weights", "code", "facts"),
    [
        (np.zeros((2, 3)), "weights-shape", {"shape": (2, 3)}),
        (np.zeros(4), "weights-shape", {"shape": (4,)}),
        (np.zeros((0, 0)), "weights-shape", {"shape": (0, 0)}),
        (np.zeros((17, 17)), "too-many-systems", {"n_systems": 17, "most": 16, "operations": 3 * 17 * 2**16}),
        (np.full((2, 2), np.nan), "weights-not-numbers", {}),
        (np.full((2, 2), np.inf), "weights-not-numbers", {}),
    ],
)
def test_bad_weights_are_refused(weights, code, facts):
    with pytest.raises(InputError) as error:
        associations(weights)
    assert error.value.code == code
    assert error.value.facts == facts


def test_up_to_sixteen_systems_are_few():
    require_few(LARGEST)
    with pytest.raises(InputError, match=r"about 3e.06 operations a set; up to 16 systems .* Use the default method"):
        require_few(LARGEST + 1)


def test_many_sets_are_taken_in_pieces_with_the_same_result(monkeypatch):
    logs = np.random.default_rng(0).normal(size=(7, 3, 3))
    whole = associations(logs)
    monkeypatch.setattr(sys.modules["vieta.likelihood.associations"], "WORK", 2 * operations(3))
    assert_array_equal(associations(logs).marginals, whole.marginals)
