"""Least mean squares that ignores the problem: the position within a set is taken for the label."""

from numpy.typing import ArrayLike

from vieta.paper.classical import classical_lms
from vieta.paper.path import Path
from vieta.paper.regression import checked


def unordered_lms(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    step: float,
    start: ArrayLike | None = None,
    record_every: int | None = None,
) -> Path:
    r"""Least mean squares on sets in whatever order they come:

    .. math:: \theta_i(k+1) = \theta_i(k) + \epsilon\, \Psi'(k) \bigl(y_{\sigma_k(i)}(k) - \Psi(k)\,\theta_i(k)\bigr),

    with :math:`\sigma_k` the unknown order of set k. Under uniform shuffling every row goes to the average
    :math:`\frac1L \sum_l \theta_l`, and the differences between the systems stay behind as noise.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    step : float
        :math:`\epsilon`.
    start : (L, D), optional
        Zeros if absent.
    record_every : int, optional
        Record after every so many sets and after the last; after the last only if absent.

    Returns
    -------
    Path
        Row i belongs to position i, and so to no system.

    >>> unordered_lms([[1.0, 3.0], [3.0, 1.0]], step=0.5).final.ravel()
    array([1.75, 1.25])
    """
    return classical_lms(checked(sets, inputs), step, start, record_every)
