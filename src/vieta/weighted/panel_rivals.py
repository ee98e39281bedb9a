r"""Whether another assignment explains few sets about as well as the best one that was found, and whether that one leaves too much.

Two curves that touch may have changed places behind the place where they do, at nearly the same sum of squares. With the squared residuals
:math:`q_k` of the sets, each less its mean, at the best assignment, those :math:`q'_k` at another one that alternation ends at, and
:math:`s^2 = \sum_k q_k / ((N - D)(L - 1))`, the other one is a rival unless

.. math:: d_k = \frac{q'_k - q_k}{2 s^2}

exclude it, as differences of log densities do in `vieta.search.rivals`, or their sum, none more than `STEP`, exceeds `SURELY`. Others
come from random starts, from exchanges of curves that touch (`vieta.search.exchanges`), and from pairs and triples of systems whose
curves make nearly the same sets in another way (`vieta.search.moves.alternatives`).

The noise of the sums of the sets has the variance :math:`s_0^2`, known without an assignment. Where noises are independent of each other,
:math:`s^2 / s_0^2` has the F law of (N - D)(L - 1) and N - D degrees of freedom; noise that systems share makes it smaller. Beyond its
quantile, the search has missed the right assignment, or the model does not fit.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.exchanges import ITERATIONS, exchanges
from vieta.search.moves import DIFFERENT, alternatives, subsets
from vieta.search.problem import Problem, alternate, alternate_each, gaps, problem
from vieta.search.rivals import ERRORS, STEP, is_excluded

FAR = 60.0  # log-likelihood, from which on another assignment is not looked at
MOST_PAIRS, MOST_TRIPLES = 40, 20  # of systems whose alternatives are looked at
MOST_ALTERNATIVES = 3
SURELY = 7.0  # log-likelihood that excludes, of two sets or more
TOO_MUCH = 1e-4  # probability, by chance, of residuals that large


class Panel(NamedTuple):
    """The centred sets of a panel, in units of their noise, as a problem; and that unit."""

    given: Problem
    unit: float


class PanelRival(NamedTuple):
    """Other parameters (L, D), up to what is common to all systems; the log-likelihood that is lacking; and how far each system is away (L,).

    The distance is root mean square, in standard deviations of the noise, for each system of the best assignment.
    """

    theta: Floats
    behind: float
    moved: Floats


def of_panel(rows: Floats, readings: Floats, theta: Floats) -> Panel | None:
    """The panel of inputs (N, D), the readings (N, L) of each system, and parameters (L, D); None where nothing is left over."""
    (N, L), D = readings.shape, rows.shape[1]
    residuals = readings - rows @ theta.T
    apart = residuals - residuals.mean(axis=1, keepdims=True)
    variance = float((apart**2).sum()) / ((N - D) * (L - 1))
    if not variance > 0.0:
        return None
    centred = readings - readings.mean(axis=1, keepdims=True)
    unit = np.sqrt(variance)
    return Panel(problem((centred / unit)[:, :, None], rows[:, None, :], np.eye(1)), unit)


def nearest_rival(panel: Panel, theta: Floats, others: list[Floats]) -> PanelRival | None:
    """The rival of parameters (L, D) with the least sum of squares, among where these others and alternatives of few systems lead to."""
    given, own = panel.given, _centred(theta) / panel.unit
    best = alternate(given, own)
    starts = [*(_centred(one) / panel.unit for one in others), *_alternatives(given, best.theta)]
    ends = [*(alternate_each(given, np.array(starts), ITERATIONS) if starts else []), *exchanges(given, best, 1.0)]
    (n, _, _), D = given.sets.shape, given.psi.shape[2]
    apart = max(DIFFERENT, ERRORS * np.sqrt(D / n))
    logs = _logs(given, best.theta)
    found = []
    for there in ends:
        behind = 0.5 * (there.cost - best.cost)
        if behind > FAR or gaps(given, there.theta, best.theta).max() <= apart:
            continue
        if not _is_excluded(logs, _logs(given, there.theta)):
            found.append(PanelRival(there.theta * panel.unit, behind, gaps(given, there.theta, best.theta)))
    return min(found, key=lambda one: one.behind, default=None)


def _is_excluded(logs: Floats, others: Floats) -> bool:
    """By the tests of `vieta.search.rivals`, or by so large a sum that few sets, none of which decides alone, are enough."""
    return is_excluded(logs, others) or bool(np.clip(logs - others, -STEP, STEP).sum() > SURELY)


def _centred(theta: Floats) -> Floats:
    return np.asarray(theta - theta.mean(axis=0))


def _logs(given: Problem, theta: Floats) -> Floats:
    """(N,) the log density of each set at its likeliest assignment, up to a constant."""
    means = np.sort(given.means(theta)[:, :, 0], axis=1)
    return np.asarray(-0.5 * ((given.sets[:, :, 0] - means) ** 2).sum(axis=1))


def _alternatives(given: Problem, theta: Floats) -> list[Floats]:
    """Parameters (L, D) in which two or three systems make nearly the same sets in another way."""
    rng, found = np.random.default_rng(0), []
    for size, most in ((2, MOST_PAIRS), (3, MOST_TRIPLES)):
        if size > given.n_systems:
            break
        for chosen in _nearest(given, theta, subsets(given.n_systems, size, rng))[:most]:
            for count, other in enumerate(alternatives(given, theta, chosen, rng)):
                if count == MOST_ALTERNATIVES or 0.5 * other.cost > FAR:
                    break
                changed = theta.copy()
                changed[chosen] = other.theta
                found.append(changed)
    return found


def _nearest(given: Problem, theta: Floats, chosen: list[list[int]]) -> list[list[int]]:
    """Subsets of systems, those whose curves come nearest to each other first."""
    means = given.means(theta)[:, :, 0]

    def closest(one: list[int]) -> float:
        return float(sum(np.abs(np.diff(np.sort(means[:, one], axis=1), axis=1)).min(axis=0)))

    return sorted(chosen, key=closest)


def leaves_too_much(rows: Floats, readings: Floats, theta: Floats) -> float:
    """The residual variance over that of the noise of the sums, if chance does not explain it; else 0."""
    from scipy.special import fdtrc

    (N, L), D = readings.shape, rows.shape[1]
    residuals = readings - rows @ theta.T
    mean = residuals.mean(axis=1)
    within = float(((residuals - mean[:, None]) ** 2).sum()) / ((N - D) * (L - 1))
    of_sums = L * float((mean**2).sum()) / (N - D)
    if not of_sums > 0.0:
        return 0.0
    ratio = within / of_sums
    return ratio if fdtrc((N - D) * (L - 1), N - D, ratio) < TOO_MUCH else 0.0
