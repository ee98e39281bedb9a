"""Findings of incomplete sets: reported where they are true, silent on clean data."""

from dataclasses import replace

import numpy as np
import pytest

from tests.adaptive.cases import draw
from vieta.adaptive import set_findings
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.set_findings import law_difference, of_fit, of_rivals


def codes(found):
    return {one.code for one in of_fit(found)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clean_data_are_silent(seed):
    assert codes(fit(draw(500, seed).passes())) == set()


def test_ends_of_ranges():
    whole = draw(300, 0, seen=1.0, rate=0.0)
    assert codes(fit(whole.passes(), misses=True, clutter=True)) == {"always-seen", "no-clutter"}


def test_a_system_that_is_hardly_seen():
    drawn = draw(400, 1, seen=[0.9, 0.9, 0.03], rate=0.3)
    assert "hardly-seen" in codes(fit(drawn.passes()))


def test_readings_of_no_system():
    drawn = draw(400, 2, rate=0.0, sd=0.1)
    for k in (5, 80, 200, 333):
        drawn.sets[k] = np.full((1, 1), 30.0)
    assert "readings-unexplained" in codes(fit(drawn.passes()))


def test_another_optimum():
    found = fit(draw(300, 0).passes())
    near = replace(found.chosen.climbed)
    assert of_rivals(replace(found, rivals=())) == ()
    [one] = of_rivals(replace(found, rivals=(near,)))
    assert one.code == "rival-optimum"
    assert one.facts["behind"] == 0.0


def test_the_law_matters_by_standard_errors():
    cov = np.diag([0.04, 0.01])
    assert law_difference(np.array([[1.0], [2.0]]), np.array([[1.2], [2.5]]), cov) == pytest.approx(5.0)
    assert set_findings.MATTERS < 5.0


def test_systems_at_the_same_place_are_not_separated():
    """Their scores are the same, so that the covariance of their difference is zero; a gap of rounding is no separation."""
    drawn = draw(300, 0, theta=np.array([[5.0], [5.1]]), sd=1.0, rate=0.0)
    found = fit(drawn.passes())
    model = replace(found.chosen.model, theta=np.array([[5.05], [5.05001]]))
    chosen = replace(found.chosen, climbed=replace(found.chosen.climbed, model=model))
    same = replace(found, chosen=chosen, errors=replace(found.errors, cov=np.full((2, 2), 4e-4)))
    assert "not-separated" in {one.code for one in of_fit(same)}
