r"""Laws of the noise v_l(k): zero mean, independent over systems and times, of a given variance.

Every law makes numbers of mean zero and variance one, independent over coordinates, and colours them with the
symmetric root of the wanted covariance,

.. math:: v_l(k) = C_l^{1/2} u_l(k), \qquad E\,u = 0, \quad E\,u u^\top = I_p .

`variance` is a number (:math:`C_l = \sigma^2 I`), a matrix (p, p) that all systems share, a list (L,) with one
number per system, or an array (L, p, p) with one matrix per system. Every law but `Finite` has a density, and every
law with a density but `Uniform` a score.
"""

from numpy.typing import ArrayLike

from vieta.errors import InputError
from vieta.laws.density import Density
from vieta.laws.finite import Finite
from vieta.laws.gaussian import Gaussian
from vieta.laws.laplace import Laplace
from vieta.laws.scaled import Noise, Scaled, as_variance
from vieta.laws.skewed import Skewed
from vieta.laws.student_t import StudentT
from vieta.laws.uniform import Uniform

__all__ = [
    "Density",
    "Finite",
    "Gaussian",
    "Laplace",
    "Noise",
    "Scaled",
    "Skewed",
    "StudentT",
    "Uniform",
    "as_law",
    "as_variance",
]


def as_law(noise: ArrayLike | Scaled) -> Scaled:
    """A law as it is; a number, a matrix, or one of them per system as Gaussian noise of that variance.

    >>> as_law(4.0)
    Gaussian(variance=4.0)
    """
    if isinstance(noise, Scaled):
        return noise
    if callable(noise) or callable(getattr(noise, "draw", None)) or isinstance(noise, str):
        raise InputError(
            "not-a-noise",
            "`noise` must be a variance or a law with a density from vieta.laws.noise, got {value!r}. Write for example "
            "Laplace(4.0), or Density(log_density) for a law of your own.",
            value=noise,
        )
    return Gaussian(noise)
