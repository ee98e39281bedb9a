"""The facade: validate once, then call the estimators."""

from vieta.estimators.batch import fit
from vieta.estimators.engine import Trajectory
from vieta.estimators.estimate import Estimate
from vieta.estimators.filter import SymmetricFilter

__all__ = ["Estimate", "SymmetricFilter", "Trajectory", "fit"]
