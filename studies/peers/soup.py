"""Trackers of Stone Soup, unchanged, on states that are the parameters: JPDA and global nearest neighbour."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from studies.peers.plain import Answer
from studies.peers.rows import Problem, Start

BEGINNING = datetime(2000, 1, 1)
GATE = 0.999  # probability
ENUMERATED = 3  # systems, up to which Stone Soup's enumeration is faster than its hypothesis management

Steps = list[tuple[datetime, set[Any]]]


def steps(problem: Problem) -> Steps:
    """A step without detections, at which the tracks are given, and one for each set."""
    from stonesoup.types.detection import Detection

    from vieta.integrations.stonesoup import RegressorModel

    found: Steps = [(BEGINNING, set())]
    noise = problem.sd**2 * np.eye(problem.psi.shape[1])
    for k, (readings, psi) in enumerate(zip(problem.sets, problem.psi)):
        time, model = BEGINNING + timedelta(seconds=k + 1), RegressorModel(psi=psi, noise_covar=noise)
        found.append((time, {Detection(y[:, None], timestamp=time, measurement_model=model) for y in readings}))
    return found


def tracked(kind: str, problem: Problem, begun: Start) -> Callable[[], Answer]:
    """What runs a tracker, "jpda" or "gnn", given the start, p_D, the density of false readings and the variance."""
    from stonesoup.dataassociator.neighbour import GNNWith2DAssignment
    from stonesoup.dataassociator.probability import JPDA, JPDAwithEHM2
    from stonesoup.deleter.base import Deleter
    from stonesoup.hypothesiser.probability import PDAHypothesiser
    from stonesoup.initiator.base import GaussianInitiator
    from stonesoup.models.transition.linear import CombinedLinearGaussianTransitionModel, RandomWalk
    from stonesoup.predictor.kalman import KalmanPredictor
    from stonesoup.tracker.simple import MultiTargetMixtureTracker, MultiTargetTracker
    from stonesoup.types.state import GaussianState
    from stonesoup.types.track import Track
    from stonesoup.updater.kalman import KalmanUpdater

    tracks = [Track([GaussianState(row[:, None], begun.cov, timestamp=BEGINNING)]) for row in begun.theta]

    class Given(GaussianInitiator):
        """Begins with the tracks that are given."""

        def initiate(self, detections: object, timestamp: datetime, **_: Any) -> set[Track]:
            return set(tracks) if timestamp == BEGINNING else set()

    class Never(Deleter):
        """Deletes no track."""

        def check_for_deletion(self, track: Track, **_: Any) -> bool:
            return False

    L, D = begun.theta.shape
    updater = KalmanUpdater()
    hypothesiser = PDAHypothesiser(
        KalmanPredictor(CombinedLinearGaussianTransitionModel([RandomWalk(0.0)] * D)),
        updater,
        clutter_spatial_density=problem.density,
        prob_detect=problem.seen,
        prob_gate=GATE,
    )
    joint = JPDA if L <= ENUMERATED else JPDAwithEHM2
    associator = joint(hypothesiser) if kind == "jpda" else GNNWith2DAssignment(hypothesiser)
    tracker = MultiTargetMixtureTracker if kind == "jpda" else MultiTargetTracker
    running = tracker(Given(), Never(), steps(problem), associator, updater)

    def run() -> Answer:
        for _ in running:
            pass
        means = np.array([np.asarray(one[-1].state_vector, dtype=np.float64).ravel() for one in tracks])
        return Answer(means, np.array([np.asarray(one[-1].covar, dtype=np.float64) for one in tracks]))

    return run
