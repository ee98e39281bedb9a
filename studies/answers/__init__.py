"""Answers that are not measurements: errors over those with labels and over the Cramér-Rao bound, with coverage; and random parameters."""

from typing import Any

import numpy as np

from studies.answers.basins import MODES, one_cell_run
from studies.answers.designs import CELLS
from studies.answers.labeled import floor, labeled_bound
from studies.answers.measure import bound, one_run
from studies.answers.outcome import Case, faults, tables
from studies.answers.rows import ROWS, Row
from studies.running.simulation import Simulation
from studies.running.study import Conclusion, Task, in_blocks
from vieta.arrays import Floats

HEADER = (
    "| answers | MSE over labeled | of the bound | MSE over the bound | asked for | coverage | warned | wrong basins |\n"
    + "|---" * 8
    + "|"
)
NEAR = 1.1  # times the bound
COVERAGE = (0.93, 0.97)
SHARE = 25  # runs of a row to one of a cell
BY_NAME = {cell.name: cell for cell in CELLS}
RANDOM = (
    "Parameters at random, R θ / √N ~ N(0, s² I) with the inputs X = QR, under inputs that people have: items of known easiness, all different "
    "or of three kinds; one input without a constant; a trend, levels, seasons, groups. L = 2 to 5 systems and N = 60, 400 or 3000 sets. An "
    "estimate is *right* if every curve of predictors is within half a unit (for counts and rounded numbers a quarter of the error of one "
    "answer), or five standard errors of a fit with labels, of the true one, root mean square; *wide* if it is not, and the truth lies in its "
    "own regions of 99.9 %. If it is neither, it is *reported* by a finding of caution or more, or refused; else it is wrong and silent: in "
    "*another basin* if the likelihood climbed from it ends elsewhere than that climbed from the truth, or *beyond its regions* on the same "
    "hill, which chance alone does in 1 of 1000 runs. A finding on an answer that is right or wide is *without cause* if an oracle who knows "
    "the truth has none: true systems are told apart, no other answer is left, the likelihood does not bend at his top. Online is measured "
    "where the filter goes on from its first sets; with fewer it gives "
    "what all at once give. Target: in another basin and silent in at most 1 of 1000 runs."
)


class Answers(Simulation[Row]):
    """The figures of the families."""

    name = "answers"
    title = "Answers that are not measurements"
    note = (
        "Mean squared error of the parameters over that of labeled maximum likelihood on the same data, with its standard error; the "
        "Cramér-Rao bound of unlabeled sets over that of labeled ones, by the Fisher information of the family; error over that bound; what "
        "was asked for, over labeled maximum likelihood unless it says otherwise, with the least ratio that any unbiased estimator can have "
        "where that is more; coverage of 95 % intervals; how often something worse than a note was "
        "found; and estimates more than six standard errors off. Labeled ratings are given the thresholds. The bounds are computed a second "
        "time by the tests (`tests/studies/test_answers.py`), from the laws themselves: over all outcomes with differences for the scores "
        "(right or wrong), over all permutations (counts), and by quadrature over the place of a mean "
        "within a step, with labels (rounded numbers: 1.33)."
    )
    runs, block = 100, 10
    rows, header = ROWS, HEADER
    sources = (
        "studies.answers.measure",
        "studies.answers.basins",
        "vieta.answers.binary",
        "vieta.answers.count",
        "vieta.answers.ordinal",
        "vieta.answers.rounded",
    )

    def one_run(self, row: Row, seed: int) -> Any:
        return one_run(row, seed)

    def bound(self, row: Row) -> float | None:
        return bound(row)

    def line(self, row: Row, runs: Floats, bound: Any) -> tuple[str, bool]:
        squared, labeled, covered, warned, wrong = runs.T
        ratio, over = squared.mean() / labeled.mean(), squared.mean() / bound
        spread = (squared / squared.mean() - labeled / labeled.mean()).std(ddof=1) / np.sqrt(len(runs))
        error = squared.std(ddof=1) / np.sqrt(len(runs)) / bound
        text = (
            f"| {row.name} | {ratio:.2f} ± {ratio * spread:.2f} | {bound / labeled_bound(row):.2f} | {over:.2f} ± {error:.2f} | {asked(row)} | "
            f"{covered.mean():.3f} | {warned.mean():.2f} | {int(wrong.sum())} |"
        )
        chance = 2.0 * np.sqrt(0.95 * 0.05 / (len(runs) * row.theta.size))
        inside = COVERAGE[0] - chance <= covered.mean() <= COVERAGE[1] + chance
        return text, bool(over - error <= NEAR and inside and not (wrong * (1.0 - warned)).any())

    def tasks(self, runs: int) -> list[Task]:
        """The rows, then one run of every cell before there are two of any, those that take least first."""
        easy = sorted(CELLS, key=lambda cell: (cell.systems > 3, cell.sets, cell.systems))
        cells = [task for cell in easy for task in in_blocks(cell.name, max(runs // SHARE, 1), 1)]
        return super().tasks(runs) + sorted(cells, key=lambda task: task.start)

    def run(self, task: Task) -> Any:
        if task.row not in BY_NAME:
            return super().run(task)
        return [one_cell_run(BY_NAME[task.row], seed) for seed in range(task.start, task.stop)]

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """The table of the rows, and those of random parameters."""
        rows = {task: result for task, result in results.items() if task.row not in BY_NAME}
        found = self._of_rows(rows)
        parts, missed = [found.table], list(found.missed)
        for mode in MODES:
            runs = [(task, run) for task, some in results.items() if task.row in BY_NAME for run in some if mode in run]
            cases = [Case(BY_NAME[task.row], run["seed"], run[mode]) for task, run in runs]
            if cases:
                parts += [f"## Random parameters, {mode}", *([RANDOM] if mode == "batch" else []), tables(cases)]
                missed += [f"{mode}: {text}" for text in faults(cases)]
        return Conclusion("\n\n".join(parts), tuple(missed))

    def _of_rows(self, results: dict[Task, Any]) -> Conclusion:
        """Those whose first runs are there, which have the bound."""
        begun = {task.row for task in results if task.start == 0}
        lines, missed = [self.header], []
        for row in (row for row in self.rows if row.name in begun):
            mine = [result for task, result in sorted(results.items()) if task.row == row.name]
            text, is_reached = self.line(row, np.array([run for one in mine for run in one["runs"]]), mine[0]["bound"])
            lines.append(text)
            missed += [] if is_reached else [row.name]
        return Conclusion("\n".join(lines), tuple(missed))


def asked(row: Row) -> str:
    """What was asked for, and what is possible where that is more."""
    if row.most is None:
        return ""
    least = floor(row)
    over = "" if row.over == "labeled" else f" over {row.over}"
    return f"{row.most:g}{over}" + f" (no less than {least:.2f} is possible)" * bool(row.most < least)


STUDY = Answers()
