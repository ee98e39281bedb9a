"""One sentence for two audiences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vieta.wording import PYTHON, Audience, OptionNames, render

SHELL = Audience(
    option=lambda name, value: f"--{name} {value}".rstrip(),
    flag=lambda name: f"--{name}",
    calls={"fit": "vieta fit"},
    knows=lambda name: name != "start",
)


@pytest.mark.parametrize(
    ("template", "python", "shell"),
    [
        ("Give {option.memory}.", "Give memory=.", "Give --memory."),
        ("{option.memory:{value}} is too small.", "memory=0.5 is too small.", "--memory 0.5 is too small."),
        ("Use {flag.robust}.", "Use robust=True.", "Use --robust."),
        ("See {call.fit}.", "See vieta.fit.", "See vieta fit."),
        ("{value:.2f} of {value!r}", "0.50 of 0.5", "0.50 of 0.5"),
    ],
)
def test_each_audience_reads_its_own_spelling(template, python, shell):
    assert render(template, {"value": 0.5}) == python
    assert render(template, {"value": 0.5}, SHELL) == shell


@given(st.text())
def test_facts_are_never_read_as_templates(name):
    assert render("{name} cannot be read.", {"name": name}, SHELL) == f"{name} cannot be read."


def test_a_message_within_a_message_is_said_to_the_same_audience():
    class Inner:
        def say(self, audience):
            return render("give {option.step}", {}, audience)

    assert render("{cause}, or stop.", {"cause": Inner()}, SHELL) == "give --step, or stop."


def test_options_that_an_audience_does_not_know_are_left_out():
    assert OptionNames(["memory", "start"]).say(PYTHON) == "memory=, start="
    assert OptionNames(["memory", "start"]).say(SHELL) == "--memory"
    assert OptionNames(["start"]).say(SHELL) == "none"


def test_a_fact_that_is_missing_is_an_error_of_ours():
    with pytest.raises(KeyError):
        render("{what} is missing", {})
