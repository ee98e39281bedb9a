"""Who is who."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.adaptive.cases import draw, model_of
from vieta.adaptive.reading_associations import associate, best_assignments, kept, restored
from vieta.adaptive.set_model import expect
from vieta.adaptive.sieve import UnitLaw, begun


def test_probabilities_are_right_as_often_as_they_say():
    drawn = draw(1500, 0, sd=1.0)
    estimate = vieta.fit(drawn.sets, drawn.inputs, n_systems=3)
    found = estimate.associations(drawn.sets, drawn.inputs)
    every = np.column_stack([found.systems, found.clutter])
    assert_allclose(every.sum(axis=1), 1.0)
    assert_allclose(found.missed, 1.0 - np.add.reduceat(np.vstack([found.systems, np.zeros(3)]), found.offsets[:-1])
                    * (np.diff(found.offsets) > 0)[:, None], atol=1e-9)  # fmt: skip
    truth = np.where(drawn.owners < 0, 3, drawn.owners)
    for low, high in ((0.2, 0.5), (0.5, 0.8), (0.8, 0.99)):
        rows, columns = np.nonzero((every > low) & (every <= high))
        said, right = every[rows, columns].mean(), (truth[rows] == columns).mean()
        assert abs(said - right) < 5.0 * np.sqrt(said * (1 - said) / len(rows)) + 0.01
    sure = every.max(axis=1) > 0.9
    assert_array_equal(np.where(found.best < 0, 3, found.best)[sure], every.argmax(axis=1)[sure])


@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (1, 1), (4, 4)])
def test_the_best_assignment_is_the_best_of_all(shape):
    rng = np.random.default_rng(sum(shape))
    odds = 2.0 * rng.normal(size=shape)
    n, L = shape
    best = max(
        (a for a in product(range(-1, L), repeat=n) if all(a.count(l) < 2 for l in range(L))),
        key=lambda a: sum(odds[i, l] for i, l in enumerate(a) if l >= 0),
    )
    assert_array_equal(best_assignments(odds, np.array([0, n])), best)
    assert len(list(permutations(range(n)))) > 0


def test_complete_sets_and_other_methods():
    rng = np.random.default_rng(0)
    sets = rng.normal([0.0, 3.0], 0.5, size=(200, 2))
    estimate = vieta.fit(sets)
    found = estimate.associations(sets[:5, ::-1])
    assert_array_equal(found.best, [1, 0] * 5)
    assert found.of(0).shape == (2, 3)
    assert found.of(0)[0, 1] > 0.9
    assert len(found) == 5
    with pytest.raises(ValueError, match="parameter"):
        estimate.associations(sets, np.ones((200, 2)))


def test_one_set_is_enough_and_it_may_be_small_or_empty():
    drawn = draw(300, 0, sd=0.3)
    estimate = vieta.fit(drawn.sets, drawn.inputs, n_systems=3)
    every = estimate.associations(drawn.sets, drawn.inputs)
    smallest = int(np.diff(every.offsets).argmin())
    for k in (0, 1, 2, smallest):
        alone = estimate.associations(drawn.sets[k : k + 1], drawn.inputs[k : k + 1])
        assert_allclose(alone.of(0), every.of(k), atol=1e-9)
        assert_allclose(alone.missed[0], every.missed[k], atol=1e-9)
    none = estimate.associations([[], []], [1.0, 2.0])
    assert len(none) == 2
    assert len(none.best) == 0
    assert_array_equal(none.missed, np.ones((2, 3)))


@pytest.mark.parametrize(
    "law", [UnitLaw(), UnitLaw(name="laplace"), begun(UnitLaw(), 0.25)], ids=["normal", "named", "sieve"]
)
def test_what_is_kept_makes_the_same_model(law):
    drawn = draw(40, 0)
    model = model_of(drawn, law=law)
    again = restored(model.theta, kept(model, np.zeros(3), 0.0))
    data = drawn.data
    assert_allclose(expect(data, again).pairs, expect(data, model).pairs)
    assert_allclose(
        associate(data, model.theta, np.eye(1), np.ones(3), kept(model, np.zeros(3), 0.0)).systems,
        expect(data, model).pairs,
    )
