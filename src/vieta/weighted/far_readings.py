r"""Readings that lie far from zero beside their differences: a common part of all systems is taken away first, and given back.

For any c, the sets with readings :math:`y_l - \Psi c` are those of systems with parameters :math:`\theta_l - c` and the same noise. With the c
of a regression of the first sets' mean readings on their inputs, what is left is of the size of the differences, and products of readings keep
the digits in which these differ. Inputs need no constant for that.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vieta.arrays import Floats, plain
from vieta.findings import finding
from vieta.pairing import as_row
from vieta.sets import Data
from vieta.solution import Solution
from vieta.sums import Passes
from vieta.weighted.sum_regression import as_matrices

FAR = 1e5  # times the deviation of readings from what is common to all, from which on it is taken away
ROUNDING = 1e-14  # of what is common: deviations that are no more than rounding
FIRST = 256  # sets by which it is judged


def common_part(passes: Passes) -> Floats | None:
    """(D,) the parameters c, where readings lie far from zero; else None."""
    first = passes.head(FIRST)
    psi, means = as_matrices(first), first.sets.mean(axis=1)
    c = np.linalg.lstsq(psi.reshape(-1, psi.shape[2]), means.ravel())[0]
    common = psi @ c
    left = first.sets - common[:, None]
    size, rest = np.sqrt((common**2).mean()), np.sqrt((left**2).mean())
    return np.asarray(c) if size > FAR * rest and rest > ROUNDING * size else None


def near_zero(passes: Passes, solve: Callable[[Passes, Floats | None], Solution]) -> Solution:
    """What `solve` makes of the sets, brought near zero where they are far from it, and of the c taken away; its parameters moved back."""
    c = common_part(passes)
    if c is None:
        return solve(passes, None)
    found = solve(without(passes, c), c)
    said = (*found.findings, finding("readings-far", times=FAR, center=as_row(c)))
    return replace(found, theta=found.theta + c, findings=said)


def without(passes: Passes, c: Floats) -> Passes:
    """The same sets without what c makes of their inputs."""

    def block(data: Data) -> Data:
        return Data(plain(data.sets - (as_matrices(data) @ c)[:, None]), data.inputs, data.dim)

    return passes.changed(passes.like, block)
