"""The rules of the house: what keeps the tree such that the next method, law, format or engine is one new file."""

import ast
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import vieta
from vieta import errors

SOURCE = Path(vieta.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.VietaError)}
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def test_no_two_modules_share_a_name():
    shared = [stem for stem, count in Counter(path.stem for path in MODULES).items() if count > 1]
    assert shared == []


def test_every_module_has_its_test_file_in_the_room_of_its_name():
    tests = {path.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    alone = [path for path in MODULES if path.relative_to(SOURCE).with_name(f"test_{path.name}") not in tests]
    assert [str(path.relative_to(SOURCE)) for path in alone] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_flag_of_the_command_is_named_outside_cli(path):
    """Strings outside `cli` must not name flags: whoever calls Python has none."""
    if path.is_relative_to(SOURCE / "cli"):
        pytest.skip("the room of the command")
    named = [text for text in _strings(path) if FLAG.search(text)]
    assert named == []


def _strings(path):
    tree = ast.parse(path.read_text())
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value


def test_errors_are_codes_and_facts():
    """No bare exception with a sentence in it: `raise SomeError("kebab-code", "template", ..)`."""
    bare = re.compile(r"raise (ValueError|TypeError|ArithmeticError|OverflowError|RuntimeError)\(\s*f?[\"']")
    found = [f"{path.relative_to(SOURCE)}:{n}" for path in MODULES for n in _lines_of(bare, path.read_text())]
    assert found == []


def _lines_of(pattern, text):
    return [text[: match.start()].count("\n") + 1 for match in pattern.finditer(text)]


def test_codes_of_errors_are_in_kebab_case_and_belong_to_one_kind_of_error():
    kinds = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and _is_error(node.func)
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                code = node.args[0].value
                assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code), (path, code)
                kinds.setdefault(code, set()).add(ast.unparse(node.func))
    assert {code: found for code, found in kinds.items() if len(found) > 1} == {}
    assert len(kinds) > 150


def _is_error(function):
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name in ERRORS


def test_no_word_of_the_old_dialect_is_left():
    """Plain words: NaN, returns, reports."""
    dialect = re.compile(r"\b(number that is none|are no numbers|is told|was told|told of|at_once|spoken)\b")
    found = [f"{path.relative_to(SOURCE)}:{n}" for path in MODULES for n in _lines_of(dialect, path.read_text())]
    assert found == []


def test_the_map_of_contributing_is_the_tree():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    listed = [name for layer in layers for name in layer.split(" | ")]
    shared = {path.stem for path in SOURCE.glob("*.py") if path.name != "__init__.py"}
    assert set(listed) == rooms | shared
    for name in rooms:
        assert re.search(rf"^ +{name}/ ", text, flags=re.M), name
    for name in shared:
        assert re.search(rf"\b{name}\b", text), name
