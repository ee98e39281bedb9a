"""Counts over runs under random parameters, in batch or online, and their tables."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from studies.answers.basins import HEIGHT, SAME
from studies.answers.designs import DESIGNS, KINDS, SETS, SYSTEMS, Cell

HEADINGS = (
    "runs",
    "right",
    "wide",
    "wrong, reported or refused",
    "**another basin, silent**",
    "beyond its regions, silent",
    "right or wide, doubted",
    "of these without cause",
    "coverage, undoubted",
)
MOST_CASES = 40  # that are listed
MOST_SILENT = 1e-3  # of the runs


class Case(NamedTuple):
    """One run of a cell: its seed, and what was measured in batch or online."""

    cell: Cell
    seed: int
    result: dict[str, Any]

    @property
    def kind(self) -> str:
        """Right, wide, reported, silent in another basin, or silent and beyond its regions."""
        if self.result["right"]:
            return "right"
        if self.result["within"]:
            return "wide"
        if self.result["error"] or self.result["codes"]:
            return "reported"
        return "silent" if self.result["truth"]["apart"] > SAME else "beyond"

    @property
    def is_doubted(self) -> bool:
        """Whether a finding of caution or more comes with it."""
        return bool(self.result["codes"])

    @property
    def cause(self) -> str:
        """Of an estimate that is wrong and silent: what is wrong."""
        if self.kind == "beyond":
            return "on the hill of the truth"
        likelier = self.result["truth"]["below"] > HEIGHT
        return "another basin: the truth is likelier" if likelier else "another basin, as likely as the truth"


def tables(cases: list[Case]) -> str:
    """By family and systems, by family and sets, by design; the findings, and every case that is wrong and silent."""
    groups: list[tuple[str, list[tuple[str, Callable[[Case], bool]]]]] = [
        (
            "family, L",
            [(f"{f}; {L}", _with(family=f, systems=L)) for f in KINDS for L in SYSTEMS] + [("all", lambda _: True)],
        ),
        ("family, N", [(f"{f}; {N:,}", _with(family=f, sets=N)) for f in KINDS for N in SETS]),
        ("family, design", [(f"{f}; {d}", _with(family=f, design=d)) for f in KINDS for d in DESIGNS]),
    ]
    told = Counter(code for one in cases if one.kind in ("right", "wide") for code in one.result["codes"])
    vain = Counter(code for one in cases if one.kind in ("right", "wide") for code in one.result["causeless"])
    said, in_vain = (_listed(counter) for counter in (told, vain))
    parts = [_table(heading, cases, chosen) for heading, chosen in groups]
    return "\n\n".join(
        [*parts, f"Findings on what is right or wide: {said}; without cause: {in_vain}.", _silent(cases)]
    )


def _listed(counted: Counter[str]) -> str:
    return ", ".join(f"{code} {count}" for code, count in counted.most_common()) or "none"


def faults(cases: list[Case]) -> list[str]:
    """What misses its target."""
    count = sum(one.kind == "silent" for one in cases)
    return [f"in another basin and silent in {count} of {len(cases)} runs"] if count > MOST_SILENT * len(cases) else []


def _with(**fields: Any) -> Callable[[Case], bool]:
    return lambda case: all(getattr(case.cell, name) == value for name, value in fields.items())


def _table(heading: str, cases: list[Case], groups: list[tuple[str, Callable[[Case], bool]]]) -> str:
    lines = ["| " + " | ".join((heading, *HEADINGS)) + " |", "|---" * (1 + len(HEADINGS)) + "|"]
    chosen = [(name, list(filter(of, cases))) for name, of in groups]
    return "\n".join([*lines, *(f"| {name} | {_line(some)} |" for name, some in chosen if some)])


def _line(cases: Iterable[Case]) -> str:
    cases = list(cases)
    kinds = Counter(one.kind for one in cases)
    doubted = sum(one.is_doubted for one in cases if one.kind in ("right", "wide"))
    causeless = sum(bool(one.result["causeless"]) for one in cases if one.kind in ("right", "wide"))
    sure = [one.result["covered"] for one in cases if not one.result["error"] and not one.is_doubted]
    coverage = f"{sum(sure) / len(sure):.3f}" if sure else ""
    found = (
        len(cases),
        kinds["right"],
        kinds["wide"],
        kinds["reported"],
        kinds["silent"],
        kinds["beyond"],
        doubted,
        causeless,
        coverage,
    )
    return " | ".join(str(one) for one in found)


def _silent(cases: list[Case]) -> str:
    found = [one for one in cases if one.kind in ("silent", "beyond")]
    if not found:
        return "Nothing is wrong and silent."
    lines = ["| wrong and silent: cell | seed | off by | what it is |", "|---" * 4 + "|"]
    lines += [f"| {one.cell.name} | {one.seed} | {one.result['off']:.2f} | {one.cause} |" for one in found[:MOST_CASES]]
    return "\n".join(lines)
