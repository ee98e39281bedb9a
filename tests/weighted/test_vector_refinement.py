"""Products of the values of vectors join in: nearer to labels, with errors that are what they say, and only where they may."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import cut, set_error
from vieta.sets import as_data
from vieta.weighted.refinement import refine
from vieta.weighted.solve import fit
from vieta.weighted.vector_refinement import is_refined, longest, refine_vectors, symmetric

THETA = np.array([[0.0, 0.0], [2.0, 0.5], [-0.5, 2.5]])


def draw(rng, n=2000, sd=1.0, theta=THETA):
    return rng.permuted(theta + sd * rng.normal(size=(n, *theta.shape)), axis=0)


def test_products_come_nearer_to_labels():
    """Errors are what they say, with the products and without, and smaller with them; labels would do better."""
    rng = np.random.default_rng(0)
    said, found_errors = [], []
    for _ in range(30):
        passes = cut(as_data(draw(rng, n=1000), None))
        found = fit(passes)
        best = refine(passes, found)
        said.append([np.trace(found.cov), np.trace(best.cov)])
        found_errors.append([set_error(found.theta, THETA), set_error(best.theta, THETA)])
    ratio = np.array(found_errors) / said
    error = ratio.std(axis=0) / np.sqrt(len(ratio))
    assert np.all(abs(ratio.mean(axis=0) - 1.0) < 4.0 * error)
    assert np.all(abs(0.3 * ratio.mean(axis=0) - 1.0) > 4.0 * error)  # the control
    values, products = np.array(said).mean(axis=0) * 1000 / THETA.size  # over labels
    assert 1.0 < products < 0.95 * values


def test_one_direction_would_not_do():
    """The negative control of the efficiency: values along one direction alone lose far more than the kernel does."""
    from vieta.weighted.equations import accumulate

    one = []
    for angle in np.linspace(0.0, np.pi, 24, endpoint=False):
        u = np.array([np.cos(angle), np.sin(angle)])
        about = accumulate((THETA @ u)[None, :, None], np.ones((1, 1, 1)), (THETA @ u)[:, None], np.eye(1)).information
        one.append(np.trace(np.linalg.inv(about)))  # of the three projections
    several = np.linalg.inv(accumulate(THETA[None], np.eye(2)[None], THETA, np.eye(2)).information)
    along = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0.0, np.pi, 24, endpoint=False)])
    projected = [np.einsum("a,lalb,b->", u, several.reshape(3, 2, 3, 2), u) for u in along]
    assert np.all(np.array(projected) <= np.array(one) * (1 + 1e-9))
    assert np.min(np.array(one) / projected) > 1.05


@pytest.mark.parametrize("inputs", ["random", "few"])
def test_inputs_that_differ_leave_the_fit_as_it_is(inputs):
    rng = np.random.default_rng(1)
    psi = rng.normal(size=(600, 2, 2)) if inputs == "random" else rng.normal(size=(2, 2, 2))[rng.integers(0, 2, 600)]
    y = np.einsum("npd,ld->nlp", psi, 2 * THETA) + 0.5 * rng.normal(size=(600, 3, 2))
    passes = cut(as_data(y, psi))
    found = fit(passes)
    assert refine_vectors(passes, found) is None
    assert_allclose(refine(passes, found).theta, found.theta)


def test_few_sets_and_many_statistics_leave_the_fit_as_it_is():
    passes = cut(as_data(draw(np.random.default_rng(2), n=200), None))
    assert refine_vectors(passes, fit(passes)) is None
    assert is_refined(4, 3)
    assert not is_refined(1, 3)
    assert not is_refined(4, 10)


def test_blocks_add_up():
    data = as_data(draw(np.random.default_rng(3)), None)
    one, several = (refine(passes, fit(passes)) for passes in (cut(data), cut(data, 700, 1, 300)))
    assert_allclose(one.theta, several.theta, rtol=1e-8)
    assert_allclose(one.cov, several.cov, rtol=1e-7)


def test_each_system_has_its_variance():
    rng = np.random.default_rng(4)
    sd = np.array([0.3, 0.6, 0.9])
    y = 2 * THETA + sd[:, None] * rng.normal(size=(4000, 3, 2))
    passes = cut(as_data(rng.permuted(y, axis=0), None))
    found = refine(passes, fit(passes))
    order = np.argsort(found.theta @ [1.0, 3.0])
    expected = np.argsort(2 * THETA @ [1.0, 3.0])
    assert_allclose(np.sqrt(found.variances[order]), sd[expected], rtol=0.15)


def test_steps_leave_covariances_positive():
    eye = np.eye(2)[None]
    assert longest(eye, np.zeros((1, 2, 2))) == 1.0
    assert longest(eye, -0.6 * eye) == 1.0
    assert longest(eye, -2.0 * eye) == 0.25
    assert_allclose(symmetric(np.array([[1.0, 2.0, 3.0]]), 2)[0], [[1.0, 2.0], [2.0, 3.0]])
