"""What a study is: tasks that can be run in any order in any process, and what is concluded from their results."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar

import studies
from studies.running.sources import fingerprint


@dataclass(frozen=True, order=True)
class Task:
    """Some runs of a row: those with the seeds from `start` to before `stop`."""

    row: str
    start: int
    stop: int

    def __str__(self) -> str:
        return f"{self.row} [{self.start}:{self.stop}]"


@dataclass(frozen=True)
class Conclusion:
    """What all results together say.

    Attributes
    ----------
    table : str
        Lines of Markdown.
    missed : tuple of str
        Each target that was missed, in words.
    picture : bytes, optional
        A PNG that belongs to the table.
    """

    table: str
    missed: tuple[str, ...] = ()
    picture: bytes | None = None


class Study(ABC):
    """A study; everything that its tasks return must survive JSON.

    Attributes
    ----------
    name : str
        Also the name of its page in docs, if it has one.
    title, note : str
        Of the page; a study without a title writes none.
    runs : int
        How many make the full study.
    unit : str
        What a run is, after a number of them.
    sources : tuple of str
        The modules that measure. What they import, they depend on; `name.*` stands for all that is in a package.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    note: ClassVar[str] = ""
    runs: ClassVar[int]
    unit: ClassVar[str] = "runs a row"
    sources: ClassVar[tuple[str, ...]]

    @abstractmethod
    def tasks(self, runs: int) -> list[Task]:
        """The parts of the study; what a task gives depends on nothing but itself."""

    @abstractmethod
    def run(self, task: Task) -> Any:
        """The result of a task. An error is reported and not kept."""

    @abstractmethod
    def conclude(self, results: dict[Task, Any]) -> Conclusion:
        """From the results of all tasks, in the order of `tasks`."""

    def fingerprint(self) -> str:
        """Of the code that the results depend on."""
        return fingerprint(self.sources)


def every() -> dict[str, Study]:
    """All studies by name, as they are found in the folder."""
    names = [one.name for one in iter_modules(studies.__path__) if one.name not in {"running", "__main__"}]
    found: list[Study] = [import_module(f"studies.{name}").STUDY for name in names]
    return {one.name: one for one in found}


def in_blocks(row: str, runs: int, size: int) -> list[Task]:
    """The runs of a row in blocks; more runs later begin with the same blocks.

    >>> [str(task) for task in in_blocks("a", 25, 10)]
    ['a [0:10]', 'a [10:20]', 'a [20:25]']
    """
    return [Task(row, start, min(start + size, runs)) for start in range(0, runs, size)]
