import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.paper.baselines import naive_lms
from vieta.scenarios import simulate

from .data import labeled, shuffle

GHOSTS = [[-2.0, 5.0], [4.0, 6.0]]  # of the truth [-2, 6], [4, 5]


def naive_twin(sets, Psi, step, start):
    """Two systems in the plane, from the definition: sums and products of each coordinate."""
    lam = np.array([start.sum(axis=0), start.prod(axis=0)])
    for y, A in zip(sets, Psi):
        for d, z in enumerate((y.sum(axis=0), y.prod(axis=0))):
            power = A ** (d + 1)
            lam[d] = lam[d] + step * power.T @ (z - power @ lam[d])
    return np.array([np.sort(np.roots([1.0, -s, q]).real) for s, q in lam.T]).T


def test_recursion_is_the_definition():
    readings, inputs, _ = labeled("square", n=200, n_systems=2)
    start = np.array([[1.0, -1.0], [2.0, 0.5]])
    path = naive_lms(readings, inputs, step=0.003, start=start)
    assert_allclose(path.final, naive_twin(readings, inputs, 0.003, start), rtol=1e-9, atol=1e-9)


def test_example_3_of_the_paper_ends_in_ghosts():
    r = simulate("example-3", n=300_000)
    path = naive_lms(r.sets, r.inputs, step=4e-5, record_every=100_000)
    assert_allclose(path.final, GHOSTS, atol=0.25)
    assert abs(path.final - r.truth).max() > 0.7
    assert np.all(np.diff(path.theta, axis=1) >= 0)  # every coordinate ascends


def test_ghosts_without_inputs_and_with_a_step_for_each_degree():
    sets = simulate([[-2, 6], [4, 5]], n=5000, seed=3).sets
    assert_allclose(naive_lms(sets, step=[0.01, 0.002]).final, GHOSTS, atol=0.6)


def test_one_coordinate_has_no_ghosts():
    readings, inputs, theta = labeled("scalar", n=20_000, n_systems=2, noise=0.01)
    final = naive_lms(shuffle(readings), inputs, step=0.005).final
    assert_allclose(final, np.sort(theta, axis=0), atol=0.02)


def test_other_shapes_are_refused():
    readings, inputs, _ = labeled("wide")
    with pytest.raises(ValueError, match=r"p = 2 rows and D = 3 columns. Give square inputs"):
        naive_lms(readings, inputs, step=0.1)
    with pytest.raises(ValueError, match="or 3 of them, one for each degree"):
        naive_lms(readings, step=[0.1, 0.1])
