r"""How often the best guess of who is who is wrong: the expected error probability of the MAP permutation.

Someone knows the parameters (they can be learned from the sets) and the law of the noise, sees one set, and guesses which
reading belongs to which system. With a prior :math:`\pi` over permutations and :math:`m_l = \Psi\theta_l` the best guess
errs with probability

.. math:: P_e = 1 - E \max_\sigma P(\sigma \mid Y), \qquad
    P(\sigma \mid Y) \propto \pi_\sigma \prod_i p_{\sigma(i)}(y_i - m_{\sigma(i)}),

(Lemma 2 of the paper), and the anonymity is that over the error of a guess without data,
:math:`P_e / (1 - \max_\sigma \pi_\sigma)`; for a uniform prior this is the paper's normalisation.

The paper's "perfect anonymity", that a uniform prior alone makes :math:`P_e = (L! - 1)/L!` whatever the noise, is wrong: it
takes the posterior for the prior. It holds when all rows of theta coincide, or in the limit of infinite noise.
"""

from dataclasses import dataclass
from math import factorial, lgamma, log

import numpy as np
from numpy.typing import ArrayLike

from vieta.anonymity import two_systems
from vieta.anonymity.guesses import Guesses
from vieta.anonymity.simulated import means_at, rules, simulate
from vieta.simulation.checks import as_count, as_floats, as_probabilities, as_theta
from vieta.simulation.noise import Finite, Gaussian, Scaled, as_law
from vieta.simulation.scaled import require_fits, whitening
from vieta.symmetric.arrays import Floats
from vieta.theory.setting import InputsLike, NoiseLike, Points, as_points

ENUMERATED = 6  # systems up to which a prior over all permutations is taken


@dataclass(frozen=True, slots=True, eq=False)
class MapError:
    """How anonymous one set is.

    Attributes
    ----------
    probability, stderr : float
        That the best guess of the whole permutation is wrong, and the standard error of this number (0 if exact).
    anonymity : float
        The same over that of a guess without data: 0 when everybody can be named, 1 when the set helps nobody. Zero also
        when the prior leaves nothing to guess.
    reidentification : (L,)
        Probability that this guess names the right reading of each system, in the order of `theta`.
    reidentification_alone : (L,)
        Probability for the best guess of that system's reading on its own: at least as high. NaN above 10 systems.
    mutual_information, mutual_information_stderr : float
        What a set tells about the permutation, in bits, and its standard error. NaN above 10 systems.
    prior_information : float
        What there is to tell: the entropy of the prior in bits, log2 L! if uniform.
    draws : int
        Simulated sets; 0 if exact.
    method : str
        How it was worked out.
    """

    probability: float
    stderr: float
    anonymity: float
    reidentification: Floats
    reidentification_alone: Floats
    mutual_information: float
    mutual_information_stderr: float
    prior_information: float
    draws: int
    method: str


def map_error(
    theta: ArrayLike,
    noise: NoiseLike,
    prior: ArrayLike | None = None,
    inputs: InputsLike = None,
    *,
    draws: int = 10_000,
    seed: int = 0,
) -> MapError:
    """Expected error probability of the best guess of the permutation, per-system re-identification and information.

    Parameters
    ----------
    theta : (L, D) or (L,)
        Parameters; rows may coincide, and such systems cannot be told apart by anyone.
    noise
        A variance (number, matrix, or one per system) of Gaussian noise, or a law from `vieta.simulation.noise`.
    prior : (L!,), optional
        Probabilities of the permutations in the order of `itertools.permutations`, entry i of a permutation being the
        system of reading i; for up to 6 systems. Uniform when absent.
    inputs
        Averaged over: a law of inputs, or a sample (n,), (n, D) or (n, p, D); None is Psi = I.
    draws, seed
        Simulated sets where there is no exact way (two systems have one); 10,000 give the probability to +-0.01.

    Examples
    --------
    >>> round(map_error([4, 5], 1.0).probability, 4)
    0.2398
    >>> found = map_error([0, 1, 10], 1.0)
    >>> found.reidentification.round(1)  # the third stands out
    array([0.8, 0.8, 1. ])
    """
    rows = as_theta(theta)
    L, D = rows.shape
    law, points, chances = as_law(noise), as_points(inputs, D), _as_prior(prior, L)
    require_fits(np.asarray(law.variance), L, points.reading_dim(D))
    draws = as_count(draws, "draws", least=2)
    if L == 1:
        return MapError(0.0, 0.0, 0.0, np.ones(1), np.ones(1), 0.0, 0.0, 0.0, 0, "one system: nothing to guess")
    best, entropy = _before(chances, L)
    exact = _exact(rows, law, points, chances) if L == 2 and np.any(law.variance) else None
    if exact is not None:
        (wrong, surprise), error, method, draws = exact[:2], np.zeros(2), exact[2], 0
        right = alone = np.full(2, 1.0 - wrong)
    else:
        how = rules(L, chances)
        method = how.method
        wrong, surprise, right, alone, error = _averages(simulate(rows, law, points, how, draws, seed))
    return MapError(
        probability=wrong,
        stderr=float(error[0]),
        anonymity=min(wrong / (1.0 - best), 1.0) if best < 1.0 else 0.0,
        reidentification=right,
        reidentification_alone=alone,
        mutual_information=max(entropy - surprise, 0.0) / log(2.0),
        mutual_information_stderr=float(error[1]) / log(2.0),
        prior_information=entropy / log(2.0),
        draws=draws,
        method=method,
    )


def _exact(theta: Floats, law: Scaled, points: Points, prior: Floats | None) -> tuple[float, float, str] | None:
    """Error, surprise and method for two systems, if an exact way applies."""
    means = means_at(theta, points.psi)
    chances = np.full(2, 0.5) if prior is None else prior
    if isinstance(law, Gaussian) and np.ndim(law.variance) in {0, 2}:
        W, _ = whitening(np.asarray(law.variance), *means.shape[1:])
        distance = np.sqrt(2.0) * np.linalg.norm((means[:, 0] - means[:, 1]) @ W.T, axis=1)
        return *two_systems.gaussian(distance, points.weights, chances), "closed form"
    if means.shape[2] > 1 or isinstance(law, Finite) or len(means) > two_systems.POINTS:
        return None
    found = two_systems.quadrature(law, means, points.weights, chances)
    return None if found is None else (*found, "quadrature")


def _averages(found: Guesses) -> tuple[float, float, Floats, Floats, Floats]:
    """Error and surprise, re-identification by both guesses, and the standard errors of the first two."""
    both = np.stack([found.wrong, found.surprise])
    wrong, surprise = both.mean(axis=1)
    error = both.std(axis=1, ddof=1) / np.sqrt(both.shape[1])
    return float(wrong), float(surprise), found.right.mean(axis=0), found.alone.mean(axis=0), error


def _before(prior: Floats | None, L: int) -> tuple[float, float]:
    """The best guess without data: how likely it is right; and the entropy of the prior in nats."""
    if prior is None:
        return float(np.exp(-lgamma(L + 1.0))), lgamma(L + 1.0)
    possible = prior[prior > 0.0]
    return float(prior.max()), float(-np.sum(possible * np.log(possible)))


def _as_prior(prior: ArrayLike | None, L: int) -> Floats | None:
    if prior is None:
        return None
    if L > ENUMERATED:
        raise ValueError(
            f"a prior over the orders of {L} systems has {factorial(L):,} entries, and all of them are looked at in every "
            f"draw; up to {ENUMERATED} systems ({factorial(ENUMERATED)} entries) are allowed. Leave `prior` out: for a "
            "uniform one the best guess is an assignment problem, and takes no enumeration."
        )
    array = as_floats(prior, "prior")
    if array.shape != (factorial(L),):
        raise ValueError(
            f"`prior` must have one entry for each of the {factorial(L)} orders of {L} systems, in the order of "
            f"itertools.permutations(range({L})); got shape {array.shape}."
        )
    return as_probabilities(array, "prior")
