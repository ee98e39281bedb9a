"""Wrong basins: inputs that people have, random parameters, and whether the search ends where the truth is; if not, whether it says so."""

from collections.abc import Callable
from typing import Any

from studies.basins.cells import CELLS, DEVIATIONS, INPUTS, SETS, SYSTEMS, Cell
from studies.basins.counts import HEADINGS, MODES, Case, Counts, cells_of, codes_on_right, faults
from studies.running.study import Conclusion, Study, Task, in_blocks

BY_NAME = {cell.name: cell for cell in CELLS}
LONG = 500  # sets; cells with more come last
MOST_CASES = 60  # that the page lists


class Basins(Study):
    """The page of the basins."""

    name = "basins"
    title = "Right, or reported"
    note = (
        "Random parameters under inputs that people have, with L systems, N sets, and noise of 1/20, 1/5 or all of the median gap between "
        "neighbouring means. An estimate is *right* if every curve is within half a standard deviation of the noise, or five standard errors "
        "of a fit with labels, of the true one, root mean square. If it is not, it is *reported* by a finding of caution or more, or by an "
        "error; else it is *wrong and silent* (in brackets: how many of these have the truth in their own 95 % regions). *Search below truth*: "
        "the likelihood climbed from the estimate is lower, by more than .1, than that climbed from the truth on the same sets. *Lost*: not "
        "right, of the runs in which the climb from the truth is right (in brackets: how many are likelier than that, by more than .1: an "
        "error of the data). *Right, finding with cause*: right answers with findings that an oracle who knows the truth and the noise "
        "would have as well. Of one that doubts the answer: parameters outside that tolerance of the truth are not excluded by the test of "
        "rivals against the likelihood's maximum at the truth; or that test does not exclude the rival that is shown, though it may be near "
        "enough to be right; or two systems lie within the threshold of the finding, in standard errors that the estimator has at the "
        "truth. Of one that says what the sets cannot tell, a shock or slopes: at the truth they cannot either. *Doubted without*: with a "
        "doubt that has no such cause; *other without*: with any other finding. Targets: "
        "wrong and silent in at most 1 of 1000 runs, and in none with N of 500 or more and L up to 5; search below truth in at most .5 % of "
        "runs (L up to 5) and 3 % (L = 8); lost at most 1 %; doubts without cause and other findings on at most 2 % of right answers."
    )
    runs, block = 20, 4
    unit = "runs a cell"
    sources = ("studies.basins.measure", "vieta.method.efficient", "vieta.method.adaptive")

    def tasks(self, runs: int) -> list[Task]:
        """A few runs of every cell before there are more of any, those that take least first, and those of many sets last."""
        cells = sorted(CELLS, key=lambda cell: (cell.sets > LONG, cell.effort))
        tasks = [task for cell in cells for task in in_blocks(cell.name, runs, self.block)]
        return sorted(tasks, key=lambda task: task.start)

    def run(self, task: Task) -> Any:
        from studies.basins.measure import one_run

        return [one_run(BY_NAME[task.row], seed) for seed in range(task.start, task.stop)]

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """Tables for batch and online, and every case that is wrong and silent."""
        parts, missed = _extent({BY_NAME[task.row] for task in results}), []
        for mode in MODES:
            cases = [
                Case(BY_NAME[task.row], run["seed"], run["truth"], run[mode])
                for task, runs in results.items()
                for run in runs
            ]
            parts += [f"## {mode.capitalize()}", *_tables(cases), _silent(cases)]
            missed += [f"{mode}: {text}" for text in faults(cases)]
        return Conclusion("\n\n".join(parts), tuple(missed))


def _extent(cells: set[Cell]) -> list[str]:
    """Which cells are missing, if some are: by number of sets and systems."""
    if len(cells) == len(CELLS):
        return []
    each = len(CELLS) // (len(SETS) * len(SYSTEMS))
    counts = {(N, L): sum((cell.sets, cell.systems) == (N, L) for cell in cells) for N in SETS for L in SYSTEMS}
    missing = ", ".join(
        f"{each - count} of {each} with N = {N}, L = {L}" for (N, L), count in counts.items() if count < each
    )
    return [f"Cells without any run, those that take longest: {missing}."]


def _tables(cases: list[Case]) -> list[str]:
    """By number of systems and all together, by inputs and systems, and by noise and sets; then the findings on right answers."""
    told = ", ".join(f"{code} {count}" for code, count in codes_on_right(cases).most_common())
    return [
        _table("L", cases, [(str(L), _with(systems=L)) for L in SYSTEMS] + [("all", lambda _: True)]),
        _table("inputs, L", cases, [(f"{i}; {L}", _with(inputs=i, systems=L)) for i in INPUTS for L in SYSTEMS]),
        _table("sd / gap, N", cases, [(f"{sd:g}; {N}", _with(share=sd, sets=N)) for sd in DEVIATIONS for N in SETS]),
        f"Findings on right answers: {told or 'none'}.",
    ]


def _with(**fields: Any) -> Callable[[Case], bool]:
    return lambda case: all(getattr(case.cell, name) == value for name, value in fields.items())


def _table(heading: str, cases: list[Case], groups: list[tuple[str, Callable[[Case], bool]]]) -> str:
    """A line for each group that has runs."""
    counted = [(name, Counts.of(filter(chosen, cases))) for name, chosen in groups]
    lines = ["| " + " | ".join((heading, *HEADINGS)) + " |", "|---" * (1 + len(HEADINGS)) + "|"]
    lines += ["| " + " | ".join((name, *cells_of(found))) + " |" for name, found in counted if found.runs]
    return "\n".join(lines)


def _silent(cases: list[Case]) -> str:
    """Every run that is wrong and silent, with the seed that repeats it."""
    found = [one for one in cases if one.is_silent and not one.is_right]
    if not found:
        return "Nothing is wrong and silent."
    lines = [
        "| wrong and silent: cell | seed | off by, sds | log-likelihood below truth | in its 95 % regions | what it is |",
        "|---" * 6 + "|",
    ]
    lines += [
        f"| {one.cell.name} | {one.seed} | {one.result['off']:.2f} | {one.result['below']:.3g} | "
        f"{'yes' if one.result['is_within'] else 'no'} | {one.kind} |"
        for one in found[:MOST_CASES]
    ]
    return "\n".join(lines) + (f"\n\nand {len(found) - MOST_CASES} more." if len(found) > MOST_CASES else "")


STUDY = Basins()
