"""What a filter was asked to do, and a state that has seen nothing."""

import numpy as np
import pytest

from vieta.sets import as_data
from vieta.weighted import tracking_state
from vieta.weighted.tracking_state import YOUNG, Settings


def test_first_sets_are_kept_unless_parameters_are_said_to_move():
    assert Settings().keeps == YOUNG
    assert Settings(young=0).keeps == 0
    for moving in (Settings(forgetting=0.99), Settings(drift=np.eye(2)), Settings(adaptive=True)):
        assert moving.keeps == 0


@pytest.mark.parametrize(("p", "D"), [(1, 1), (1, 2), (2, 3)])
def test_a_state_before_any_set_is_one_that_a_stream_leaves(p, D):
    data = as_data(np.zeros((1, 3, p)), np.ones((1, p, D)))
    state = tracking_state.init(data.part(0, 0))
    tracking_state.check(state)
    assert len(tracking_state.collected(state)) == len(tracking_state.held(state)) == 0
    assert (state.tracking, state.shared.active) == (0, 0)
