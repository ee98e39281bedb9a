"""Mean squared error over that of labeled least squares on the same data, by method, with coverage and failures."""

import io
from dataclasses import replace
from typing import Any

from studies.efficiency.bounds import bound
from studies.efficiency.measure import METHODS, one_run
from studies.efficiency.outcome import HEADER, Outcome, line, reached
from studies.efficiency.rows import ROWS, Row
from studies.running.simulation import Simulation
from studies.running.study import Conclusion, Task
from vieta.arrays import Floats


class Efficiency(Simulation[Row]):
    """The figures that the README leads with."""

    name = "efficiency"
    title = "How near to labeled data"
    note = (
        "Mean squared error over that of labeled least squares on the same data, with its standard error; the Cramér-Rao "
        "bound of unlabeled sets with a known noise law, over the same; coverage of the 95 % intervals of the efficient "
        "method in batch and online, and of the adaptive one. No method is given the noise law; the adaptive one learns it, and "
        "its error is also given over that of the efficient one, with the standard error of runs on the same data. A method that "
        "weighs by moments, or learns the law, can pass labeled least squares, because that is not the best use of labels where "
        "noise is not normal. On the laws of the last rows one constant was set, the level of the contrast with the law-free "
        "estimate; the logistic law is among those that the adaptive method has by name."
    )
    runs, block = 200, 10
    rows, header = ROWS, HEADER
    sources = (
        "studies.efficiency.measure",
        "studies.efficiency.bounds",
        "vieta.method.adaptive",
        "vieta.method.efficient",
        "vieta.method.least_squares",
        "vieta.method.lms",
    )

    def one_run(self, row: Row, seed: int) -> Any:
        return one_run(row, seed)

    def bound(self, row: Row) -> float | None:
        return bound(row)

    def line(self, row: Row, runs: Floats, bound: Any) -> tuple[str, bool]:
        found = {name: replace(Outcome(*runs[:, i].T), same=row.same) for i, name in enumerate(METHODS)}
        return line(row, found, bound), reached(row, found)

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """The table with its picture."""
        from studies.efficiency.picture import draw, ratios

        found = super().conclude(results)
        file = io.BytesIO()
        draw(ratios(found.table)).savefig(file, dpi=130)
        return replace(found, picture=file.getvalue())


STUDY = Efficiency()
