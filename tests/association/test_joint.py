"""Expected products over two systems, against the sum over all partial assignments."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.association.joint import expected_products
from vieta.association.partial import associate_sets

KEPT = 1024


def enumerated(W, c, m, f):
    """E sum over l < m of f_l f_m, by all assignments of readings."""
    n, L = W.shape
    total, mass = np.zeros(f.shape[2]), 0.0
    for a in product(range(L + 1), repeat=n):
        used = [l for l in a if l < L]
        if len(set(used)) < len(used):
            continue
        weight = np.exp(
            sum(W[i, l] if l < L else c[i] for i, l in enumerate(a)) + sum(m[l] for l in range(L) if l not in used)
        )
        own = [f[i, l] for i, l in enumerate(a) if l < L]
        pairs = [own[i] * own[j] for i in range(len(own)) for j in range(i)]
        total += weight * np.sum(pairs, axis=0) if pairs else 0.0
        mass += weight
    return total / mass


def filled(W, c, m, offsets, f):
    P, t = np.empty(W.shape), np.empty((len(offsets) - 1, f.shape[2]))
    associate_sets(W, c, m, offsets, KEPT, np.empty(len(t)), P)
    expected_products(W, c, m, offsets, KEPT, P, f, t)
    return t


@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_pairs_are_summed(L, seed):
    rng = np.random.default_rng(seed)
    offsets = np.array([0, 0, 1, 4, 8])  # an empty set, one reading, three and four
    W, c, m = 2.0 * rng.normal(size=(8, L)), rng.normal(size=8) - 1.0, -abs(rng.normal(size=L))
    f = rng.normal(size=(8, L, 2))
    found = filled(W, c, m, offsets, f)
    for k in range(4):
        own = slice(offsets[k], offsets[k + 1])
        assert_allclose(found[k], enumerated(W[own], c[own], m, f[own]), atol=1e-5)


def test_marginals_alone_would_not_do():
    """Two systems that are hard to tell apart: the product of expectations is another number."""
    W, c, m = np.zeros((2, 2)), np.full(2, -20.0), np.full(2, -20.0)
    f = np.array([[[1.0], [3.0]], [[2.0], [-1.0]]])
    t = filled(W, c, m, np.array([0, 2]), f)[0, 0]
    assert t == pytest.approx(0.5 * (1.0 * -1.0 + 3.0 * 2.0))
    assert t != pytest.approx(0.5 * (1.0 + 2.0) * 0.5 * (3.0 - 1.0))
