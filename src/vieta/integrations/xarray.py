"""xarray: sets from a Dataset, by the names of its dimensions, and estimates as one. Extra `xarray`."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vieta.errors import InputError
from vieta.estimators import Estimate, fit

try:
    import xarray as xr
except ImportError as error:
    raise ImportError("vieta.integrations.xarray needs xarray: install vieta[xarray].") from error

INTERCEPT = "intercept"


def fit_dataset(
    dataset: xr.Dataset,
    value: Hashable,
    *,
    set: Hashable,
    inputs: Sequence[Hashable] = (),
    intercept: bool = False,
    coordinate: Hashable | None = None,
    **options: Any,
) -> Estimate:
    """`vieta.fit` of the variable `value`: a set for each entry of the dimension `set`, in whatever order its dimensions are.

    Readings lie along the other dimension, and their numbers along `coordinate`, where a reading has several. Variables or coordinates along
    `set` are `inputs`, and name the parameters. Arrays of dask are worked on where they are; `options` are those of `vieta.fit`.
    """
    readings = _variable(dataset, value)
    last = () if coordinate is None else (coordinate,)
    across = [name for name in readings.dims if name not in (set, *last)]
    if len(across) != 1 or len(readings.dims) != 2 + len(last):
        raise InputError(
            "xarray-dimensions",
            "{value!r} has the dimensions {dims}. One along the sets is needed ({set!r}), one along the readings of a set, and `coordinate` "
            "for a third one, along the numbers of a reading.",
            value=value,
            dims=readings.dims,
            set=set,
        )
    columns = [_input(dataset, name, set).data for name in inputs]
    names = [str(name) for name in inputs]
    if intercept:
        columns, names = [np.ones(dataset.sizes[set]), *columns], [INTERCEPT, *names]
    if not columns and coordinate in readings.coords:
        names = [str(one) for one in readings[coordinate].values]
    psi: Any = None if not columns else columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
    psi = psi.rechunk({1: -1}) if len(columns) > 1 and hasattr(psi, "rechunk") else psi  # of dask
    found = fit(readings.transpose(set, across[0], *last).data, psi, **options)
    return replace(found, names=tuple(names) if len(names) == found.theta.shape[1] else ())


def to_dataset(estimate: Estimate, level: float = 0.95) -> xr.Dataset:
    """Parameters, standard errors and intervals by system and parameter; method, sets and what to know before trusting it as attributes."""
    L, D = estimate.theta.shape
    lower, upper = np.moveaxis(estimate.conf_int(level), -1, 0)
    tables = {"theta": estimate.theta, "stderr": estimate.stderr, "lower": lower, "upper": upper}
    variables: dict[str, Any] = {name: (("system", "parameter"), table) for name, table in tables.items()}
    variables["noise_sd"] = ("system", estimate.noise_sd)
    names = list(estimate.names or map(str, range(1, D + 1)))
    about = {"method": estimate.method, "n_sets": estimate.n_sets, "level": level}
    attributes = about | {"warnings": "\n".join(estimate.warnings)}
    return xr.Dataset(variables, {"system": np.arange(1, L + 1), "parameter": names}, attributes)


def _variable(dataset: xr.Dataset, name: Hashable) -> xr.DataArray:
    if name not in dataset and name not in dataset.coords:
        known = ", ".join(map(repr, dataset.variables))
        raise InputError(
            "xarray-variable", "there is no variable {name!r}. There are: {known}.", name=name, known=known
        )
    return dataset[name]


def _input(dataset: xr.Dataset, name: Hashable, set: Hashable) -> xr.DataArray:
    found = _variable(dataset, name)
    if found.dims == (set,) and np.issubdtype(found.dtype, np.number):
        return found
    raise InputError(
        "xarray-input",
        "the input {name!r} has the dimensions {dims} and the type {kind}. Numbers along {set!r} alone are needed.",
        name=name,
        dims=found.dims,
        kind=str(found.dtype),
        set=set,
    )
