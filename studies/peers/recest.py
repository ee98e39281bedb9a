"""Trackers of PyRecEst on states that are the parameters: JPDA and global nearest neighbour."""

import warnings
from collections.abc import Callable

import numpy as np

from studies.peers.plain import Answer
from studies.peers.rows import Problem, Start
from studies.peers.soup import GATE


def tracked(kind: str, problem: Problem, begun: Start) -> Callable[[], Answer]:
    """What runs a tracker, "jpda" or "gnn", given the start and the variance, and for the first p_D and the density of false readings."""
    from pyrecest.distributions import GaussianDistribution
    from pyrecest.filters.global_nearest_neighbor import GlobalNearestNeighbor
    from pyrecest.filters.joint_probabilistic_data_association_filter import JointProbabilisticDataAssociationFilter
    from scipy.stats import chi2

    p = problem.psi.shape[1]
    gate = float(chi2.ppf(GATE, p))
    prior = [GaussianDistribution(row, begun.cov) for row in begun.theta]
    known = {"detection_probability": min(problem.seen, GATE), "clutter_intensity": problem.density}
    joint, alone = JointProbabilisticDataAssociationFilter, GlobalNearestNeighbor
    given = {"gating_distance_threshold": gate} | (known if kind == "jpda" else {})
    tracker = (joint if kind == "jpda" else alone)(prior, given, False, False)
    noise = problem.sd**2 * np.eye(p)

    def run() -> Answer:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one for each track without a measurement
            for readings, psi in zip(problem.sets, problem.psi):
                if len(readings):
                    tracker.update_linear(readings.T, psi, noise)
        states = tracker.filter_state
        return Answer(np.array([np.ravel(one.mu) for one in states]), np.array([one.C for one in states]))

    return run
