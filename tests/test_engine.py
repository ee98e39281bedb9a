"""What the filter asks of an algorithm, and what it does not have to ask."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.engine import Engine, require_positive, require_readings
from vieta.errors import InputError
from vieta.method import registry
from vieta.sets import as_data
from vieta.solution import Solution


@dataclass(frozen=True)
class State:
    count: int


class Counter(Engine):
    """The least that an engine is."""

    def init(self):
        return State(0)

    def advance(self, state, data):
        return State(state.count + len(data))

    def estimate(self, state):
        return Solution(np.zeros((2, 1)), np.eye(2), np.eye(1), state.count)

    def point(self, state):
        return np.arange(2.0)

    @property
    def estimate_shape(self):
        return 2, 1


def test_what_is_not_defined_has_a_default():
    engine, data = Counter(), as_data([[1.0, 2.0]] * 3, None)
    state = engine.advance(engine.init(), data)
    assert state.count == 3
    assert engine.changes(state) == ()
    assert engine.code(state) == ""
    assert engine.blank("") == engine.init()
    assert_array_equal(engine.parameters(np.array([[1.0, 2.0], [3.0, 4.0]])), [[[1.0], [2.0]], [[3.0], [4.0]]])


def test_an_engine_that_lacks_a_step_cannot_be_made():
    class Half(Counter):
        advance = Engine.advance
        estimate = Engine.estimate

    with pytest.raises(TypeError, match="abstract"):
        Half()


@pytest.mark.parametrize(
    "method", [one for one in registry.every().values() if one.has_engine], ids=lambda one: one.name
)
def test_every_method_that_has_an_engine_makes_one(method):
    data = as_data(np.random.default_rng(0).normal([0.0, 9.0], size=(40, 2)), None)
    engine = method.engine(data.part(0, 0), registry.options(method, {}))
    assert isinstance(engine, Engine)
    assert engine.estimate_shape == (2, 1)
    state = engine.advance(engine.init(), data)
    assert state.count == 40
    assert engine.estimate(state).n_sets == 40
    assert type(engine.blank(engine.code(state))) is type(state)


@pytest.mark.parametrize("matrix", [np.eye(2), np.zeros((2, 2)), [[4.0, 2.0], [2.0, 1.0]], np.diag([1e-30, 1e30])])
def test_covariances_and_informations_are_let_in(matrix):
    require_positive(np.array(matrix), "noise")


@pytest.mark.parametrize(
    "matrix", [-np.eye(2), [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[1e-300, 1e300]] * 2]
)  # fmt: skip
def test_other_matrices_are_refused(matrix):
    with pytest.raises(InputError, match="its noise is not symmetric and positive") as refused:
        require_positive(np.array(matrix), "noise")
    assert refused.value.code == "state-range"


def test_readings_of_a_state_are_such_as_a_filter_takes():
    require_readings(np.zeros((3, 2, 1)), np.zeros(3), "latest")
    for sets, inputs in ((np.zeros((3, 2, 1)), np.zeros(2)), (np.full((1, 2, 1), 1e101), np.ones(1))):
        with pytest.raises(InputError, match="its latest sets"):
            require_readings(sets, inputs, "latest")


def test_an_engine_refuses_a_negative_number_of_sets():
    Counter().check(State(0))
    with pytest.raises(InputError, match="its number of sets is negative"):
        Counter().check(State(-1))
