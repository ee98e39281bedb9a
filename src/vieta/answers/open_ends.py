r"""Systems that a likelihood pushes to infinity: all their answers are right, or wrong, or none.

Where the information about a system has gone, the climb has followed its parameter to where nothing changes any more. For one parameter a
system the profile of the likelihood,

.. math:: d(t) = \sup_u \ell(u) - \sup_{u:\,\theta_l = t} \ell(u),

falls to zero as t goes to infinity; the interval is open there, and its other end is where d is as large as the level asks for. Of several
parameters some combinations may have gone, such as the level of one group of sets: those that they are made of have no bounds.
"""

from dataclasses import dataclass

import numpy as np

from vieta.answer_model import OpenEnd
from vieta.answers.answer_climb import Climb, climb_sums, held
from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums
from vieta.arrays import Floats
from vieta.sums import Passes

FLAT = 0.05  # information about a system's predictors, in all sets together, below which there is none
GONE = 1e-3  # the same along one direction of its parameters
PART = 0.01  # of a direction, in units of predictors: parameters with less of it are not those that go
STEP, STEPS = 0.4, 60  # of a predictor, along the profile
REACH = 40  # steps inwards that are looked at, at the least
LEVEL = 1e-3  # log-likelihood below the supremum, from which the profile begins
DEEP = 9.0  # log-likelihood below the supremum, where the profile ends
MIDDLE = float(np.log(2.0))  # the same where the parameter is shown


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Systems without information, the open ends of their intervals, of those that have one parameter, and which parameters went."""

    systems: tuple[int, ...]
    open_ends: tuple[OpenEnd, ...]
    parameters: tuple[tuple[int, int], ...] = ()

    def shown(self, theta: Floats) -> Floats:
        """Parameters with those of open ends where the likelihood has fallen to half its supremum."""
        found = theta.copy()
        for one in self.open_ends:
            found[one.system, 0] = np.interp(MIDDLE, one.drop, one.at)
        return found

    def fixed(self, dim: int) -> list[int]:
        """Places of these parameters among the unknowns."""
        return [l * dim + d for l, d in self.parameters]


def find_ends(passes: Passes, law: AnswerLikelihood, best: Climb, root: Floats) -> Ends:
    """Which systems have gone to infinity."""
    D = law.dim
    parameters = tuple((l, d) for l in range(law.n_systems) for d in _gone(best.sums.information, l, D, root))
    flat = sorted({l for l, _ in parameters})
    ends = [_profile(passes, law, best, root, l) for l in flat] if D == 1 else []
    return Ends(tuple(flat), tuple(ends), parameters)


def _gone(information: Floats, l: int, D: int, root: Floats) -> list[int]:
    """Which parameters of a system are made of directions without information."""
    back = np.linalg.inv(root)
    own = back.T @ information[l * D : (l + 1) * D, l * D : (l + 1) * D] @ back
    if np.trace(own) / D < FLAT:
        return list(range(D))
    values, vectors = np.linalg.eigh(own)
    lost = abs(back @ vectors[:, values < GONE]) * np.linalg.norm(root, axis=0)[:, None]
    return np.flatnonzero((lost > PART * lost.max(axis=0, initial=0.0)).any(axis=1)).tolist()


def _profile(passes: Passes, law: AnswerLikelihood, best: Climb, root: Floats, l: int) -> OpenEnd:
    """The profile of a system's one parameter, from where the climb ended inwards."""
    others = np.delete(best.u[: law.n_systems], l)
    middle = float(np.median(others)) if len(others) else 0.0
    side = 1 if best.u[l] > middle else -1
    step = STEP / max(float(abs(root[0, 0])), 1e-12)
    next_one = max((side * one for one in others if side * one < side * best.u[l] - step), default=-np.inf)
    u = best.u.copy()
    u[l] = _edge(passes, law, best, l, min(side * middle, side * best.u[l] - REACH * step) * side, step)
    at, drop = [float(u[l])], [0.0]

    def at_side(place: Floats) -> AnswerSums:
        return held(passes.total(lambda block, _: law.sums(block, place)), l)

    for _ in range(STEPS):
        u = u.copy()
        u[l] -= side * step
        if side * u[l] < next_one:  # beyond it the two would change places
            break
        there = climb_sums(at_side, law, u, root, gain=1e-3)
        u = there.u
        at.append(float(u[l]))
        drop.append(max(best.height - there.height, drop[-1]))
        if drop[-1] > DEEP:
            break
    return OpenEnd(l, side, np.array(at), np.array(drop))


def _edge(passes: Passes, law: AnswerLikelihood, best: Climb, l: int, inside: float, step: float) -> float:
    """How far inwards a system's one parameter may go, to a step, before the likelihood falls at all."""
    far, u = float(best.u[l]), best.u.copy()
    while abs(far - inside) > step:
        u[l] = 0.5 * (far + inside)
        height = passes.total(lambda block, _, u=u: law.sums(block, u)).likelihood  # type: ignore[misc]
        far, inside = (float(u[l]), inside) if height > best.height - LEVEL else (far, float(u[l]))
    return far
