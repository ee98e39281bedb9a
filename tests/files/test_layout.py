"""A layout in words, for Python and for a command."""

import pytest

from vieta.files.layout import Layout
from vieta.wording import PYTHON, Audience

COMMAND = Audience(
    option=lambda name, value: f"--{name.replace('_', '-')} {value}".rstrip(),
    flag=lambda name: f"--{name}",
    calls={},
    knows=lambda name: True,
)
LONG = Layout("long", "t", ("y",), ("psi",), None)


def test_the_layout_in_words():
    assert LONG.describe() == "long (one row a reading, sets by 't'), readings y, inputs psi"
    wide = Layout("wide", None, ("y1", "y2"), (), 2)
    assert wide.describe() == "wide (one row a set), readings y1, y2, no inputs (Psi = I)"
    assert LONG.describe(offset="psi").endswith("readings y, no inputs (Psi = I), offset psi")


@pytest.mark.parametrize(
    ("audience", "words"),
    [
        (PYTHON, "; not used: dose, age, which look like inputs (input=dose input=age); city (name them with set=, input= or value=)"),
        (
            COMMAND,
            "; not used: dose, age, which look like inputs (--input dose --input age); city (name them with --set, --input or --value)",
        ),
    ],
)  # fmt: skip
def test_columns_that_are_not_used_are_named_with_the_options_of_the_audience(audience, words):
    layout = Layout("long", "t", ("y",), (), None, unused=("dose", "city", "age"), likely_inputs=("dose", "age"))
    assert layout.describe(audience).endswith(words)
    one = Layout("wide", None, ("y1",), (), 1, unused=("x",), likely_inputs=("x",))
    assert "; not used: x, which looks like an input (" in one.describe(audience)


def test_names_of_columns_come_out_as_they_are():
    odd = Layout("long", "step={0}", ("--value", "{y}"), ("{option.set}",), None, unused=("robust=True",))
    for audience in (PYTHON, COMMAND):
        said = odd.describe(audience)
        assert all(name in said for name in ("'step={0}'", "--value, {y}", "{option.set}", "robust=True"))


def test_the_length_of_a_reading_and_the_names_of_the_regressors():
    assert (LONG.reading_dim, LONG.regressors) == (1, ("psi",))
    wide = Layout("wide", None, ("a", "b", "c", "d"), ("x",), None, intercept=True, slots=2)
    assert (wide.reading_dim, wide.regressors) == (2, ("intercept", "x"))
