"""Rows of a file, block by block, as columns of known types: by polars if all is well, by hand where it is not."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from vieta.files import cells, list_columns
from vieta.files.bad_file import unreadable
from vieta.files.nested import Shape, columns_of
from vieta.files.source import Source
from vieta.files.text_pieces import Piece, Progress, ahead, pieces

if TYPE_CHECKING:
    import polars as pl

IdType = Literal["number", "whole", "text"]
ROWS = 1 << 18  # of a block of Parquet


class Wanted(NamedTuple):
    """The columns to read.

    Attributes
    ----------
    numbers : tuple of str
    id : str or None
        The column that names the set, of type `id_type`.
    members : tuple of str
        Those of the numbers that are the readings of a whole set, if a row is one.
    """

    numbers: tuple[str, ...]
    id: str | None
    id_type: IdType
    members: tuple[str, ...] = ()

    def schema(self) -> "dict[str, pl.DataType]":
        """Name to type, the set first."""
        import polars as pl

        kinds: dict[str, pl.DataType] = {"number": pl.Float64(), "whole": pl.Int64(), "text": pl.String()}
        first = {} if self.id is None else {self.id: kinds[self.id_type]}
        return first | {name: pl.Float64() for name in self.numbers}


class Block(NamedTuple):
    """Rows, and the number of the first of them in its file (a line of text, a row of Parquet).

    `misfits` says how many of them were blanked because their list of readings, a whole set, is of another size.
    """

    frame: "pl.DataFrame"
    first: int
    misfits: int = 0


def blocks(source: Source, wanted: Wanted, *, strict: bool, progress: Progress) -> Iterator[Block]:
    """The wanted columns of a file.

    A cell that is no number, or a line with too many cells, is an error if `strict` is true and NaN otherwise.
    Every line below the header is a row; those that are blank hold nothing but missing cells.
    """
    if source.kind == "parquet":
        return ahead(_parquet(source, wanted, strict, progress))
    return ahead(_text(source, ahead(pieces(source, progress)), wanted, strict))


def _text(source: Source, found: Iterable[Piece], wanted: Wanted, strict: bool) -> Iterator[Block]:
    read = _csv if source.kind == "csv" else _ndjson
    for piece in found:
        frame, misfits = read(source, piece, wanted), 0
        if frame is None:
            frame, misfits = cells.read(source, piece, wanted, strict=strict)
        yield Block(frame, piece.first_line, misfits)


def _csv(source: Source, piece: Piece, wanted: Wanted) -> "pl.DataFrame | None":
    """A piece of CSV; None if something in it is not as it should be."""
    import polars as pl

    schema = wanted.schema()
    everything = {name: schema.get(name, pl.String()) for name in source.names}
    places = [source.names.index(name) for name in schema]
    for missing in (None, list(cells.MISSING)):  # looking for words takes time
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


def _parquet(source: Source, wanted: Wanted, strict: bool, progress: Progress) -> Iterator[Block]:
    import polars as pl

    schema = wanted.schema()
    lists = {field: shape for field, shape in source.lists.items() if {*columns_of(field, shape)} & {*schema}}
    try:
        table = pl.scan_parquet(source.path, glob=False)
        rows = int(table.select(pl.len()).collect().item())
        for at in range(0, rows, ROWS):
            part = table.slice(at, ROWS)
            frame = part.select(_plain(name, kind, lists) for name, kind in schema.items()).collect()
            flags = part.select(list_columns.is_misfit(*one) for one in lists.items()).collect()
            yield _blanked(source, wanted, Block(frame, at + 1), flags, strict)
            progress(source.size * min(at + ROWS, rows) // rows - source.size * at // rows)
    except pl.exceptions.PolarsError as error:
        raise unreadable(source.name, error) from None


def _blanked(source: Source, wanted: Wanted, block: Block, flags: "pl.DataFrame", strict: bool) -> Block:
    """The rows without the lists, flagged by field, that are of another size: cells that are missing, or blank rows."""
    import polars as pl

    frame, _, misfits = block
    for flag in flags:
        if not flag.any():
            continue
        shape = source.lists[flag.name]
        if strict:
            raise list_columns.refuse(
                source.path, source.name, flag.name, shape, block.first - 1 + int(flag.arg_max() or 0)
            )
        names = columns_of(flag.name, shape)
        whole = names[0] in wanted.members
        misfits += int(flag.sum()) if whole else 0
        gone = frame.columns if whole else [name for name in frame.columns if name in names]
        frame = frame.with_columns(pl.when(~flag).then(pl.col(name)).alias(name) for name in gone)
    return Block(frame, block.first, misfits)


def _plain(name: str, kind: Any, lists: Mapping[str, Shape]) -> "pl.Expr":
    """A column of Parquet as `kind`; dates by their number."""
    import polars as pl

    column = list_columns.column(name, lists)
    return column.to_physical().cast(kind) if kind == pl.Int64() else column.cast(kind)
