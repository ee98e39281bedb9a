"""Incomplete sets: mean squared error over that of least squares on the labeled detections, coverage, rates, and what is wrong and not said."""

from typing import Any

from studies.incomplete.bounds import bound
from studies.incomplete.measure import one_run
from studies.incomplete.outcome import (
    HEADER,
    HEADER_COUNTS,
    HEADER_ONLINE,
    Outcome,
    faults,
    faults_counts,
    faults_online,
    line,
    line_counts,
    line_online,
)
from studies.incomplete.rows import COUNTS, EVERY, ONLINE, ROWS, Row
from studies.running.study import Conclusion, Study, Task, in_blocks

BY_NAME = {row.name: row for row in EVERY}
FIRST = 10_000  # seed: others were used while constants were chosen


class Incomplete(Study):
    """The page of incomplete sets."""

    name = "incomplete"
    title = "Missed and false readings"
    note = (
        "2000 sets unless it is said, ψ ~ N(0, 1), or three of them; each system seen with probability p, a Poisson number of false "
        "readings, evenly spread over ±10. The method `adaptive` is told the number of systems, and neither the noise law, nor its "
        "size, nor how often systems are seen or false readings come. *MSE / labeled*: mean squared error over that of least squares "
        "on the same detections with labels, which is not the best there is where noise is not normal. *Of medians*: the same of "
        "medians, which a few runs cannot move. *Bound*: the Cramér-Rao bound where the law is known, over the same; where it lies "
        "above what is asked, it is asked for. *Coverage*: of 95 % intervals of the parameters; *of rates*: of those of the "
        "probability of being seen, and of the number of false readings a set. *Wrong*: a system is off by more than half of what "
        "separates it from another, or a parameter by more than five of its own standard errors; *silent*: of these, without a finding "
        "of caution or more; *on right ones*: runs that are not wrong and have one. Bold: missed by more than two standard errors of "
        "what was measured, and any that is wrong and silent."
    )
    runs, block = 100, 4
    unit = "runs a row, and a third as many with ten systems, of filters and of numbers of systems"
    sources = ("studies.incomplete.measure", "studies.incomplete.bounds", "vieta.method.adaptive")

    def tasks(self, runs: int) -> list[Task]:
        """A few runs of every row before there are more of any; of rows that take long, a third."""
        tasks = [task for row in EVERY for task in in_blocks(row.name, -(-runs // row.weight), self.block)]
        return sorted(tasks, key=lambda task: task.start * BY_NAME[task.row].weight)

    def run(self, task: Task) -> Any:
        row = BY_NAME[task.row]
        found = [one_run(row, FIRST + seed) for seed in range(task.start, task.stop)]
        return {"runs": found, "bound": bound(row) if task.start == 0 and row in ROWS else None}

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """A table for fits, filters and numbers of systems each."""
        runs: dict[str, list[dict[str, Any]]] = {}
        bounds: dict[str, float | None] = {}
        for task, found in results.items():
            runs.setdefault(task.row, []).extend(found["runs"])
            bounds.setdefault(task.row, found["bound"])
        parts, missed = [], []
        for title, header, rows in (
            ("All sets at once", HEADER, ROWS),
            ("Sets as they come", HEADER_ONLINE, ONLINE),
            ("How many systems", HEADER_COUNTS, COUNTS),
        ):
            told = [(row, *_judged(row, runs[row.name], bounds[row.name])) for row in rows if row.name in runs]
            if told:
                parts += [f"## {title}", "\n".join([header, *(text for _, text, _ in told)])]
            missed += [f"{row.name}: {fault}" for row, _, wrong in told for fault in wrong.values()]
        return Conclusion("\n\n".join(parts), tuple(missed))


def _judged(row: Row, runs: list[dict[str, Any]], bound: float | None) -> tuple[str, dict[str, str]]:
    """The line of a row, and what it misses."""
    if row.kind == "count":
        return line_counts(row, runs), faults_counts(row, runs)
    batch = Outcome.of(runs)
    if row.kind == "online":
        online = Outcome.of(runs, "online")
        return line_online(row, batch, online), faults_online(row, batch, online)
    return line(row, batch, bound), faults(row, batch, bound)


STUDY = Incomplete()
