"""Studies that measure rows on many seeds and have a line of a table for each row."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from studies.running.study import Conclusion, Study, Task, in_blocks
from vieta.arrays import Floats


class Named(Protocol):
    """A row."""

    @property
    def name(self) -> str:
        """Unlike those of other rows."""


RowT = TypeVar("RowT", bound=Named)


class Simulation(Study, Generic[RowT]):
    """Rows, runs and a bound for each row.

    Attributes
    ----------
    rows : sequence
    block : int
        How many runs make a task.
    header : str
        Of the table, two lines.
    """

    rows: Sequence[RowT]
    block: ClassVar[int]
    header: ClassVar[str]

    @abstractmethod
    def one_run(self, row: RowT, seed: int) -> Any:
        """Numbers from the data of one seed."""

    @abstractmethod
    def bound(self, row: RowT) -> float | None:
        """The error that no method can go below, in the unit of the table."""

    @abstractmethod
    def line(self, row: RowT, runs: Floats, bound: Any) -> tuple[str, bool]:
        """The line of the table, and whether the row reaches its target; `runs` has one entry for each seed."""

    def tasks(self, runs: int) -> list[Task]:
        return [task for row in self.rows for task in in_blocks(row.name, runs, self.block)]

    def run(self, task: Task) -> Any:
        """The runs; the first task of a row has its bound as well."""
        row = {row.name: row for row in self.rows}[task.row]
        found = [self.one_run(row, seed) for seed in range(task.start, task.stop)]
        return {"runs": found, "bound": self.bound(row) if task.start == 0 else None}

    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        lines, missed = [self.header], []
        for row in self.rows:
            mine = [result for task, result in results.items() if task.row == row.name]
            if not mine:  # not run so far
                continue
            runs = np.array([run for result in mine for run in result["runs"]])
            text, is_reached = self.line(
                row, runs, next((one["bound"] for one in mine if one["bound"] is not None), None)
            )
            lines.append(text)
            if not is_reached:
                missed.append(row.name)
        return Conclusion("\n".join(lines), tuple(missed))
