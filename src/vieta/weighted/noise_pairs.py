r"""Whether the noises of every two systems are uncorrelated: second moments of the scores, for numbers and any noise law.

At nodes :math:`x_i` a set has the values :math:`z_i = \prod_j (y_j - x_i)`. With r = z - E z, V their covariance at variances
:math:`\sigma_j^2`, J the slopes by the means m, and :math:`G = V^{-1} J`, the scores :math:`s = G' r` about the means have

.. math:: E\,s s' = G' V G = J' V^{-1} J = I

for every law of independent noises of mean zero. If they have covariances :math:`\Delta_{cd}`, and where variances and parameters are
not quite right, the mean of :math:`s s' - I` is to first order

.. math:: \sum_{c<d} \Delta_{cd}\,G' V_{cd} G + \sum_c \delta\sigma_c^2\,G' V_{cc} G - \sum_c \delta m_c\,G' \tfrac{\partial V}{\partial m_c} G,
    \qquad V_{cd} = \frac{\partial V}{\partial \Delta_{cd}} .

The diagonal tells the variances; what it and the parameters explain is taken away from the rest, the *pairs* (a, b), a < b, which are then
a sum of numbers of mean zero, with the covariance that the numbers themselves show. Large sets of means that lie close count little: their
scores are small. A shock of the same size everywhere has :math:`\Delta_{ab} = g`. An error of input d, which is one for all systems of a
set, has :math:`\Delta_{ab} = \tau^2 \theta_{ad} \theta_{bd}`.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import add
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, product
from vieta.long_run import Remembered
from vieta.sets import Data
from vieta.sums import Passes, Sums
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.sum_regression import as_matrices

MOST_SYSTEMS = 8
ENOUGH = 50  # sets
SEPARATION, NEGLIGIBLE = 0.5, 1e-9  # of nodes and of variances, as in `scalar`
CACHED = 300_000  # numbers, L L of a set, that stay near the processor
FEWEST, MOST = 4_000, 32_000  # sets of a piece: between short operations threads wait for each other
FEW = 2000  # sets, below which each is judged by parameters from which its own influence is taken away
SAMPLE = 500  # sets that serve for derivatives


class Pairs(NamedTuple):
    """What the pairs (q,) of systems show.

    Attributes
    ----------
    value : (q,)
        Sums, freed of what variances and parameters explain.
    cov : (q, q)
        Their covariance.
    slope : (q, q)
        By which covariances of the noises move them.
    place : Place
        At which they were looked at.
    effective : (q, .)
        What makes them of the numbers of a set.
    """

    value: Floats
    cov: Floats
    slope: Floats
    place: "Place"
    effective: Floats

    def statistic(self) -> tuple[float, int]:
        """The chi-square statistic of all pairs, and its degrees of freedom."""
        values, vectors = np.linalg.eigh(self.cov)
        usable = values > 1e-9 * max(values[-1], 1e-300)
        along = vectors[:, usable].T @ self.value
        return float((along**2 / values[usable]).sum()), int(usable.sum())

    def along(self, covariances: Floats) -> float:
        """z-value of covariances (q,) of the noises that are known but for their size; positive where they have this sign."""
        inverse = scaled_inverse(self.cov, rcond=1e-9)
        weights = inverse @ self.slope @ covariances
        return float(weights @ self.value) / float(np.sqrt(max(float(weights @ self.cov @ weights), 1e-300)))


@dataclass(frozen=True, slots=True, eq=False)
class PairSums(Sums):
    """Sums of x and of x x': x holds s s' - I (diagonal, then pairs) and the scores of the parameters; and of ψψ' ⊗ I."""

    total: Floats
    outer: Floats
    information: Floats


class Place(NamedTuple):
    """Parameters (L, D) and variances (L,), and (L D, L D) by which a set's scores move the parameters, if its own influence is taken away."""

    theta: Floats
    variances: Floats
    influence: Floats | None = None


def noise_pairs(
    passes: Passes, n_sets: int, theta: Floats, variances: Floats, expected: Floats | None = None
) -> Pairs | None:
    """The pairs at parameters (L, D) and variances (L,), less `expected` covariances (q,) of the noises; None where there are none."""
    if not are_looked_at(passes.like) or n_sets < ENOUGH:
        return None
    place = Place(theta, variances)
    sums = passes.total(lambda block, _: pair_sums(block, place))
    if n_sets < FEW:
        place = Place(theta, variances, scaled_inverse(sums.information, rcond=1e-12))
        sums = passes.total(lambda block, _: pair_sums(block, place))
    return concluded(sums, n_sets, place, passes.spread(SAMPLE, n_sets), expected)


def are_looked_at(like: Data) -> bool:
    """Whether pairs of systems are looked at in such sets: numbers, of not too many systems."""
    return 1 < like.n_systems <= MOST_SYSTEMS and like.reading_dim == 1


def concluded(sums: PairSums, n_sets: int, place: Place, sample: Data, expected: Floats | None = None) -> Pairs | None:
    """The pairs by the sums of so many sets, and by the derivatives that a sample of them has."""
    L = len(place.theta)
    inverse = place.influence if place.influence is not None else scaled_inverse(sums.information, rcond=1e-12)
    slopes = _slopes(sample, place.theta, place.variances) * (n_sets / len(sample))
    q = L * (L - 1) // 2
    by_variance, by_pair, by_theta = slopes[:, :L], slopes[:, L : L + q], slopes[:, L + q :]
    if not (np.isfinite(slopes).all() and np.isfinite(sums.outer).all()):
        return None
    free = by_variance[L:] @ np.linalg.pinv(by_variance[:L])  # (q, L) what the diagonal tells about pairs
    moved = np.hstack([-free, np.eye(q)])
    effective = np.hstack([moved, moved @ by_theta @ inverse])
    slope = moved @ by_pair
    value = moved @ sums.total[: L + q]
    if expected is not None:
        value = value - slope @ expected
    return Pairs(value, np.asarray(effective @ sums.outer @ effective.T), slope, place, effective)


def with_memory(passes: Passes, pairs: Pairs, n_sets: int) -> Pairs:
    """The same with the covariance that memory over time makes of it, from a pass of its own."""
    mean = pairs.effective @ passes.total(lambda block, _: _rows(block, pairs.place).sum(axis=1)) / n_sets

    def work(block: Data, _: int) -> Remembered:
        return Remembered.of((pairs.effective @ _rows(block, pairs.place)).T - mean)

    growth = passes.total(work).growth
    return pairs._replace(cov=pairs.cov * growth[:, None] * growth)


def pair_products(loadings: Floats) -> Floats:
    """(q,) products of the loadings (L,) of every two systems."""
    return np.array([loadings[a] * loadings[b] for a, b in combinations(range(len(loadings)), 2)])


def pair_sums(block: Data, place: Place) -> PairSums:
    """The sums of a block of sets."""
    size = min(max(CACHED // len(place.theta) ** 2, FEWEST), MOST)
    cuts = range(0, max(len(block), 1), size)
    return reduce(add, (_piece(block.part(at, at + size), place) for at in cuts))


def _piece(block: Data, place: Place) -> PairSums:
    x, I, rows = _moments(block, place)
    L, D = place.theta.shape
    both = (rows[:, None] * rows).reshape(D * D, -1)
    information = product(_mirrored(I).reshape(L * L, -1), both.T).reshape(L, L, D, D).transpose(0, 2, 1, 3)
    return PairSums(x.sum(axis=1), product(x, x.T), information.reshape(L * D, L * D))


def _rows(block: Data, place: Place) -> Floats:
    """(L + q + L D, n) x of each set."""
    return _moments(block, place)[0]


def _moments(block: Data, place: Place) -> tuple[Floats, Floats, Floats]:
    """x of each set, I (L, L, n) with lower triangles, and the inputs (D, n)."""
    theta, variances, influence = place
    L, D = theta.shape
    rows, readings = as_matrices(block)[:, 0].T, block.sets[:, :, 0].T
    s, I = scores(readings, product(theta, rows), variances)
    lost = np.zeros((L, L, 1))
    if influence is not None:  # at parameters from which the set's own influence is taken away
        both = (rows[:, None] * rows).reshape(D * D, -1)
        own = influence.reshape(L, D, L, D).transpose(0, 2, 1, 3).reshape(L * L, D * D) @ both
        own = own.reshape(L, L, -1)
        s, I = scores(readings, theta @ rows - (own * s).sum(axis=1), variances)
        full = _mirrored(I)
        lost = (full[:, :, None] * (own[:, :, None] * full).sum(axis=1)).sum(axis=1)  # E of I δ δ' I
    squares = [s[l] ** 2 - I[l, l] - lost[l, l] for l in range(L)]
    products = [s[a] * s[b] - I[b, a] - lost[b, a] for a, b in combinations(range(L), 2)]
    return np.concatenate([squares, products, (s[:, None] * rows).reshape(L * D, -1)]), I, rows


def _mirrored(lower: Floats) -> Floats:
    """(L, L, n) symmetric, from the lower triangles."""
    full = lower.copy()
    for a, b in combinations(range(len(lower)), 2):
        full[a, b] = lower[b, a]
    return full


def nodes(means: Floats, gap: float) -> Floats:
    """(L, n) the means in ascending order, pushed `gap` apart."""
    x = means.copy()
    for last in range(len(x) - 1, 0, -1):  # a few of them: exchanging neighbours is faster than sorting
        for i in range(last):
            low = np.minimum(x[i], x[i + 1])
            np.maximum(x[i], x[i + 1], out=x[i + 1])
            x[i] = low
    for i in range(1, len(x)):
        np.maximum(x[i], x[i - 1] + gap, out=x[i])
    return x


def scores(readings: Floats, means: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """The scores s (L, n) about the means (L, n), and their covariance I (L, L, n), of which the lower triangle is filled."""
    L, n = means.shape
    x = nodes(means, SEPARATION * float(np.sqrt(variances.mean())))
    inverse = 1.0 / _widest(means, x, variances)
    noise = variances[:, None] * inverse**2
    scaled, at, y = means * inverse, x * inverse, readings * inverse
    A = scaled - at[:, None]  # (node, system, set)
    r, J = np.empty((L, n)), np.empty((L, L, n))
    for i in range(L):
        r[i] = _product(y - at[i]) - _leave_one_out(A[i], J[i])
    V = [[_spread(A[i], A[k], noise) for k in range(i + 1)] for i in range(L)]
    _whiten(V, r, J)
    s, I = np.empty((L, n)), np.zeros((L, L, n))
    J *= inverse
    for l in range(L):
        s[l] = _dot(J[:, l], r)
        for k in range(l + 1):
            I[l, k] = _dot(J[:, l], J[:, k])
    return s, I


def _widest(means: Floats, x: Floats, variances: Floats) -> Floats:
    """(n,) the largest distance of a mean from a node, in which sets are measured."""
    top, bottom = means[0], means[0]
    for one in means[1:]:
        top, bottom = np.maximum(top, one), np.minimum(bottom, one)
    return np.asarray(np.maximum(np.maximum(top, x[-1]) - bottom, np.sqrt(variances.mean())))


def _product(factors: Floats) -> Floats:
    found = factors[0].copy()
    for one in factors[1:]:
        found *= one
    return np.asarray(found)


def _dot(a: Floats, b: Floats) -> Floats:
    found = a[0] * b[0]
    for i in range(1, len(a)):
        found += a[i] * b[i]
    return np.asarray(found)


def _leave_one_out(factors: Floats, rest: Floats) -> Floats:
    """Fill `rest` (L, n) with the products of all factors (L, n) but one; returns the product of all."""
    rest[0] = 1.0
    for j in range(1, len(factors)):
        np.multiply(rest[j - 1], factors[j - 1], out=rest[j])
    after = factors[-1].copy()
    for j in range(len(factors) - 2, -1, -1):
        rest[j] *= after
        after *= factors[j]
    return np.asarray(after)


def _spread(a: Floats, b: Floats, noise: Floats) -> Floats:
    """(n,) prod (a b + noise) - prod a b over systems, without cancellation."""
    g = a * b
    spread, product = noise[0].copy(), g[0].copy()
    for j in range(1, len(a)):
        spread *= g[j] + noise[j]
        spread += product * noise[j]
        product *= g[j]
    return np.asarray(spread)


def _whiten(V: list[list[Floats]], r: Floats, J: Floats) -> None:
    """Replace r by C⁻¹r and J by C⁻¹J with V = CC', as `scalar.whiten` does, for all sets at once."""
    for i in range(len(r)):
        pivot = V[i][i].copy()
        for k in range(i):
            t = V[i][k]
            for q in range(k):
                t = t - V[i][q] * V[k][q]
            t = t * V[k][k]
            V[i][k] = t
            pivot -= t * t
            r[i] -= t * r[k]
            J[i] -= t * J[k]
        usable = pivot > NEGLIGIBLE * V[i][i]
        V[i][i] = usable / np.sqrt(np.where(usable, pivot, 1.0))
        r[i] *= V[i][i]
        J[i] *= V[i][i]


def _slopes(sample: Data, theta: Floats, variances: Floats) -> Floats:
    """(L + q, L + q + L D) sums over sets of the derivatives of E(ss' - I) (diagonal, then pairs) by variances, covariances, parameters."""
    L = len(theta)
    rows = as_matrices(sample)[:, 0]
    m = rows @ theta.T
    x = nodes(m.T, SEPARATION * float(np.sqrt(variances.mean()))).T
    unit = _widest(m.T, x.T, variances)[:, None]
    A = (m[:, None, :] - x[:, :, None]) / unit[:, :, None]  # (set, node, system)
    f = A[:, :, None, :] * A[:, None, :, :]
    noise = variances / unit**2
    with_noise, without = f + noise[:, None, None, :], f
    V = np.prod(with_noise, axis=3) - np.prod(without, axis=3)
    J = np.stack([np.prod(np.delete(A, j, axis=2), axis=2) for j in range(L)], axis=2)
    G = np.linalg.solve(V + NEGLIGIBLE * np.einsum("kii->ki", V)[:, :, None] * np.eye(L), J)

    def seen(W: Floats, scale: Floats) -> Floats:
        """(n, L + q) entries of G'WG, in units of the readings."""
        full = np.swapaxes(G, 1, 2) @ W @ G / unit[:, :, None] ** 2 * scale[:, :, None]
        pairs = [full[:, a, b] for a, b in combinations(range(L), 2)]
        return np.stack([*(full[:, l, l] for l in range(L)), *pairs], axis=1)

    def rest(factors: Floats, *left_out: int) -> Floats:
        return np.asarray(np.prod(np.delete(factors, left_out, axis=3), axis=3))

    columns = [seen(rest(with_noise, c), unit**-2).sum(axis=0) for c in range(L)]
    value = np.prod(A, axis=2)
    for c, d in combinations(range(L), 2):
        both = (A[:, :, None, c] + A[:, None, :, c]) * (A[:, :, None, d] + A[:, None, :, d]) * rest(with_noise, c, d)
        moved = (
            np.prod(np.delete(A, (c, d), axis=2), axis=2)[:, :, None] * value[:, None, :]
        )  # by the means of the values
        columns.append(seen(both - moved - np.swapaxes(moved, 1, 2), unit**-2).sum(axis=0))
    for c in range(L):
        slope = A[:, :, None, c] + A[:, None, :, c]
        by_mean = seen(slope * (rest(with_noise, c) - rest(without, c)), 1.0 / unit)
        columns += list(-(rows.T @ by_mean))
    return np.stack(columns, axis=1)
