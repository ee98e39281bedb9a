"""The Cramér-Rao bound of unlabeled sets: no unbiased estimator that knows the noise law does better.

It is the inverse of the information of a set, which is averaged over simulated sets
(`vieta.likelihood.simulated_information`): as many of them as it takes to know the bound well enough, or as many as are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_size, as_theta
from vieta.coefficients.coefficient_errors import require_identified
from vieta.errors import ComputationError
from vieta.laws.setting import (
    InputsLike,
    NoiseLike,
    as_given_law,
    as_noise,
    as_points,
    as_seed,
    require_different,
    require_noise,
)
from vieta.likelihood.associations import require_few
from vieta.likelihood.simulated_information import BATCHES, Averages, estimate, simulate

FIRST = 100_000  # sets that are simulated before the error is looked at
PRECISE = 0.02  # relative Monte Carlo error at which no more of them are
ROUGH = 0.25  # relative Monte Carlo error from which on a bound is refused
WORK = 1.5e10  # operations that the sets may take, about a minute


@dataclass(frozen=True, slots=True, eq=False)
class CramerRao:
    """The least covariance of an unbiased estimate.

    Attributes
    ----------
    theta : (L, D)
        The parameters, rows in the order given.
    information : (L D, L D)
        Of one set.
    covariance : (L D, L D)
        Its inverse: the bound for one set, and n times that for n sets.
    mc_error : (L D, L D)
        Monte Carlo standard errors of the entries of `covariance`, which come from simulated sets; zero with labels.
    draws : int
        Simulated sets; 0 if exact.
    """

    theta: Floats
    information: Floats
    covariance: Floats
    mc_error: Floats
    draws: int

    def after(self, n: float) -> Floats:
        """(L D, L D) the bound after n sets."""
        return self.covariance / n

    def stderr(self, n: float) -> Floats:
        """(L, D) the least standard errors of theta after n sets."""
        return np.sqrt(np.diag(self.after(n))).reshape(self.theta.shape)

    @property
    def relative_error(self) -> float:
        """Monte Carlo error of the variances over the variances, the largest: how well the bound itself is known."""
        return float(np.max(np.diag(self.mc_error) / np.diag(self.covariance)))


def cramer_rao(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    labeled: bool = False,
    draws: int | None = None,
    seed: int = 0,
) -> CramerRao:
    """The Cramér-Rao bound, for sets without labels or with them.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A law of noise with a density, or a variance for Gaussian noise; known, with its scale.
    inputs
        A law of inputs, None for Psi = I, or a sample (n,), (n, D) or (n, p, D).
    labeled
        Whether the labels are known; the bound then has a closed form.
    draws
        How many sets to simulate. By default 100,000, doubled until the variances are known to 2 %, for about a minute at
        most: what is not known by then is refused. A number given is kept to, and a bound refused that is known to no
        better than 25 %.
    seed
        Of the simulation.

    >>> cramer_rao([4, 5], 4.0, labeled=True).covariance
    array([[4., 0.], [0., 4.]])
    >>> found = cramer_rao([4, 5], 4.0)  # without labels: information about the difference is scarce
    >>> found.covariance.round(), found.mc_error.round(1)
    (array([[12., -8.], [-8., 12.]]), array([[0.1, 0.1], [0.1, 0.1]]))
    """
    parameters = as_theta(theta).copy()
    L, D = parameters.shape
    law, points = as_given_law(noise), as_points(inputs, D)
    covariances = as_noise(law, L, points.reading_dim(D))
    require_noise(covariances)
    if not labeled:
        require_different(parameters, covariances)
    with_labels = points.information(
        law.fisher_information() * np.asarray(np.linalg.inv(covariances), dtype=np.float64), D
    )
    require_identified(with_labels)
    rng = np.random.default_rng(as_seed(seed))
    if labeled:
        exact = np.asarray(np.linalg.inv(with_labels), dtype=np.float64)
        return CramerRao(parameters, with_labels, exact, np.zeros_like(exact), 0)
    require_few(L)

    def more(size: int) -> Averages:
        return simulate(rng, size, parameters, law, points, with_labels)

    if draws is None:
        return _until_precise(parameters, more)
    return _known(_bound(parameters, more(_batch_size(as_size(draws, "draws", least=10 * BATCHES)))), ROUGH)


def _until_precise(theta: Floats, more: Callable[[int], Averages]) -> CramerRao:
    """The bound from as many sets as it takes, twice as many each time."""
    most = WORK / (1000.0 + len(theta) * 2.0 ** len(theta))
    total = more(_batch_size(int(min(FIRST, most))))
    found = _bound(theta, total)
    while found.relative_error > PRECISE and 2 * total.draws <= most:
        total = total.merged(more(total.size))
        found = _bound(theta, total)
    return _known(found, PRECISE)


def _bound(theta: Floats, averages: Averages) -> CramerRao:
    information = estimate(averages)
    return CramerRao(theta, information.matrix(), *information.inverse(), averages.draws)


def _known(found: CramerRao, allowed: float) -> CramerRao:
    """The bound, refused if its relative Monte Carlo error is above the one allowed, or NaN."""
    error = found.relative_error
    if 0.0 <= error <= allowed:
        return found
    needed = found.draws * (error / PRECISE) ** 2
    raise ComputationError(
        "bound-not-precise",
        "{draws:,} simulated sets give the bound only to a relative standard error of {error:.0%}: the noise hides the differences of the "
        "systems. About {needed:.0e} `draws` would give it to {precise:.0%}; a number of draws that is given is kept to, and what it "
        "leaves unknown is in `mc_error`, up to {rough:.0%}.",
        draws=found.draws,
        error=error,
        needed=needed,
        precise=PRECISE,
        rough=ROUGH,
    )


def _batch_size(draws: int) -> int:
    return -(-draws // BATCHES)
