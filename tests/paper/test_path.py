import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta.errors import DivergedError
from vieta.paper import path
from vieta.paper.path import Guard, Path, follow, marks
from vieta.sets import as_data


@given(st.integers(1, 60), st.integers(1, 70))
def test_points_are_every_so_many_and_the_last(n, every):
    assert marks(n, every) == sorted({*range(every, n + 1, every), n})
    assert marks(n, None) == [n]


@given(n=st.integers(1, 60), every=st.integers(1, 70), piece=st.integers(1, 20))
def test_a_state_is_carried_through_every_set_once_and_in_order(n, every, piece):
    seen = []

    def advance(state, cut):
        seen.extend(range(cut.start, cut.stop))
        return state + (cut.stop - cut.start)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path, "PIECE", piece)
        index, points = follow(advance, np.zeros(1), n, every)
    assert seen == list(range(n))
    assert_array_equal(points[:, 0], index)  # how many sets it has absorbed


def test_the_final_point_is_the_last():
    assert_array_equal(Path(np.array([1, 2]), np.array([[[1.0]], [[2.0]]])).final, [[2.0]])


def guard(start, inputs=None, sets=((3.0, 4.0),) * 5):
    return Guard.of(as_data(sets, inputs), np.asarray(start, dtype=float), "Do something.")


def test_predictions_may_reach_a_thousand_times_the_readings():
    """Mean square of the readings 25, of the start 0: predictions up to 1000 * 5."""
    one = guard([[0.0], [0.0]])
    one.check(np.array([[4999.0], [0.0]]), 7)
    with pytest.raises(DivergedError) as caught:
        one.check(np.array([[5001.0], [0.0]]), 7)
    assert caught.value.code == "path-diverged"
    assert caught.value.facts == {"n_sets": 7, "times": 1000.0, "advice": "Do something."}
    assert str(caught.value).endswith("readings. Do something.")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_has_diverged(bad):
    with pytest.raises(DivergedError):
        guard([[0.0], [0.0]]).check(np.array([[bad], [0.0]]), 1)


def test_a_far_start_widens_the_limit_and_inputs_count():
    guard([[5.0], [0.0]]).check(np.array([[7000.0], [0.0]]), 1)  # 1000 * sqrt(25 + 25)
    small = guard([[0.0], [0.0]], inputs=np.full(5, 0.1))
    small.check(np.array([[49_990.0], [0.0]]), 1)  # predictions are a tenth of it
    with pytest.raises(DivergedError):
        small.check(np.array([[50_010.0], [0.0]]), 1)


def test_matrices_weigh_directions():
    psi = np.tile([[1.0, 0.0]], (5, 1))  # rows that see the first parameter only
    one = guard(np.zeros((2, 2)), inputs=psi)
    one.check(np.array([[0.0, 1e9], [0.0, 0.0]]), 1)
    with pytest.raises(DivergedError):
        one.check(np.array([[1e9, 0.0], [0.0, 0.0]]), 1)
