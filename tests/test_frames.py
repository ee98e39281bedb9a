"""Frames of other libraries: names of parameters from their columns, and rows that must belong together."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest

import vieta
from vieta.errors import InputError
from vieta.frames import as_frame, column_names, frame_kind, require_aligned


class Index(list):
    """Labels of rows, as pandas has them."""

    def equals(self, other):
        return list(self) == list(other)


@dataclass
class Frame:
    """What pandas has of a frame, as far as it is asked for."""

    values: Any
    columns: Any = None
    index: Any = field(default_factory=Index)

    def to_numpy(self):
        return np.asarray(self.values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)


def records(seed=0):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(200), rng.normal(size=200)])
    theta = np.array([[0.0, 1.0], [3.0, -1.0]])
    return rng.permuted(x @ theta.T + 0.1 * rng.normal(size=(200, 2)), axis=1), x


def test_columns_name_the_parameters():
    sets, x = records()
    frame = pl.DataFrame(x, schema=["intercept", "cold"])
    found = vieta.fit(pl.DataFrame(sets), frame, method="least-squares")
    assert found.names == ("intercept", "cold")
    assert np.array_equal(found.theta, vieta.fit(sets, x, method="least-squares").theta)
    assert [line.split()[1] for line in str(found).splitlines()[4:6]] == ["intercept", "cold"]
    assert found.to_dict()["names"] == ["intercept", "cold"]
    assert type(found).from_dict(found.to_dict()).names == found.names
    assert found.plot().axes[0].get_xlabel() == "intercept"
    assert vieta.fit(sets, x, method="least-squares").names == ()


def test_a_series_names_the_only_parameter():
    assert column_names(pl.Series("cold", [1.0])) == ("cold",)
    assert column_names(pl.Series([1.0])) == ()
    assert column_names(Frame([[1.0]], columns=[0])) == ("0",)
    assert column_names(np.ones(3)) == column_names([1.0]) == column_names(None) == ()


def test_rows_must_have_the_same_labels():
    sets, x = records()
    labels = Index(f"day {k}" for k in range(200))
    frame = Frame(sets, [0, 1], labels)
    assert vieta.fit(frame, Frame(x, ["a", "b"], Index(labels)), method="least-squares").names == ("a", "b")
    with pytest.raises(
        InputError, match=r"\(the labels are the same in another order\): row 0 is 'day 0' in `sets` and 'day 199'"
    ):
        vieta.fit(frame, Frame(x, ["a", "b"], Index(labels[::-1])))
    with pytest.raises(
        InputError, match=r"the labels differ\): row 199 is 'day 199' in `sets` and 7 in `inputs`"
    ) as error:
        vieta.SymmetricFilter(2, 2).partial_fit(frame, Frame(x, ["a", "b"], Index([*labels[:-1], 7])))
    assert error.value.code == "index-differs"


def test_what_has_no_index_is_not_compared():
    require_aligned([1, 2], Frame([1, 2], index=Index("ab")))
    require_aligned(Frame([1, 2], index=Index("ab")), np.ones(2))
    require_aligned(pl.DataFrame([1.0]), pl.Series([1.0]))
    require_aligned(Frame([1], index=Index("a")), Frame([1, 2], index=Index("bc")))  # counted elsewhere


def test_a_kind_of_frame_is_known_by_its_library_and_made_again():
    assert (frame_kind(pl.DataFrame()), frame_kind(pl.Series()), frame_kind(np.ones(2))) == ("polars", "polars", "")
    made = as_frame({"a": [1.0, np.nan]})
    assert made.equals(pl.DataFrame({"a": [1.0, None]}))
    with pytest.raises(InputError, match="kind='excel' cannot be made here: install one of polars, pandas"):
        as_frame({"a": [1.0]}, "excel")


def test_arrays_of_a_frame_are_fitted_and_answered_in_its_kind():
    sets, x = records()
    found = vieta.fit(sets, pl.DataFrame(x, schema=["intercept", "cold"]), method="least-squares")
    assert found.to_frame()["parameter"].to_list() == ["intercept", "cold"] * 2
    nullable = (
        pytest.importorskip("pandas", reason="pandas is not installed: pip install '.[dev]'")
        .DataFrame(sets)
        .astype("Float64")
    )
    nullable.iloc[3, 0] = None
    holes = np.array(sets)
    holes[3, 0] = np.nan
    assert np.array_equal(vieta.fit(nullable, x).theta, vieta.fit(holes, x).theta)


def test_a_filter_has_the_names_of_its_inputs_and_refuses_other_columns(tmp_path):
    sets, x = records()
    frame = pl.DataFrame(x, schema=["intercept", "cold"])
    f = vieta.SymmetricFilter(2, 2).partial_fit(sets[:100], frame[:100])
    with pytest.raises(InputError, match="the same in another order") as refused:
        f.partial_fit(sets[100:], frame[100:].select("cold", "intercept"))
    assert (refused.value.code, f.n_sets) == ("columns-changed", 100)
    f.partial_fit(sets[100:], x[100:])
    assert f.estimate().names == ("intercept", "cold")
    f.save(tmp_path / "f.npz")
    again = vieta.SymmetricFilter.load(tmp_path / "f.npz")
    assert (again.names, again.estimate().names) == (f.names, f.names)
    assert vieta.SymmetricFilter(2, 2).partial_fit(sets, x).estimate().names == ()
