"""Estimate the parameters of many systems from unlabeled sets of observations.

>>> import vieta
>>> records = vieta.simulate("example-1", n=2000, seed=0)
>>> print(vieta.fit(records.sets, records.inputs).theta.round(2).ravel())
[-2.  5.  8.]
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vieta import anonymity, laws, likelihood, network, scenarios, symmetric, theory
    from vieta.errors import DivergedError, IncompleteSetsError, NotIdentifiableError, VietaError
    from vieta.estimators import Estimate, SymmetricFilter, fit, fit_groups, merge
    from vieta.findings import Finding
    from vieta.frame_fit import fit_frame
    from vieta.method.registry import methods
    from vieta.paper import baselines
    from vieta.scenarios import Records, simulate

__version__ = "0.1.0"

__all__ = [
    "DivergedError",
    "Estimate",
    "Finding",
    "IncompleteSetsError",
    "NotIdentifiableError",
    "Records",
    "SymmetricFilter",
    "VietaError",
    "__version__",
    "anonymity",
    "baselines",
    "fit",
    "fit_frame",
    "fit_groups",
    "laws",
    "likelihood",
    "merge",
    "methods",
    "network",
    "scenarios",
    "simulate",
    "symmetric",
    "theory",
]

# Where each name lives; it is imported when it is asked for, so that commands start fast.
_HOMES = {
    "DivergedError": "vieta.errors",
    "Estimate": "vieta.estimators",
    "Finding": "vieta.findings",
    "IncompleteSetsError": "vieta.errors",
    "NotIdentifiableError": "vieta.errors",
    "Records": "vieta.scenarios",
    "SymmetricFilter": "vieta.estimators",
    "VietaError": "vieta.errors",
    "fit": "vieta.estimators",
    "fit_frame": "vieta.frame_fit",
    "fit_groups": "vieta.estimators",
    "merge": "vieta.estimators",
    "methods": "vieta.method.registry",
    "simulate": "vieta.scenarios",
}
_ROOMS = {"baselines": "vieta.paper.baselines"}  # rooms that are called by another name


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(_ROOMS.get(name, f"vieta.{name}"))
    raise AttributeError(f"module 'vieta' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__file__"]
