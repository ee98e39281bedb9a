"""Estimate the parameters of many systems from unlabeled sets of observations.

>>> import vieta
>>> records = vieta.simulate("example-1", n=2000, seed=0)
>>> print(vieta.fit(records.sets, records.inputs).theta.round(2).ravel())
[-2.  5.  8.]
"""

from vieta import anonymity, baselines, scenarios, symmetric, theory
from vieta.estimate import Estimate, SymmetricFilter, fit, methods
from vieta.estimation.least_squares import NotIdentifiableError
from vieta.estimation.stream import DivergedError, UnstableStepError
from vieta.simulation import Records, simulate
from vieta.symmetric import NotClosedError

__version__ = "0.1.0"

__all__ = [
    "DivergedError",
    "Estimate",
    "NotClosedError",
    "NotIdentifiableError",
    "Records",
    "SymmetricFilter",
    "UnstableStepError",
    "__version__",
    "anonymity",
    "baselines",
    "fit",
    "methods",
    "scenarios",
    "simulate",
    "symmetric",
    "theory",
]
