"""Datasets of xarray: the estimate is that of the arrays, whatever the order of the dimensions; and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.errors import InputError

xr = pytest.importorskip("xarray", reason="the extra `xarray` is not installed")

RNG = np.random.default_rng(0)
COLD = RNG.standard_normal(200)
HEAT = np.array([1.0, 4.0]) + COLD[:, None] * np.array([0.5, -1.0]) + 0.1 * RNG.standard_normal((200, 2))
PLACES = np.array([[0.0, 0.0], [3.0, 1.0]]) + 0.2 * RNG.standard_normal((200, 2, 2))
DATASET = xr.Dataset(
    {
        "heat": (("hour", "flat"), HEAT),
        "place": (("hour", "plane", "axis"), PLACES),
        "cold": ("hour", COLD),
        "name": ("hour", COLD.astype(str)),
    },
    {"hour": np.arange(200), "axis": ["east", "north"]},
)


def fitted(dataset=DATASET, value="heat", **given):
    from vieta.integrations.xarray import fit_dataset

    return fit_dataset(dataset, value, **{"set": "hour", **given})


@pytest.mark.parametrize("dims", [("hour", "flat"), ("flat", "hour")])
def test_an_estimate_is_that_of_the_arrays_and_has_names(dims):
    found = fitted(DATASET.assign(heat=DATASET.heat.transpose(*dims)), inputs=["cold"], intercept=True)
    expected = vieta.fit(HEAT, np.stack([np.ones(200), COLD], axis=1))
    assert_array_equal(found.theta, expected.theta)
    assert_array_equal(found.cov, expected.cov)
    assert found.names == ("intercept", "cold")


def test_vectors_have_the_names_of_their_coordinate():
    found = fitted(value="place", coordinate="axis")
    assert_array_equal(found.theta, vieta.fit(PLACES).theta)
    assert found.names == ("east", "north")


def test_missing_readings_and_options_go_to_fit():
    found = fitted(DATASET.assign(heat=DATASET.heat.where(DATASET.cold < 1.5)), inputs=["cold"], n_systems=2)
    assert found.method == "adaptive"
    assert fitted(method="least-squares", inputs=["cold"]).method == "least-squares"


def test_arrays_of_dask_stay_where_they_are():
    pytest.importorskip("dask.array", reason="the extra `cluster` is not installed")
    found = fitted(DATASET.chunk({"hour": 80}), inputs=["cold"], intercept=True)
    assert_allclose(found.theta, fitted(inputs=["cold"], intercept=True).theta, rtol=1e-9)


def test_an_estimate_as_a_dataset():
    from vieta.integrations.xarray import to_dataset

    estimate = fitted(inputs=["cold"], intercept=True)
    table = to_dataset(estimate, level=0.9)
    assert_array_equal(table.theta.sel(parameter="cold"), estimate.theta[:, 1])
    assert_array_equal(table.upper.sel(system=2), estimate.conf_int(0.9)[1, :, 1])
    assert dict(table.sizes) == {"system": 2, "parameter": 2}
    assert table.attrs == {"method": "adaptive", "n_sets": 200, "level": 0.9, "warnings": ""}
    assert to_dataset(vieta.fit(HEAT)).parameter.values.tolist() == ["1"]


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"value": "place"}, "xarray-dimensions", "coordinate"),
        ({"set": "day"}, "xarray-dimensions", "'day'"),
        ({"value": "cold"}, "xarray-dimensions", "'cold'"),
        ({"value": "heating"}, "xarray-variable", "'heat'"),
        ({"inputs": ["colder"]}, "xarray-variable", "'cold'"),
        ({"inputs": ["name"]}, "xarray-input", "Numbers along"),
        ({"inputs": ["heat"]}, "xarray-input", "Numbers along"),
    ],
)
def test_what_cannot_be_used_is_refused(given, code, said):
    with pytest.raises(InputError, match=said) as error:
        fitted(**given)
    assert error.value.code == code
