"""Bounds of answers, against all outcomes and against labeled ones; the price of rounding by quadrature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.answers.cases import count_law
from vieta.errors import InputError
from vieta.laws import answers
from vieta.theory import (
    answer_bound,
    answers_needed,
    cramer_rao,
    dither_price,
    quantization_price,
    rounding_bias,
    rounding_price,
)

OFFSET = np.linspace(-3.0, 3.0, 13)
THETA = np.array([-1.0, 1.0])


def test_the_bound_of_binary_answers_is_the_information_over_all_outcomes():
    information, step = np.zeros((2, 2)), 1e-5
    for b in OFFSET:
        P = count_law(stats.logistic.cdf(THETA + b))
        moved = [
            [count_law(stats.logistic.cdf(THETA + b + sign * step * np.eye(2)[j])) for sign in (1, -1)]
            for j in range(2)
        ]
        slopes = [(up - down) / (2 * step) for up, down in moved]
        information += [[np.sum(a * c / P) for c in slopes] for a in slopes]
    found = answer_bound(THETA, answers.Binary(), offset=OFFSET)
    assert_allclose(found.covariance, np.linalg.inv(information / len(OFFSET)), rtol=1e-6)
    needed = answers_needed(THETA, answers.Binary(), 0.1, offset=OFFSET)
    assert 1.96 * found.stderr(needed).max() <= 0.1001
    assert 1.95996 * found.stderr(needed - 1).max() > 0.0999


@pytest.mark.parametrize(
    ("law", "variance"),
    [
        (answers.Count(), lambda eta: np.exp(-eta)),
        (answers.Binary("logit"), lambda eta: 1.0 / (stats.logistic.cdf(eta) * stats.logistic.sf(eta))),
        (answers.Ordinal((0.0,)), lambda eta: 1.0 / (stats.logistic.cdf(eta) * stats.logistic.sf(eta))),
        (answers.Rounded(0.01), lambda eta: 1.0),
    ],
)
def test_one_system_has_the_textbook_bound(law, variance):
    for eta in (-0.5, 0.8):
        found = answer_bound([eta], law, draws=40_000).covariance[0, 0]
        assert_allclose(found, variance(eta), rtol=0.05)


def test_labels_are_worth_something_and_fewer_levels_cost():
    inputs = np.column_stack([np.ones(9), np.linspace(-2, 2, 9)])
    theta = np.array([[-1.0, 1.0], [1.0, -0.5]])
    errors = [
        np.trace(answer_bound(theta, law, inputs).covariance)
        for law in (answers.Ordinal((-3, -2, -1, 0, 1, 2, 3)), answers.Ordinal((-1, 1)), answers.Binary())
    ]
    assert errors[0] < errors[1] < errors[2]
    with pytest.raises(InputError):
        answer_bound(theta, answers.Binary(), np.ones(9))
    with pytest.raises(InputError):
        answer_bound(theta, answers.Number(), inputs)


@pytest.mark.parametrize("step", [0.3, 1.0, 2.0, 3.0])
def test_the_price_of_rounding_is_that_of_the_fisher_information(step):
    values = step * np.arange(-60, 61)
    phases = step * (np.arange(200) + 0.5) / 200
    a = values - step / 2 - phases[:, None]
    P = np.maximum(stats.norm.cdf(a + step) - stats.norm.cdf(a), 1e-300)
    terms = np.where(abs(a) < 7.0, (stats.norm.pdf(a) - stats.norm.pdf(a + step)) ** 2 / P, 0.0)
    information = terms.sum(axis=1).mean()
    assert_allclose(rounding_price(step), 1.0 / information, rtol=1e-3)
    assert_allclose(rounding_price(2 * step, 2.0), rounding_price(step), rtol=1e-9)
    if step < 1:
        assert_allclose(rounding_price(step), 1 + step**2 / 12, rtol=1e-3)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_the_price_of_a_scale_is_that_of_maximum_likelihood_from_its_levels(levels):
    """Labeled means of which only the level is seen, by scoring on shares of levels; a scale of many levels costs nothing."""
    cuts, rng, n, runs = (
        np.linspace(-1.0, 1.0, levels + 1)[1:-1] if levels > 2 else np.zeros(1),
        np.random.default_rng(0),
        400,
        1500,
    )
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    counts = np.stack(
        [
            np.bincount((one[:, None] > cuts).sum(axis=1), minlength=levels)
            for one in 0.3 + rng.standard_normal((runs, n))
        ]
    )
    m = np.full(runs, 0.3)
    for _ in range(8):
        a = ends - m[:, None]
        P, slope = np.diff(stats.norm.cdf(a), axis=1), -np.diff(stats.norm.pdf(a), axis=1)
        m = m + (counts * slope / P).sum(axis=1) / (n * (slope**2 / P).sum(axis=1))
    price = quantization_price(cuts, [0.3])
    assert abs(n * m.var() / price - 1.0) < 5.0 * np.sqrt(2.0 / runs) + 0.05
    assert price > quantization_price(np.linspace(-5, 5, 101), [0.3]) > 1.0
    assert_allclose(
        quantization_price(2.0 * np.arange(-9, 10), np.linspace(-1, 1, 65)[:-1] + 1 / 64),
        rounding_price(2.0),
        rtol=1e-3,
    )
    with pytest.raises(InputError):
        quantization_price([1.0, 0.0], [0.0])


# --- labeled levels: the bound and the estimator of Wang and Yin (Automatica 43, 2007), written anew ------------------

LAWS = {"probit": stats.norm, "logit": stats.logistic}
SCALES = {2: [0.3], 3: [-0.8, 0.5], 6: [-1.2, -0.5, 0.3, 1.0, 2.2]}


def wang_yin_information(F, C, u, theta):
    """sum_i h_i^2 / p_i of one answer to the input u, p_i the probability of level i and h_i its slope by theta."""
    a = np.concatenate([[-np.inf], C, [np.inf]]) - u * theta
    p, h = np.diff(F.cdf(a)), -u * np.diff(F.pdf(a))
    return np.sum(h**2 / p)


def single_thresholds(F, C, u, shares):
    """(runs, m) estimates C_i - F^-1(share of answers up to level i), and their covariance (runs, m, m) times the number of answers."""
    a = F.ppf(shares)
    low = np.minimum(shares[:, :, None], shares[:, None, :])
    f = F.pdf(a) * u
    return (C - a) / u, (low - shares[:, :, None] * shares[:, None, :]) / (f[:, :, None] * f[:, None, :])


def quasi_convex_combination(F, C, u, shares):
    """The combination of single-threshold estimates with weights V^-1 1 / (1' V^-1 1), V their covariance where they are."""
    each, V = single_thresholds(F, C, u, shares)
    weights = np.linalg.solve(V, np.ones((*V.shape[:2], 1)))[:, :, 0]
    return (each * weights).sum(axis=1) / weights.sum(axis=1)


@pytest.mark.parametrize("link", LAWS)
@pytest.mark.parametrize("levels", SCALES)
def test_labeled_levels_tell_what_wang_and_yin_say(link, levels):
    C, psi, theta = np.array(SCALES[levels]), np.array([0.5, 1.0, -1.3, 2.0]), np.array([-0.7, 0.4, 1.1])
    found = answer_bound(theta, answers.Ordinal(C, link), psi, labeled=True).covariance
    each = [[wang_yin_information(LAWS[link], C, u, one) for u in psi] for one in theta]
    assert_allclose(found, np.diag(1.0 / np.mean(each, axis=1)), rtol=1e-9, atol=1e-12)
    if link == "probit":
        assert_allclose(
            quantization_price(C, theta), 1.0 / np.mean([wang_yin_information(stats.norm, C, 1, t) for t in theta])
        )
    if levels == 2:
        binary = answer_bound(theta, answers.Binary(link), psi, -C[0] * np.ones(4), labeled=True).covariance
        assert_allclose(binary, found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("link", LAWS)
@pytest.mark.parametrize("levels", [3, 6])
def test_their_combination_of_thresholds_reaches_the_labeled_bound(link, levels):
    """From drawn levels; equal weights, and the bound of another number of levels, are told apart from it."""
    F, C, u, theta, n, runs = LAWS[link], np.array(SCALES[levels]), 1.4, 0.6, 3000, 40_000
    rng = np.random.default_rng(levels)
    counts = rng.multinomial(n, np.diff(F.cdf(np.concatenate([[-np.inf], C, [np.inf]]) - u * theta)), size=runs)
    shares = np.cumsum(counts, axis=1)[:, :-1] / n

    def reached(estimates, cuts):
        bound = answer_bound([theta], answers.Ordinal(cuts, link), [u], labeled=True).after(n)[0, 0]
        chance = 4.0 * np.sqrt(2.0 / runs)
        return abs(estimates.var() / bound - 1.0) < chance and abs(estimates.mean() - theta) < chance * np.sqrt(bound)

    found = quasi_convex_combination(F, C, u, shares)
    assert reached(found, C)
    assert not reached(single_thresholds(F, C, u, shares)[0].mean(axis=1), C)
    assert not reached(found, C[::2])


def test_the_price_of_a_scale_goes_to_one_as_levels_are_added():
    means = np.linspace(-1.0, 1.0, 21)
    prices = [quantization_price(np.linspace(-5.0, 5.0, M + 1)[1:-1], means) for M in (2, 4, 8, 16, 32, 64, 128)]
    assert (np.diff(prices) < 0.0).all()
    assert 1.0 < prices[-1] < 1.001
    assert_allclose(quantization_price([0.7], [0.7]), np.pi / 2.0, rtol=1e-9)
    fine = answer_bound([0.3], answers.Ordinal(np.linspace(-12.0, 12.0, 400)), labeled=True, draws=1000)
    assert_allclose(fine.covariance, 3.0, rtol=1e-3)  # of a logistic number


def test_unlabeled_levels_cost_more_than_labeled_ones_and_as_much_where_systems_are_far_apart():
    items, wide = np.linspace(-1.0, 1.0, 5), np.linspace(-4.0, 12.0, 18)
    for theta, cuts in [((-1.0, 0.0, 1.0), np.linspace(-4.0, 4.0, M + 1)[1:-1]) for M in (2, 3, 5, 9)]:
        with_labels, without = prices(theta, cuts, items)
        assert without > with_labels + 0.05
    with_labels, without = prices((0.0, 8.0), wide, items)
    assert_allclose(without, with_labels, rtol=0.01)


def prices(theta, cuts, items):
    """The mean variance by levels over that by the numbers themselves, with labels and without."""
    found = []
    for labeled in (True, False):
        numbers = cramer_rao(theta, 1.0, labeled=labeled)
        levels = answer_bound(theta, answers.Ordinal(cuts, "probit"), offset=items, labeled=labeled)
        found.append(np.trace(levels.covariance) / np.trace(numbers.covariance))
    return found


def test_all_sets_of_levels_tell_what_simulated_ones_do():
    items, law = np.linspace(-1.0, 1.0, 5), answers.Ordinal((-1.0, 0.5, 1.5), flipped=0.1)
    inputs = np.column_stack([np.ones(5), items])
    theta = [[-1.0, 0.5], [1.0, -0.5]]
    exact = answer_bound(theta, law, inputs).covariance
    assert_allclose(answer_bound(theta, law, inputs, seed=1).covariance, exact)  # nothing is drawn
    two = [
        answer_bound((-1.0, 0.0, 2.0), one, offset=items).covariance
        for one in (answers.Ordinal((0.0,)), answers.Binary())
    ]
    assert_allclose(two[0], two[1], rtol=1e-9)
    simulated = answer_bound(theta, law, inputs, draws=49).covariance  # fewer than 5 times 10 sets
    assert not np.allclose(simulated, exact)
    many = [np.linalg.inv(answer_bound(theta, law, inputs, draws=45, seed=s).covariance) for s in range(800)]
    off = np.mean(many, axis=0) - np.linalg.inv(exact)
    assert (abs(off) < 4.5 * np.std(many, axis=0) / np.sqrt(800)).all()


def test_labels_leave_what_is_shared_to_all_systems():
    """The deviation of rounded numbers is one for all; counts have nothing beside their means."""
    theta = (0.2, 3.4)
    found = answer_bound(theta, answers.Rounded(1.0), labeled=True, draws=40_000).covariance
    assert_allclose(np.diag(found), rounding_price(1.0), rtol=0.05)
    counted = answer_bound((0.0, 1.0), answers.Count(), labeled=True, draws=40_000).covariance
    assert_allclose(counted, np.diag(np.exp([0.0, -1.0])), rtol=0.05, atol=1e-9)


@pytest.mark.parametrize("width", [1.0, 2.0, 3.0])
def test_ignoring_the_rounding_is_biased_by_so_much_and_a_dither_removes_it_at_a_price(width):
    rng, places, n = np.random.default_rng(1), width * np.arange(16) / 16.0, 60_000
    y = places[:, None] + rng.standard_normal((16, n))
    plain, dithered = (width * np.rint(y / width + shift) for shift in (0.0, rng.random(y.shape) - 0.5))
    off, chance = abs(plain.mean(axis=1) - places).max(), 4.5 * np.sqrt((1.0 + width**2 / 4.0) / n)
    assert abs(off - rounding_bias(width)) < chance + 0.05 * rounding_bias(width)
    assert abs(dithered.mean(axis=1) - places).max() < chance
    assert_allclose(dithered.var(axis=1).mean(), dither_price(width), rtol=0.02)
    if width == 3.0:
        assert off > 2.0 * chance  # what the dither removes
