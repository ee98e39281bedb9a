import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.likelihood.cases import passes_of
from vieta.errors import InputError
from vieta.laws.noise import Gaussian, Laplace, Skewed
from vieta.likelihood import model
from vieta.likelihood.score_sums import (
    Excluded,
    ScoreSums,
    Together,
    in_pieces,
    moved,
    places,
    require_possible,
    step_by_products,
)
from vieta.sets import as_data
from vieta.sums import in_memory

FIELDS = ("count", "likelihood", "slope", "products")
CHOSEN = [CASES[i] for i in (0, 1, 3, 8, 14, 16)]


@pytest.mark.parametrize("blocks", [1, 3, 8])
@pytest.mark.parametrize("case", CHOSEN, ids=str)
def test_sums_are_those_of_every_set(case, blocks):
    sets, psi = case.draw(24, noise=0.5)
    at = model.evaluate(as_data(sets, psi), case.theta, Laplace(0.4))
    [place] = places(passes_of(sets, psi, blocks), [(case.theta, Laplace(0.4))])
    s = np.column_stack([at.scores, at.scale_scores])
    expected = len(s), at.log_likelihood.sum(), s.sum(axis=0), sum(np.outer(one, one) for one in s)
    for name, value in zip(FIELDS, expected):
        scale = np.max(abs(value))
        assert_allclose(getattr(place.sums, name), value, rtol=1e-9, atol=1e-12 * scale, err_msg=name)
    assert place.likelihood == place.sums.likelihood
    slope, products = place.sums.about(scale_known=True)
    assert (len(slope), products.shape) == (case.theta.size, (case.theta.size,) * 2)
    assert len(place.sums.about(scale_known=False)[0]) == case.theta.size + 1
    assert not np.allclose(place.sums.slope, (s[1:]).sum(axis=0))  # a set too few is noticed


def test_several_places_take_one_pass():
    reads = []
    data = as_data(*CASES[1].draw(30, noise=0.5))
    passes = in_memory(data, 3)
    counted = type(passes)(passes.like, lambda: reads.append(1) or passes.read())
    chosen = [(CASES[1].theta, Gaussian(0.5)), (CASES[1].theta + 0.1, Gaussian(0.7))]
    found = places(counted, chosen)
    assert len(reads) == 1
    for (theta, law), place in zip(chosen, found):
        [alone] = places(passes, [(theta, law)])
        assert place.theta is theta
        assert place.likelihood == alone.likelihood
    assert found[0].likelihood != found[1].likelihood


def test_pieces_of_a_block_keep_the_numbers_of_their_sets():
    data, seen = as_data(np.arange(22.0).reshape(11, 2), None), []

    def work(piece, before):
        seen.append((before, len(piece)))
        return float(piece.sets.sum())

    assert in_memory(data, 2).total(in_pieces(work, 3)) == data.sets.sum()
    assert seen == [(0, 3), (3, 2), (5, 3), (8, 3)]


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_excluded_sets_are_counted_and_the_first_is_named(blocks):
    law = Skewed(1.0, skewness=0.8)
    sets = np.array([0.0, 3.0]) + np.abs(np.random.default_rng(0).normal(size=(20, 2)))
    sets[[7, 13]] = -50.0, 3.0
    [place] = places(passes_of(sets, blocks=blocks), [(np.array([[0.0], [3.0]]), law)])
    assert (place.sums.excluded.count, place.sums.excluded.first) == (2, 7)
    assert place.likelihood == -np.inf
    with pytest.raises(InputError) as error:
        require_possible(place.sums.excluded, law)
    assert error.value.facts == {"index": 7, "count": 2, "law": "Skewed"}
    require_possible(Excluded(), law)


def test_excluded_sets_add_in_the_order_of_time():
    none, some, later = Excluded(), Excluded(2, 5), Excluded(1, 90)
    for first, second, expected in ((none, none, (0, -1)), (none, some, (2, 5)), (some, none, (2, 5))):
        assert ((first + second).count, (first + second).first) == expected
    assert ((some + later).count, (some + later).first) == (3, 5)


def test_sums_that_go_together_add_each_to_its_like():
    both = Together((1, 2.0)) + Together((10, 20.0))
    assert both.each == (11, 22.0)


def test_steps_are_newton_steps_and_the_shortest_where_they_are_not_determined():
    M, g = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    assert_allclose(step_by_products(g, M), np.linalg.solve(M, g))
    assert_allclose(step_by_products(np.array([1.0, 1.0]), np.ones((2, 2))), [0.5, 0.5])


def test_moves_of_parameters_and_of_the_logarithm_of_the_scale():
    theta, law = np.array([[1.0, 2.0], [3.0, 4.0]]), Laplace(2.0)
    near, same = moved(theta, law, np.array([0.1, 0.2, 0.3, 0.4]))
    assert_allclose(near, [[1.1, 2.2], [3.3, 4.4]])
    assert same is law
    _, louder = moved(theta, law, np.array([0.0, 0.0, 0.0, 0.0, np.log(3.0)]))
    assert_allclose(louder.variance, 6.0)


def test_an_evaluation_of_ones_own_may_be_summed():
    def evaluate(data, theta, law):
        n = len(data)
        return model.Evaluation(np.full(n, 2.0), np.ones((n, 2)), np.zeros(n))

    [place] = places(passes_of(np.zeros((10, 2)), blocks=2), [(np.zeros((2, 1)), Gaussian())], evaluate, 3)
    assert isinstance(place.sums, ScoreSums)
    assert (place.sums.count, place.likelihood) == (10, 20.0)
    assert_allclose(place.sums.products, np.diag([10.0, 10.0, 0.0]) + 10.0 * np.eye(3)[:, [1, 0, 2]] * [1, 1, 0])
