"""Mean squared error over that of labeled least squares on the same data, by method, with coverage and failures."""

import io
from typing import Any

import numpy as np

from studies.efficiency.bounds import bound
from studies.efficiency.measure import METHODS, one_run
from studies.efficiency.outcome import HEADER, Outcome, line, reached
from studies.efficiency.rows import ROWS
from studies.running.study import Conclusion, Study, Task, in_blocks

BLOCK = 10  # runs a task


class Efficiency(Study):
    """The figures that the README leads with."""

    name = "efficiency"
    title = "How near to labeled data"
    note = (
        "Mean squared error over that of labeled least squares on the same data, with its standard error; the Cramér-Rao "
        "bound of unlabeled sets with a known noise law, over the same; coverage of the 95 % intervals of the efficient "
        "method in batch and online. No method is given the noise law. A method that weighs by moments can pass labeled "
        "least squares where the noise is lopsided, because least squares is not the best use of labels there."
    )
    runs = 200
    sources = (
        "studies.efficiency.measure",
        "studies.efficiency.bounds",
        "vieta.method.efficient",
        "vieta.method.least_squares",
        "vieta.method.lms",
    )

    def tasks(self, runs: int) -> list[Task]:
        return [task for row in ROWS for task in in_blocks(row.name, runs, BLOCK)]

    def run(self, task: Task) -> Any:
        """All methods on each seed; the first task of a row has its bound as well."""
        row = {row.name: row for row in ROWS}[task.row]
        found = [one_run(row, seed) for seed in range(task.start, task.stop)]
        return {"runs": found, "bound": bound(row) if task.start == 0 else None}

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        from studies.efficiency.picture import draw, ratios

        text, missed = table(results)
        file = io.BytesIO()
        draw(ratios(text)).savefig(file, dpi=130)
        return Conclusion(text, missed, file.getvalue())


def table(results: dict[Task, Any]) -> tuple[str, tuple[str, ...]]:
    """The table, and the rows that miss a target."""
    lines, missed = [HEADER, "|---" * 8 + "|"], []
    for row in ROWS:
        mine = [result for task, result in results.items() if task.row == row.name]
        runs = np.array([run for result in mine for run in result["runs"]])
        found = {name: Outcome(*runs[:, i].T) for i, name in enumerate(METHODS)}
        lines.append(line(row, found, mine[0]["bound"]))
        if not reached(row, found):
            missed.append(row.name)
    return "\n".join(lines), tuple(missed)


STUDY = Efficiency()
