"""Parquet: columns of numbers, dates, text or lists."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from vieta.errors import BadFileError
from vieta.files.typed_columns import TypedColumns, shapes

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Parquet(TypedColumns):
    """A file of columns."""

    kind: ClassVar[str] = "parquet"
    is_text: ClassVar[bool] = False

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
        return cls(path, name, zipped, shapes(_scan(path), name))

    def scan(self) -> "pl.LazyFrame":
        """The file, of which nothing is read yet."""
        return _scan(self.path)

    def describe_empty(self) -> BadFileError:
        """The error for a file without rows."""
        return BadFileError(
            "parquet-without-rows",
            "{file} has no rows, or nothing in them. One row a reading, or one row a set, is needed.",
            file=self.name,
        )


def _scan(path: Path) -> "pl.LazyFrame":
    import polars as pl

    return pl.scan_parquet(path, glob=False)


FORMAT = Parquet
