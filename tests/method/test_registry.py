"""The methods by name: one file each, and those of other packages, with no edit in the package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vieta
from tests.method import toy
from vieta import method as room
from vieta.errors import InputError
from vieta.method import registry

SOURCES = Path(vieta.__file__).parent


def test_every_method_has_a_line_and_options_that_are_explained():
    assert vieta.methods() == {name: one.line for name, one in registry.every().items()}
    for one in registry.every().values():
        assert one.line.endswith(".")
        assert "\n" not in one.line
        for info in one.Options.infos().values():
            assert info.help.endswith((".", ")"))


def test_the_default_comes_first_and_is_one():
    assert next(iter(vieta.methods())) == registry.default() == "efficient"
    assert sum(one.default for one in registry.every().values()) == 1


def test_the_registry_is_not_handed_out():
    before = vieta.methods()
    vieta.methods().clear()
    registry.every().clear()
    assert vieta.methods() == before


@pytest.mark.parametrize("name", ["", "RLS", None, 3, ["rls"]])
def test_unknown_methods_are_refused(name):
    with pytest.raises(InputError) as caught:
        registry.get(name)
    assert caught.value.code == "unknown-method"
    assert "efficient" in caught.value.facts["known"]


def test_a_method_is_named_in_its_own_file_only():
    """One file a method: no other line of code spells its name."""
    files = [path for path in SOURCES.rglob("*.py") if path.parent.name != "paper"]
    for name in registry.every():
        own = Path(room.__path__[0]) / f"{name.replace('-', '_')}.py"
        assert own.exists()
        spelled = {f'"{name}"', f"'{name}'"}
        named = [path for path in files if path != own and any(text in path.read_text() for text in spelled)]
        named = [path for path in named if any(text in _code(path) for text in spelled)]
        assert named == [], name


def _code(path):
    """A module without its docstrings."""
    import ast

    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0].value.value = ""
    return ast.unparse(tree)


# --- methods of other packages ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return toy.install(tmp_path_factory.mktemp("toy"))


def python(site, code, *arguments):
    """What code prints in an environment that has the toy package."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(SOURCES.parent)])}
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, env=env, check=False
    )
    return done.returncode, done.stdout, done.stderr


def command(site, *words):
    return python(site, "from vieta.cli import main; main()", *words)


SETS = np.random.default_rng(0).normal([0.0, 10.0], 1.0, (50, 2)).round(3)

FIT = """
import json, sys, numpy as np, vieta
sets = np.array(json.loads(sys.argv[1]))
print(json.dumps(vieta.fit(sets, method="sorted-mean", shift=1.0).theta.ravel().tolist()))
f = vieta.SymmetricFilter(2, method="sorted-mean", shift=1.0).partial_fit(sets[:20])
f.save(sys.argv[2])
again = vieta.SymmetricFilter.load(sys.argv[2]).partial_fit(sets[20:])
print(json.dumps(again.estimate().theta.ravel().tolist()), again.n_sets)
print(again)
"""


def test_a_method_of_another_package_fits_filters_and_is_saved(site, tmp_path):
    code, out, err = python(site, FIT, json.dumps(SETS.tolist()), tmp_path / "filter.npz")
    assert code == 0, err
    fitted, filtered, shown = out.splitlines()
    expected = np.sort(SETS, axis=1).mean(axis=0) + 1.0
    np.testing.assert_allclose(json.loads(fitted), expected)
    np.testing.assert_allclose(json.loads(filtered.rsplit(" ", 1)[0]), expected)
    assert filtered.endswith(" 50")
    assert shown == "SymmetricFilter(n_systems=2, method='sorted-mean', shift=1.0)"


def test_the_command_has_it_with_its_options(site, tmp_path):
    code, out, _ = command(site, "methods")
    assert code == 0
    assert "sorted-mean" in out
    records = tmp_path / "records.csv"
    rows = "".join(f"{k},{y}\n" for k, row in enumerate(SETS.tolist()) for y in row)
    records.write_text(f"set,y\n{rows}")
    code, out, err = command(site, "fit", records, "--method", "sorted-mean", "--shift", "1", "--json")
    assert code == 0, err
    np.testing.assert_allclose(np.ravel(json.loads(out)["theta"]), np.sort(SETS, axis=1).mean(axis=0) + 1.0)
    code, out, _ = command(site, "fit", "--help")
    assert "--shift" in out


def test_it_watches(site):
    lines = "".join(f"{json.dumps(row)}\n" for row in SETS.tolist())
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(SOURCES.parent)])}
    words = [sys.executable, "-c", "from vieta.cli import main; main()", "watch", "--method", "sorted-mean", "--json"]
    done = subprocess.run(words, input=lines, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    final = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(np.ravel(final["theta"]), np.sort(SETS, axis=1).mean(axis=0))


BAD = """
import json, sys, numpy as np, vieta
sets = np.array(json.loads(sys.argv[1]))
try:
    vieta.fit(sets, method=sys.argv[2])
except vieta.VietaError as error:
    print(error.code, "|", error)
"""


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("wrong-shape", "method-result", ["'wrong-shape'", "(1, 1)", "(2, 1)"]),
        ("raises", "method-failed", ["'raises'", "vieta-toy", "ZeroDivisionError", "there is a bug in here"]),
        ("missing", "broken-method", ["'missing'", "NoSuchThing"]),
    ],
)
def test_a_method_that_misbehaves_is_reported_by_its_name(site, name, code, words):
    _, out, err = python(site, BAD, json.dumps(SETS.tolist()), name)
    assert out.startswith(f"{code} |"), err
    assert all(word in out for word in words)


def test_it_cannot_take_the_place_of_a_method_of_ours(site):
    code = "from vieta.method import registry; print(registry.get('efficient').line); print(registry.broken())"
    _, out, _ = python(site, code)
    line, broken = out.splitlines()
    assert line == vieta.methods()["efficient"]
    assert "vieta-toy" in broken
