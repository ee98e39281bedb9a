"""The weighted filter as it is driven: the batch fit before it runs, then where it stands, and what it says."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES
from tests.weighted.cases import codes, errors, follow, solved, stream
from vieta.laws import inputs, motion, noise
from vieta.sets import as_data
from vieta.weighted import tracker
from vieta.weighted.weighted_engine import WeightedEngine

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_filter_and_batch_agree_within_a_fraction_of_their_error(case):
    sets, psi = case.draw(2000)
    one, two = solved(sets, psi), follow(sets, psi).estimate()
    assert np.all(abs(one.theta - two.theta) < 0.5 * errors(one))
    assert_allclose(errors(one), errors(two), rtol=0.1)
    assert two.noise.shape == one.noise.shape
    assert (two.n_sets, two.transform) == (2000, "weighted")


def test_an_estimate_before_the_start_is_the_batch_fit():
    records = vieta.simulate((-2.0, 5.0, 8.0), n=100, seed=0, noise=noise.Gaussian(0.09))
    early, batch = follow(records.sets).estimate(), solved(records.sets)
    assert_array_equal(early.theta, batch.theta)
    assert_array_equal(early.cov, batch.cov)
    assert codes(early) == codes(batch)


def test_drift_takes_the_information_at_its_word():
    data = as_data(*CASES[1].draw(400))
    for drift in (None, 1e-6):
        f = follow(data.sets[:, :, 0], data.inputs, drift=drift)
        inverse = np.linalg.inv(f.state.information)
        expected = inverse @ f.state.meat @ inverse if drift is None else inverse
        order = np.argsort(f.state.theta[:, 0])
        assert_allclose(f.estimate().cov, expected[np.ix_(order, order)], rtol=1e-9)


def test_the_point_is_unknown_before_the_start():
    data = as_data(*CASES[1].draw(300))
    engine = WeightedEngine(data.part(0, 0), tracker.Settings())
    assert engine.init().count == 0
    early = engine.advance(engine.init(), data.part(0, 100))
    assert np.isnan(engine.point(early)).all()
    late = engine.advance(early, data.part(100, 300))
    assert_array_equal(engine.parameters(engine.point(late)[None])[0].real, late.theta)


def test_bounded_influence_reaches_the_filter():
    sets, psi = CASES[1].draw(400)
    sets[::50, 0] += 30.0
    thetas = [follow(sets, psi, robust=robust).estimate().theta for robust in (False, True)]
    assert not np.array_equal(*thetas)
    assert abs(thetas[1] - CASES[1].theta).max() < abs(thetas[0] - CASES[1].theta).max()


@pytest.mark.parametrize(
    ("options", "tracks"), [({}, False), ({"robust": True}, False), ({"memory": 500.0}, True), ({"drift": 1e-5}, True)]
)
def test_changes_are_reported_with_their_times(options, tracks):
    data = as_data(*CASES[1].draw(300))
    f = stream(data, **options)
    f.state = f.engine.advance(f.state, data)
    assert codes(f.estimate()) == []
    assert f.engine.changes(f.state) == ()
    times = np.array([10, 2000, 30_000, 40_000, 50_000, 60_000])
    f.state = replace(f.state, changes=times)
    (one,) = f.estimate().findings
    assert one.code == "parameters-changed"
    assert one.facts == {"times": "2,000, 30,000, 40,000, 50,000, 60,000", "tracks": tracks}
    assert f.engine.changes(f.state) == tuple(times)


def test_starts_and_doubts_are_reported():
    data = as_data(*CASES[1].draw(300))
    f = stream(data)
    sure = f.engine.advance(f.state, data)
    for safe, collecting, expected in (
        (1, 0, []),
        (0, 0, ["unsafe-start"]),
        (1, 1, ["contradicted-now"]),
        (0, 1, ["unsafe-start", "contradicted-now"]),
    ):
        f.state = replace(sure, safe=safe, collecting=collecting)
        assert codes(f.estimate()) == expected


@pytest.mark.parametrize("cut", [50, tracker.FIRST, tracker.FIRST + 30, 899, 964, 1000, 1050])
@pytest.mark.parametrize("p", [1, 2])
def test_resumes_from_a_file_with_the_same_bits_wherever_it_was(p, cut, tmp_path):
    theta, to = (
        ((-1.0, 0.5, 2.0), (-1.0, 1.0, 2.0)) if p == 1 else (((1.0, -0.5), (-1.0, 2.0)), ((1.5, -0.5), (-1.0, 1.0)))
    )
    psi = inputs.Uniform(0.5, 1.5) if p == 1 else inputs.Matrices(rows=2)
    records = vieta.simulate(
        theta, n=1400, seed=1, noise=noise.Gaussian(0.04), inputs=psi, motion=motion.Jump(at=900, to=to)
    )
    whole = vieta.SymmetricFilter(len(theta), p).partial_fit(records.sets, records.inputs).estimate()
    vieta.SymmetricFilter(len(theta), p).partial_fit(records.sets[:cut], records.inputs[:cut]).save(tmp_path / "filter")
    again = vieta.SymmetricFilter.load(tmp_path / "filter")
    resumed = again.partial_fit(records.sets[cut:], records.inputs[cut:]).estimate()
    for name in ("theta", "cov", "noise_var", "condition"):
        assert_array_equal(getattr(resumed, name), getattr(whole, name), err_msg=name)
    assert resumed.warnings == whole.warnings
    assert len(whole.warnings) == 1
