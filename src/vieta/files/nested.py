"""Lists in NDJSON as columns: {"y": [1.2, 3.4], "psi": 0.5} reads as {"y1": 1.2, "y2": 3.4, "psi": 0.5}.

A list of lists has two numbers a column: y2_1 is the first number of the second member. A line that is nothing but a list
is the list y.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

Shape = tuple[int, ...]
MISFIT = ""  # the key under which it is said that a list is of another shape


def shapes(text: bytes) -> dict[str, Shape]:
    """The usual shape of each field in some lines that usually holds a list.

    >>> shapes(b'{"y": [1, 2], "psi": 3}\\n{"y": [4, 5], "psi": 6}')
    {'y': (2,)}
    """
    return usual_shapes(as_record(line) or {} for line in text.split(b"\n")) if b"[" in text else {}


def usual_shapes(records: Iterable[Mapping[str, Any]]) -> dict[str, Shape]:
    """The usual shape of each field that usually holds a list."""
    seen: dict[str, Counter[Shape]] = defaultdict(Counter)
    for record in records:
        for name, cell in record.items():
            shape = _shape(cell)
            if shape is not None and cell is not None:
                seen[name][shape] += 1
    usual = {name: counts.most_common(1)[0][0] for name, counts in seen.items()}
    return {name: shape for name, shape in usual.items() if shape}


def unfold(text: bytes, lists: Mapping[str, Shape]) -> bytes:
    """Lines with their lists as columns, line by line; lines that are no objects stay as they are, to be complained of.

    >>> unfold(b'{"y": [[1, 2], [3, 4]], "psi": 5}\\n[[6, 7], [8, 9]]', {"y": (2, 2)})
    b'{"y1_1": 1, "y1_2": 2, "y2_1": 3, "y2_2": 4, "psi": 5}\\n{"y1_1": 6, "y1_2": 7, "y2_1": 8, "y2_2": 9}'
    """
    return b"\n".join(_line(line, lists) for line in text.split(b"\n"))


def _line(line: bytes, lists: Mapping[str, Shape]) -> bytes:
    record = as_record(line)
    return line if record is None else json.dumps(unfolded(record, lists)).encode()


def unfolded(record: Mapping[str, Any], lists: Mapping[str, Shape]) -> dict[str, Any]:
    """A record with its lists as columns."""
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        flat |= _columns(name, cell, lists[name]) if name in lists else {name: cell}
    return flat


def _columns(name: str, cell: Any, shape: Shape) -> dict[str, Any]:
    """A list as columns; one of another shape leaves a complaint in place of each number."""
    names = columns_of(name, shape)
    if cell is None:
        return {}
    if _shape(cell) != shape:
        return {column: {MISFIT: difference(name, cell, shape)} for column in names}
    return dict(zip(names, _flat(cell), strict=True))


def misfit(cell: Any) -> str | None:
    """The complaint in a cell, if a list of another shape left one there."""
    return cell.get(MISFIT) if isinstance(cell, dict) else None


def difference(name: str, cell: Any, shape: Shape) -> str:
    """What is wrong with a list of another shape.

    >>> difference("y", [1, 2], (3,))
    "'y' is a list of 2, not a list of 3"
    """
    return f"{name!r} is {_size(_shape(cell))}, not {_size(shape)}"


@cache
def columns_of(name: str, shape: Shape) -> tuple[str, ...]:
    """The names of the columns that a list becomes.

    >>> columns_of("y", (2,)), columns_of("psi", (1, 2))
    (('y1', 'y2'), ('psi1_1', 'psi1_2'))
    """
    return tuple(name + "_".join(str(i + 1) for i in place) for place in product(*map(range, shape)))


def _flat(cell: Any) -> Iterator[Any]:
    for item in cell:
        if isinstance(item, list):
            yield from _flat(item)
        else:
            yield item


def _shape(cell: Any) -> Shape | None:
    """Of a list of numbers () or of lists; None if it is not rectangular."""
    if not isinstance(cell, list):
        return ()
    inner = {_shape(item) for item in cell}
    if len(inner) > 1 or None in inner:
        return None
    return (len(cell), *(inner.pop() or () if inner else ()))


def _size(shape: Shape | None) -> str:
    if not shape:
        return "a ragged list" if shape is None else "no list"
    return f"a list of {' x '.join(str(size) for size in shape)}"


def as_record(line: bytes) -> dict[str, Any] | None:
    """The object on a line, {"y": ..} for a list; None if it is neither."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(record, list):
        return {"y": record}
    return record if isinstance(record, dict) else None
