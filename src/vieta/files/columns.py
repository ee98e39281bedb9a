"""What the first rows of a column say about its purpose: it may group the rows, name the systems, or be an input."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from vieta.files.rows import IdType
from vieta.files.source import Source
from vieta.files.times import BINARY, Form, form_of
from vieta.wording import Audience

EXACT = 2**53  # whole numbers below are exact as numbers of 64 bits
LONGEST_NAME = 40  # characters that are shown
MOST_NAMES = 12  # that are listed
COUNTED = 8  # rows, from which on numbers that go up by one are no readings


class Names(tuple[str, ...]):
    """Names of columns, as a fact of a message: it lists the first of them.

    >>> from vieta.wording import PYTHON
    >>> Names(["set", "y"]).say(PYTHON)
    'set, y'
    """

    __slots__ = ()

    def say(self, audience: Audience) -> str:
        """The list, the same for every audience."""
        shown = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..." for name in self]
        return ", ".join(shown if len(shown) <= MOST_NAMES else [*shown[:10], f".. {len(shown) - 10} more"])


@dataclass(frozen=True, slots=True)
class Head:
    """The first rows, column by column: numbers, text, or None where a cell is missing; and the columns that hold times, not text."""

    name: str
    columns: dict[str, list[Any]]
    timed: tuple[str, ...] = ()

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns most of whose cells are numbers."""
        return tuple(name for name, cells in self.columns.items() if _mostly_numbers(cells))

    def form(self, name: str) -> Form | None:
        """In which form a column writes times; None if it does not hold any."""
        if name in self.timed:
            return Form(BINARY)
        cells = self.columns[name]
        return form_of(cells) if _may_be_times(cells) else None

    def id_type(self, name: str) -> IdType:
        """How the names of the sets are to be read."""
        cells = [cell for cell in self.columns[name] if cell is not None]
        if not all(isinstance(cell, int | float) for cell in cells):
            return "text"
        if all(isinstance(cell, int) for cell in cells) and any(abs(cell) >= EXACT for cell in cells):
            return "whole" if all(abs(cell) < 2**63 for cell in cells) else "text"
        return "number"


def head(source: Source) -> Head:
    """The first rows of a file; at least one cell is needed."""
    columns = source.first_rows()
    if not any(cell is not None for cells in columns.values() for cell in cells):
        raise source.describe_empty()
    return Head(source.name, columns, source.timed)


def _mostly_numbers(cells: list[Any]) -> bool:
    known = [cell for cell in cells if cell is not None]
    return 2 * sum(isinstance(cell, int | float) for cell in known) >= max(len(known), 1)


def _may_be_times(cells: list[Any]) -> bool:
    """Whether all cells are text, or whole numbers of eight digits like 20240131."""
    known = [cell for cell in cells if cell is not None]
    return all(isinstance(cell, str) or (isinstance(cell, int) and 18000101 <= cell <= 22001231) for cell in known)


def levels_of(head: Head, name: str) -> int:
    """How many different entries a column has in the first rows."""
    return len({str(cell) for cell in head.columns[name] if cell is not None})


def groups_rows(cells: list[Any]) -> bool:
    """Whether equal cells stand together, each of them the same number of times, and more than once.

    The last ones may be cut off with the first rows.

    >>> groups_rows([7, 7, 8, 8, 9]), groups_rows([7, 8, 7, 8]), groups_rows([7, 8, 9])
    (True, False, False)
    """
    lengths = [len(list(run)) for _, run in groupby(map(str, cells))]
    first, last = (lengths[0], lengths[-1]) if lengths else (0, 0)
    return first > 1 < len(lengths) and {first} == {*lengths[:-1]} and last <= first and stands_together(cells)


def stands_together(cells: list[Any]) -> bool:
    """Whether no cell comes again after another one.

    >>> stands_together([1, 1, 2]), stands_together([1, 2, 1])
    (True, False)
    """
    runs = [value for value, _ in groupby(map(str, cells))]
    return len(runs) == len(set(runs))


def repeats(cells: list[Any]) -> bool:
    """Whether some cell occurs twice."""
    return len(set(map(str, cells))) < len(cells)


def names_systems(head: Head, name: str, set_column: str) -> int:
    """How many systems a column names: as many different values as the largest set has rows, none twice in a set; or 0.

    Sets may be cut off with the first rows, and at least two must be whole.
    """
    groups = _by_set(head, name, set_column)
    L = max(map(len, groups), default=0)
    whole = [group for group in groups if len(group) == L]
    named = {value for group in groups for value in group}
    return L if len(whole) > 1 < L == len(named) and not any(map(repeats, groups)) else 0


def is_constant_in_sets(head: Head, name: str, set_column: str) -> bool:
    """Whether a column is the same all over each set of the first rows, and not all over them."""
    groups = _by_set(head, name, set_column)
    some = any(len(group) > 1 for group in groups)
    return some and all(len(set(group)) == 1 for group in groups) and len({group[0] for group in groups}) > 1


def _by_set(head: Head, name: str, set_column: str) -> list[list[str]]:
    """Cells of a column set by set, without those that are missing."""
    groups: dict[str, list[str]] = {}
    for key, cell in zip(head.columns[set_column], head.columns[name]):
        if key is not None and cell is not None:
            groups.setdefault(str(key), []).append(str(cell))
    return list(groups.values())


def counts_rows(cells: list[Any]) -> bool:
    """Whether a column numbers the rows, from 0 or 1 on.

    >>> counts_rows(list(range(1, 20))), counts_rows([1, 2, 3, 5, 8, 13, 21, 34])
    (True, False)
    """
    if len(cells) < COUNTED or cells[0] not in (0, 1):
        return False
    return all(cell == i for i, cell in enumerate(cells, start=int(cells[0])))
