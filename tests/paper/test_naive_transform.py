import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.symmetric.cases import SEEDS, checked, distance, separated
from vieta.paper.naive_transform import naive
from vieta.symmetric import polarized

EXAMPLE_3 = np.array([[-2.0, 6.0], [4.0, 5.0]])


@checked
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_what_comes_back_is_every_column_sorted(seed, L, D):
    theta = separated(np.random.default_rng(seed), L, D, gap=1.0)
    t = naive(L, D)
    assert_allclose(t.inverse(t.transform(theta)).theta, np.sort(theta, axis=0), atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_that_pair_their_coordinates_differently_look_alike(seed):
    theta = separated(np.random.default_rng(seed), 3, 2, gap=1.0)
    ghost = np.stack([theta[:, 0], np.roll(theta[:, 1], 1)], axis=-1)
    size = abs(naive(3, 2).transform(abs(theta))).max()
    assert_allclose(naive(3, 2).transform(ghost), naive(3, 2).transform(theta), rtol=0, atol=1e-14 * size)
    assert abs(polarized(3, 2).transform(ghost) - polarized(3, 2).transform(theta)).max() > 1e-3


def test_the_ghosts_of_the_papers_example_3():
    t = naive(2, 2)
    found = t.inverse(t.transform(EXAMPLE_3)).theta
    assert_allclose(found, [[-2.0, 5.0], [4.0, 6.0]], atol=1e-12)
    assert distance(found, EXAMPLE_3) > 0.9


@pytest.mark.parametrize("seed", SEEDS)
def test_general_inputs_have_cross_terms_that_the_element_wise_powers_leave_out(seed):
    rng = np.random.default_rng(seed)
    psi, t = rng.normal(size=(1, 2, 2)), naive(2, 2)
    readings = t.transform(np.einsum("npd,ld->nlp", psi, EXAMPLE_3))
    wrong = t.mean(EXAMPLE_3, psi)
    assert_allclose(wrong[:, :2], readings[:, :2], atol=1e-12)  # degree one is linear
    cross = EXAMPLE_3[0, 0] * EXAMPLE_3[1, 1] + EXAMPLE_3[0, 1] * EXAMPLE_3[1, 0]
    assert cross == 14.0
    assert_allclose(readings[:, 2:] - wrong[:, 2:], cross * psi[:, :, 0] * psi[:, :, 1], atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_the_cross_regressor_general_inputs_identify_the_pairing(seed):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(200, 2, 2))
    e2 = naive(2, 2).transform(np.einsum("npd,ld->nlp", psi, EXAMPLE_3))[:, 2:].ravel()
    rows = psi.reshape(-1, 2)
    regressors = np.stack([rows[:, 0] ** 2, rows[:, 0] * rows[:, 1], rows[:, 1] ** 2], axis=-1)
    assert_allclose(np.linalg.lstsq(regressors, e2)[0], [-8.0, 14.0, 30.0], atol=1e-10)
