"""From a reader to an estimate: names of parameters, the place of a set that is refused, systems that are counted."""

from collections import Counter
from typing import ClassVar

import numpy as np
import pytest

from tests.files import samples as files
from vieta.errors import BadFileError, IncompleteSetsError, InputError
from vieta.file_fit import AUTO, about, fitted, parameter_names, placed
from vieta.files.layout import Layout
from vieta.files.reader import reader


@pytest.mark.parametrize(
    ("layout", "dim", "names"),
    [
        (Layout("long", "set", ("y",), ("x1", "x2"), None), 2, ["x1", "x2"]),
        (Layout("long", "set", ("y",), ("x",), None, True), 2, ["intercept", "x"]),
        (Layout("long", "set", ("a", "b"), (), None), 2, ["a", "b"]),
        (Layout("wide", "set", ("a", "b", "c", "d"), (), 2), 2, ["1", "2"]),
        (Layout("long", "set", ("a", "b"), ("m1", "m2", "m3", "m4"), None), 2, ["1", "2"]),
        (Layout("long", "set", ("y",), ("x",), None), 1, ["1"]),
    ],
)
def test_parameters_are_called_by_the_columns_that_they_belong_to(layout, dim, names):
    assert parameter_names(layout, dim) == names


class Reader:
    """Places without files."""

    dropped: ClassVar[Counter[str]] = Counter()

    def place(self, k):
        return f"line {k} of step=3.csv"

    def explain(self, error, *, advised):
        return BadFileError(
            "explained", "{place} has {given} reading(s).", place=self.place(error.facts["index"]), **error.facts
        )


def test_a_set_that_is_refused_by_number_is_named_by_its_place():
    facts = {"given": 2, "needed": 3, "count": 1, "n_sets": 9}
    with pytest.raises(BadFileError) as refused, placed(Reader()):
        raise IncompleteSetsError("incomplete-sets", "sets[{index}] ..", index=7, **facts)
    assert str(refused.value) == "line 7 of step=3.csv has 2 reading(s)."
    with pytest.raises(BadFileError) as refused, placed(Reader()):
        raise InputError("too-large", "sets[{index}] holds {value:.3g}.", index=4, value=1e200)
    assert refused.value.code == "too-large"
    assert str(refused.value) == "line 4 of step=3.csv: sets[4] holds 1e+200."


def test_a_refusal_says_so_if_sets_were_left_out_before():
    class Leaving(Reader):
        dropped: ClassVar[Counter[str]] = Counter({"wrong-count": 10})

    with pytest.raises(BadFileError) as refused, placed(Leaving()):
        raise InputError("too-few", "2 sets are too few.")
    assert (
        str(refused.value) == "2 sets are too few. Before that, sets were left out: 10 for a wrong number of readings."
    )
    assert refused.value.code == "too-few"


def test_other_errors_pass():
    error = InputError("memory-range", "{option.memory} ..")
    with pytest.raises(InputError) as refused, placed(Reader()):
        raise error
    assert refused.value is error


def test_an_estimate_knows_its_columns_and_what_was_left_out(tmp_path):
    frame = files.long_frame(*files.records(60))
    path = files.write(frame.filter((frame["set"] != 7) | (frame["y"] != frame["y"][21])), tmp_path / "a.csv")
    with reader([str(path)], on_bad_set="drop") as source:
        found = about(source, fitted(source.passes(), None, "least-squares", {}))
    assert found.n_sets == 59
    assert found.findings[0].code == "sets-left-out"
    with reader([str(path)]) as source:
        counted = fitted(source.passes(), AUTO, None, {})
    assert np.allclose(counted.theta.ravel(), [1.0, 3.0, 5.0], atol=0.1)
