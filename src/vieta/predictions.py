"""What a prediction is: the covariance of an estimate, with what it is to be multiplied by."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from vieta.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What a method's error is asked for: parameters (L, D), a law or variance of the noise, inputs, and how to simulate where it must be.

    Attributes
    ----------
    theta, noise, inputs
        As the functions of `vieta.theory` take them.
    draws, seed
        Of the simulation; for methods whose error has no closed form.
    """

    theta: Any
    noise: Any
    inputs: Any = None
    draws: int | None = None
    seed: int = 0


class Prediction(Protocol):
    """The error of a method: parameters (L, D), and n times the covariance (L D, L D) of their estimate from n sets."""

    @property
    def theta(self) -> Floats:
        """(L, D)."""
        ...

    @property
    def covariance(self) -> Floats:
        """(L D, L D)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PerSet:
    """The error of a method that uses all sets alike: its covariance after n sets is `covariance` / n.

    Attributes
    ----------
    theta : (L, D)
        The parameters, rows in the order given.
    covariance : (L D, L D)
        Limit of n times the covariance of the estimate of theta.ravel().
    coefficients : (M, M) or None
        The same for the coefficients, where the method goes through them.
    """

    theta: Floats
    covariance: Floats
    coefficients: Floats | None = None

    def after(self, n: float) -> Floats:
        """(L D, L D) covariance after n sets."""
        return self.covariance / n

    def stderr(self, n: float) -> Floats:
        """(L, D) standard errors after n sets."""
        return np.sqrt(np.diag(self.after(n))).reshape(self.theta.shape)


@dataclass(frozen=True, slots=True, eq=False)
class PerStep:
    """The error of a filter of constant step: in the steady state its covariance is `covariance` times the step.

    Attributes
    ----------
    theta : (L, D)
        The parameters, rows in the order given.
    covariance : (L D, L D)
        Limit, for small steps, of the covariance of the estimate of theta.ravel() over the step.
    coefficients : (M, M) or None
        The same for the coefficients, where the filter goes through them.
    """

    theta: Floats
    covariance: Floats
    coefficients: Floats | None = None

    def at(self, step: float) -> Floats:
        """(L D, L D) covariance at a step."""
        return self.covariance * step

    def stderr(self, step: float) -> Floats:
        """(L, D) standard errors at a step."""
        return np.sqrt(np.diag(self.at(step))).reshape(self.theta.shape)
