"""The order of time among rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.files import rows
from vieta.files.rows import time_order

KEYS = {
    "narrow": lambda rng: rng.integers(-50, 50, 1000),
    "wide": lambda rng: rng.integers(-(2**62), 2**62, 1000),
    "unsigned": lambda rng: rng.integers(0, 300, 1000).astype(np.uint32),
    "whole": lambda rng: rng.integers(-50, 50, 1000).astype(float),
    "far": lambda rng: 2.0**60 * rng.integers(0, 9, 1000),
    "numbers": lambda rng: rng.normal(size=1000).round(1),
}


@pytest.mark.parametrize("many", [0, 10_000])
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_order_sorts_and_keeps_equals_as_they_stand(kind, many, seed, monkeypatch):
    monkeypatch.setattr(rows, "MANY", many)
    key = KEYS[kind](np.random.default_rng(seed))
    assert_array_equal(time_order(key), np.argsort(key, kind="stable"))
    assert time_order(np.sort(key)) is None
