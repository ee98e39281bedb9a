r"""Laws of answers: what becomes of :math:`\eta_l = \Psi\theta_l + b` where a reading is not a measurement with noise.

An answer is drawn for each system on its own. The first sets of a longer simulation are those of a shorter one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, as_number, frozen
from vieta.errors import InputError


class Answers(ABC):
    """A law of answers."""

    name: ClassVar[str] = ""
    """Its name in files, which is that of the family that estimates from them."""

    @abstractmethod
    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """(n, L, p) readings from predictors (n, L, p), and noise (n, L, p) where it has a part in them."""


@dataclass(frozen=True)
class Number(Answers):
    """Measurements: predictor and noise."""

    name: ClassVar[str] = "number"

    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """The sum."""
        return predictors + noise


@dataclass(frozen=True)
class Binary(Answers):
    """Right or wrong, 1 or 0: P(1) = g(eta), g by the `link`; then exchanged with the probability `flipped`."""

    name: ClassVar[str] = "binary"

    link: str = "logit"
    flipped: float = 0.0

    def __post_init__(self) -> None:
        _require_link(self.link)
        object.__setattr__(self, "flipped", _as_flipped(self.flipped, 2))

    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """Whether the predictor with its latent noise is above zero."""
        latent, chance = _latent(rng, predictors.shape, self.link, flips=self.flipped > 0.0)
        right = np.asarray(predictors + latent > 0.0, dtype=np.float64)
        return exchanged(right, chance, self.flipped, 2)


@dataclass(frozen=True)
class Ordinal(Answers):
    """Levels from 1 on: one more than the number of thresholds below the predictor with its latent noise.

    Then each is exchanged with the probability `flipped` for another one.
    """

    name: ClassVar[str] = "ordinal"

    thresholds: ArrayLike = (-1.0, 1.0)
    link: str = "logit"
    flipped: float = 0.0

    def __post_init__(self) -> None:
        _require_link(self.link)
        cuts = as_floats(self.thresholds, "thresholds")
        if cuts.ndim != 1 or not cuts.size or (np.diff(cuts) <= 0.0).any():
            raise InputError(
                "thresholds-order", "`thresholds` must be ascending numbers, got {value!r}.", value=self.thresholds
            )
        object.__setattr__(self, "thresholds", frozen(cuts))
        object.__setattr__(self, "flipped", _as_flipped(self.flipped, len(cuts) + 1))

    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """The levels."""
        latent, chance = _latent(rng, predictors.shape, self.link, flips=self.flipped > 0.0)
        cuts = np.asarray(self.thresholds)
        place = ((predictors + latent)[..., None] > cuts).sum(axis=-1).astype(np.float64)
        return 1.0 + exchanged(place, chance, self.flipped, len(cuts) + 1)


@dataclass(frozen=True)
class Count(Answers):
    """Counts of mean exp(eta) and a variance of `dispersion` times that: Poisson for 1, negative binomial above."""

    name: ClassVar[str] = "count"

    dispersion: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "dispersion", as_number(self.dispersion, "dispersion", above=1.0 - 1e-12))

    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """The counts."""
        mean = np.exp(np.clip(predictors, -30.0, 30.0))
        if self.dispersion <= 1.0:
            return np.asarray(rng.poisson(mean), dtype=np.float64)
        return np.asarray(
            rng.negative_binomial(mean / (self.dispersion - 1.0), 1.0 / self.dispersion), dtype=np.float64
        )


@dataclass(frozen=True)
class Rounded(Answers):
    """Measurements rounded to a `step`; with a uniform `dither` of one step before, the mean of a reading is that of the measurement."""

    name: ClassVar[str] = "rounded"

    step: float = 1.0
    dither: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", as_number(self.step, "step", above=0.0))

    def draw(self, rng: Generator, predictors: Floats, noise: Floats) -> Floats:
        """The nearest multiples of the step."""
        shift = rng.random(predictors.shape) - 0.5 if self.dither else 0.0
        return np.asarray(self.step * np.rint((predictors + noise) / self.step + shift))


def _require_link(link: str) -> None:
    if link not in ("logit", "probit"):
        raise InputError("link-name", "`link` must be 'logit' or 'probit', got {value!r}.", value=link)


def _as_flipped(value: float, levels: int) -> float:
    return as_number(value, "flipped", above=-1e-300, below=(levels - 1.0) / levels) if value else 0.0


def _latent(rng: Generator, shape: tuple[int, ...], link: str, *, flips: bool) -> tuple[Floats, Floats]:
    """Noise of the law that a link belongs to, and uniform numbers that decide on flips, drawn in turn so that longer draws begin alike."""
    if not flips:
        return (rng.logistic(size=shape) if link == "logit" else rng.standard_normal(shape)), np.ones(shape)
    both = rng.random((*shape, 2))
    return quantile(both[..., 0], link), np.asarray(both[..., 1])


def quantile(chance: Floats, link: str) -> Floats:
    """Of the law that a link belongs to."""
    from scipy.special import logit, ndtri

    inside = np.clip(chance, 1e-15, 1.0 - 1e-15)
    return np.asarray(logit(inside) if link == "logit" else ndtri(inside))


def exchanged(places: Floats, chance: Floats, flipped: float, levels: int) -> Floats:
    """Places from 0 to levels - 1, each where its `chance` is below `flipped` exchanged for one of the others, evenly.

    >>> exchanged(np.array([0.0, 0.0, 2.0]), np.array([0.05, 0.3, 0.15]), 0.2, 3)
    array([1., 0., 1.])
    """
    step = 1.0 + np.floor(np.minimum(chance / max(flipped, 1e-300), 1.0) * (levels - 1.0))
    return np.where(chance < flipped, (places + step) % levels, places)
