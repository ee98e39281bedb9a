"""All signs of all pairs, against a list of all signs."""

from itertools import product

import numpy as np
import pytest

from vieta.search.sign_trials import first_exchange

BETTER = 1.0 - 1e-9


def drawn(n, L, seed, dim=3):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, L)), np.linalg.qr(rng.standard_normal((n, dim)))[0]


def form(readings, basis, pair, signs):
    d = np.asarray(signs) * 0.5 * (readings[:, pair[0]] - readings[:, pair[1]])
    return d @ d - np.square(basis.T @ d).sum()


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
@pytest.mark.parametrize("seed", range(4))
def test_signs_are_the_best_of_all(n, seed):
    readings, basis = drawn(n, 2, seed, min(n, 3))
    signs = np.empty(n)
    number = first_exchange(readings, basis, np.ones((2, 2), dtype=bool), 0, False, BETTER, signs)
    least = min(form(readings, basis, (0, 1), one) for one in product([1.0, -1.0], repeat=n))
    present = form(readings, basis, (0, 1), np.ones(n))
    if number < 0:
        assert least >= BETTER * present - 1e-12
        return
    assert number == 1
    assert signs[0] == 1.0
    assert set(signs) <= {-1.0, 1.0}
    assert form(readings, basis, (0, 1), signs) == pytest.approx(least, abs=1e-12)


def test_a_pair_that_is_best_as_it_is_is_passed_over():
    """Lines whose differences do not change sign, and one pair that was exchanged in one set."""
    rows = np.vander(np.linspace(-1.0, 1.0, 9), 2)
    readings = rows @ np.array([[0.1, 0.2, -0.1], [0.0, 5.0, 9.0]])
    readings[4, [1, 2]] = readings[4, [2, 1]]
    basis, open_, signs = np.linalg.qr(rows)[0], np.ones((3, 3), dtype=bool), np.empty(9)
    number = first_exchange(readings, basis, open_, 0, True, BETTER, signs)
    assert divmod(number, 3) == (1, 2)
    assert np.flatnonzero(signs < 0.0).tolist() == [4]
    assert not open_[0, 1]
    assert not open_[0, 2]
    assert not open_[1, 2]
    assert first_exchange(readings, basis, open_, 0, True, BETTER, signs) == -1


def test_pairs_before_the_first_and_those_that_are_closed_are_not_looked_at():
    readings, basis = drawn(9, 4, 0)
    signs, open_ = np.empty(9), np.ones((4, 4), dtype=bool)
    numbers = [first_exchange(readings, basis, open_, first, False, BETTER, signs) for first in (0, 2, 7)]
    assert all(number >= first for number, first in zip(numbers, (0, 2, 7), strict=True))
    open_[:] = False
    assert first_exchange(readings, basis, open_, 0, False, BETTER, signs) == -1


def test_differences_that_fit_to_rounding_are_left_alone():
    rows = np.vander(np.linspace(-1.0, 1.0, 9), 2)
    readings = 1e6 * rows @ np.array([[0.1, 0.3], [0.0, 5.0]])
    assert (
        first_exchange(readings, np.linalg.qr(rows)[0], np.ones((2, 2), dtype=bool), 0, False, BETTER, np.empty(9))
        == -1
    )
