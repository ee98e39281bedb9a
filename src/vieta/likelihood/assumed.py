"""Which law of noise a likelihood method assumes, and whether its scale is known."""

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.laws.noise import Gaussian, Laplace, Scaled, StudentT, as_law, as_variance
from vieta.laws.quadrature import grid
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted.sum_regression import regress

LAWS: dict[str, type[Scaled]] = {"gaussian": Gaussian, "laplace": Laplace, "student-t": StudentT}
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

    def begin(self, data: Data) -> Scaled:
        """The law to begin with."""
        return self.law if self.known else self.law.scaled(_plain(regress(in_memory(data)).noise))


def assume(law: str | Scaled = "gaussian", noise_var: ArrayLike | str | None = None) -> Assumed:
    """The law that is meant.

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
    if isinstance(law, str) and law not in LAWS:
        raise ValueError(f"law={law!r} is not known. Choose one of {', '.join(LAWS)}, or give a law with a density.")
    shape = LAWS[law]() if isinstance(law, str) else as_law(law)
    require_smooth(shape)
    if noise_var is None:
        return Assumed(_shared(shape), not isinstance(law, str))
    if isinstance(noise_var, str):
        if noise_var != ESTIMATE:
            raise ValueError(f"noise_var={noise_var!r} must be a variance, or 'estimate'.")
        return Assumed(_shared(shape), False)
    if not np.any(as_variance(noise_var)):
        raise ValueError(
            f"noise_var={noise_var!r} must be positive: without noise there is no likelihood. Leave it out to have it "
            "estimated, or use method 'efficient'."
        )
    return Assumed(_shared(shape.scaled(noise_var)), True)


def require_smooth(law: Scaled) -> None:
    """Refuse a law whose density ends abruptly.

    Near an end at distance x a density like x^(a-1) has finite information for a > 2 only, and standard errors that can be
    trusted from about a = 4 on.
    """
    if isinstance(law, tuple(LAWS.values())):
        return
    v, _ = grid()
    density = np.exp(law.unit_log_density(v))
    outside = np.concatenate([[True, True], density == 0.0, [True, True]])
    beside = (outside[:-4] | outside[1:-3] | outside[3:-1] | outside[4:]) & (density > 0.0)
    if np.max(density[beside], initial=0.0) > ABRUPT * density.max():
        raise ValueError(
            f"the density of {type(law).__name__} noise ends abruptly. Near such an end the likelihood has no regular maximum "
            "and standard errors mean nothing. Give a law that fades away, or use method 'efficient', which needs none."
        )


def described(law: str | Scaled | None) -> object:
    """A law in terms of JSON: its name, or its name and numbers."""
    if law is None or isinstance(law, str):
        return law
    for name, kind in LAWS.items():
        if type(law) is kind:
            return {"name": name} | asdict(law)
    raise ValueError(
        f"a filter with noise of law {type(law).__name__} cannot be saved: only {', '.join(LAWS)} can be written to a file."
    )


def undescribed(description: object) -> str | Scaled | None:
    """The law that `described` wrote.

    >>> undescribed(described(StudentT(4.0, df=3)))
    StudentT(variance=4.0, df=3.0)
    """
    if description is None or isinstance(description, str):
        return description
    if not isinstance(description, dict):
        raise ValueError(f"this is no law: {description!r}")
    numbers = dict(description)
    return LAWS[numbers.pop("name")](**numbers)


def _shared(law: Scaled) -> Scaled:
    if np.ndim(law.variance) in {1, 3}:
        raise ValueError(
            f"the noise variance has shape {np.shape(law.variance)}, one for each system, but without labels no system "
            "has a name. Give one number or one (p, p) matrix for all."
        )
    return law


def _plain(covariance: Floats) -> float | Floats:
    return float(covariance[0, 0]) if covariance.shape == (1, 1) else covariance
