r"""One run of a cell: the estimate in batch and online, and whether it is right, wide, reported, or wrong and silent.

An estimate is *right* if every curve of predictors is near the true one of the system that it is matched to,

.. math:: \Bigl(\frac1N \sum_k (\psi_k'(\hat\theta_l - \theta_l))^2\Bigr)^{1/2} \le \max(1/2,\ 5\,\sigma\sqrt{D/N}) \quad\text{or}\quad
    \le \sigma/4

with :math:`\sigma` about the error of a predictor from one answer with its label. It is *wide* if it is not right and the truth lies in its own
regions, :math:`d_l' C_l^{-1} d_l \le \chi^2_D(1 - .001/L)` for every system: little is known, and the estimate
says how little. Anything else is wrong: in *another basin*, if the likelihood climbed from it ends elsewhere than that climbed from the truth,
and else *beyond its regions*, by an error of the data that these do not allow for.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import vieta
from studies.answers.designs import KINDS, Answered, Cell
from studies.answers.oracle import Oracle, off, oracle, order, tolerance, without_cause
from vieta.answers.answer_engine import FIRST
from vieta.answers.answer_errors import inverse
from vieta.arrays import Floats
from vieta.errors import VietaError
from vieta.estimators.estimate import Estimate
from vieta.findings import at_least
from vieta.tails import chi_square_tail

OUTSIDE = 1e-3  # probability of a truth outside the regions of a right statement
HEIGHT, SAME = 0.1, 0.1  # log-likelihood, and distance of curves, within which two places are one


def batch(cell: Cell, given: Answered) -> Estimate:
    """All sets at once."""
    return vieta.fit(given.sets, given.inputs, family=cell.family, offset=given.offset, **KINDS[cell.family].options)


def online(cell: Cell, given: Answered) -> Estimate:
    """A filter from a cold start."""
    L, D = given.theta.shape
    made = vieta.SymmetricFilter(L, D, family=cell.family, **KINDS[cell.family].options)
    return made.partial_fit(given.sets, given.inputs, offset=given.offset).estimate()


MODES: dict[str, Callable[[Cell, Answered], Estimate]] = {"batch": batch, "online": online}


def one_cell_run(cell: Cell, seed: int) -> dict[str, Any]:
    """The figures of one seed; they survive JSON. A filter that still holds all sets gives what all at once give, and is left out."""
    given = cell.draw(seed)
    modes = MODES if cell.sets > FIRST else {"batch": batch}
    return {"seed": seed} | {mode: _judged(estimator, cell, given) for mode, estimator in modes.items()}


def _judged(estimator: Callable[[Cell, Answered], Estimate], cell: Cell, given: Answered) -> dict[str, Any]:
    try:
        found = estimator(cell, given)
    except VietaError as error:
        return {
            "error": error.code,
            "right": False,
            "within": False,
            "codes": [],
            "causeless": [],
            "off": None,
            "truth": None,
        }
    right, within = off(found.theta, given) <= tolerance(given), is_within(found, given)
    codes = [one.code for one in at_least(found.findings, "caution")]
    doubted = bool(codes) and (right or within)
    known = oracle(cell, given) if doubted or not (right or within) else None
    return {
        "error": None,
        "right": right,
        "within": within,
        "codes": codes,
        "causeless": without_cause(found.findings, found.theta, known) if known is not None and doubted else [],
        "off": min(off(found.theta, given), 1e9),
        "covered": float(covered(found, given).mean()),
        "truth": beside_truth(known, found) if known is not None and not doubted else None,
    }


def is_within(found: Estimate, given: Answered) -> bool:
    """Whether the truth lies in the regions of all systems, or in their open intervals."""
    L, D = given.theta.shape
    matched = order(found.theta, given)
    cov = found.cov.reshape(L, D, L, D)
    for own, true in zip(matched, given.theta, strict=True):
        block, away = cov[own, :, own], found.theta[own] - true
        if not np.isfinite(block).all():
            low, high = found.conf_int(1.0 - OUTSIDE / L)[own].T
            if not ((low <= true) & (true <= high)).all():
                return False
        elif chi_square_tail(D, float(away @ inverse(block) @ away)) < OUTSIDE / L:
            return False
    return True


def covered(found: Estimate, given: Answered) -> Floats:
    """(L, D) which 95 % intervals hold the truth."""
    interval = found.conf_int()[order(found.theta, given)]
    return np.asarray((interval[..., 0] <= given.theta) & (given.theta <= interval[..., 1]), dtype=float)


def beside_truth(known: Oracle, found: Estimate) -> dict[str, float]:
    """By how much the likelihood climbed from the estimate lies below that climbed from the truth, and how far apart the two end."""
    other, law = known.climbed(found.theta), known.law
    apart = off(law.theta(other.u), known.given._replace(theta=law.theta(known.top.u)))
    return {"below": known.top.height - other.height, "apart": min(apart, 1e9)}
