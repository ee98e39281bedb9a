"""Assumptions of incomplete sets: scores that are zero on average at the truth, silence on clean sets, words where one is broken."""

from dataclasses import replace

import numpy as np
import pytest

import vieta
from tests.adaptive.cases import draw, model_of
from vieta.adaptive.adaptive_fit import fit
from vieta.adaptive.broken_assumptions import (
    assumed_scores,
    assumptions,
    clutter_moments,
    lasting,
    of_assumptions,
    size_moments,
)
from vieta.adaptive.clutter_density import ClutterDensity
from vieta.adaptive.set_model import expect
from vieta.laws import clutter, detection, inputs
from vieta.laws.noise import Gaussian
from vieta.long_run import Persistence
from vieta.set_requirements import as_incomplete
from vieta.sets import as_data, in_canonical_order
from vieta.sums import in_memory

SEEN, FALSE = detection.Independent(0.7), clutter.Uniform(1.0, -10.0, 10.0)


def passes(n, seed, seen=SEEN, false=FALSE, blocks=1):
    made = vieta.simulate(
        (-2, 5, 8), n=n, seed=seed, noise=Gaussian(0.25), inputs=inputs.Gaussian(), detection=seen, clutter=false
    )
    return in_memory(in_canonical_order(as_incomplete(as_data(made.sets, made.inputs), 3)), blocks)


def codes(given):
    return {one.code for one in of_assumptions(given, fit(given))}


@pytest.mark.parametrize("seed", [0, 1])
def test_scores_are_zero_on_average_at_the_truth(seed):
    drawn = draw(6000, seed)
    centres = np.arange(-39.75, 40.0, 0.5)
    heights = np.where(abs(centres) < 10.0, 0.05, 1e-12)[None]
    truth = replace(model_of(drawn), clutter=ClutterDensity(np.array([-40.0]), np.array([0.5]), heights))
    w, false, _, rest = assumed_scores(drawn.data, truth, expect(drawn.data, truth), np.ones(1))
    columns = np.column_stack([w, false, rest[:, 0], rest[:, 1], rest[:, 2]])
    z = columns.sum(axis=0) / np.sqrt((columns**2).sum(axis=0))
    assert abs(z).max() < 4.0
    wrong = replace(truth, detection=np.full(3, 0.6))
    shifted, *_ = assumed_scores(drawn.data, wrong, expect(drawn.data, wrong), np.ones(1))
    assert abs(shifted.sum() / np.sqrt((shifted**2).sum())) > 6.0


def test_moments_of_sizes_and_of_false_readings():
    drawn = draw(20_000, 2)
    model = model_of(drawn)
    sizes = drawn.data.sizes
    mean, variance = size_moments(model)
    assert abs(sizes.mean() - mean) < 5.0 * np.sqrt(variance / 20_000)
    assert abs(sizes.var() - variance) < 5.0 * np.sqrt((variance + 2.0 * variance**2) / 20_000)
    middle, spread = clutter_moments(model.clutter)
    low, B = model.clutter.low, model.clutter.heights.shape[1]
    assert middle == pytest.approx(low + 0.5 * B * model.clutter.width)
    assert spread == pytest.approx(B * model.clutter.width / np.sqrt(12.0))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clean_sets_are_silent(seed):
    assert codes(passes(400, seed)) == set()


@pytest.mark.parametrize(
    ("seen", "false", "code"),
    [
        (SEEN, clutter.Following(1.0, 1.0), "clutter-follows-input"),
        (SEEN, clutter.Bunched(1.0, 4.0, -10.0, 10.0), "sizes-unlikely"),
        (detection.Saturating(5.0, 0.0, 0.9), FALSE, "misses-follow-value"),
        (detection.Bursts(0.7, 10.0), FALSE, "misses-last"),
    ],
)
def test_a_broken_assumption_is_named(seen, false, code):
    assert code in codes(passes(600, 5, seen, false))


def test_false_readings_in_stretches():
    given = passes(600, 6)
    data = given.head(600)
    quiet = (np.arange(600) // 50) % 2 == 0
    kept = np.ones(len(data.readings), dtype=bool)
    for k in np.flatnonzero(quiet):
        own = np.arange(data.offsets[k], data.offsets[k + 1])
        far = abs(data.readings[own, 0, None] - data.inputs[k] * np.array([-2.0, 5.0, 8.0])).min(axis=1) > 2.0
        kept[own[far]] = False
    sets = [data.readings[a:b, 0][kept[a:b]] for a, b in zip(data.offsets[:-1], data.offsets[1:])]
    assert "clutter-lasts" in codes(in_memory(in_canonical_order(as_incomplete(as_data(sets, data.inputs), 3))))


def test_blocks_do_not_matter():
    one = passes(300, 7)
    found = fit(one)
    a, b = assumptions(one, found), assumptions(in_memory(one.head(300), 4), found)
    for name in ("misses", "clutter", "sizes"):
        assert getattr(a, name).statistic == pytest.approx(getattr(b, name).statistic, rel=1e-8)
    assert a.misses_last == pytest.approx(b.misses_last, rel=1e-8)
    assert a.variance == pytest.approx(one.head(300).sizes.astype(float).var(), rel=0.05)


def test_few_sets_are_not_tested():
    given = passes(60, 8)
    assert of_assumptions(given, fit(given)) == ()


def test_products_over_time():
    rng = np.random.default_rng(0)
    z = [lasting(Persistence.of(rng.normal(size=(300, 2, 1)))) for _ in range(300)]
    assert np.mean(np.array(z) > 1.96) < 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / 300) + 0.01  # the larger of two, one-sided
    steps = np.repeat(rng.normal(size=(60, 2, 1)), 5, axis=0)
    assert lasting(Persistence.of(steps)) > 4.5
