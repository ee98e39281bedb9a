r"""How many standard errors an interval or a region extends, for estimates whose errors were estimated too.

With a covariance that rests on `dof` degrees of freedom, a parameter over its standard error follows the t law, and
:math:`\tfrac12\, g' C^{-1} g` of two parameters the F law with 2 and `dof`, whose quantiles have a closed form.
For infinite `dof` both are those of the normal law.
"""

import numpy as np

from vieta.tails import normal_quantile, student_quantile


def two_sided(level: float, dof: float = float("inf")) -> float:
    """The t quantile q with P(|t| < q) = level.

    >>> round(two_sided(0.95), 4), round(two_sided(0.95, 5.0), 4)
    (1.96, 2.5706)
    """
    probability = 0.5 + level / 2.0
    return student_quantile(probability, dof) if np.isfinite(dof) else normal_quantile(probability)


def planar_radius(level: float, dof: float = float("inf")) -> float:
    r"""The radius :math:`\sqrt{2F}` of the region of two parameters, :math:`P(F_{2,n} > x) = (1 + 2x/n)^{-n/2}`.

    >>> round(planar_radius(0.95), 4)
    2.4477
    """
    outside = np.log1p(-level)
    return float(np.sqrt(dof * np.expm1(-2.0 * outside / dof) if np.isfinite(dof) else -2.0 * outside))
