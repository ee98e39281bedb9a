"""The facade: check once, then call the methods."""

from vieta.estimators.batch import fit, fit_passes
from vieta.estimators.estimate import Estimate
from vieta.estimators.filter import SymmetricFilter
from vieta.estimators.fusion import merge
from vieta.estimators.group_estimate import GroupEstimate, fit_groups
from vieta.estimators.trajectory import Trajectory

__all__ = ["Estimate", "GroupEstimate", "SymmetricFilter", "Trajectory", "fit", "fit_groups", "fit_passes", "merge"]
