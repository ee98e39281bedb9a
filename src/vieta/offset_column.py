"""The offset of files and frames: a column of known numbers, read beside the inputs and taken out of them again."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from vieta.files.layout import Layout
    from vieta.files.reader import Reader
    from vieta.sets import Data
    from vieta.sums import Passes


def with_offset(given: dict[str, Any]) -> dict[str, Any]:
    """What was asked for, with the column of offsets among the inputs."""
    if given.get("offset") is None:
        return given
    return {**given, "inputs": (*given["inputs"], given["offset"])}


def place_of(layout: "Layout", name: str) -> int:
    """Which of the inputs the offset is."""
    from vieta.errors import BadFileError

    if name not in layout.regressors:
        raise BadFileError(
            "offset-not-numbers",
            "{option.offset:{name}} must be a column of numbers, and one that is no other input.",
            name=name,
        )
    return layout.regressors.index(name)


def split(passes: "Passes", source: "Reader", name: str | None) -> "Passes":
    """The same sets, with the numbers of a column as known numbers instead of inputs."""
    if name is None:
        return passes
    place = place_of(source.layout, name)
    return passes.changed(taken_out(passes.like, place), lambda block: taken_out(block, place))


def without_offset(block: "Data", layout: "Layout", name: str | None) -> "Data":
    """A block with the numbers of a column as known numbers instead of inputs, if there is such a column."""
    return block if name is None else taken_out(block, place_of(layout, name))


def taken_out(block: "Data", place: int) -> "Data":
    """A block whose inputs (n,) or (n, 1, D) have lost a column."""
    if block.inputs.ndim == 1:
        return replace(block, inputs=np.ones(len(block)), known=block.inputs)
    left = np.delete(block.inputs, place, axis=2)
    known = np.ascontiguousarray(block.inputs[:, 0, place])
    inputs = np.ascontiguousarray(left[:, 0, 0] if left.shape[2] == 1 else left)
    return replace(block, inputs=inputs, dim=left.shape[2], known=known)
