"""A table of which nothing is read before it is asked for, in place of a file: a lazy frame of polars, or a dataset of pyarrow.

A dataset may be of many files, in partitions, filtered, and anywhere that pyarrow reads from: its own options say where.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from vieta.errors import BadFileError
from vieta.files.source import Progress
from vieta.files.typed_columns import ROWS, TypedColumns, shapes

if TYPE_CHECKING:
    import polars as pl

NAME = "the table"


def is_dataset(table: Any) -> bool:
    """Whether it is a dataset of pyarrow; pyarrow is not imported to find out."""
    return any(one.__module__.startswith("pyarrow.") and one.__name__ == "Dataset" for one in type(table).__mro__)


def is_lazy(table: Any) -> bool:
    """Whether it is a lazy frame of polars, or a dataset."""
    import polars as pl

    return isinstance(table, pl.LazyFrame) or is_dataset(table)


def collected(table: Any) -> "pl.DataFrame":
    """All of it, in memory."""
    return _lazy(table).collect()


def _lazy(table: Any) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_pyarrow_dataset(table) if is_dataset(table) else table


@dataclass(frozen=True, slots=True, eq=False)
class LazySource(TypedColumns):
    """A table that is read in pieces, anew for each pass.

    Attributes
    ----------
    table : LazyFrame or Dataset
    """

    table: Any

    kind: ClassVar[str] = "lazy"
    coded: ClassVar[tuple[str, ...]] = ()

    @property
    def size(self) -> int:
        """Not known."""
        return 0

    @classmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """Nothing: no file is such a table."""
        return None

    def scan(self) -> "pl.LazyFrame":
        """The table."""
        return _lazy(self.table)

    def pieces(self, names: list[str], columns: list[Any], progress: Progress) -> "Iterator[pl.DataFrame]":
        """These expressions of the columns of these names, in pieces of rows."""
        import polars as pl

        if is_dataset(self.table):
            for batch in self.table.to_batches(columns=names, batch_size=ROWS):
                frame = pl.DataFrame(batch)
                if len(frame):
                    yield frame.select(columns)
        else:
            yield from self.table.select(columns).collect_batches(chunk_size=ROWS, maintain_order=True)

    def describe_empty(self) -> BadFileError:
        """The error for a table without rows."""
        return BadFileError(
            "table-without-rows",
            "the table has no rows, or nothing in them. One row a reading, or one row a set, is needed.",
        )


def lazy_source(table: Any) -> LazySource:
    """The table as a source."""
    return LazySource(Path(), NAME, False, shapes(_lazy(table), NAME), table)
