"""What was learned of answers beside the parameters: the family, its link, thresholds, dispersion, and intervals that are open at one end.

Numbers and names only, so that a result can hold them and a file can keep them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.quantiles import two_sided

REACH_LEVELS = (0.95, 0.99)  # at which the ends of intervals are kept


@dataclass(frozen=True, slots=True, eq=False)
class OpenEnd:
    r"""A parameter that the likelihood pushes to infinity: a system all of whose answers are right, or wrong.

    Attributes
    ----------
    system : int
        Which, from zero.
    side : int
        1 where it goes to plus infinity, -1 to minus infinity.
    at, drop : (K,)
        Values of the parameter, and how far the log-likelihood there lies below its supremum, falling to zero.
    """

    system: int
    side: int
    at: Floats
    drop: Floats

    def limit(self, level: float) -> float:
        r"""The finite end of the interval: where the likelihood has fallen to the fraction 1 - level of its supremum.

        For a system that is known to answer all questions right that is exact: the probability of it, at the limit, is 1 - level. Infinite
        if it falls nowhere so far.
        """
        if -np.log1p(-level) > self.drop.max():
            return -self.side * float("inf")
        order = np.argsort(self.drop)
        return float(np.interp(-np.log1p(-level), self.drop[order], self.at[order]))


@dataclass(frozen=True, slots=True, eq=False)
class AnswerModel:
    """Family and link; names, values and standard errors of what was estimated beside the parameters; open ends of intervals.

    `flipped` is the probability with which answers were exchanged for others before release. `reach` (L, D, 2, 2) tells intervals that are
    longer on one side: how far the lower and the upper end are away, at each of `REACH_LEVELS`, in units of the interval that standard errors
    make; empty where none are.
    """

    family: str
    link: str
    names: tuple[str, ...] = ()
    values: Floats = field(default_factory=lambda: np.empty(0))
    stderr: Floats = field(default_factory=lambda: np.empty(0))
    open_ends: tuple[OpenEnd, ...] = ()
    flipped: float = 0.0
    reach: Floats = field(default_factory=lambda: np.empty((0, 0, 2, 2)))

    def reordered(self, order: Integers) -> Self:
        """With the systems in another order."""
        place = {int(old): new for new, old in enumerate(order)}
        moved = tuple(replace(one, system=place[one.system]) for one in self.open_ends)
        return replace(self, open_ends=moved, reach=self.reach[order] if len(self.reach) else self.reach)

    def line(self) -> str:
        """What is said of it in a table."""
        each = (
            f"{name} {value:.4g}" + f" ({error:.2g})" * bool(error > 0.0)
            for name, value, error in zip(self.names, self.values, self.stderr, strict=True)
        )
        flipped = [f"flipped {self.flipped:.4g}"] if self.flipped else []
        return ", ".join([f"family {self.family}", f"link {self.link}", *flipped, *each])

    def closed(self, interval: Floats, level: float) -> Floats:
        """Intervals (L, D, 2), made from standard errors, with their ends where they are; `reach` is linear in quantiles between its levels."""
        found = interval.copy()
        if len(self.reach):
            levels = [0.0, *(two_sided(one) for one in REACH_LEVELS)]
            times = np.apply_along_axis(lambda of: np.interp(two_sided(level), levels, [1.0, *of]), -1, self.reach)
            is_finite = np.isfinite(interval).all(axis=-1)
            middle = interval[is_finite].mean(axis=-1, keepdims=True)
            found[is_finite] = middle + times[is_finite] * (interval[is_finite] - middle)
        for one in self.open_ends:
            found[one.system] = -np.inf, np.inf
            if found.shape[1] == 1:
                found[one.system, 0, 0 if one.side > 0 else 1] = one.limit(level)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "family": self.family,
            "link": self.link,
            "names": list(self.names),
            "values": self.values.tolist(),
            "stderr": [value if np.isfinite(value) else None for value in self.stderr.tolist()],
            "open_ends": [
                {"system": one.system, "side": one.side, "at": one.at.tolist(), "drop": one.drop.tolist()}
                for one in self.open_ends
            ],
            **({"flipped": self.flipped} if self.flipped else {}),
            **({"reach": self.reach.tolist()} if len(self.reach) else {}),
        }

    @classmethod
    def from_dict(cls, answer: Mapping[str, Any]) -> Self:
        """What `to_dict` wrote; KeyError, TypeError or ValueError if it did not."""
        return cls(
            str(answer["family"]),
            str(answer["link"]),
            tuple(str(name) for name in answer["names"]),
            np.array(answer["values"], dtype=np.float64),
            np.array(answer["stderr"], dtype=np.float64),
            tuple(
                OpenEnd(int(one["system"]), int(one["side"]), np.array(one["at"]), np.array(one["drop"]))
                for one in answer["open_ends"]
            ),
            float(answer.get("flipped", 0.0)),
            np.array(answer.get("reach", np.empty((0, 0, 2, 2))), dtype=np.float64),
        )
