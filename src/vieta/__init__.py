"""Estimate the parameters of many systems from unlabeled sets of observations.

>>> import vieta
>>> records = vieta.simulate("example-1", n=2000, seed=0)
>>> print(vieta.fit(records.sets, records.inputs).theta.round(2).ravel())
[-2.  5.  8.]
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vieta import anonymity, laws, likelihood, scenarios, symmetric, theory
    from vieta.coefficients.coefficient_filter import DivergedError, UnstableStepError
    from vieta.coefficients.coefficient_sums import NotIdentifiableError
    from vieta.estimators import Estimate, SymmetricFilter, fit
    from vieta.estimators.names import methods
    from vieta.paper import baselines
    from vieta.scenarios import Records, simulate
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
    "laws",
    "likelihood",
    "methods",
    "scenarios",
    "simulate",
    "symmetric",
    "theory",
]

# Where each name lives; it is imported when it is asked for, so that commands start fast.
_HOMES = {
    "DivergedError": "vieta.coefficients.coefficient_filter",
    "Estimate": "vieta.estimators",
    "NotClosedError": "vieta.symmetric",
    "NotIdentifiableError": "vieta.coefficients.coefficient_sums",
    "Records": "vieta.scenarios",
    "SymmetricFilter": "vieta.estimators",
    "UnstableStepError": "vieta.coefficients.coefficient_filter",
    "fit": "vieta.estimators",
    "methods": "vieta.estimators.names",
    "simulate": "vieta.scenarios",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "baselines":
        return import_module("vieta.paper.baselines")
    if name in __all__:
        return import_module(f"vieta.{name}")
    raise AttributeError(f"module 'vieta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__"]
