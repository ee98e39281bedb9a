"""The digest of a kernel changes with all that is compiled into it, and with nothing else."""

import os
import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from vieta.code_digest import code_digest
from vieta.compiled import compile_now, inlined

CALLED = "def part(x):\n    return x + 1.0\n"
CALLER = "def whole(x):\n    return part(x) * FACTOR + TABLE[0]\n"


def built(called=CALLED, caller=CALLER, wrap=compile_now, **names):
    """The function `whole` of one module, which calls `part` of another."""
    other, own = ModuleType("digest.called"), ModuleType("digest.caller")
    exec(called, vars(other))
    vars(own).update({"FACTOR": 2.0, "TABLE": (1.0, 2.0), "part": wrap(other.part), "other": other} | names)
    exec(caller, vars(own))
    return own.whole


@pytest.mark.parametrize("wrap", [compile_now, inlined])
@pytest.mark.parametrize(
    "change",
    [
        {"called": CALLED.replace("1.0", "2.0")},
        {"called": CALLED.replace("+", "-")},
        {"caller": CALLER.replace("0", "1")},
        {"FACTOR": 3.0},
        {"TABLE": (1.0, 3.0)},
        {"TABLE": np.array([1.0, 2.0])},
    ],
    ids=str,
)
def test_every_change_of_what_is_compiled_is_seen(change, wrap):
    assert code_digest(built(wrap=wrap, **change)) != code_digest(built(wrap=wrap))


@pytest.mark.parametrize(
    "change",
    [{"caller": "# a remark\n\n" + CALLER}, {"called": CALLED + "\ndef more(x):\n    return x\n"}, {"OTHER": 1}],
)
def test_nothing_else_is(change):
    assert code_digest(built(**change)) == code_digest(built())


def test_a_function_is_seen_through_its_module():
    caller = "def whole(x):\n    return other.part(x)\n"
    before, after = built(caller=caller), built(caller=caller, called=CALLED.replace("+", "*"))
    assert code_digest(before) != code_digest(after)


def test_arrays_defaults_closures_and_inner_functions_count():
    def made(number, default):
        def run(x, y=default):
            return x + number + y

        return run

    assert code_digest(made(1, 2)) == code_digest(made(1, 2))
    assert len({code_digest(made(*pair)) for pair in [(1, 2), (2, 2), (1, 3), (np.ones(2), 2), (np.zeros(2), 2)]}) == 5
    inner = "def whole(x):\n    def one(y):\n        return y + 1\n    return one(x)\n"
    assert code_digest(built(caller=inner)) != code_digest(built(caller=inner.replace("1", "2")))


def test_a_function_that_calls_itself_has_a_digest():
    recursive = "def whole(n):\n    return n if n < 2 else whole(n - 1) + whole(n - 2)\n"
    assert code_digest(built(caller=recursive)) == code_digest(built(caller=recursive))


def test_it_is_the_same_in_every_process():
    code = "from vieta.code_digest import code_digest\ndef f(x):\n    return x in {'a', 'b', 'c', (1, 2)}\nprint(code_digest(f))"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1
