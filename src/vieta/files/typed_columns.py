"""Columns that have types: numbers, dates, text, categories or lists; what Parquet files and data frames share."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from vieta.errors import BadFileError
from vieta.files import lists
from vieta.files.reasons import unreadable
from vieta.files.rows import Rows, Wanted
from vieta.files.source import Progress, Source
from vieta.files.text_pieces import ahead

if TYPE_CHECKING:
    import polars as pl

HEAD_ROWS = 1000  # that are looked at
ROWS = 1 << 18  # of a block


@dataclass(frozen=True, slots=True)
class TypedColumns(Source):
    """A table of columns.

    Attributes
    ----------
    lists : mapping of str to shape
        Columns that hold lists, each entry of which counts as a column.
    """

    lists: lists.Lists

    unit: ClassVar[str] = "row"

    @abstractmethod
    def scan(self) -> "pl.LazyFrame":
        """The table, of which nothing is read yet."""

    @property
    def timed(self) -> tuple[str, ...]:
        """Columns of dates and times."""
        import polars as pl

        with refusing(self.name):
            kinds = self.scan().collect_schema()
        return tuple(name for name, kind in kinds.items() if kind.is_temporal() and not isinstance(kind, pl.Duration))

    def original(self, name: str, column: "pl.Series") -> "pl.Series":
        """Entries of a column as the table has them: dates, where they were read by their numbers."""
        import polars as pl

        if name not in self.timed or not column.dtype.is_numeric():
            return column
        kind = self.scan().collect_schema()[name]
        return column.cast(pl.Int32() if kind == pl.Date() else pl.Int64()).cast(kind)

    def levels(self, name: str) -> tuple[str, ...]:
        """Those of a column whose type lists them, in its order."""
        import polars as pl

        kind = self.scan().collect_schema().get(name)
        return tuple(kind.categories.to_list()) if isinstance(kind, pl.Enum) else ()

    def first_rows(self) -> dict[str, list[Any]]:
        """The first rows, column by column."""
        with refusing(self.name):
            frame = self.scan().head(HEAD_ROWS).collect()
        plain = {name: _listed(frame[name]) for name in frame.columns if name not in self.lists}
        return plain | lists.unfolded(frame.select(list(self.lists)).to_dicts(), self.lists)

    def rows(self, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Rows]:
        """The wanted columns."""
        return ahead(self._rows(wanted, strict, progress))

    def _rows(self, wanted: Wanted, strict: bool, progress: Progress) -> Iterator[Rows]:
        fields, timed = lists.fields(self.lists, wanted), self.timed
        with refusing(self.name):
            at = 0
            for frame in self.pieces(
                list(fields), [_cast(name, kind, timed) for name, kind in fields.items()], progress
            ):
                yield lists.as_columns(self, frame, at + 1, self.lists, wanted, strict=strict)
                at += len(frame)

    def pieces(self, names: list[str], columns: list[Any], progress: Progress) -> "Iterator[pl.DataFrame]":
        """These expressions of the columns of these names, in pieces of rows."""
        import polars as pl

        table = self.scan()
        rows = int(table.select(pl.len()).collect().item())
        for at in range(0, rows, ROWS):
            yield table.slice(at, ROWS).select(columns).collect()
            progress(self.size * min(at + ROWS, rows) // rows - self.size * at // rows)


@contextmanager
def refusing(name: str) -> Iterator[None]:
    """Turn what polars raises for a table that is not as it should be into a `BadFileError`."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(name, error) from None
    except pl.exceptions.PanicException:  # no Exception: polars relied on what a damaged file says of itself
        raise BadFileError(
            "parquet-damaged", "{file} is a damaged Parquet file. Fetch or write it again.", file=name
        ) from None


def shapes(table: "pl.LazyFrame", name: str) -> dict[str, lists.Shape]:
    """The usual shape of each column of lists."""
    import polars as pl

    with refusing(name):
        kinds = table.collect_schema()
        listed = [column for column, kind in kinds.items() if isinstance(kind, pl.List | pl.Array)]
        rows = table.select(listed).head(HEAD_ROWS).collect().to_dicts() if listed else []
    return lists.usual_shapes(rows)


def _listed(column: Any) -> list[Any]:
    """Dates count as whole numbers, so that they sort as such, and decimals as numbers."""
    plain = column.to_physical() if column.dtype.is_temporal() else column
    return list((plain.cast(float) if plain.dtype.is_decimal() else plain).to_list())


def _cast(name: str, kind: Any, timed: tuple[str, ...]) -> Any:
    """A column as `kind`; dates by their number, or as they are where they would be text."""
    import polars as pl

    if kind == pl.String() and name in timed:
        return pl.col(name)
    return pl.col(name).to_physical().cast(kind) if kind == pl.Int64() else pl.col(name).cast(kind)
