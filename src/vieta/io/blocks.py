"""Rows of a file, block by block, as columns of known types: by polars if all is well, by hand where it is not."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from vieta.io import careful
from vieta.io.errors import BadFileError
from vieta.io.lines import Piece, Progress, ahead, pieces
from vieta.io.sources import Source

if TYPE_CHECKING:
    import polars as pl

IdType = Literal["number", "whole", "text"]
ROWS = 1 << 18  # of a block of Parquet


class Wanted(NamedTuple):
    """The columns to read: numbers, and the column that names the set, of type `id_type`."""

    numbers: tuple[str, ...]
    id: str | None
    id_type: IdType

    def schema(self) -> "dict[str, pl.DataType]":
        """Name to type, the set first."""
        import polars as pl

        kinds: dict[str, pl.DataType] = {"number": pl.Float64(), "whole": pl.Int64(), "text": pl.String()}
        first = {} if self.id is None else {self.id: kinds[self.id_type]}
        return first | {name: pl.Float64() for name in self.numbers}


class Block(NamedTuple):
    """Rows, and the number of the first of them in its file (a line of text, a row of Parquet)."""

    frame: "pl.DataFrame"
    first: int


def blocks(source: Source, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Block]:
    """The wanted columns of a file.

    A cell that is no number, or a line with too many cells, is an error if `strict` is true and NaN otherwise.
    Every line below the header is a row; those that are blank hold nothing but missing cells.
    """
    if source.kind == "parquet":
        return ahead(_parquet(source, wanted, progress))
    return ahead(_text(source, ahead(pieces(source, progress)), wanted, strict))


def _text(source: Source, found: Iterable[Piece], wanted: Wanted, strict: bool) -> Iterator[Block]:
    read = _csv if source.kind == "csv" else _ndjson
    for piece in found:
        frame = read(source, piece, wanted)
        if frame is None:
            frame = careful.read(source, piece, wanted, strict=strict)
        yield Block(frame, piece.first_line)


def _csv(source: Source, piece: Piece, wanted: Wanted) -> "pl.DataFrame | None":
    """A piece of CSV; None if something in it is not as it should be."""
    import polars as pl

    schema = wanted.schema()
    everything = {name: schema.get(name, pl.String()) for name in source.names}
    places = [source.names.index(name) for name in schema]
    for missing in (None, list(careful.MISSING)):  # looking for words takes time
        try:
            return pl.read_csv(
                piece.text,
                has_header=False,
                schema=everything,
                columns=places,
                separator=source.delimiter,
                null_values=missing,
            ).select(list(schema))
        except (pl.exceptions.PolarsError, UnicodeDecodeError):
            continue
    return None


def _ndjson(source: Source, piece: Piece, wanted: Wanted) -> "pl.DataFrame | None":
    """A piece of NDJSON; None if something in it is not as it should be, or a line is blank."""
    import polars as pl

    try:
        frame = pl.read_ndjson(piece.text, schema=wanted.schema())
    except pl.exceptions.PolarsError:
        return None
    lines = piece.text.count(b"\n") + (not piece.text.endswith(b"\n"))
    return frame if frame.height == lines else None


def _parquet(source: Source, wanted: Wanted, progress: Progress) -> Iterator[Block]:
    import polars as pl

    schema = wanted.schema()
    try:
        table = pl.scan_parquet(source.path).select(_plain(name, kind) for name, kind in schema.items())
        rows = int(table.select(pl.len()).collect().item())
        for at in range(0, rows, ROWS):
            yield Block(table.slice(at, ROWS).collect(), at + 1)
            progress(source.size * min(at + ROWS, rows) // rows - source.size * at // rows)
    except pl.exceptions.PolarsError as error:
        raise unreadable(source, error) from None


def _plain(name: str, kind: Any) -> "pl.Expr":
    """A column of Parquet as `kind`; dates by their number."""
    import polars as pl

    column = pl.col(name)
    return column.to_physical().cast(kind) if kind == pl.Int64() else column.cast(kind)


def unreadable(source: Source, error: Exception) -> BadFileError:
    """The error for a file that polars refuses."""
    return BadFileError(f"{source.name} cannot be read: {str(error).splitlines()[0]}.")
