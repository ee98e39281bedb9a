from importlib.resources import files

import pytest

from vieta.cli.page_audience import LABELS, PAGE, VALUES
from vieta.wording import render


def test_the_labels_and_values_are_those_of_the_page():
    static = files("vieta.page") / "static"
    text = "".join((static / name).read_text() for name in ("index.html", "records.js"))
    assert [label for label in LABELS.values() if label not in text] == []
    assert [value for value in VALUES.values() if value not in text] == ["not chosen", "one of the columns"]


@pytest.mark.parametrize(
    ("template", "expected"),
    [("{call.fit} needs {option.n_systems}.", "the fit needs “Systems”."), ("give {flag.robust}.", "give --robust.")],
)
def test_messages_name_what_is_on_the_page_and_flags_where_nothing_is(template, expected):
    assert render(template, {}, PAGE) == expected
