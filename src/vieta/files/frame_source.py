"""A data frame in place of a file: of pandas, of polars, or of any library that speaks Arrow's capsules."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from vieta.errors import BadFileError
from vieta.files import pandas_columns
from vieta.files.lazy_source import collected, is_lazy
from vieta.files.typed_columns import TypedColumns, shapes
from vieta.frames import frame_kind

if TYPE_CHECKING:
    import polars as pl

NAME = "the frame"


@dataclass(frozen=True, slots=True, eq=False)
class FrameSource(TypedColumns):
    """A frame.

    Attributes
    ----------
    frame : DataFrame
        Of polars.
    coded : tuple of str
        Columns that are categories although they hold numbers.
    """

    frame: "pl.DataFrame"
    coded: tuple[str, ...] = ()

    kind: ClassVar[str] = "frame"

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return int(self.frame.estimated_size())

    @classmethod
    def recognise(cls, path: Path, name: str, zipped: bool, head: bytes, delimiter: str | None) -> Self | None:
        """Nothing: no file is a frame."""
        return None

    def scan(self) -> "pl.LazyFrame":
        """The frame."""
        return self.frame.lazy()

    def describe_empty(self) -> BadFileError:
        """The error for a frame without rows."""
        return BadFileError(
            "frame-without-rows",
            "the frame has no rows, or nothing in them. One row a reading, or one row a set, is needed.",
        )


def source_of(frame: Any) -> FrameSource:
    """The frame, converted; what is not one is refused."""
    found, coded = _converted(collected(frame) if is_lazy(frame) else frame)
    return FrameSource(Path(), NAME, False, shapes(found.lazy(), NAME), found, coded)


def _converted(frame: Any) -> "tuple[pl.DataFrame, tuple[str, ...]]":
    import polars as pl

    if isinstance(frame, pl.DataFrame):
        return frame, ()
    if frame_kind(frame) == "pandas" and hasattr(frame, "columns"):
        return _of_pandas(frame)
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "name"):
        return pl.DataFrame(frame), ()
    raise BadFileError(
        "not-a-frame",
        "a frame is needed, of pandas, polars or a library that speaks Arrow, and {given} was given. Arrays are for {call.arrays}.",
        given=type(frame).__name__,
    )


def _of_pandas(frame: Any) -> "tuple[pl.DataFrame, tuple[str, ...]]":
    import polars as pl

    columns = list(pandas_columns.columns_of(frame))
    _require_different(name for name, _ in columns)
    found = {name: pandas_columns.as_series(name, column) for name, column in columns}
    coded = tuple(
        name for name, column in columns if hasattr(column, "cat") and not isinstance(found[name].dtype, pl.Enum)
    )
    return pl.DataFrame(found), coded


def _require_different(names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise BadFileError(
            "column-twice",
            "{file} has the column {column!r} more than once, named levels of its index counted. Rename them.",
            file=NAME,
            column=twice[0],
        )
