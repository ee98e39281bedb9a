"""The law of noise that a likelihood method assumes, and whether its scale is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.noise import Gaussian, Laplace, Scaled, StudentT, as_law, as_variance
from vieta.laws.quadrature import grid
from vieta.sums import Passes
from vieta.weighted.sum_regression import regress

LAWS: dict[str, type[Scaled]] = {kind.name: kind for kind in (Gaussian, Laplace, StudentT)}
ESTIMATE = "estimate"
ABRUPT = 1e-6  # of a density's peak, right at an end of the law


@dataclass(frozen=True)
class Assumed:
    r"""Noise of a law, the same for all systems: :math:`C = s\,C_0`.

    Attributes
    ----------
    law : Scaled
        Shape and, where it is known, covariance.
    known : bool
        Whether the variance is known. If not, :math:`C_0` comes from the residuals of the readings' sum, which needs no
        association, and the scale s is estimated with the parameters.
    """

    law: Scaled
    known: bool

    def begin(self, passes: Passes) -> Scaled:
        """The law to begin with."""
        return self.law if self.known else self.begin_at(regress(passes).noise)

    def begin_at(self, covariance: Floats) -> Scaled:
        """The law to begin with, where the covariance (p, p) of the residuals of the readings' sum was computed before."""
        return self.law if self.known else self.law.scaled(_plain(covariance))


def assume(law: str | Scaled = "gaussian", noise_var: ArrayLike | str | None = None) -> Assumed:
    """The assumed noise that options describe.

    Parameters
    ----------
    law
        "gaussian", "laplace", "student-t" (five degrees of freedom), or a law from `vieta.laws.noise`.
    noise_var
        A number or a matrix (p, p): the noise variance is known. "estimate": it is not. By default it is estimated for a
        law that is named, and known for one that is given, for example ``Laplace(4.0)``.

    >>> assume("laplace", 4.0)
    Assumed(law=Laplace(variance=4.0), known=True)
    >>> assume(StudentT(df=3), "estimate").known
    False
    """
    shape = _shape(law)
    require_smooth(shape)
    if noise_var is None:
        return Assumed(_shared(shape), not isinstance(law, str))
    if isinstance(noise_var, str):
        if noise_var != ESTIMATE:
            raise InputError(
                "noise-var-value", "{option.noise_var:{value!r}} must be a variance, or 'estimate'.", value=noise_var
            )
        return Assumed(_shared(shape), False)
    if not np.any(_as_variance(noise_var)):
        raise InputError(
            "noise-var-zero",
            "{option.noise_var:{value!r}} must be positive: without noise there is no likelihood. Leave it out to have it estimated, "
            "or use the default method.",
            value=noise_var,
        )
    return Assumed(_shared(shape.scaled(noise_var)), True)


def _as_variance(noise_var: ArrayLike) -> Floats:
    try:
        return as_variance(noise_var)
    except InputError as error:
        raise InputError.wrap(error, "{option.noise_var} cannot be used: {cause}") from None


def _shape(law: str | Scaled) -> Scaled:
    if not isinstance(law, str):
        return as_law(law)
    if law not in LAWS:
        raise InputError(
            "unknown-law",
            "{option.law:{value!r}} is not known. Choose one of {known}.",
            value=law,
            known=", ".join(LAWS),
        )
    return LAWS[law]()


def require_smooth(law: Scaled) -> None:
    """Refuse a law whose density ends abruptly.

    Near an end at distance x a density like x^(a-1) has finite information for a > 2 only, and standard errors that can be
    trusted from about a = 4 on.
    """
    if law.kernel is not None:  # positive everywhere
        return
    v, _ = grid()
    density = np.exp(law.unit_log_density(v))
    outside = np.concatenate([[True, True], density == 0.0, [True, True]])
    beside = (outside[:-4] | outside[1:-3] | outside[3:-1] | outside[4:]) & (density > 0.0)
    if np.max(density[beside], initial=0.0) > ABRUPT * density.max():
        raise InputError(
            "law-ends-abruptly",
            "the density of {law} noise ends abruptly. Near such an end the likelihood has no regular maximum and standard errors mean "
            "nothing. Give a law that fades away, or use the default method, which needs no law.",
            law=type(law).__name__,
        )


def _shared(law: Scaled) -> Scaled:
    if np.ndim(law.variance) in {1, 3}:
        raise InputError(
            "variance-per-system",
            "the noise variance has shape {shape}, one for each system, but without labels no system has a name. Give one number or "
            "one (p, p) matrix for all.",
            shape=np.shape(law.variance),
        )
    return law


def _plain(covariance: Floats) -> float | Floats:
    return float(covariance[0, 0]) if covariance.shape == (1, 1) else covariance
