r"""What added noise buys and costs: anonymity against the analyst's error.

Independent noise of standard deviation a is added to every reading, which raises the noise covariance C to
:math:`C + a^2 I`. The law keeps its shape; that this can be done by adding noise at all is checked by `noise_dominates`
(Gaussian, Laplace, Student's t and skewed noise can be made larger so, uniform and finite noise cannot). By Theorem 5, as far
as it holds, more noise means more anonymity and larger errors for the analyst; here is how much.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from vieta.anonymity.additive import noise_dominates
from vieta.anonymity.map_error import map_error
from vieta.anonymity.simulated import means_at
from vieta.arrays import Floats
from vieta.checks import as_floats, as_theta
from vieta.errors import CoincidentSystemsError, InputError, NotIdentifiableError
from vieta.laws.noise import Scaled
from vieta.laws.points import Points
from vieta.laws.setting import InputsLike, NoiseLike, as_given_law, as_points
from vieta.likelihood.cramer_rao import cramer_rao
from vieta.predictions import PerSet
from vieta.weighted.weighted_errors import efficient_covariance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVELS = 10
BOUNDED = 6  # systems up to which the bound is simulated: a third of a second a level, and twice that for each more
BOUND_DRAWS = 20_000
LARGEST = 1e100  # standard deviation that is added
ROUGH = 0.1  # relative error of a bound that is still shown


@dataclass(frozen=True, slots=True, eq=False)
class Tradeoff:
    """Anonymity and the analyst's error at m levels of added noise.

    Attributes
    ----------
    added : (m,)
        Standard deviation of the noise added to each number of a reading; of answers the probability of a flip.
    error, error_mc_error : (m,)
        Probability that the best guess of who is who in a set is wrong, and its Monte Carlo error.
    anonymity : (m,)
        The same over that of a guess without data.
    reidentification : (m, L)
        Probability that the best guess names the right reading of each system.
    analyst : (m, L, D)
        Standard errors of the efficient estimator times the root of the number of sets; infinite where they are not known.
    bound : (m, L, D)
        The least possible ones, by the Cramér-Rao bound, for an analyst who knows the law of the noise. NaN where there is
        no bound, where its simulation is too rough (a tenth), and above 6 systems.
    chance_single : float
        Probability that a guess without data names a system's reading; NaN for one in L.
    flips : bool
        Whether readings are answers, which are exchanged for others.
    """

    added: Floats
    error: Floats
    error_mc_error: Floats
    anonymity: Floats
    reidentification: Floats
    analyst: Floats
    bound: Floats
    chance_single: float = float("nan")
    flips: bool = False

    @property
    def single_anonymity(self) -> Floats:
        """(m,) how often the best guess of a single system's reading is wrong, over that of a guess without data.

        The mean over systems. For many systems the better measure: a whole set is hardly ever guessed right, and
        `anonymity` is near one, while most single readings may still be.
        """
        return single(self.reidentification, self.chance_single)

    def plot(self) -> "Figure":
        """What added noise buys, and what it costs."""
        from vieta import plots

        return plots.tradeoff(
            self.added, self.reidentification, 1.0 - self.error, self.single_anonymity, self.analyst.max(axis=(1, 2)),
            self.bound.max(axis=(1, 2)), "What flipped answers buy and cost" if self.flips else "What added noise buys and costs",
            "probability of a flip" if self.flips else "added noise (standard deviation)",
        )  # fmt: skip


def single(reidentification: Floats, chance: float = float("nan")) -> Floats:
    """Anonymity of single readings, from how often those of L systems (..., L) are named rightly; by chance, one in L if it is not given.

    >>> single(np.array([0.75, 0.75]))  # wrong half as often as by chance
    array(0.5)
    """
    by_chance = 1.0 / reidentification.shape[-1] if np.isnan(chance) else chance
    return np.asarray(np.clip((1.0 - reidentification.mean(axis=-1)) / max(1.0 - by_chance, 1e-300), 0.0, 1.0))


def tradeoff(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    added: ArrayLike | None = None,
    draws: int = 4000,
    seed: int = 0,
) -> Tradeoff:
    """Anonymity against the analyst's error as independent noise is added to the readings.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        What there is: a variance of Gaussian noise, or one for each system, or a law.
    inputs
        A law of inputs, None for Psi = I, or a sample (n,), (n, D) or (n, p, D).
    added : (m,), optional
        Standard deviations of the noise to add; by default from none to three times the largest distance of two systems.
    draws, seed
        As for `map_error`; every level sees the same random numbers.

    Examples
    --------
    >>> found = tradeoff([4, 5], 0.25, added=[0.0, 1.0, 3.0])
    >>> found.anonymity.round(2)
    array([0.16, 0.53, 0.82])
    """
    rows, law = as_theta(theta), as_given_law(noise)
    points = as_points(inputs, rows.shape[1])
    levels = levels_of(rows, law, points) if added is None else as_levels(added)
    laws = [louder(law, float(a)) for a in levels]
    found = [map_error(rows, one, inputs, draws=draws, seed=seed) for one in laws]
    return Tradeoff(
        added=levels,
        error=np.array([one.probability for one in found]),
        error_mc_error=np.array([one.mc_error for one in found]),
        anonymity=np.array([one.anonymity for one in found]),
        reidentification=np.array([one.reidentification for one in found]),
        analyst=np.array([analyst_error(rows, one, inputs) for one in laws]),
        bound=np.array([least_error(rows, one, inputs, seed) for one in laws]),
    )


def louder(law: Scaled, added: float) -> Scaled:
    """The law after independent noise of standard deviation `added` in every coordinate; its shape is kept.

    >>> louder(as_given_law(0.25), 1.0)
    Gaussian(variance=1.25)
    """
    variance = np.asarray(law.variance)
    more = law.scaled(variance + added**2 * (np.eye(variance.shape[-1]) if variance.ndim >= 2 else 1.0))
    order = noise_dominates(law, more)
    if order.holds is not True:
        cannot = "cannot" if order.holds is False else "is not known to"
        raise InputError(
            "shape-not-kept",
            "{law} noise {cannot} keep its shape when noise is added: {reason}. Give its variance instead of the law, to treat it as "
            "Gaussian, or add no noise.",
            law=type(law).__name__, cannot=cannot, reason=order.reason,
        )  # fmt: skip
    return more


def keeps_shape(law: Scaled) -> bool:
    """Whether the law with noise added can be a larger one of its shape, as far as is known."""
    return noise_dominates(law, law.scaled(2.0 * np.asarray(law.variance))).holds is True


def analyst_error(theta: Floats, law: Scaled, inputs: InputsLike) -> Floats:
    """(L, D) standard errors of the efficient estimator on one set: zero without noise, infinite where it is not known.

    That is when systems coincide, when the inputs do not move all parameters, or when the noise drowns the differences so
    far that the information is singular to rounding.
    """
    if not np.any(law.variance):
        return np.zeros(theta.shape)
    try:
        return analyst_covariance(theta, law, inputs).stderr(1.0)
    except (CoincidentSystemsError, NotIdentifiableError):
        return np.full(theta.shape, np.inf)


def analyst_covariance(theta: Floats, law: Scaled, inputs: InputsLike) -> PerSet:
    """Error of the efficient estimator; at the mean of the systems' variances where its theory has one variance for all."""
    try:
        return efficient_covariance(theta, law, inputs)
    except InputError as error:
        if error.code != "noise-not-shared":
            raise
        return efficient_covariance(theta, law.scaled(np.asarray(law.variance).mean(axis=0)), inputs)


def least_error(theta: Floats, law: Scaled, inputs: InputsLike, seed: int) -> Floats:
    """(L, D) the Cramér-Rao bound for the standard errors on one set; NaN where there is none or it is too rough."""
    unknown = np.full(theta.shape, np.nan)
    if len(theta) > BOUNDED or not np.any(law.variance):
        return unknown
    try:
        found = cramer_rao(theta, law, inputs, draws=BOUND_DRAWS, seed=seed)
    except (ValueError, ArithmeticError):  # systems that coincide, a law without score, too little information
        return unknown
    rough = np.diag(found.mc_error) > 2.0 * ROUGH * np.diag(found.covariance)
    return unknown if rough.any() else found.stderr(1.0)


def reading_distances(theta: Floats, points: Points) -> Floats:
    """Root mean square distances of the noiseless readings of each two systems, (L (L-1) / 2,), over the inputs."""
    means = means_at(theta, points.psi)
    first, second = np.triu_indices(len(theta), k=1)
    squares = ((means[:, first] - means[:, second]) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt(points.weights @ squares))


def levels_of(theta: Floats, law: Scaled, points: Points) -> Floats:
    """None, then up to three times the largest distance between readings, from a fifth of the smallest or of the noise."""
    apart = reading_distances(theta, points)
    apart = apart[apart > 0.0]
    if not len(apart):
        return np.zeros(1)
    highest = 3.0 * apart.max()
    lowest = 0.2 * max(apart.min(), float(np.sqrt(np.max(law.variance))))
    return np.concatenate([[0.0], np.geomspace(min(lowest, 0.1 * highest), highest, LEVELS)])


def as_levels(added: ArrayLike) -> Floats:
    """Standard deviations of the noise to add, checked."""
    levels = np.atleast_1d(as_floats(added, "added"))
    if levels.ndim != 1 or levels.size == 0 or np.any(levels < 0.0) or np.any(levels > LARGEST):
        raise InputError(
            "added-range",
            "`added` must list standard deviations from 0 to {largest:g}, got {added!r}. For a variance give its root.",
            largest=LARGEST,
            added=added,
        )
    return levels
