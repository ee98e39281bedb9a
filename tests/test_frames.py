"""Frames of other libraries: names of parameters from their columns, and rows that must belong together."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest

import vieta
from vieta.errors import InputError
from vieta.frames import column_names, require_aligned


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
