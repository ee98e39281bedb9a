"""The facade: validate once, then call the estimators."""

from vieta.estimate.batch import fit
from vieta.estimate.engine import Trajectory
from vieta.estimate.filter import SymmetricFilter
from vieta.estimate.result import Estimate

__all__ = ["Estimate", "SymmetricFilter", "Trajectory", "fit"]
