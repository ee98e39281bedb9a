"""Simulated sets as files without labels, and the truth as a file of its own."""

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.files.layout import Kind
from vieta.scenarios import Records
from vieta.scenarios.records import ABSENT
from vieta.symmetric import canonical_order

if TYPE_CHECKING:
    import polars as pl

TABLES = (".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.gz")
LINES = (".ndjson", ".ndjson.gz")
TRUTHS = (".json", ".csv", ".json.gz", ".csv.gz")


def encoded_sets(records: Records, name: str, layout: Kind) -> bytes:
    """The sets, in the format that the name of the file asks for; `layout` is for tables."""
    if name.lower().endswith(LINES):
        return _zipped(as_lines(records), name)
    frame = long_table(records) if layout == "long" else wide_table(records)
    return encoded_table(frame, name)


def encoded_truth(records: Records, name: str) -> bytes:
    """The parameters and the labels, as JSON or as a table with one row a reading."""
    if ".json" in name.lower():
        return _zipped(json.dumps(truth(records)).encode() + b"\n", name)
    return encoded_table(truth_table(records), name)


def as_lines(records: Records) -> bytes:
    """One object a set: its readings as the list "y" and, where there are inputs, "psi"; what `vieta watch` reads.

    >>> from vieta.laws import labels, noise
    >>> from vieta.scenarios import simulate
    >>> as_lines(simulate([1, 2], n=1, noise=noise.Gaussian(0.0), labels=labels.Labeled()))
    b'{"y": [1.0, 2.0]}\\n'
    """
    sets = [row[:size].tolist() for row, size in zip(records.sets, records.sizes, strict=True)]
    objects: list[dict[str, Any]] = [{"y": y} for y in sets]
    for name, column in (("psi", records.inputs), ("offset", records.offset)):
        if column is not None:
            objects = [{**one, name: value} for one, value in zip(objects, column.tolist(), strict=True)]
    return "".join(f"{json.dumps(one)}\n" for one in objects).encode()


def long_table(records: Records) -> "pl.DataFrame":
    """One row a reading: set, y (or y1 to yp) and inputs. A set without any reading has a row without a value, for its inputs."""
    import polars as pl

    times, places = _rows(records)
    values = _named("y", records.sets[times, places].reshape(len(times), -1))
    inputs = {name: column[times] for name, column in _inputs(records).items()}
    return pl.DataFrame({"set": times + 1, **values, **inputs}).fill_nan(None)


def wide_table(records: Records) -> "pl.DataFrame":
    """One row a set: y1 to yL (or y1_1 to yL_p) and inputs."""
    import polars as pl

    n = len(records.sets)
    values = {"y" + _place(at): records.sets[(slice(None), *at)] for at in np.ndindex(*records.sets.shape[1:])}
    return pl.DataFrame({"set": np.arange(1, n + 1), **values, **_inputs(records)}).fill_nan(None)


def truth(records: Records) -> dict[str, Any]:
    """What an analyst does not see; systems are numbered from 1 in canonical order of their first parameters."""
    order, labels = _numbered(records)
    moved = {} if records.theta_path is None else {"theta_last": records.theta_path[-1][order].tolist()}
    return {
        "scenario": records.name,
        "note": records.note,
        "seed": records.seed,
        "n": len(records.sets),
        "theta": records.theta[order].tolist(),
        **moved,
        "labels": [row[:size].tolist() for row, size in zip(labels, records.sizes, strict=True)],
    }


def truth_table(records: Records) -> "pl.DataFrame":
    """One row a reading, in the order of the sets: which system gave it, and the parameters of that system then; system 0 is clutter."""
    import polars as pl

    n = len(records.labels)
    _, labels = _numbered(records)
    path = (
        np.broadcast_to(records.theta, (n, *records.theta.shape)) if records.theta_path is None else records.theta_path
    )
    times, places = np.nonzero(records.labels != ABSENT)
    system = records.labels[times, places]
    theta = np.where((system >= 0)[:, None], path[times, np.maximum(system, 0)], np.nan)
    columns = {f"theta{j + 1}": column for j, column in enumerate(theta.T)}
    return pl.DataFrame({"set": times + 1, "system": labels[times, places], **columns}).fill_nan(None)


def _numbered(records: Records) -> tuple[Integers, Integers]:
    """Systems in canonical order, and the labels (N, M) as their numbers from 1 on; 0 where no system gave a reading."""
    order = canonical_order(records.theta)
    return order, np.where(records.labels >= 0, np.argsort(order)[np.maximum(records.labels, 0)] + 1, 0)


def _rows(records: Records) -> tuple[Integers, Integers]:
    """Times and places of the readings, and the first place of a set that has none."""
    shown = records.labels != ABSENT
    shown[:, 0] |= ~shown.any(axis=1)
    times, places = np.nonzero(shown)
    return times, places


def _inputs(records: Records) -> dict[str, Floats]:
    """Inputs and known numbers, by the names of their columns."""
    return _of_inputs(records) | ({} if records.offset is None else {"offset": records.offset})


def _of_inputs(records: Records) -> dict[str, Floats]:
    if records.inputs is None:
        return {}
    n = len(records.inputs)
    if records.inputs.ndim < 3:
        return _named("psi", records.inputs.reshape(n, -1))
    return {"psi" + _place(at): records.inputs[(slice(None), *at)] for at in np.ndindex(*records.inputs.shape[1:])}


def _named(stem: str, columns: Floats) -> dict[str, Floats]:
    """Columns (n, q) by number, or by the stem alone if there is one."""
    if columns.shape[1] == 1:
        return {stem: columns[:, 0]}
    return {f"{stem}{j + 1}": column for j, column in enumerate(columns.T)}


def _place(at: tuple[int, ...]) -> str:
    return "_".join(str(i + 1) for i in at)


def encoded_table(frame: "pl.DataFrame", name: str) -> bytes:
    """A table in the format that the name of the file asks for."""
    import io

    ending = name.lower()
    buffer = io.BytesIO()
    if ending.endswith(".parquet"):
        frame.write_parquet(buffer)
    elif ending.endswith(LINES):
        frame.write_ndjson(buffer)
    else:
        frame.write_csv(buffer, separator="\t" if ".tsv" in ending else ",")
    return _zipped(buffer.getvalue(), name)


def _zipped(content: bytes, name: str) -> bytes:
    """Packed if the name says so, the same for the same content."""
    return gzip.compress(content, mtime=0) if name.lower().endswith(".gz") else content
