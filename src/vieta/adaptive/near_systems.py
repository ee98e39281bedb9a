r"""How far systems are apart that lie within each other's noise.

Sets tell the difference :math:`\delta` of two such systems through its square. The likelihood's curvature at the estimate gives the
difference an error s that goes as :math:`1/\delta`: an estimate that is large by chance comes with an error that is too small. The square
has the error :math:`2\delta s`, and whether the systems may be one is asked of it:

.. math:: \frac{\delta^2}{2 \delta s} = \tfrac12 \frac{\delta}{s} ,

half of the distance in standard errors. Systems farther apart are told apart reading by reading, and keep theirs.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.weighted.separation import distances

WITHIN = 1.5  # noise standard deviations between the means of two systems, up to which one is in the other's noise


def apart(theta: Floats, cov: Floats, noise_sd: Floats, gram: Floats) -> float:
    """Standard errors between the closest two of the systems (L, D), by squares where they are near; `gram` (D, D) is the mean of Psi'Psi / p.

    >>> near, far = np.array([[0.0], [1.0]]), np.array([[0.0], [2.0]])
    >>> [round(apart(one, 0.02 * np.eye(2), np.ones(2), np.eye(1)), 6) for one in (near, far)]
    [2.5, 10.0]
    """
    gaps = theta[:, None] - theta
    sizes = np.einsum("ijd,de,ije->ij", gaps, gram, gaps)
    noise = 0.5 * (noise_sd[:, None] ** 2 + noise_sd**2)
    found = distances(theta, cov)
    return float(np.where(sizes < WITHIN**2 * noise, 0.5 * found, found).min(initial=np.inf))
