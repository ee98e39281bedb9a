"""Parquet: columns of numbers, dates, text or lists."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

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
class Parquet(Source):
    """A file of columns.

    Attributes
    ----------
    lists : mapping of str to shape
        Columns that hold lists, each entry of which counts as a column.
    """

    lists: lists.Lists

    kind: ClassVar[str] = "parquet"
    is_text: ClassVar[bool] = False
    unit: ClassVar[str] = "row"

    @classmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """The file, if it begins as Parquet does."""
        if not head.startswith(b"PAR1"):
            return None
        if zipped:
            raise BadFileError(
                "zipped-parquet",
                "{file} is a gzipped Parquet file. Unpack it; Parquet is packed in itself.",
                file=name,
            )
        return cls(path, name, zipped, _shapes(path, name))

    @property
    def timed(self) -> tuple[str, ...]:
        """Columns of dates and times."""
        import polars as pl

        with _refusing(self.name):
            kinds = pl.scan_parquet(self.path, glob=False).collect_schema()
        return tuple(name for name, kind in kinds.items() if kind.is_temporal() and not isinstance(kind, pl.Duration))

    def original(self, name: str, column: "pl.Series") -> "pl.Series":
        """Entries of a column as the file has them: dates, where they were read by their numbers."""
        import polars as pl

        if name not in self.timed or not column.dtype.is_numeric():
            return column
        kind = pl.scan_parquet(self.path, glob=False).collect_schema()[name]
        return column.cast(pl.Int32() if kind == pl.Date() else pl.Int64()).cast(kind)

    def first_rows(self) -> dict[str, list[Any]]:
        """The first rows, column by column."""
        import polars as pl

        with _refusing(self.name):
            frame = pl.read_parquet(self.path, n_rows=HEAD_ROWS, glob=False)
        plain = {name: _listed(frame[name]) for name in frame.columns if name not in self.lists}
        return plain | lists.unfolded(frame.select(list(self.lists)).to_dicts(), self.lists)

    def describe_empty(self) -> BadFileError:
        """The error for a file without rows."""
        return BadFileError(
            "parquet-without-rows",
            "{file} has no rows, or nothing in them. One row a reading, or one row a set, is needed.",
            file=self.name,
        )

    def rows(self, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Rows]:
        """The wanted columns."""
        return ahead(self._rows(wanted, strict, progress))

    def _rows(self, wanted: Wanted, strict: bool, progress: Progress) -> Iterator[Rows]:
        import polars as pl

        fields = lists.fields(self.lists, wanted)
        with _refusing(self.name):
            table = pl.scan_parquet(self.path, glob=False)
            rows, timed = int(table.select(pl.len()).collect().item()), self.timed
            for at in range(0, rows, ROWS):
                frame = (
                    table.slice(at, ROWS).select(_cast(name, kind, timed) for name, kind in fields.items()).collect()
                )
                yield lists.as_columns(self, frame, at + 1, self.lists, wanted, strict=strict)
                progress(self.size * min(at + ROWS, rows) // rows - self.size * at // rows)


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Turn what polars raises for a file that is not as it should be into a `BadFileError`."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unreadable(name, error) from None
    except pl.exceptions.PanicException:  # no Exception: polars relied on what a damaged file says of itself
        raise BadFileError(
            "parquet-damaged", "{file} is a damaged Parquet file. Fetch or write it again.", file=name
        ) from None


def _shapes(path: Path, name: str) -> dict[str, lists.Shape]:
    """The usual shape of each column of lists."""
    import polars as pl

    with _refusing(name):
        kinds = pl.scan_parquet(path, glob=False).collect_schema()
        listed = [column for column, kind in kinds.items() if isinstance(kind, pl.List | pl.Array)]
        rows = pl.read_parquet(path, columns=listed, n_rows=HEAD_ROWS, glob=False).to_dicts() if listed else []
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


FORMAT = Parquet
