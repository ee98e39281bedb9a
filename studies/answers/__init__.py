"""Answers that are not measurements: errors over those with labels and over the Cramér-Rao bound, with coverage."""

from typing import Any

import numpy as np

from studies.answers.labeled import labeled_bound
from studies.answers.measure import bound, one_run
from studies.answers.rows import ROWS, Row
from studies.running.simulation import Simulation
from vieta.arrays import Floats

HEADER = (
    "| answers | MSE over labeled | of the bound | MSE over the bound | asked for, over labeled | coverage | warned | wrong basins |\n"
    + "|---" * 8
    + "|"
)
NEAR = 1.1  # times the bound
COVERAGE = (0.93, 0.97)


class Answers(Simulation[Row]):
    """The figures of the families."""

    name = "answers"
    title = "Answers that are not measurements"
    note = (
        "Mean squared error of the parameters over that of labeled maximum likelihood on the same data, with its standard error; the "
        "Cramér-Rao bound of unlabeled sets over that of labeled ones, by the Fisher information of the family; error over that bound; what "
        "was asked for, which lies below the bound where it is marked; coverage of 95 % intervals; how often something worse than a note was "
        "found; and estimates more than six standard errors off. Labeled ratings are given the thresholds."
    )
    runs, block = 100, 10
    rows, header = ROWS, HEADER
    sources = (
        "studies.answers.measure",
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
        floor = bound / labeled_bound(row)
        asked = "" if row.most is None else f"{row.most:g}" + " (below the bound)" * bool(row.most < floor)
        text = (
            f"| {row.name} | {ratio:.2f} ± {ratio * spread:.2f} | {floor:.2f} | {over:.2f} ± {error:.2f} | {asked} | "
            f"{covered.mean():.3f} | {warned.mean():.2f} | {int(wrong.sum())} |"
        )
        chance = 2.0 * np.sqrt(0.95 * 0.05 / (len(runs) * row.theta.size))
        inside = COVERAGE[0] - chance <= covered.mean() <= COVERAGE[1] + chance
        return text, bool(over - error <= NEAR and inside and not (wrong * (1.0 - warned)).any())


STUDY = Answers()
