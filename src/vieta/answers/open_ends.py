r"""Systems that a likelihood pushes to infinity: all their answers are right, or wrong, or none.

Where the information about a system has gone, the climb has followed its parameter to where nothing changes any more. For one parameter a
system the profile of the likelihood,

.. math:: d(t) = \sup_u \ell(u) - \sup_{u:\,\theta_l = t} \ell(u),

falls to zero as t goes to infinity; the interval is open there, and its other end is where d is as large as the level asks for.
"""

from dataclasses import dataclass

import numpy as np

from vieta.answer_model import OpenEnd
from vieta.answers.answer_climb import Climb, climb_sums
from vieta.answers.answer_likelihood import AnswerLikelihood, AnswerSums
from vieta.arrays import Floats
from vieta.sums import Passes

FLAT = 0.05  # information about a system's predictors, in all sets together, below which there is none
STEP, STEPS = 0.4, 60  # of a predictor, along the profile
DEEP = 9.0  # log-likelihood below the supremum, where the profile ends
MIDDLE = float(np.log(2.0))  # the same where the parameter is shown


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Systems without information, and the open ends of their intervals, of those that have one parameter."""

    systems: tuple[int, ...]
    open_ends: tuple[OpenEnd, ...]

    def shown(self, theta: Floats) -> Floats:
        """Parameters with those of open ends where the likelihood has fallen to half its supremum."""
        found = theta.copy()
        for one in self.open_ends:
            found[one.system, 0] = np.interp(MIDDLE, one.drop, one.at)
        return found

    def fixed(self, dim: int) -> list[int]:
        """Places of their parameters among the unknowns."""
        return [l * dim + d for l in self.systems for d in range(dim)]


def find_ends(passes: Passes, law: AnswerLikelihood, best: Climb, root: Floats) -> Ends:
    """Which systems have gone to infinity."""
    D, back = law.dim, np.linalg.inv(root)
    flat = []
    for l in range(law.n_systems):
        own = best.sums.information[l * D : (l + 1) * D, l * D : (l + 1) * D]
        if np.trace(back.T @ own @ back) / D < FLAT:
            flat.append(l)
    ends = [_profile(passes, law, best, root, l) for l in flat] if D == 1 else []
    return Ends(tuple(flat), tuple(ends))


def _profile(passes: Passes, law: AnswerLikelihood, best: Climb, root: Floats, l: int) -> OpenEnd:
    """The profile of a system's one parameter, from where the climb ended inwards."""
    others = np.delete(best.u[: law.n_systems], l)
    side = 1 if best.u[l] > (np.median(others) if len(others) else 0.0) else -1
    step = STEP / max(float(abs(root[0, 0])), 1e-12)
    at, drop, u = [float(best.u[l])], [0.0], best.u

    def held(place: Floats) -> AnswerSums:
        sums = passes.total(lambda block, _: law.sums(block, place))
        sums.score[l] = 0.0
        sums.information[l, :], sums.information[:, l] = 0.0, 0.0
        return sums

    for _ in range(STEPS):
        u = u.copy()
        u[l] -= side * step
        there = climb_sums(held, law, u, root, gain=1e-3)
        u = there.u
        at.append(float(u[l]))
        drop.append(max(best.height - there.height, drop[-1]))
        if drop[-1] > DEEP:
            break
    return OpenEnd(l, side, np.array(at), np.array(drop))
