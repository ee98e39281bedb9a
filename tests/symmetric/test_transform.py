"""What every transform promises, checked on every transform."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive as twins
from tests.symmetric.cases import (
    ALL,
    LARGEST,
    NAMES,
    SEEDS,
    SIZES,
    agrees,
    assert_rounding,
    build,
    checked,
    distance,
    magnitude,
    points,
    separated,
)
from vieta.symmetric import canonical_order, elementary
from vieta.symmetric.transform import Inverse

LAWS = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "laplace": lambda rng, shape: rng.laplace(scale=np.sqrt(0.5), size=shape),
    "skewed": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
}
every_case = pytest.mark.parametrize(("name", "L", "D"), ALL)
largest_case = pytest.mark.parametrize(("name", "L", "D"), LARGEST)


def noise_roots(rng, L, D, size=0.3):
    """(L, D, D) square roots of one noise covariance a system: unequal, and correlated between coordinates."""
    return size * (1 + np.arange(L))[:, None, None] / L * (np.eye(D) + 0.5 * rng.normal(size=(L, D, D)))


def covariances(roots):
    return roots @ np.swapaxes(roots, -1, -2)


# --- the definition -------------------------------------------------------------------------------------------------


@every_case
def test_transform_is_its_definition(name, L, D):
    case = build(name, L, D)

    @checked
    @given(points(L, D))
    def holds(y):
        assert_rounding(case.transform.transform(y), case.twin(y), magnitude(case, y))

    holds()


@largest_case
def test_order_of_the_set_is_irrelevant_to_rounding(name, L, D):
    case = build(name, L, D)

    @checked
    @given(points(L, D), st.permutations(range(L)))
    def holds(y, order):
        assert_rounding(case.transform.transform(y[order]), case.transform.transform(y), magnitude(case, y))

    holds()


@largest_case
def test_sets_are_transformed_one_by_one_whatever_their_shape(name, L, D):
    t = build(name, L, D).transform
    y = np.random.default_rng(0).normal(size=(2, 3, L, D))
    before = y.copy()
    z = t.transform(y)
    assert z.shape == (2, 3, t.readings.size)
    for i in np.ndindex(2, 3):
        assert_array_equal(z[i], t.transform(y[i]))
    assert_array_equal(t.transform(np.asfortranarray(y)), z)
    assert_array_equal(y, before)
    assert t.transform(np.zeros((0, L, D))).shape == (0, t.readings.size)


@largest_case
def test_points_of_another_shape_are_refused_with_the_shape_that_was_needed(name, L, D):
    t = build(name, L, D).transform
    with pytest.raises(ValueError, match=rf"shape \(\.\.\., {L}, {D}\).*got \({L + 1}, {D}\)"):
        t.transform(np.zeros((L + 1, D)))


@every_case
def test_dimensions_and_blocks(name, L, D):
    t = build(name, L, D).transform
    assert (t.n_systems, t.dim) == (L, D)
    assert len(t.parameters.blocks) == L
    assert [t.parameters.degrees[b].tolist() for b in t.parameters.blocks] == [
        [d] * (b.stop - b.start) for d, b in enumerate(t.parameters.blocks, start=1)
    ]
    assert t.parameters.blocks[-1].stop == t.parameters.size
    assert t.parameters.size >= L * D  # enough numbers for the unknowns


# --- derivatives ----------------------------------------------------------------------------------------------------


@every_case
@pytest.mark.parametrize("seed", SEEDS)
def test_jacobian_against_central_differences(name, L, D, seed):
    case = build(name, L, D)
    y = np.random.default_rng(seed).normal(size=(L, D))
    # Linear in each coordinate alone, so central differences have no truncation error: only rounding over the step.
    expected = twins.derivative(case.twin, y, step=1e-2)
    assert_allclose(case.transform.jacobian(y), expected, rtol=0, atol=1e-11 * (1 + magnitude(case, y).max()))


@every_case
@pytest.mark.parametrize("seed", SEEDS)
def test_sensitivity_undoes_the_jacobian(name, L, D, seed):
    t = build(name, L, D).transform
    theta = separated(np.random.default_rng(seed), L, D)
    S = t.sensitivity(theta)
    assert S.shape == (L * D, t.parameters.size)
    assert_allclose(S @ t.jacobian(theta), np.eye(L * D), atol=1e-9)


@pytest.mark.parametrize(("name", "L", "D"), [*LARGEST, ("convolution", 2, 2), ("tensor", 2, 3)])
@pytest.mark.parametrize("seed", SEEDS)
def test_sensitivity_is_the_derivative_of_the_inverse(name, L, D, seed):
    t = build(name, L, D).transform
    theta = separated(np.random.default_rng(seed), L, D, gap=1.0)
    theta = theta[canonical_order(theta)]
    if name == "naive":
        theta = np.sort(theta, axis=0)
    S = t.sensitivity(theta)
    lam = t.parameters.transform(theta)
    step = 1e-4 / abs(S).max()
    expected = twins.derivative(lambda z: t.inverse(z).theta.ravel(), lam, step)
    # Of a fit to more coefficients than unknowns the pseudo-inverse is the derivative at coefficients that fit exactly.
    assert_allclose(S, expected, rtol=0, atol=1e-4 * abs(S).max())


# --- the linear model -----------------------------------------------------------------------------------------------


@every_case
def test_mean_is_the_transform_of_the_noise_free_readings(name, L, D):
    case = build(name, L, D)

    @checked
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        rng = np.random.default_rng(seed)
        theta, psi = rng.normal(size=(L, D)), case.inputs(rng)
        readings = np.einsum("npd,ld->nlp", psi, theta)
        size = max(magnitude(case, y).max() for y in np.einsum("npd,ld->nlp", abs(psi), abs(theta)))
        mean = case.transform.mean(theta, psi)
        assert mean.shape == (5, case.transform.readings.size)
        assert np.all(abs(mean - case.transform.transform(readings)) <= 1e-11 * size)

    holds()


@pytest.mark.parametrize("name", ["elementary", "polarized"])
def test_other_than_scalar_inputs_are_refused_with_a_way_out(name):
    t = build(name, 2, 2).transform
    with pytest.raises(ValueError, match=r"scalar inputs only.*tensor transform.*undo_inputs"):
        t.gains(np.array([[[1.0, 0.0], [0.0, 2.0]]]))


# --- moments under noise --------------------------------------------------------------------------------------------


SMALL = [("elementary", 4, 1), ("planar", 3, 2), ("planar", 2, 2)] + [
    (name, L, D)
    for name in ("convolution", "polarized", "tensor", "naive")
    for L, D in [(4, 1), (3, 2), (2, 3), (1, 3)]
]


@pytest.mark.parametrize("probability", [0.5, 0.2])
@pytest.mark.parametrize(("name", "L", "D"), SMALL)
def test_mean_and_covariance_are_exact_for_two_point_noise(name, L, D, probability):
    case = build(name, L, D)
    rng = np.random.default_rng(L * 10 + D)
    means, roots = rng.normal(size=(L, D)), noise_roots(rng, L, D, size=1.0)
    mean, covariance = twins.two_point_moments(case.twin, means, roots, probability)
    computed = case.transform.readings.covariance(means, covariances(roots))
    assert_allclose(case.transform.transform(means), mean, rtol=0, atol=1e-11 * (1 + abs(mean).max()))
    assert_allclose(computed, covariance, rtol=0, atol=1e-11 * abs(covariance).max())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("law", LAWS)
@largest_case
def test_mean_and_covariance_under_noise_by_monte_carlo(name, L, D, law, seed):
    case = build(name, L, D)
    n, rng = 20_000, np.random.default_rng(seed)
    means, roots = 2.0 * rng.normal(size=(L, D)), noise_roots(rng, L, D)
    x = LAWS[law](rng, (n, L, D))
    z = case.transform.transform(means + np.einsum("lij,nlj->nli", roots, x))
    deviation = z - case.transform.transform(means)
    products = deviation[:, :, None] * deviation[:, None, :]
    covariance = case.transform.readings.covariance(means, covariances(roots))
    assert agrees(deviation, 0.0)
    assert agrees(products, covariance)
    assert not agrees(products, 1.25 * covariance)
    assert not agrees(products, np.diag(np.diag(covariance)))
    assert not agrees(deviation, 0.2 * np.sqrt(np.diag(covariance)))


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_common_to_all_systems_biases_the_mean(seed):
    """Independence across systems is what the exact mean rests on; without it e_2 is off by their covariance."""
    rng = np.random.default_rng(seed)
    e, means, n = elementary(2), np.array([[1.0], [3.0]]), 20_000
    common = e.transform(means + rng.standard_normal((n, 1, 1))) - e.transform(means)
    assert not agrees(common, 0.0)
    assert agrees(common, np.array([0.0, 1.0]))


@largest_case
def test_orders_of_the_covariance_add_up_and_scale_as_powers(name, L, D):
    t = build(name, L, D).transform
    rng = np.random.default_rng(4)
    means, noise = rng.normal(size=(2, L, D)), covariances(noise_roots(rng, L, D))
    orders = t.readings.covariance_by_order(means, noise)
    assert orders.shape == (2, L, t.readings.size, t.readings.size)
    assert_allclose(orders.sum(axis=-3), t.readings.covariance(means, noise), rtol=1e-13)
    scaled = t.readings.covariance_by_order(means, 1e-3 * noise)
    powers = 1e-3 ** np.arange(1, L + 1)[:, None, None]
    assert_allclose(scaled, powers * orders, rtol=1e-9, atol=0 if L == 1 else 1e-12 * 1e-3**L * abs(orders).max())
    for j, order in enumerate(orders[0], start=1):  # j noises need j factors: nothing below degree j
        assert_array_equal(order[t.readings.degrees < j], 0.0)
        assert np.linalg.eigvalsh(order).min() >= -1e-12 * abs(order).max()


@largest_case
def test_first_order_of_the_covariance_is_the_delta_method(name, L, D):
    t = build(name, L, D).transform
    rng = np.random.default_rng(5)
    means, noise = rng.normal(size=(L, D)), covariances(noise_roots(rng, L, D))
    J = t.readings.jacobian(means)
    expected = np.einsum("mli,lij,nlj->mn", J, noise, J)
    assert_allclose(t.readings.covariance_by_order(means, noise)[0], expected, atol=1e-12 * abs(expected).max())


@largest_case
def test_covariance_takes_one_noise_for_all_or_one_for_each(name, L, D):
    t = build(name, L, D).transform
    rng = np.random.default_rng(6)
    means, noise = rng.normal(size=(3, L, D)), covariances(noise_roots(rng, 1, D))[0]
    expected = t.readings.covariance(means, noise)
    assert_array_equal(t.readings.covariance(means, np.broadcast_to(noise, (L, D, D))), expected)
    assert_array_equal(t.readings.covariance(means, np.broadcast_to(noise, (3, L, D, D))), expected)
    assert_allclose(t.readings.covariance(means[1], noise), expected[1], rtol=1e-12, atol=1e-14)
    assert_array_equal(t.readings.covariance(means, np.zeros((D, D))), 0.0)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_covariance_under_inputs_is_that_of_the_readings(p):
    t = build("tensor", 2, 2, reading_dim=p).transform
    rng = np.random.default_rng(p)
    theta, psi, noise = rng.normal(size=(2, 2)), rng.normal(size=(4, p, 2)), 0.1 * np.eye(p)
    for one, P in zip(t.covariance(theta, psi, noise), psi):
        assert_allclose(one, t.readings.covariance(theta @ P.T, noise), rtol=1e-12, atol=1e-15)


# --- and back -------------------------------------------------------------------------------------------------------


@every_case
def test_round_trip_of_separated_parameters(name, L, D):
    t = build(name, L, D).transform

    @checked
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        theta = separated(np.random.default_rng(seed), L, D, gap=1.0)
        if name == "naive":
            theta = np.sort(theta, axis=0)
        found = t.inverse(t.parameters.transform(theta))
        # First order: the rounding of the coefficients, times how far it moves the parameters.
        lam = t.parameters.transform(abs(theta))
        bound = 1e3 * np.finfo(float).eps * np.linalg.norm(t.sensitivity(theta), 2) * np.linalg.norm(lam)
        assert distance(found.theta, theta) <= max(bound, 1e-8)
        assert_allclose(found.imaginary, 0.0, atol=1e-6)
        assert not found.is_complex.any()
        assert 1 <= found.condition < 1e8

    holds()


@every_case
def test_inverse_of_batches(name, L, D):
    t = build(name, L, D).transform
    rng = np.random.default_rng(0)
    lam = np.stack([[t.parameters.transform(separated(rng, L, D)) for _ in range(3)] for _ in range(2)])
    found = t.inverse(lam)
    assert found.theta.shape == found.imaginary.shape == (2, 3, L, D)
    assert found.condition.shape == (2, 3)
    assert found.is_complex.shape == (2, 3, L)
    one = t.inverse(lam[1, 2])
    assert_allclose(one.theta, found.theta[1, 2], atol=1e-9)
    empty = t.inverse(lam[:0])
    assert empty.theta.shape == (0, 3, L, D)
    assert empty.condition.shape == (0, 3)


@pytest.mark.parametrize("name", ["convolution", "polarized", "tensor"])
@pytest.mark.parametrize("seed", SEEDS)
def test_complex_pairs_are_reported_row_by_row(name, seed):
    """Coefficients of two conjugate rows are real; the pair comes back with its imaginary parts, the third row real."""
    case = build(name, 3, 2)
    rng = np.random.default_rng(seed)
    real, imaginary = separated(rng, 3, 2, gap=2.0), rng.uniform(0.5, 1.0, size=2)
    rows = real[[0, 0, 1]] + 1j * np.outer([1, -1, 0], imaginary)
    lam = case.twin(rows)
    assert_allclose(lam.imag, 0.0, atol=1e-12)
    found = case.transform.inverse(lam.real)
    assert distance(found.theta + 1j * found.imaginary, rows) < 1e-7
    assert sorted(found.is_complex) == [False, True, True]
    merged = found.theta[found.is_complex]
    assert_allclose(merged[0], merged[1], atol=1e-7)  # real parts alone would be one row twice


@pytest.mark.parametrize("name", ["elementary", "naive"])
def test_complex_pair_of_numbers(name):
    found = build(name, 2, 1).transform.inverse(np.array([2.0, 2.0]))  # 1 + i and 1 - i
    assert_allclose(found.theta.ravel(), [1.0, 1.0], atol=1e-12)
    assert_allclose(found.imaginary.ravel(), [-1.0, 1.0], atol=1e-12)
    assert found.is_complex.all()


@pytest.mark.parametrize(("name", "L", "D"), [case for case in ALL if case[1] > 1])
def test_condition_tells_coincident_parameters(name, L, D):
    t = build(name, L, D).transform
    theta = separated(np.random.default_rng(1), L, D)
    apart = t.inverse(t.parameters.transform(theta)).condition
    theta[1] = theta[0]
    assert t.inverse(t.parameters.transform(theta)).condition > 1e5 * apart


@pytest.mark.parametrize("name", NAMES)
def test_condition_grows_as_parameters_meet(name):
    L, D = SIZES[name][1] if name in ("elementary", "planar") else (2, 2)
    t = build(name, L, D).transform
    conditions = []
    for gap in (1.0, 1e-1, 1e-2, 1e-3):
        theta = np.outer(np.arange(L) * gap, np.arange(1, D + 1)) + 1.0
        conditions.append(t.inverse(t.parameters.transform(theta)).condition)
    assert np.all(np.diff(np.log10(conditions)) > 0.5)


# --- small parts ----------------------------------------------------------------------------------------------------


@checked
@given(points(5, 2))
def test_canonical_order_is_that_of_sorted_tuples(theta):
    theta = theta.round() + 0.0
    assert theta[canonical_order(theta)].tolist() == sorted(theta.tolist())


def test_canonical_order_of_batches_and_of_complex_rows():
    theta = np.array([[[2.0], [1.0]], [[1.0], [2.0]]])
    assert_array_equal(canonical_order(theta), [[1, 0], [0, 1]])
    assert_array_equal(canonical_order(np.array([[1 + 1j], [1 - 1j]])), [1, 0])


def test_a_double_root_split_by_rounding_is_not_a_complex_pair():
    found = Inverse(np.ones((2, 1)), np.array([[1e-8], [-1e-8]]), np.array(1e8))
    assert not found.is_complex.any()
    assert Inverse(np.ones((2, 1)), np.array([[1e-3], [-1e-3]]), np.array(1e3)).is_complex.all()
