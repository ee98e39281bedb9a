"""Parameters along a stream: what `SymmetricFilter.trace` returns."""

import dataclasses

import numpy as np
import pytest

import vieta
from vieta.estimators.trajectory import Trajectory


def test_a_trajectory_has_an_entry_for_each_piece():
    records = vieta.simulate("example-1", n=300, seed=0)
    path = vieta.SymmetricFilter(3, method="rls").trace(records.sets, records.inputs, every=70)
    assert isinstance(path, Trajectory)
    assert path.index.tolist() == [70, 140, 210, 280, 300]
    assert path.theta.shape == path.imaginary.shape == (5, 3, 1)
    np.testing.assert_allclose(path.theta[-1].ravel(), records.truth.ravel(), atol=0.05)


def test_it_cannot_be_changed():
    path = Trajectory(np.zeros(1, dtype=np.int64), np.zeros((1, 2, 1)), np.zeros((1, 2, 1)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.index = np.ones(1, dtype=np.int64)
