"""The greedy search for systems to begin from."""

import numpy as np
import pytest

from tests.adaptive.cases import THETA, TRACKS, draw
from vieta.adaptive.first_systems import Sample, first_systems
from vieta.matching import match_rows

LINES = np.array([[1.0, 2.0, 0.0], [-2.0, 0.5, 3.0], [3.0, -3.0, 1.0]])


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    ("theta", "tracks", "sd"),
    [(THETA, False, 0.2), (LINES, False, 0.2), (TRACKS, True, 0.3)],
    ids=["one", "lines", "tracks"],
)
def test_they_are_near_the_truth(theta, tracks, sd, seed):
    drawn = draw(300, seed, theta=theta, tracks=tracks, sd=sd)
    found = first_systems(Sample.of(drawn.data), len(theta), 0.7, np.random.default_rng(seed))
    order = match_rows(found.theta, theta)
    assert abs(found.theta[order] - theta).max() < 0.5
    assert np.all((found.sd > 0.2 * sd) & (found.sd < 8 * sd))


def test_units_do_not_matter():
    drawn = draw(200, 0)
    small, large = (
        first_systems(Sample.of(type(drawn)([unit * one for one in drawn.sets], drawn.inputs, drawn.theta, drawn.owners).data),
                      3, 0.7, np.random.default_rng(0))
        for unit in (1.0, 1e6)
    )  # fmt: skip
    np.testing.assert_allclose(large.theta, 1e6 * small.theta, rtol=1e-6)
    np.testing.assert_allclose(large.sd, 1e6 * small.sd, rtol=1e-6)
