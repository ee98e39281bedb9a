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

from dataclasses import dataclass, replace
from math import factorial, lgamma, log

import numpy as np
from numpy.typing import ArrayLike

from vieta.anonymity import two_systems
from vieta.anonymity.ranks import sorting
from vieta.anonymity.simulated import ASSOCIATED, means_at, rules, simulate
from vieta.arrays import Floats
from vieta.checks import as_floats, as_probabilities, as_size, as_theta
from vieta.errors import InputError
from vieta.laws.noise import Gaussian, Scaled
from vieta.laws.points import Points
from vieta.laws.scaled import require_fits, whitening
from vieta.laws.setting import InputsLike, NoiseLike, as_given_law, as_points, as_seed

ENUMERATED = 6  # systems up to which a prior over all permutations is taken


@dataclass(frozen=True, slots=True, eq=False)
class MapError:
    """How anonymous one set is.

    Attributes
    ----------
    probability, mc_error : float
        That the best guess of the whole permutation is wrong, and the Monte Carlo error of this number (0 if exact).
    anonymity : float
        The same over that of a guess without data: 0 when everybody can be named, 1 when the set helps nobody. Zero also
        when the prior leaves nothing to guess.
    reidentification : (L,)
        Probability that this guess names the right reading of each system, in the order of `theta`.
    reidentification_alone : (L,)
        Probability for the best guess of that system's reading on its own: at least as high. NaN above 10 systems.
    mutual_information, mutual_information_mc_error : float
        What a set reveals of the permutation, in bits, and its Monte Carlo error. NaN above 10 systems.
    prior_information : float
        What there is to reveal: the entropy of the prior in bits, log2 L! if uniform.
    draws : int
        Simulated sets; 0 if all is exact.
    method : str
        How it was computed: "closed form" or "quadrature" for two systems; "ranks" where sorting is the best guess
        (numbers, one log-concave law of noise for all, a uniform prior): probability and re-identification are then exact,
        and only what needs the posterior is simulated; "partial assignments" for incomplete sets; else all is.
    chance, chance_single : float
        Probability that a guess without data is right of the whole permutation, and of a system's reading on average; the latter NaN with
        a prior.
    """

    probability: float
    mc_error: float
    anonymity: float
    reidentification: Floats
    reidentification_alone: Floats
    mutual_information: float
    mutual_information_mc_error: float
    prior_information: float
    draws: int
    method: str
    chance: float = float("nan")
    chance_single: float = float("nan")


def map_error(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    prior: ArrayLike | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> MapError:
    """Expected error probability of the best guess of the permutation, per-system re-identification and information.

    Parameters
    ----------
    theta : (L, D) or (L,)
        Parameters; rows may coincide, and such systems cannot be told apart by anyone.
    noise
        A variance (number, matrix, or one per system) of Gaussian noise, or a law from `vieta.laws.noise`.
    inputs
        Averaged over: a law of inputs, or a sample (n,), (n, D) or (n, p, D); None is Psi = I.
    prior : (L!,), optional
        Probabilities of the permutations in the order of `itertools.permutations`, entry i of a permutation being the
        system of reading i; for up to 6 systems. Uniform when absent.
    draws, seed
        Simulated sets where there is no exact way; 10,000 give a probability to +-0.01.

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
    law, points, chances = as_given_law(noise), as_points(inputs, D), _as_prior(prior, L)
    require_fits(np.asarray(law.variance), L, points.reading_dim(D))
    _require_all_or_none(law)
    draws, seed = as_size(draws, "draws", least=2), as_seed(seed)
    if L == 1:
        return MapError(
            0.0, 0.0, 0.0, np.ones(1), np.ones(1), 0.0, 0.0, 0.0, 0, "one system: nothing to guess", 1.0, 1.0
        )
    best, entropy = _before(chances, L)
    exact = _exact(rows, law, points, chances) if L == 2 and np.any(law.variance) else None
    found = (
        exact
        or _by_ranks(rows, law, points, chances, draws, seed)
        or _simulated(rows, law, points, chances, draws, seed)
    )
    return MapError(
        probability=found.wrong,
        mc_error=found.wrong_error,
        anonymity=min(found.wrong / (1.0 - best), 1.0) if best < 1.0 else 0.0,
        reidentification=found.right,
        reidentification_alone=found.alone,
        mutual_information=max(entropy - found.surprise, 0.0) / log(2.0),
        mutual_information_mc_error=found.surprise_error / log(2.0),
        prior_information=entropy / log(2.0),
        draws=found.draws,
        method=found.method,
        chance=best,
        chance_single=1.0 / L if chances is None else float("nan"),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Error and surprise (nats), both with Monte Carlo errors, and re-identification by both guesses (L,)."""

    wrong: float
    wrong_error: float
    surprise: float
    surprise_error: float
    right: Floats
    alone: Floats
    draws: int
    method: str


def _exact(theta: Floats, law: Scaled, points: Points, prior: Floats | None) -> _Found | None:
    """Two systems, if an exact way applies."""
    means = means_at(theta, points.psi)
    chances = np.full(2, 0.5) if prior is None else prior
    if isinstance(law, Gaussian) and np.ndim(law.variance) in {0, 2}:
        W, _ = whitening(np.asarray(law.variance), *means.shape[1:])
        distance = np.sqrt(2.0) * np.linalg.norm((means[:, 0] - means[:, 1]) @ W.T, axis=1)
        return _of_two(*two_systems.gaussian(distance, points.weights, chances), "closed form")
    if means.shape[2] > 1 or not law.has_density or len(means) > two_systems.POINTS:
        return None
    found = two_systems.quadrature(law, means, points.weights, chances)
    return None if found is None else _of_two(*found, "quadrature")


def _of_two(wrong: float, surprise: float, method: str) -> _Found:
    right = np.full(2, 1.0 - wrong)
    return _Found(wrong, 0.0, surprise, 0.0, right, right, 0, method)


def _by_ranks(theta: Floats, law: Scaled, points: Points, prior: Floats | None, draws: int, seed: int) -> _Found | None:
    """Where sorting is the best guess: its errors are exact, and what needs posteriors is simulated."""
    exact = sorting(law, means_at(theta, points.psi), points.weights) if prior is None else None
    if exact is None:
        return None
    if len(theta) > ASSOCIATED:
        unknown = np.full(len(theta), np.nan)
        return _Found(1.0 - exact.all, 0.0, np.nan, np.nan, exact.each, unknown, 0, "ranks")
    rest = _simulated(theta, law, points, prior, draws, seed)
    alone = np.maximum(rest.alone, exact.each)
    return replace(rest, wrong=1.0 - exact.all, wrong_error=0.0, right=exact.each, alone=alone, method="ranks")


def _simulated(theta: Floats, law: Scaled, points: Points, prior: Floats | None, draws: int, seed: int) -> _Found:
    how = rules(len(theta), prior)
    found = simulate(theta, law, points, how, draws, seed)
    both = np.stack([found.wrong, found.surprise])
    (wrong, surprise), error = both.mean(axis=1), both.std(axis=1, ddof=1) / np.sqrt(both.shape[1])
    right, alone = found.right.mean(axis=0), found.alone.mean(axis=0)
    return _Found(
        float(wrong), float(error[0]), float(surprise), float(error[1]), right, alone, both.shape[1], how.method
    )


def _before(prior: Floats | None, L: int) -> tuple[float, float]:
    """The best guess without data: how likely it is right; and the entropy of the prior in nats."""
    if prior is None:
        return float(np.exp(-lgamma(L + 1.0))), lgamma(L + 1.0)
    possible = prior[prior > 0.0]
    return float(prior.max()), float(-np.sum(possible * np.log(possible)))


def _require_all_or_none(law: Scaled) -> None:
    """Refuse noise that is in some readings, or some of their coordinates, and not in others."""
    variance = np.asarray(law.variance)
    values = np.linalg.eigvalsh(variance) if variance.ndim >= 2 else np.atleast_1d(variance)
    if np.any(values > 0.0) and np.any(values <= 1e-14 * values.max()):
        raise InputError(
            "noise-in-some",
            "`noise` must be in every reading or in none, got variance {variance}: what has no noise can be named for certain, and "
            "has no density to compare. Leave such a system or coordinate out, or give it a small variance.",
            variance=variance.tolist(),
        )


def _as_prior(prior: ArrayLike | None, L: int) -> Floats | None:
    if prior is None:
        return None
    if L > ENUMERATED:
        raise InputError(
            "prior-too-large",
            "a prior over the orders of {n_systems} systems has {entries:,} entries, and all of them are looked at in every draw; up to "
            "{most} systems ({most_entries} entries) are allowed. Leave `prior` out: for a uniform one the best guess is an assignment "
            "problem, and takes no enumeration.",
            n_systems=L, entries=factorial(L), most=ENUMERATED, most_entries=factorial(ENUMERATED),
        )  # fmt: skip
    array = as_floats(prior, "prior")
    if array.shape != (factorial(L),):
        raise InputError(
            "prior-shape",
            "`prior` must have one entry for each of the {orders} orders of {n_systems} systems, in the order of "
            "itertools.permutations(range({n_systems})); got shape {shape}.",
            orders=factorial(L), n_systems=L, shape=array.shape,
        )  # fmt: skip
    return as_probabilities(array, "prior")
