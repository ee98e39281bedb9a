"""Estimate the parameters of many systems from unlabeled sets of observations.

>>> import vieta
>>> records = vieta.simulate("example-1", n=2000, seed=0)
>>> print(vieta.fit(records.sets, records.inputs).theta.round(2).ravel())
[-2.  5.  8.]
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vieta import anonymity, baselines, likelihood, scenarios, simulation, symmetric, theory
    from vieta.estimate import Estimate, SymmetricFilter, fit
    from vieta.estimation.least_squares import NotIdentifiableError
    from vieta.estimation.stream import DivergedError, UnstableStepError
    from vieta.names import methods
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
    "likelihood",
    "methods",
    "scenarios",
    "simulate",
    "simulation",
    "symmetric",
    "theory",
]

# Where each name lives; it is imported when it is asked for, so that commands start fast.
_HOMES = {
    "DivergedError": "vieta.estimation.stream",
    "Estimate": "vieta.estimate",
    "NotClosedError": "vieta.symmetric",
    "NotIdentifiableError": "vieta.estimation.least_squares",
    "Records": "vieta.simulation",
    "SymmetricFilter": "vieta.estimate",
    "UnstableStepError": "vieta.estimation.stream",
    "fit": "vieta.estimate",
    "methods": "vieta.names",
    "simulate": "vieta.simulation",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"vieta.{name}")
    raise AttributeError(f"module 'vieta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__"]
