"""Tables of other libraries (pandas, polars) as arguments: names of their columns, and whether their rows belong together.

Nothing is imported: whatever has columns, or an index that can be compared, is asked for them.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from vieta.errors import InputError

KINDS = ("polars", "pandas")  # libraries of frames, the first that is there if none was used


def frame_kind(table: Any) -> str:
    """The library that a frame or a series is of, "pandas" or "polars"; empty for anything else.

    >>> frame_kind([[1.0, 2.0]])
    ''
    """
    libraries = {one.__module__.split(".")[0] for one in type(table).__mro__}
    return next((kind for kind in KINDS if kind in libraries), "")


def as_frame(columns: Mapping[str, Any], kind: str = "") -> Any:
    """A frame of a library, or of one that is installed; numbers that are not known are missing in it."""
    found = kind or next((one for one in KINDS if find_spec(one) is not None), "")
    if found not in KINDS or find_spec(found) is None:
        raise InputError(
            "no-frames",
            "{option.kind:{kind!r}} cannot be made here: install one of {known}, and name it.",
            kind=kind,
            known=", ".join(KINDS),
        )
    frame = import_module(found).DataFrame(dict(columns))
    return frame.fill_nan(None) if found == "polars" else frame


def column_names(table: Any) -> tuple[str, ...]:
    """Names of the columns of a frame, the name of a series; none of anything else.

    >>> column_names([[1.0, 2.0]])
    ()
    """
    if not hasattr(table, "to_numpy"):
        return ()
    columns = getattr(table, "columns", None)
    if columns is not None:
        return tuple(map(str, columns))
    name = getattr(table, "name", None)
    return (str(name),) if name not in (None, "") else ()


def require_aligned(sets: Any, inputs: Any) -> None:
    """Refuse sets and inputs whose rows have different labels; only tables with an index have any."""
    of_sets, of_inputs = _index(sets), _index(inputs)
    if of_sets is None or of_inputs is None or len(of_sets) != len(of_inputs) or of_sets.equals(of_inputs):
        return
    row = next((k for k, (one, other) in enumerate(zip(of_sets, of_inputs)) if one != other), 0)
    same = "the labels are the same in another order" if _same_labels(of_sets, of_inputs) else "the labels differ"
    raise InputError(
        "index-differs",
        "`sets` and `inputs` have different indexes ({same}): row {row} is {sets!r} in `sets` and {inputs!r} in `inputs`. Give rows that "
        "belong together, for example inputs.loc[sets.index]; or, if they do, the arrays without an index (to_numpy()).",
        same=same,
        row=row,
        sets=of_sets[row],
        inputs=of_inputs[row],
    )


def _index(table: Any) -> Any:
    """The labels of the rows; lists have a method of that name, which is none."""
    index = getattr(table, "index", None)
    return None if index is None or callable(index) or not hasattr(index, "equals") else index


def _same_labels(one: Any, other: Any) -> bool:
    try:
        return sorted(one) == sorted(other)
    except TypeError:  # labels that have no order
        return False
