"""Least mean squares on the element-wise transform: the paper's counter-example, which ends in ghosts."""

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients import lms_recursion
from vieta.coefficients.design import Design
from vieta.errors import DivergedError, InputError
from vieta.options import as_steps
from vieta.paper.naive_transform import naive
from vieta.paper.path import Guard, Path, follow
from vieta.paper.regression import checked, start_or_zeros
from vieta.sets import Data

ADVICE = "Use a smaller step, or one for each degree: degree d sees the inputs to the power 2d."


def naive_lms(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    step: ArrayLike,
    start: ArrayLike | None = None,
    record_every: int | None = None,
) -> Path:
    r"""Least mean squares on :math:`\bar z_{d,j} = e_d(y_{1,j}, \dots, y_{L,j})`, eq. naivesym of the paper:

    .. math:: \bar\lambda_d(k+1) = \bar\lambda_d(k)
        + \epsilon_d\, (\Psi^{\circ d})' \bigl(\bar z_d - \Psi^{\circ d}\,\bar\lambda_d(k)\bigr),

    with :math:`\Psi^{\circ d}` the element-wise power. The parameters are the roots of each coordinate's polynomial,
    sorted, which is what makes the ghosts: the values of a coordinate are right, their pairing is by rank.

    The paper blames the objective. For :math:`\Psi = cI` that is right: the pairing is not in the data used. For
    a general :math:`\Psi` the element-wise readings do hold it, in the cross terms
    :math:`\psi_{ji}\psi_{jk}`, and it is lost because these regressors are left out.

    Parameters
    ----------
    sets : (N, L, p)
        Or (N, L), where there is one coordinate and nothing to confuse.
    inputs : None, (N,) or (N, p, p)
    step : float or (L,)
        :math:`\epsilon`, the same for all degrees or one for each.
    start : (L, D), optional
        Parameters to start from, by way of their transform; zeros if absent.
    record_every : int, optional
        Record after every so many sets and after the last; after the last only if absent.

    Returns
    -------
    Path
        Every coordinate ascending down the rows; the real part where roots are complex.

    >>> sets = np.tile([[-2.0, 6.0], [4.0, 5.0]], (60, 1, 1))
    >>> naive_lms(sets, step=0.5).final.round(6)
    array([[-2., 5.], [ 4., 6.]])
    """
    data = checked(sets, inputs)
    design = _design(data)
    steps = as_steps(step, data.n_systems)
    theta = start_or_zeros(start, data)
    guard = Guard.of(data, theta, ADVICE)

    def advance(coefficients: Floats, piece: slice) -> Floats:
        blocks = design.blocks(data.sets[piece], data.inputs[piece])
        coefficients = lms_recursion.update(lms_recursion.init(coefficients), design, blocks, steps)[0].coefficients
        guard.check(_parameters(design, coefficients, piece.stop), piece.stop)
        return coefficients

    index, coefficients = follow(advance, design.transform.transform(theta), len(data.sets), record_every)
    return Path(index, _parameters(design, coefficients, len(data.sets)))


def _design(data: Data) -> Design:
    if data.dim != data.reading_dim:
        raise InputError(
            "naive-not-square",
            "the element-wise transform needs as many readings as parameters, got inputs with p = {rows} rows and D = {columns} "
            "columns. Give square inputs, a number a set, or none.",
            rows=data.reading_dim, columns=data.dim,
        )  # fmt: skip
    return Design(naive(data.n_systems, data.dim), "scalar" if data.inputs.ndim == 1 else "matrix")


def _parameters(design: Design, coefficients: Floats, count: int) -> Floats:
    """Sorted roots (..., L, D) of coefficients (..., M)."""
    if not np.isfinite(coefficients).all():
        raise DivergedError(
            "naive-diverged",
            "the recursion diverged: after {n_sets} sets its coefficients are not finite. {advice}",
            n_sets=count, advice=ADVICE,
        )  # fmt: skip
    flat = coefficients.reshape(-1, coefficients.shape[-1])
    theta = np.asarray(design.transform.solve(flat).real, dtype=np.float64)
    return theta.reshape(*coefficients.shape[:-1], *theta.shape[1:])
