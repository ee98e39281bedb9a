"""Quasi-likelihood of counts: exact moments of node values, and a root whatever the law."""

import numpy as np
from numpy.testing import assert_allclose

from tests.answers.cases import data
from vieta.answers.count import CountLikelihood
from vieta.answers.quasi_counts import QuasiCounts, contrast, dispersion, node_values, quasi_root
from vieta.sums import in_memory

MU = np.array([2.0, 5.0, 9.0])


def drawn(n, seed, phi=2.0):
    rng = np.random.default_rng(seed)
    return rng.negative_binomial(np.tile(MU / (phi - 1.0), (n, 1)), 1.0 / phi).astype(float)


def test_values_at_nodes_have_the_moments_that_are_stated():
    n = 50_000
    y = drawn(n, 0)
    r, V, J = node_values(y, np.tile(MU, (n, 1)), 2.0)
    products = r[:, :, None] * r[:, None, :]
    assert np.all(abs(r.mean(axis=0)) < 5 * r.std(axis=0) / np.sqrt(n))
    assert np.all(abs(products.mean(axis=0) - V[0]) < 5 * products.std(axis=0) / np.sqrt(n))
    wrong = node_values(y, np.tile(MU, (n, 1)), 1.0)[1][0]  # negative control: another dispersion
    assert np.any(abs((products / V[0]).mean(axis=0) * wrong - V[0]) > 5 * products.std(axis=0) / np.sqrt(n))
    step = 1e-4
    for l in range(3):
        moved = np.tile(MU * np.exp(step * (np.arange(3) == l)), (1, 1))
        size = np.sqrt((MU - MU[l]) ** 2 + 2.0 * MU).prod()
        assert_allclose((moved[0] - MU[l]).prod() / size / step, J[0, l], rtol=1e-3)


def test_the_root_is_the_truth_on_average_and_knows_its_error():
    theta, away, errors = np.log(MU)[:, None], [], []
    for seed in range(12):
        passes = in_memory(data(drawn(600, seed), None))
        found = quasi_root(passes, QuasiCounts(3, 1, 2.0), theta.ravel() + 0.05)
        assert found.converged
        assert_allclose(found.sums.score, 0.0, atol=1e-3 * np.sqrt(np.diag(found.sums.information)).max())
        away.append(found.u - theta.ravel())
        errors.append(np.sqrt(np.diag(np.linalg.inv(found.sums.information))))
    size = np.sqrt(np.square(errors).mean(axis=0))
    assert np.all(abs(np.mean(away, axis=0)) < 4 * size / np.sqrt(12))
    assert 0.5 < (np.std(away, axis=0) / size).mean() < 1.6


def test_dispersion_and_contrast_tell_which_law_fits():
    law, theta = CountLikelihood(3, 1), np.log(MU)
    poisson, dispersed = (
        in_memory(data(sets, None)) for sets in (np.random.default_rng(1).poisson(MU, (800, 3)), drawn(800, 1))
    )
    assert abs(dispersion(poisson, law, theta).z) < 3.5
    assert dispersion(dispersed, law, theta).z > 6
    from vieta.answers.answer_climb import climb

    p_values = []
    for passes in (poisson, dispersed):
        found = climb(passes, law, theta, np.eye(1))
        quasi = QuasiCounts(3, 1, dispersion(passes, law, theta).phi)
        p_values.append(contrast(passes, law, found, quasi, quasi_root(passes, quasi, found.u)))
    assert p_values[0] > 1e-3 > p_values[1]
