r"""By what errors of systems that lie near each other grow, where the slope of the equations at the estimate makes them too small.

The equations have the mean zero at the truth, whatever their slope is. So a value x of a parameter is excluded with 95 % confidence where

.. math:: t(x) = \frac{|u|}{C_{ii}^{1/2}} > 1.96, \qquad u = (H^{-1} g)_i, \quad C = H^{-1} M H^{-1}, \quad g = \sum_k s_k, \quad
    H = \sum_k J'V^{-1}J, \quad M = \sum_k s_k s_k' - g g'/N ,

with the scores :math:`s = J'V^{-1}r` taken at the place where the parameter is x and the other ones are where the equations put them. A plain
interval takes H and M at the estimate. Sets tell the difference :math:`\delta` of two near systems through its square, so that its error
goes as :math:`1/\delta`: an estimate that happens to be large comes with an error that is too small, and one of several coordinates that
happens to be turned with that of another direction. Here t is looked at `AWAY` standard errors on either side of each parameter of such
systems; where it is less than that, the error is larger by as much. (Two lines .45 to .6 noise standard deviations apart, 2,000 sets:
95 % intervals of systems that seem told apart hold 95 % of the time, and 86 % without this.)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, plain
from vieta.sets import Data
from vieta.weighted.equations import accumulate
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.separation import distances
from vieta.weighted.sum_regression import as_matrices

NEAR = 25.0  # standard errors between two systems, from which on the slope does not matter
AWAY = 2.5  # standard errors from the estimate
LARGEST = 3.0  # factor
LEAST = 1e-300  # variance
WORK, FEWEST = 500_000, 1000  # parameters times systems times sets that are looked at; and sets


class _Place(NamedTuple):
    """What sets say at some parameters: their score (n,), inverse information (n, n), and covariance (n, n) of where steps lead."""

    score: Floats
    inverse: Floats
    cov: Floats


def is_near(theta: Floats, cov: Floats) -> bool:
    """Whether two of the systems (L, D) are so near that errors may be too small."""
    return bool(np.isfinite(cov).all() and _near(theta, cov).any())


def sets_looked_at(theta: Floats, cov: Floats) -> int:
    """How many sets `error_factors` is worth giving."""
    parameters = max(int(_near(theta, cov).sum()) * theta.shape[1], 1)
    return int(max(WORK // (parameters * len(theta)), FEWEST))


def error_factors(data: Data, n_sets: float, theta: Floats, cov: Floats, noise: Floats, cap: float = np.inf) -> Floats:
    """(n,) the factors, at least 1, of the standard errors of parameters (L, D) with covariance (n, n) that `n_sets` sets gave.

    The noise has the covariance (p, p), and `cap` bounds influences. If `data` are some of the sets only, their scores are those that all
    sets are expected to have: by chance, some have another solution.
    """
    look = _on_all(data, theta, noise, cap) if len(data) >= n_sets else _on_some(data, n_sets, theta, noise)
    start, here = theta.ravel(), look(theta.ravel())
    factors = np.ones(theta.size)
    for i in np.flatnonzero(np.repeat(_near(theta, cov), theta.shape[1])).tolist():
        away = AWAY * here.cov[:, i] / np.sqrt(max(here.cov[i, i], LEAST))
        t = min(_excluded(look, here, start + away, i), _excluded(look, here, start - away, i))
        factors[i] = np.clip(AWAY / max(t, AWAY / LARGEST), 1.0, LARGEST)
    return factors


def _excluded(look: Callable[[Floats], _Place], here: _Place, place: Floats, i: int) -> float:
    """The value of t at a place (n,), for parameter i, after the other ones have followed; zero where the equations say nothing."""
    there = look(place)
    step = there.inverse @ (there.score - here.score)
    there = look(place + step - there.cov[:, i] * (step[i] / max(there.cov[i, i], LEAST)))
    return float(abs(there.inverse[i] @ (there.score - here.score)) / np.sqrt(max(there.cov[i, i], LEAST)))


def _on_all(data: Data, theta: Floats, noise: Floats, cap: float) -> Callable[[Floats], _Place]:
    psi = as_matrices(data)

    def look(place: Floats) -> _Place:
        sums = accumulate(data.sets, psi, place.reshape(theta.shape), noise, cap)
        if not np.isfinite(sums.meat).all():
            return _nothing(theta.size)
        inverse = scaled_inverse(sums.information)
        meat = sums.meat - np.outer(sums.score, sums.score) / len(data)
        return _Place(sums.score, inverse, inverse @ meat @ inverse)

    return look


def _on_some(data: Data, n_sets: float, theta: Floats, noise: Floats) -> Callable[[Floats], _Place]:
    psi, times = as_matrices(data), n_sets / len(data)
    means = plain(np.einsum("npd,ld->nlp", psi, theta))

    def look(place: Floats) -> _Place:
        sums = accumulate(means, psi, place.reshape(theta.shape), noise)
        if not np.isfinite(sums.information).all():
            return _nothing(theta.size)
        inverse = scaled_inverse(sums.information) / times
        return _Place(times * sums.score, inverse, inverse)

    return look


def _nothing(n: int) -> _Place:
    """Parameters at which the equations overflow."""
    return _Place(np.zeros(n), np.zeros((n, n)), np.zeros((n, n)))


def _near(theta: Floats, cov: Floats) -> Floats:
    """(L,) whether a system has another one near."""
    return np.asarray(distances(theta, cov).min(axis=1, initial=np.inf) < NEAR)
