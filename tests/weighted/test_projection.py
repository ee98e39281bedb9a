"""Vectors along a direction: the numbers that they are, in the parameters that can be seen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.vector_shocks import THETA, draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.projection import many_directions, squares, view


@pytest.mark.parametrize(("inputs", "seen"), [("identity", 1), ("scalars", 1), ("matrices", 2)])
def test_means_along_a_direction_are_those_of_the_vectors(inputs, seen):
    made = draw(0.0, 200, 0, inputs)
    u = np.array([0.6, -0.8])
    found = view(in_memory(as_data(made.sets, made.inputs), 3), u)
    assert found.basis.shape == (2, seen)
    block = found.block(as_data(made.sets, made.inputs))
    assert_allclose(block.sets[:, :, 0], np.sort(made.sets @ u, axis=1))
    assert_allclose(block.inputs[:, 0] @ found.parameters(THETA).T, made.means @ u, atol=1e-9)
    assert found.regression.n_sets == 200
    total = (made.sets.sum(axis=1) @ u) - block.inputs[:, 0] @ found.regression.solution
    assert_allclose(block.inputs[:, 0].T @ total, 0.0, atol=1e-8)  # residuals of least squares


@pytest.mark.parametrize("p", [2, 3])
def test_directions_tell_a_symmetric_matrix(p):
    rng = np.random.default_rng(p)
    S = rng.normal(size=(p, p))
    S = S + S.T
    u = many_directions(p)
    design = squares(u)
    assert_allclose(design @ S[np.triu_indices(p)], np.einsum("np,pq,nq->n", u, S, u))
    assert np.linalg.cond(design) < 10.0
