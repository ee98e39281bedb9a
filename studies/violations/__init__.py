"""Data that break the model: how far the estimate is off in its own standard errors, whether intervals cover, how often a finding says so."""

from typing import Any

from studies.running.study import Conclusion, Study, Task, in_blocks
from studies.violations.outcome import HEADER, Outcome, faults, line
from studies.violations.rows import DESIGNS, ROWS, SETS

BY_NAME = {row.name: row for row in ROWS}
MODES = ("batch", "online")


class Violations(Study):
    """The page of the violations."""

    name = "violations"
    title = "When the model does not hold"
    note = (
        "Three systems, (1, 3, 6) with ψ ~ N(0, 1), or lines [1, x] that cross, with noise of sd .5; and one thing that breaks the model. "
        "*Bias*: the mean error of the parameter that is worst, in its own standard errors. *Size of errors*: root mean square of the same, "
        "one where standard errors are honest. *Coverage*: of 95 % intervals, with its standard error over runs; for parameters that move, of "
        "their values at the end, in batch too. *MSE / labeled*: over least squares with labels on the same data. *Power*: runs with a "
        "finding of caution or more, a change that a filter went on from, or an error (in the first line these are false alarms). *Limit*: "
        "the power that no test at a level of 1 % can exceed where parameters move: the best test of a jump after half of the sets is "
        "normal, with the bias in standard errors as its mean, so that a bias of two is found in 28 %, and in 95 % from 4.2 on, even if "
        "parameter and time were known; that of a walk is the likelihood ratio of its waves. *No errors*: runs without standard errors. A "
        "shock s and AR f are correlations between systems and from set to set; a jump of the first system's first parameter comes after half "
        "of the sets; walks and jumps are in sds of the noise. Bold: coverage under noise of any kind outside 93 to 97 %, more than 1.15 "
        "times the labeled error under a shock, less than 95 % power where errors are as large as a bias of two standard errors makes them and "
        "the limit allows for it, "
        "or findings on clean data in more than 1 %; each by more than chance explains."
    )
    runs, block = 200, 20
    sources = ("studies.violations.measure", "vieta.method.efficient", "vieta.method.adaptive")

    def tasks(self, runs: int) -> list[Task]:
        """A few runs of every row before there are more of any, those of few sets first."""
        tasks = [task for row in ROWS for task in in_blocks(row.name, runs, self.block)]
        return sorted(tasks, key=lambda task: (BY_NAME[task.row].sets, task.start))

    def run(self, task: Task) -> Any:
        from studies.violations.measure import one_run

        return [one_run(BY_NAME[task.row], seed) for seed in range(task.start, task.stop)]

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """A table for each design, number of sets and mode."""
        runs: dict[str, list[dict[str, Any]]] = {}
        for task, found in results.items():
            runs.setdefault(task.row, []).extend(found)
        parts, missed = [], []
        for N in SETS:
            for design in DESIGNS:
                rows = [row for row in ROWS if (row.sets, row.design) == (N, design) and row.name in runs]
                for mode in MODES if rows else ():
                    outcomes = {row: Outcome.of(runs[row.name], mode) for row in rows}
                    table = [HEADER, *(line(row, found) for row, found in outcomes.items())]
                    parts += [f"## {design}, {N:,} sets, {mode}", "\n".join(table)]
                    missed += [
                        f"{row.name}, {mode}: {text}"
                        for row, found in outcomes.items()
                        for text in faults(row, found).values()
                    ]
        return Conclusion("\n\n".join(parts), tuple(missed))


STUDY = Violations()
