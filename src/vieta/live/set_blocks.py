"""Sets from blocks of lines, by polars where every line is as it should be; the same sets, three times as fast."""

from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.arrays import Floats
from vieta.live.set_lines import Form, Found, cut, find_sets, unsigned_zeros
from vieta.set_requirements import MOST_READINGS
from vieta.sets import LARGEST

if TYPE_CHECKING:
    import polars as pl

MANY = 128  # lines from which on polars pays


def read_block(text: bytes, form: Form) -> Found:
    """The sets of the given form in some lines; the result is that of `find_sets`."""
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    found = _fast(text, lines, form) if lines >= MANY else None
    return find_sets(text.removesuffix(b"\n").split(b"\n"), form) if found is None else found


def _fast(text: bytes, lines: int, form: Form) -> Found | None:
    """The sets, if each of the lines holds one and nothing about them is unusual; otherwise None."""
    import polars as pl

    if form.offset and (b'"offset"' in text or b'"psi"' not in text):
        return None
    with_inputs = b'"psi"' in text
    if form.any_size and form.reading_dim > 1:
        return None
    if not (_is_plain(text, lines, form, with_inputs) and (with_inputs or not form.inputs)):
        return None
    try:
        frame = pl.read_ndjson(text, schema=_schema(form, with_inputs))
    except pl.exceptions.PolarsError:
        return None
    L, p, shape, _, _ = form
    inner = shape if p > 1 else shape[1:]
    sets = _of_any_size(frame["y"]) if form.any_size else _array(frame["y"], (L, p) if p > 1 else (L,))
    inputs = _array(frame["psi"], inner) if with_inputs else np.ones(lines)
    if frame.height != lines or sets is None or inputs is None:
        return None
    sets = sets if isinstance(sets, list) else sets.reshape(-1, L, p)
    return Found(sets, inputs.reshape(-1, *shape), np.arange(lines), [])


def _is_plain(text: bytes, lines: int, form: Form, with_inputs: bool) -> bool:
    """No key twice, no list or object beyond those that are needed: there, readers of JSON differ."""
    p = form.reading_dim
    lists = (1 + form.n_systems if p > 1 else 1) + (len(form.inputs) and (1 + p if p > 1 else 1))
    return (
        text.count(b'"y"') == lines
        and (not with_inputs or text.count(b'"psi"') == lines)
        and text.count(b"{") == lines
        and text.count(b"[") == lists * lines
        and b"\\" not in text
    )


def _schema(form: Form, with_inputs: bool) -> "dict[str, Any]":
    import polars as pl

    number = pl.Float64()
    row = pl.List(number)
    readings = row if form.reading_dim == 1 else pl.List(row)
    inputs: pl.DataType = number if not form.inputs else readings
    return {"y": readings} | ({"psi": inputs} if with_inputs else {})


def _of_any_size(column: "pl.Series") -> list[Floats] | None:
    """Sets of numbers; None if one is missing or too large, or there are too many in a set."""
    if column.null_count():
        return None
    sizes = column.list.len()
    flat = column.filter(sizes > 0).explode()
    if flat.null_count() or (sizes > MOST_READINGS).any():
        return None
    numbers = unsigned_zeros(flat.to_numpy())
    if len(numbers) and not (numbers.min() >= -LARGEST and numbers.max() <= LARGEST):
        return None
    return cut(numbers[:, None], sizes.to_numpy())


def _array(column: "pl.Series", sizes: tuple[int, ...]) -> Floats | None:
    """The numbers of lists of the given sizes within one another; None if one is missing or too large, or has another size."""
    for size in sizes:
        if column.null_count() or (column.list.len() != size).any():
            return None
        column = column.explode()
    if column.null_count():
        return None
    numbers = unsigned_zeros(column.to_numpy())
    return numbers if numbers.min() >= -LARGEST and numbers.max() <= LARGEST else None
