r"""The paper's Lemma 1: the trace of LMS's error per unit step, for two numbers and standard normal inputs.

The paper takes the covariance of the scores to be diagonal, :math:`R = \mathrm{diag}(2\sigma^2,
15\sigma^2(a^2+b^2) + 3\sigma^4)`. The two coefficients share their noise, and the entry off the diagonal is
:math:`3\sigma^2(a+b)`. Simulation decides for the full matrix.
"""

from numpy.typing import ArrayLike

from vieta.checks import as_number
from vieta.laws.setting import as_parameters


def lemma1(a: ArrayLike, b: ArrayLike, noise_sd: ArrayLike) -> float:
    r"""Corrected: :math:`3\sigma^2 + [\tfrac32 (a+b)^2 \sigma^2 + \sigma^4] / (a-b)^2`, at parameters a, b and a noise of standard
    deviation `noise_sd`.

    Its infimum is :math:`3\sigma^2` (printed: :math:`3\sigma^4`), where labeled LMS has :math:`\sigma^2`.

    >>> lemma1(1, 5, 0.5)
    1.59765625
    """
    total, gap, variance = _setting(a, b, noise_sd)
    return 3.0 * variance + (1.5 * total**2 * variance + variance**2) / gap**2


def lemma1_printed(a: ArrayLike, b: ArrayLike, noise_sd: ArrayLike) -> float:
    r"""As printed, and wrong: :math:`[6\sigma^2(a^2+b^2) + \sigma^4] / (a-b)^2`.

    >>> lemma1_printed(1, 5, 0.5)
    2.44140625
    """
    total, gap, variance = _setting(a, b, noise_sd)
    return (3.0 * variance * (total**2 + gap**2) + variance**2) / gap**2


def _setting(a: ArrayLike, b: ArrayLike, noise_sd: ArrayLike) -> tuple[float, float, float]:
    """Sum, difference, variance."""
    first, second = as_number(a, "a"), as_number(b, "b")
    as_parameters([first, second])
    return first + second, first - second, as_number(noise_sd, "noise_sd", above=0.0) ** 2
