"""vieta in Stone Soup."""

import subprocess
import sys
from datetime import datetime, timedelta

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta

pytest.importorskip("stonesoup", reason="Stone Soup is behind the extra `stonesoup`: pip install '.[stonesoup]'")

from stonesoup.dataassociator.probability import JPDA
from stonesoup.deleter.base import Deleter
from stonesoup.hypothesiser.probability import PDAHypothesiser
from stonesoup.models.transition.linear import (
    CombinedLinearGaussianTransitionModel,
    ConstantAcceleration,
    ConstantVelocity,
    RandomWalk,
)
from stonesoup.predictor.kalman import KalmanPredictor
from stonesoup.tracker.simple import MultiTargetMixtureTracker
from stonesoup.types.detection import Detection
from stonesoup.types.prediction import GaussianStatePrediction
from stonesoup.types.state import GaussianState
from stonesoup.types.track import Track
from stonesoup.types.update import GaussianStateUpdate
from stonesoup.updater.kalman import KalmanUpdater

from vieta.integrations.stonesoup import (
    Polynomial,
    Regression,
    RegressorModel,
    SetAssociator,
    SetInitiator,
    SetTracker,
    fit_tracks,
    sets_of,
)

START = datetime(2026, 1, 1)
TRUTH = np.array([[-3.0, 1.0, -1.0, 0.5], [0.0, 0.2, 3.0, -0.9], [4.0, -1.1, 0.0, 0.3]])
SD, SEEN, RATE, HALF = 0.3, 0.8, 1.5, 6.0
DESIGN = Polynomial(START)


def drawn(n, seed, seconds=6.0):
    """Steps of three tracks that cross in the plane, and who each detection is from: detection -> track, or None."""
    rng, steps, owners = np.random.default_rng(seed), [], {}
    for k in range(n):
        time = START + timedelta(seconds=seconds * k / n)
        psi = DESIGN.psi(time)
        model = RegressorModel(psi=psi, noise_covar=SD**2 * np.eye(2))
        points = [(psi @ TRUTH[l] + SD * rng.normal(size=2), l) for l in range(3) if rng.random() < SEEN]
        points += [(rng.uniform(-HALF, HALF, size=2), None) for _ in range(rng.poisson(RATE))]
        found = {Detection(point[:, None], timestamp=time, measurement_model=model): l for point, l in points}
        owners |= found
        steps.append((time, set(found)))
    return steps, owners


def smoothed(track, time):
    """The track's state at the end, back at the start."""
    F = DESIGN.transition(time)
    return np.linalg.solve(F, np.asarray(track[-1].state_vector).ravel())


# --- designs and models ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degree", "model"), [(1, ConstantVelocity), (2, ConstantAcceleration)])
def test_polynomials_move_as_the_models_of_stone_soup_do(degree, model):
    interval = timedelta(seconds=1.7)
    theirs = CombinedLinearGaussianTransitionModel([model(0.1), model(0.1)]).matrix(time_interval=interval)
    design = Polynomial(START, degree)
    assert_allclose(design.transition(START + interval), theirs)
    assert_allclose(design.psi(START + interval), theirs[:: degree + 1])


def test_a_target_that_stands_still():
    design = Polynomial(START, 0, 3)
    assert_allclose(design.psi(START + timedelta(days=1)), np.eye(3))


def test_the_measurement_model_is_linear_in_psi():
    model = RegressorModel(psi=np.array([[1.0, 2.0, 0.0]]), noise_covar=np.array([[0.25]]))
    assert (model.ndim_state, model.ndim_meas, model.ndim) == (3, 1, 1)
    prior = GaussianState(np.array([[1.0], [2.0], [3.0]]), np.diag([0.5, 0.5, 2.0]), timestamp=START)
    assert_allclose(model.function(prior, noise=False), [[5.0]])
    prediction = KalmanUpdater(model).predict_measurement(prior)
    assert_allclose(prediction.covar, [[0.5 + 4 * 0.5 + 0.25]])
    assert len({float(model.function(prior, noise=True)[0, 0]) for _ in range(3)}) == 3


# --- batch ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_a_fit_gives_tracks_with_their_detections(seed):
    steps, owners = drawn(200, seed)
    found = fit_tracks(steps, DESIGN, 3)
    off = (found.estimate.theta - TRUTH) / found.estimate.stderr
    assert abs(off).max() < 4.5
    right = total = 0
    for l, track in enumerate(found.tracks):
        assert len(track) == len(steps)
        assert [state.timestamp for state in track] == [time for time, _ in steps]
        for state, (time, detections) in zip(track, steps):
            assert_allclose(state.state_vector.ravel(), DESIGN.transition(time) @ found.estimate.theta[l])
            if isinstance(state, GaussianStateUpdate):
                assert_allclose(sum(float(one.probability) for one in state.hypothesis), 1.0)
                best = max(state.hypothesis, key=lambda one: one.probability)
                assert best.measurement in detections
                right, total = right + (owners[best.measurement] == l), total + 1
            else:
                assert isinstance(state, GaussianStatePrediction)
    assert total > 0.6 * 3 * len(steps)
    assert right > 0.85 * total


def test_the_same_numbers_as_without_stone_soup():
    steps, _ = drawn(120, 3)
    sets, inputs = sets_of([(time, list(one)) for time, one in steps], DESIGN)
    direct = vieta.fit(sets, inputs, n_systems=3, method="adaptive")
    found = fit_tracks(steps, DESIGN, 3)
    assert_allclose(found.estimate.theta, direct.theta, rtol=1e-6, atol=1e-6)
    F = DESIGN.transition(steps[-1][0])
    cov = found.estimate.cov[4:8, 4:8]
    assert_allclose(found.tracks[1][-1].covar, F @ cov @ F.T, rtol=1e-9, atol=1e-12)


def test_numbers_with_a_regressor():
    rng = np.random.default_rng(0)
    psi = dict(zip([START + timedelta(hours=k) for k in range(250)], rng.normal(size=250)))
    steps = []
    for time, x in psi.items():
        seen = np.array([-2.0, 5.0])[rng.random(2) < 0.8] * x
        steps.append((time, [Detection([[y]], timestamp=time) for y in seen + 0.1 * rng.normal(size=len(seen))]))
    assert any(not found for _, found in steps)
    found = fit_tracks(steps, Regression(psi.__getitem__), 2)
    assert_allclose(found.estimate.theta, [[-2.0], [5.0]], atol=0.05)
    assert found.tracks[0][0].state_vector.shape == (1, 1)


def test_bad_input_is_refused():
    steps, _ = drawn(5, 0)
    with pytest.raises(ValueError, match=r"2 number\(s\), and the design is for 3"):
        fit_tracks(steps, Polynomial(START, ndim=3), 3)
    with pytest.raises(ValueError, match="no step was given"):
        fit_tracks([], DESIGN, 3)
    with pytest.raises(ValueError, match="no detector was given"):
        next(SetTracker(design=DESIGN, n_systems=3))


# --- recursive ------------------------------------------------------------------------------------------------------


def test_the_tracker_begins_by_itself_and_keeps_its_tracks():
    steps, _ = drawn(320, 0)
    tracker = SetTracker(detector=steps, design=DESIGN, n_systems=3, every=64)
    seen = [(time, set(tracks)) for time, tracks in tracker]
    assert not seen[10][1]
    begun = next(k for k, (_, tracks) in enumerate(seen) if tracks)
    assert all(tracks == seen[begun][1] for _, tracks in seen[begun:])
    assert len(tracker.tracks) == 3
    for track in tracker.tracks:
        assert len(track) == len(steps) - begun
        ends = smoothed(track, steps[-1][0])
        assert abs(ends - TRUTH).max(axis=1).min() < 0.3
    assert abs((tracker.estimate.theta - TRUTH) / tracker.estimate.stderr).max() < 4.5


def test_the_tracker_is_the_filter():
    steps, _ = drawn(128, 1)
    tracker = SetTracker(design=DESIGN, n_systems=3, every=128)
    for step in steps:
        tracker.update_tracker(*step)
    direct = vieta.SymmetricFilter(3, 4, method="adaptive").partial_fit(*sets_of(steps, DESIGN)).estimate()
    assert_allclose(tracker.estimate.theta, direct.theta, rtol=1e-6, atol=1e-6)


class Never(Deleter):
    def check_for_deletion(self, track, **kwargs):
        return False


@pytest.mark.parametrize("seed", [0, 1])
def test_the_initiator_starts_a_tracker_of_stone_soup(seed):
    steps, _ = drawn(150, seed)
    predictor = KalmanPredictor(CombinedLinearGaussianTransitionModel([ConstantVelocity(0.0)] * 2))
    psi = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    updater = KalmanUpdater(RegressorModel(psi=psi, noise_covar=SD**2 * np.eye(2)))
    for _, found in steps:
        for one in found:
            one.measurement_model = None
    density = RATE / (2 * HALF) ** 2
    hypothesiser = PDAHypothesiser(predictor, updater, clutter_spatial_density=density, prob_detect=SEEN)
    initiator = SetInitiator(design=DESIGN, n_systems=3, n_sets=100)
    tracker = MultiTargetMixtureTracker(initiator, Never(), steps, SetAssociator(hypothesiser), updater)
    counts = [len(tracks) for _, tracks in tracker]
    assert counts == [0] * 99 + [3] * 51
    before = (initiator.estimate.theta - TRUTH) / initiator.estimate.stderr
    assert abs(before).max() < 4.5
    for track in tracker.tracks:
        ends = smoothed(track, steps[-1][0])
        assert abs(ends - TRUTH).max(axis=1).min() < 0.25


def test_the_initiator_waits_until_sets_can_tell():
    steps, _ = drawn(8, 0)
    initiator = SetInitiator(design=DESIGN, n_systems=3, n_sets=4)
    assert [initiator.initiate(found, time) for time, found in steps[:7]] == [set()] * 7


# --- association ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gate", [0.95, 1 - 1e-12])
def test_probabilities_of_association_are_those_of_jpda(gate):
    rng = np.random.default_rng(4)
    predictor = KalmanPredictor(CombinedLinearGaussianTransitionModel([RandomWalk(0.0)] * 4))
    hypothesiser = PDAHypothesiser(
        predictor, KalmanUpdater(), clutter_spatial_density=RATE / (2 * HALF) ** 2, prob_detect=SEEN, prob_gate=gate
    )
    means = 0.3 * rng.normal(size=(3, 4)) + [0.0, 1.0, 1.0, 0.0]
    tracks = [Track([GaussianState(mean[:, None], 0.2 * np.eye(4), timestamp=START)]) for mean in means]
    differences = []
    for time, found in [*drawn(12, 0)[0], (START, set())]:
        theirs = JPDA(hypothesiser).associate(tracks, found, time)
        ours = SetAssociator(hypothesiser).associate(tracks, found, time)
        for track in tracks:
            expected = {id(one.measurement) if one else 0: float(one.probability) for one in theirs[track]}
            got = {id(one.measurement) if one else 0: float(one.probability) for one in ours[track]}
            assert got.keys() == expected.keys()
            assert_allclose([got[key] for key in expected], list(expected.values()), atol=1e-8)
            alone = hypothesiser.hypothesise(track, found, time)
            differences += [abs(float(one.probability) - expected[id(one.measurement) if one else 0]) for one in alone]
    assert max(differences) > 0.05  # association one by one is something else
    assert SetAssociator(hypothesiser).associate([], set(), START) == {}


# --- the extra ------------------------------------------------------------------------------------------------------


def test_import_of_vieta_does_not_touch_it():
    code = "import sys, vieta; vieta.fit, vieta.SymmetricFilter; print('stonesoup' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_without_it_the_error_says_what_to_install():
    code = "import sys; sys.modules['stonesoup'] = None; import vieta.integrations.stonesoup"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "install vieta with its extra, vieta[stonesoup]" in done.stderr
