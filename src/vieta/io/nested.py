"""Lists in NDJSON as columns: {"y": [1.2, 3.4], "psi": 0.5} reads as {"y1": 1.2, "y2": 3.4, "psi": 0.5}.

A list of lists has two numbers a column: y2_1 is the first number of the second member.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

Shape = tuple[int, ...]


def shapes(text: bytes) -> dict[str, Shape]:
    """The usual shape of each field in some lines that usually holds a list.

    >>> shapes(b'{"y": [1, 2], "psi": 3}\\n{"y": [4, 5], "psi": 6}')
    {'y': (2,)}
    """
    seen: dict[str, Counter[Shape]] = defaultdict(Counter)
    for line in text.split(b"\n") if b"[" in text else ():
        for name, cell in (_object(line) or {}).items():
            shape = _shape(cell)
            if shape is not None:
                seen[name][shape] += 1
    usual = {name: counts.most_common(1)[0][0] for name, counts in seen.items()}
    return {name: shape for name, shape in usual.items() if shape}


def unfold(text: bytes, lists: Mapping[str, Shape]) -> bytes:
    """Lines with their lists as columns, line by line; lines that are no objects stay as they are, to be complained of.

    >>> unfold(b'{"y": [[1, 2], [3, 4]], "psi": 5}\\n', {"y": (2, 2)})
    b'{"y1_1": 1, "y1_2": 2, "y2_1": 3, "y2_2": 4, "psi": 5}\\n'
    """
    return b"\n".join(_line(line, lists) for line in text.split(b"\n"))


def _line(line: bytes, lists: Mapping[str, Shape]) -> bytes:
    record = _object(line)
    if record is None:
        return line
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        flat |= _columns(name, cell, lists[name]) if name in lists else {name: cell}
    return json.dumps(flat).encode()


def _columns(name: str, cell: Any, shape: Shape) -> dict[str, Any]:
    """A list as columns; one of another shape leaves a complaint in place of each number."""
    names = _names(name, shape)
    if cell is None:
        return {}
    if _shape(cell) != shape:
        return dict.fromkeys(names, f"{_size(_shape(cell))}, not {_size(shape)}")
    return dict(zip(names, _flat(cell), strict=True))


@cache
def _names(name: str, shape: Shape) -> list[str]:
    return [name + "_".join(str(i + 1) for i in place) for place in product(*map(range, shape))]


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


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
