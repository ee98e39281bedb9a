import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive as twins
from tests.symmetric.cases import SEEDS, checked, distance
from vieta.symmetric import path, roots


def coefficients(theta):
    """e_1 .. e_L of each row."""
    return np.array([twins.elementary(list(row)) for row in theta])


def moving(L, seed, n=200, size=0.3):
    """Real numbers (n, L), one apart on average and never nearer than 1 - 2 size, that move smoothly."""
    rng = np.random.default_rng(seed)
    time, phase = np.linspace(0.0, 2 * np.pi, n)[:, None], rng.uniform(0, 2 * np.pi, L)
    return rng.permutation(L) - (L - 1) / 2 + size * np.sin(time * rng.integers(1, 4, L) + phase)


def same_roots(found, expected):
    return max(distance(a[:, None], b[:, None]) for a, b in zip(found, expected))


@checked
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=6, unique=True))
def test_roots_are_the_parameters(theta):
    found = roots(twins.elementary(theta).astype(float))
    assert distance(found[:, None], np.array(theta)[:, None]) < 1e-6


@pytest.mark.parametrize("L", range(1, 7))
@pytest.mark.parametrize("seed", SEEDS)
def test_roots_against_arbitrary_precision(L, seed):
    lam = np.random.default_rng(seed).normal(size=L)
    signed = [1.0] + [(-1) ** d * x for d, x in enumerate(lam, start=1)]
    with mpmath.workdps(40):
        expected = np.array([complex(x) for x in mpmath.polyroots(signed, maxsteps=200, extraprec=200)])
    for found in (roots(lam), path(lam[None])[0], path(np.stack([lam, lam + 1e-3, lam]))[2]):
        assert distance(found[:, None], expected[:, None]) < 1e-10


@pytest.mark.parametrize("L", range(1, 9))
@pytest.mark.parametrize("seed", SEEDS)
def test_path_has_the_roots_and_keeps_their_order(L, seed):
    theta = moving(L, seed)
    lam = coefficients(theta)
    found = path(lam)
    assert same_roots(found, roots(lam)) < 1e-9
    first = np.argsort(np.argsort(theta[0]))
    assert_allclose(found[:, np.argsort(found[0].real)][:, first], theta, atol=1e-9)  # root l continues root l
    assert_array_equal(found.imag, 0.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_path_continues_from_the_given_start(seed):
    theta = moving(4, seed)
    order = np.random.default_rng(seed).permutation(4)
    found = path(coefficients(theta), start=theta[0, order].astype(complex))
    assert_allclose(found, theta[:, order], atol=1e-9)


def test_a_start_is_not_changed_and_may_be_far_away():
    theta = moving(3, 0)
    start = np.array([10.0, -20.0, 5.0]) + 0j
    before = start.copy()
    found = path(coefficients(theta), start)
    assert same_roots(found, theta) < 1e-9
    assert_array_equal(start, before)


@pytest.mark.parametrize("start", [np.zeros(3), np.ones(3), np.array([1.0, 1.0, 2.0])])
def test_a_start_of_coincident_roots_is_no_obstacle(start):
    theta = moving(3, 1)
    assert same_roots(path(coefficients(theta), start + 0j), theta) < 1e-9


def test_an_empty_path():
    assert path(np.empty((0, 3))).shape == (0, 3)
    assert path(np.empty((0, 3)), start=np.zeros(3, dtype=complex)).shape == (0, 3)


def test_a_path_of_one():
    assert_allclose(np.sort(path(np.array([[11.0, 14.0, -80.0]]))[0].real), [-2.0, 5.0, 8.0])


def test_path_crosses_from_real_to_complex_and_back():
    """x² + g and a third root far off: the pair is real for g < 0, meets at 0, and goes up the imaginary axis."""
    g = np.concatenate([np.linspace(-1.0, 1.0, 101), np.linspace(1.0, -1.0, 101)])
    pair = np.sqrt(-g.astype(complex))
    theta = np.stack([pair, -pair, np.full(len(g), 5.0 + 0j)], axis=-1)
    found = path(coefficients(theta).real)
    assert same_roots(found, theta) < 1e-7  # the square root of rounding, where the pair meets
    apart = abs(g) > 0.01
    assert same_roots(found[apart], theta[apart]) < 1e-9
    real, turned = apart & (g < 0), apart & (g > 0)
    assert abs(found[real].imag).max() < 1e-12
    assert_allclose(np.sort(found[turned].imag, axis=-1)[:, [0, 2]], np.sqrt(g[turned])[:, None] * [-1, 1], atol=1e-9)
    assert_allclose(found[:, np.argmax(found[0].real)], 5.0, atol=1e-9)  # the bystander keeps its place


@pytest.mark.parametrize("seed", SEEDS)
def test_path_of_complex_coefficients(seed):
    rng = np.random.default_rng(seed)
    turn = np.exp(1j * np.linspace(0.0, 2 * np.pi, 721))[:, None]
    centre, radius = np.array([-3.0, 0.0, 3.0j, 3.0]), rng.uniform(0.2, 1.0, 4)
    theta = centre + radius * turn ** rng.choice([-2, -1, 1, 2], 4)
    found = path(coefficients(theta), start=theta[0])
    assert_allclose(found, theta, atol=1e-9)
    assert same_roots(found, roots(coefficients(theta))) < 1e-9


@pytest.mark.parametrize("L", [2, 3])
def test_path_through_exactly_coincident_roots(L):
    """Numbers that meet in one point and part again: all rows are right, to what rounding leaves of an L-fold root."""
    time = np.linspace(-1.0, 1.0, 21)[:, None]
    theta = 1.0 + time * np.arange(1, L + 1)
    found = path(coefficients(theta))
    apart = abs(time[:, 0]) > 0.05
    assert same_roots(found[apart], theta[apart]) < 1e-8
    assert same_roots(found, theta) < 1e-4


def test_path_with_a_root_at_zero():
    theta = np.stack([np.zeros(50), np.linspace(1.0, 2.0, 50), np.linspace(-1.0, -3.0, 50)], axis=-1)
    assert same_roots(path(coefficients(theta)), theta) < 1e-9
