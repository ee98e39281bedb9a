"""Counts over runs, in batch or online: what the tables show, and the targets."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from studies.basins.cells import Cell

BELOW = 0.1  # log-likelihood
DOUBTS = frozenset(
    {
        "rival-solution",
        "rival-at-start",
        "not-certified",
        "search-unsure",
        "not-converged",
        "unsafe-start",
        "assignment-unsure",
        "not-separated",
        "systems-coincide",
    }
)
ABOUT_ERRORS = frozenset({"few-sets"})  # a caution about standard errors, which says nothing about the estimate
MODES = ("batch", "online")


class Case(NamedTuple):
    """One run of a cell: its seed, the fit from the truth, and what was measured in batch or online."""

    cell: Cell
    seed: int
    truth: dict[str, Any]
    result: dict[str, Any]

    @property
    def is_answered(self) -> bool:
        """Whether there is an estimate."""
        return self.result["error"] is None

    @property
    def is_right(self) -> bool:
        """Whether all curves are near the truth."""
        return bool(self.result["is_right"])

    @property
    def is_silent(self) -> bool:
        """Whether it is neither refused nor has a finding of caution or more."""
        return self.is_answered and not self.result["codes"]

    @property
    def is_doubted(self) -> bool:
        """Whether a finding doubts the estimate itself."""
        return bool(DOUBTS.intersection(self.result["codes"]))

    @property
    def is_below(self) -> bool:
        """Whether the search ended lower than the fit from the truth; an estimate that was refused is not counted."""
        return self.is_answered and self.result["below"] > BELOW

    @property
    def is_likelier(self) -> bool:
        """Whether the estimate explains the sets better than the fit from the truth: no search by likelihood returns that."""
        return self.is_answered and self.result["below"] < -BELOW

    @property
    def kind(self) -> str:
        """Of an estimate that is wrong: what is wrong."""
        if self.is_below:
            return "wrong basin: the truth is likelier"
        if not self.truth["is_right"]:
            return "error of the data: the fit from the truth is as far off"
        if self.result["moved"] > self.result["off"] / 2.0:
            return "right basin, but the estimate is not near its top"
        return "another basin that is as likely as the truth"


@dataclass(frozen=True)
class Counts:
    """Of some runs.

    Attributes
    ----------
    runs, answered : int
        All, and those with an estimate.
    right : int
    reported, few : int
        Wrong with a finding or an error; of these, those whose only finding is *few-sets*.
    silent, within : int
        Wrong without a finding; of these, those whose truth lies in their own 95 % regions.
    below : int
        Whose search ended lower than the fit from the truth.
    lost, likelier, losable : int
        Not right where the fit from the truth is right; of these, those that are likelier than that fit; of so many.
    caused, doubted, noted : int
        Right with doubts (`DOUBTS`) that all have a cause (`cause`) or with what is true of the sets (`true_of_data`), with a doubt that has
        no cause, and with other findings only.
    """

    runs: int
    answered: int
    right: int
    reported: int
    few: int
    silent: int
    within: int
    below: int
    lost: int
    likelier: int
    losable: int
    caused: int
    doubted: int
    noted: int

    @classmethod
    def of(cls, cases: Iterable[Case]) -> "Counts":
        """Count."""
        every = list(cases)
        right, wrong = [one for one in every if one.is_right], [one for one in every if not one.is_right]
        silent, losable = [one for one in wrong if one.is_silent], [one for one in every if one.truth["is_right"]]
        found = [one for one in right if one.result["codes"]]
        baseless = [one for one in found if not one.result["has_cause"]]
        doubted = sum(one.is_doubted for one in baseless)
        return cls(
            runs=len(every),
            answered=sum(one.is_answered for one in every),
            right=len(right),
            reported=len(wrong) - len(silent),
            few=sum(set(one.result["codes"]) == ABOUT_ERRORS for one in wrong),
            silent=len(silent),
            within=sum(one.result["is_within"] for one in silent),
            below=sum(one.is_below for one in every),
            lost=sum(not one.is_right for one in losable),
            likelier=sum(not one.is_right and one.is_likelier for one in losable),
            losable=len(losable),
            caused=len(found) - len(baseless),
            doubted=doubted,
            noted=len(baseless) - doubted,
        )


HEADINGS = (
    "runs",
    "right",
    "wrong, reported",
    "**wrong, silent**",
    "search below truth",
    "lost",
    "right, finding with cause",
    "right, doubted without",
    "right, other without",
)


def cells_of(found: Counts) -> tuple[str, ...]:
    """What stands below `HEADINGS`."""
    wrong = str(found.reported) if not found.few else f"{found.reported} ({found.few} by few-sets only)"
    silent = str(found.silent) if not found.within else f"{found.silent} ({found.within} within)"
    lost = f"{found.lost}/{found.losable}" + (f" ({found.likelier} likelier)" if found.likelier else "")
    return (
        str(found.runs),
        str(found.right),
        wrong,
        silent,
        str(found.below),
        lost,
        str(found.caused),
        str(found.doubted),
        str(found.noted),
    )


def codes_on_right(cases: Iterable[Case]) -> Counter[str]:
    """How often each finding came with a right answer."""
    return Counter(code for one in cases if one.is_right for code in one.result["codes"])


def faults(cases: list[Case]) -> list[str]:
    """The targets that are missed."""
    total, found = Counts.of(cases), []
    if total.silent > total.runs / 1000.0:
        found.append(f"wrong and silent in {total.silent} of {total.runs} runs")
    sure = Counts.of(one for one in cases if one.cell.sets >= 500 and one.cell.systems <= 5)
    if sure.silent:
        found.append(f"wrong and silent in {sure.silent} of {sure.runs} runs with N >= 500 and L <= 5")
    for name, chosen, share in (("L <= 5", range(6), 0.005), ("L = 8", range(8, 9), 0.03)):
        part = Counts.of(one for one in cases if one.cell.systems in chosen)
        if part.below > share * part.answered:
            found.append(f"search below the truth in {part.below} of {part.answered} runs with {name}")
    if total.lost > 0.01 * total.losable:
        said = f"; in {total.likelier} of them the estimate is likelier than that fit" if total.likelier else ""
        found.append(f"wrong in {total.lost} of {total.losable} runs in which the fit from the truth is right{said}")
    if total.doubted + total.noted > 0.02 * total.right:
        found.append(
            f"findings without cause on {total.doubted + total.noted} of {total.right} right answers "
            f"({total.doubted} doubts, {total.noted} others)"
        )
    return found
