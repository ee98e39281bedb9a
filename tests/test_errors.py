"""Errors are codes and facts, in the words of whoever reads them."""

import pickle

import pytest

from vieta import errors
from vieta.errors import BadFileError, ComputationError, DivergedError, InputError, VietaError
from vieta.wording import Audience

SHELL = Audience(lambda name, value: f"--{name} {value}", lambda name: f"--{name}", {}, lambda name: True)
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, VietaError)]


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_has_a_code_facts_and_a_sentence(kind):
    error = kind("too-small", "{option.memory:{value}} is too small.", value=0.5)
    assert (error.code, error.facts, str(error)) == ("too-small", {"value": 0.5}, "memory=0.5 is too small.")
    assert error.say(SHELL) == "--memory 0.5 is too small."


@pytest.mark.parametrize("kind", KINDS)
def test_errors_travel_between_processes(kind):
    again = pickle.loads(pickle.dumps(kind("some-code", "{what} is wrong.", what="it")))
    assert type(again) is kind
    assert (again.code, str(again)) == ("some-code", "it is wrong.")


def test_they_are_what_python_calls_them():
    assert issubclass(InputError, ValueError)
    assert issubclass(BadFileError, ValueError)
    assert issubclass(ComputationError, ArithmeticError)
    assert issubclass(DivergedError, ArithmeticError)
    assert not issubclass(DivergedError, ValueError)


def test_an_error_that_is_wrapped_keeps_its_code_and_its_audience():
    inner = InputError("range", "{option.step:{value}} is too large.", value=2)
    outer = BadFileError.wrap(inner, "{file}: {cause}", file="step=3.csv")
    assert outer.code == "range"
    assert str(outer) == "step=3.csv: step=2 is too large."
    assert outer.say(SHELL) == "step=3.csv: --step 2 is too large."
    assert BadFileError.wrap(OSError("disk"), "{cause}").code == "unexpected"
