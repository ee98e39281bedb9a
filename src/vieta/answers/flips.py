r"""Randomized response: an answer is exchanged for another one before it is released.

With M answers that there are, each is exchanged with probability r for one of the M - 1 others, drawn evenly. A probability P becomes

.. math:: P' = a P + \frac{r}{M - 1}, \qquad a = 1 - \frac{M r}{M - 1} .

Two in turn are one, with the product of the a. At r = (M - 1)/M nothing is left.
"""

import numpy as np
from numpy.typing import ArrayLike

from vieta.answers.intervals import Interval
from vieta.arrays import Floats
from vieta.conversion import NotReal, as_real
from vieta.errors import InputError
from vieta.wording import short


def kept(flipped: float, levels: int) -> float:
    """a.

    >>> kept(0.1, 2), round(kept(0.4, 5), 10)
    (0.8, 0.5)
    """
    return 1.0 - flipped * levels / (levels - 1.0)


def mixed(P: Floats, flipped: float, levels: int) -> Floats:
    """P'."""
    return P if not flipped else np.asarray(kept(flipped, levels) * P + flipped / (levels - 1.0))


def mixed_interval(found: Interval, flipped: float, levels: int) -> Interval:
    """log P' and its slopes by the bounds of an interval."""
    if not flipped:
        return found
    P = np.exp(found.log)
    after = mixed(P, flipped, levels)
    share = kept(flipped, levels) * P / after
    return Interval(np.log(after), share * found.lower, share * found.upper)


def in_turn(first: float, second: float, levels: int) -> float:
    """The one probability of two in turn.

    >>> round(in_turn(0.1, 0.1, 2), 10)
    0.18
    """
    return (levels - 1.0) / levels * (1.0 - kept(first, levels) * kept(second, levels))


def as_flipped(value: ArrayLike | None, levels: int) -> float:
    """A probability that leaves something, checked; none is zero."""
    if value is None:
        return 0.0
    number = as_real(value)
    most = (levels - 1.0) / levels
    if isinstance(number, NotReal) or number.ndim or not 0.0 <= number < most:
        raise InputError(
            "flipped-range",
            "{option.flipped} must be a probability from 0 to less than {most:.4g}, at which {levels} answers tell nothing; got {value}.",
            most=most,
            levels=levels,
            value=short(value),
        )
    return float(number)
