"""What a method is, and what it has without saying so."""

import numpy as np
import pytest

import vieta
from tests.method.cases import draw, passes
from vieta.errors import InputError
from vieta.method import registry
from vieta.method.base import BatchMethod, Method
from vieta.options import Options
from vieta.predictions import Setting
from vieta.solution import Solution

METHODS = registry.every()


def test_a_method_with_an_engine_fits_by_its_filter():
    records = draw()
    method = METHODS["rls"]
    options = registry.options(method, {})
    filtered = vieta.SymmetricFilter(2, method="rls").partial_fit(records.sets, records.inputs).estimate()
    for blocks in (1, 7):
        np.testing.assert_array_equal(method.fit(passes(records, blocks), options).theta, filtered.theta)


class Constant(BatchMethod):
    """A method of the least possible size."""

    name = "constant"
    line = "Always the same."

    def fit(self, passes, options):
        like = passes.like
        n = like.n_systems * like.dim
        return Solution(
            np.zeros((like.n_systems, like.dim)), np.eye(n), np.eye(like.reading_dim), len(passes.head(10**9))
        )


def test_a_batch_method_has_no_engine_and_says_so():
    with pytest.raises(InputError) as caught:
        Constant().engine(passes(draw()).like, Options())
    assert caught.value.code == "no-engine"
    assert not Constant.has_engine
    assert Constant().fit(passes(draw(n=30)), Options()).n_sets == 30


def test_what_a_method_does_not_say_of_itself():
    assert Constant.Options is Options
    assert [Constant.default, Constant.takes_incomplete, Constant.thorough] == [False, False, False]
    with pytest.raises(InputError) as caught:
        Constant().predict(Setting([1.0, 2.0], 1.0))
    assert caught.value.code == "no-prediction"


def test_methods_cannot_be_made_without_an_estimate():
    class Half(Method):
        name = "half"
        line = "Has no engine."

    with pytest.raises(TypeError, match="abstract"):
        Half()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_predictions_have_the_shape_of_the_parameters(method):
    if method.name == "lms":
        return  # its error is that of its step
    found = method.predict(Setting([[0.0], [3.0]], 1.0, draws=3000))
    assert found.theta.shape == (2, 1)
    assert found.covariance.shape == (2, 2)
    assert np.all(np.linalg.eigvalsh(found.covariance) > 0.0)
