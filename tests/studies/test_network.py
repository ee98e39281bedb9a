"""The study of networks, in a small version."""

import numpy as np
import pytest

from studies import network
from studies.network import ROWS, STUDY
from vieta.laws.inputs import Gaussian
from vieta.theory import efficient_covariance


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(network, "SETS", 60)


@pytest.mark.parametrize("row", ROWS[-2:], ids=lambda row: row.name)
def test_runs_become_a_line(row):
    runs = np.array([STUDY.one_run(row, seed) for seed in range(2)])
    assert runs.shape == (2, 5)
    assert (runs > 0).all()
    assert (runs[:, 3] > runs[:, 1]).all()  # alone, nobody is better
    text, _ = STUDY.line(row, runs, STUDY.bound(row))
    assert text.count("|") == network.HEADER.split("\n")[0].count("|")


def test_a_target_that_is_missed_is_noticed():
    runs = np.tile([1.0, 0.5, 0.5, 10.0, 0.95], (10, 1)) * (1 + 0.01 * np.random.default_rng(0).normal(size=(10, 1)))
    assert not STUDY.line(ROWS[0], runs, [1.0, 0.5])[1]
    runs[:, 0] /= 1.9
    assert STUDY.line(ROWS[0], runs, [1.0, 0.5])[1]


def test_what_the_network_loses_to_the_default_is_what_the_note_says():
    ratios = []
    for row in ROWS[1:5]:
        default = np.trace(efficient_covariance(row.theta, row.sd**2, Gaussian()).covariance) / (20 * 60)
        ratios.append(STUDY.bound(row)[1] / default)
        assert f"{ratios[-1]:.2f} for" in STUDY.note
    assert max(ratios) == ratios[2]
