"""Errors: the inverse information, large where there is none, and larger where there is memory."""

import numpy as np
from numpy.testing import assert_allclose

from tests.answers.cases import data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.answer_errors import answer_errors, inverse
from vieta.answers.binary import BinaryLikelihood
from vieta.sums import in_memory

THETA = np.array([[-1.0], [1.0]])
LAW = BinaryLikelihood(2, 1, "logit")


def test_the_inverse_is_exact_and_large_where_matrices_are_singular():
    A = np.array([[2.0, 0.3], [0.3, 50.0]])
    assert_allclose(inverse(A), np.linalg.inv(A), rtol=1e-10)
    assert np.diag(inverse(np.ones((2, 2)))).min() > 1e6
    nothing = inverse(np.diag([0.0, 2.0]))
    assert np.isfinite(nothing @ nothing).all()
    assert nothing[0, 0] > 1e100
    assert inverse(np.empty((0, 0))).shape == (0, 0)


def test_errors_are_those_of_the_information_and_fixed_unknowns_are_unbounded():
    sets, psi, b = drawn("binary", 400, 0, THETA)
    passes = in_memory(data(sets, psi, b))
    found = climb(passes, LAW, THETA.ravel(), np.eye(1))
    errors = answer_errors(passes, LAW, found, [])
    assert_allclose(errors.cov, np.linalg.inv(found.sums.information), rtol=1e-8)
    assert not errors.basis.has_memory
    one = answer_errors(passes, LAW, found, [1])
    assert np.isinf(one.cov[1, 1])
    assert_allclose(one.cov[0, 0], 1.0 / found.sums.information[0, 0], rtol=1e-8)


def test_sets_that_are_repeated_have_memory():
    sets, psi, b = drawn("binary", 200, 1, THETA)
    passes = in_memory(data(np.repeat(sets, 4, axis=0), np.repeat(psi, 4, axis=0), np.repeat(b, 4)))
    found = climb(passes, LAW, THETA.ravel(), np.eye(1))
    errors = answer_errors(passes, LAW, found, [])
    assert errors.basis.has_memory
    grown = np.diag(errors.cov) / np.diag(np.linalg.inv(found.sums.information))
    assert np.all(grown > 1.5)
