"""The recursion under `labeled_lms` and `unordered_lms`, against its equation one set at a time."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.paper.data import KINDS, labeled
from tests.paper.data import matrices as obvious
from vieta.errors import DivergedError
from vieta.paper.classical import classical_lms
from vieta.paper.regression import checked


def naive(readings, inputs, step, start, kind, transposed=True):
    p, D, _ = KINDS[kind]
    y = readings if readings.ndim == 3 else readings[:, :, None]
    theta = start.copy()
    for k, psi in enumerate(obvious(inputs, len(y), p, D)):
        for l in range(len(theta)):
            theta[l] += step * (psi.T if transposed else psi) @ (y[k, l] - psi @ theta[l])
    return theta


@pytest.mark.parametrize("kind", KINDS)
def test_the_recursion_is_its_equation(kind):
    readings, inputs, theta = labeled(kind)
    start = np.zeros_like(theta)
    found = classical_lms(checked(readings, inputs), 0.01, start, None)
    assert_allclose(found.final, naive(readings, inputs, 0.01, start, kind), atol=1e-12)


def test_as_printed_it_runs_away():
    """Eq. LMSclassical without the transpose, for a skew Psi: the error grows where ours shrinks."""
    rng = np.random.default_rng(0)
    skew = rng.choice([-1.0, 1.0], size=(400, 1, 1)) * np.array([[0.0, 1.0], [-1.0, 0.0]])
    theta = np.array([[1.0, 2.0], [3.0, -1.0]])
    readings = np.einsum("npd,ld->nlp", skew, theta)
    ours = classical_lms(checked(readings, skew), 0.05, None, None).final
    printed = naive(readings, skew, 0.05, np.zeros((2, 2)), "square", transposed=False)
    assert abs(ours - theta).max() < 1e-6
    assert abs(printed - theta).max() > 1e3


def test_the_advice_is_a_step_that_cannot_diverge():
    readings, inputs, _ = labeled("square")
    largest = np.square(inputs).sum(axis=(1, 2)).max()
    with pytest.raises(DivergedError, match=f"= {2 / largest:.3g} it cannot diverge"):
        classical_lms(checked(readings, inputs), 50.0, None, None)
