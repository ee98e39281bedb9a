"""Sets that share an input, added up at once: the same sums as set by set."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.weighted.cases import close, covariance
from vieta.weighted import vector_groups
from vieta.weighted.equations import accumulate, each_score


@pytest.mark.parametrize(
    ("L", "p", "D"), [(1, 2, 2), (2, 2, 2), (3, 2, 2), (4, 3, 3), (2, 4, 1), (4, 10, 10), (3, 3, 2)]
)
@pytest.mark.parametrize("cap", [np.inf, 1.2])
@pytest.mark.parametrize("size", [1.0, 1e-4])
def test_groups_add_up_to_the_same(L, p, D, cap, size, monkeypatch):
    rng = np.random.default_rng([L, p, D])
    theta, inputs, noise = 2 * rng.normal(size=(L, D)), rng.normal(size=(3, p, D)), covariance(rng, p, size)
    psi = inputs[rng.integers(0, 3, 120)]
    y = np.einsum("npd,ld->nlp", psi, theta) + rng.normal(size=(120, L, p)) @ np.linalg.cholesky(noise).T
    assert len(vector_groups.grouped(psi)[0]) == 3
    together = (*accumulate(y, psi, theta, noise, cap), each_score(y, psi, theta, noise, cap))
    monkeypatch.setattr(vector_groups, "grouped", lambda psi: None)
    alone = (*accumulate(y, psi, theta, noise, cap), each_score(y, psi, theta, noise, cap))
    for got, expected in zip(together, alone):
        assert close(got, expected, 1e-7)
    wrong = accumulate(y, psi[::-1], theta, noise, cap)  # the control: inputs of other sets
    assert not close(together[0], wrong[0] + 1e-3 * wrong[0], 1e-7)


def test_inputs_are_grouped_where_they_recur():
    rng = np.random.default_rng(0)
    few, which = rng.normal(size=(4, 2, 3)), rng.integers(0, 4, 300)
    found, index = vector_groups.grouped(few[which])
    assert_array_equal(found[index], few[which])
    assert vector_groups.grouped(rng.normal(size=(300, 2, 3))) is None
    assert vector_groups.grouped(few[which][:10]) is None  # too few sets to be worth it
    found, index = vector_groups.grouped(np.ones((100, 2, 2)))
    assert len(found) == 1
    assert not index.any()
