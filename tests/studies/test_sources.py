"""The fingerprint of the code behind a table: words do not change it, code does, and no code that runs is left out."""

import ast
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import vieta
from studies.efficiency import STUDY as EFFICIENCY
from studies.efficiency.measure import one_run
from studies.efficiency.rows import ROWS as EFFICIENCY_ROWS
from studies.incomplete import STUDY as INCOMPLETE
from studies.incomplete.measure import one_run as incomplete_run
from studies.incomplete.rows import NEAR, of_sets
from studies.incomplete.rows import Row as IncompleteRow
from studies.likelihood import ROWS, bound
from studies.likelihood import STUDY as LIKELIHOOD
from studies.likelihood import one_run as likelihood_run
from studies.running import sources
from studies.running.sources import closure, fingerprint
from studies.soak import STUDY as SOAK
from studies.soak.updates import OPTIONS, soak

PACKAGE = Path(vieta.__file__).parent


def tree(folder, **files):
    """A project in a folder."""
    for name, text in files.items():
        path = folder / "src" / "vieta" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


MEASURE = '"""Doc."""\nfrom vieta.base import f\n\n\ndef g(x):\n    """Doc."""\n    return f(x)  # note\n'
BASE = "from vieta.deep import c\ndef f(x):\n    return x + c\n"
FILES = {"measure": MEASURE, "base": BASE, "deep": "c = 1\n", "other": "c = 2\n"}


def of(folder, **changes):
    return fingerprint(["vieta.measure"], tree(folder, **FILES | changes))


def test_words_do_not_count_and_code_does(tmp_path):
    before = of(tmp_path)
    words = MEASURE.replace("Doc.", "Other words.").replace("# note", "# another").replace("\n\n\n", "\n\n")
    assert words != MEASURE
    assert of(tmp_path, measure=words) == before
    assert of(tmp_path, other="c = 3\n") == before
    for changed in (
        {"measure": MEASURE.replace("f(x)", "f(-x)")},
        {"base": BASE.replace("x + c", "x - c")},
        {"deep": "c = None\n"},
        {"deep": "c = ''\n"},
    ):
        assert of(tmp_path, **changed) != before
        assert of(tmp_path) == before


def test_trees_of_other_versions_of_python_are_the_same(tmp_path):
    """3.12 may end a formatted text with an empty one; elsewhere an empty text counts."""
    tree = ast.parse('f"{a:{b}}"').body[0].value
    plain = sources._plain(tree)
    tree.values[0].format_spec.values.append(ast.Constant(""))
    assert sources._plain(tree) == plain
    assert of(tmp_path, deep="c = ['']\n") != of(tmp_path, deep="c = []\n")


def test_imports_count_wherever_they_stand_unless_for_types_only(tmp_path):
    inside = "def g(x):\n    from vieta.other import c\n    return c\n"
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from vieta.other import c\n"
    assert set(closure(["vieta.measure"], tree(tmp_path, **FILES))) == {"vieta.measure", "vieta.base", "vieta.deep"}
    assert set(closure(["vieta.measure"], tree(tmp_path, measure=inside))) == {"vieta.measure", "vieta.other"}
    assert set(closure(["vieta.measure"], tree(tmp_path, measure=types))) == {"vieta.measure"}
    assert set(closure(["vieta.*"], tree(tmp_path))) == {f"vieta.{name}" for name in FILES}


def test_a_source_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ModuleNotFoundError, match=r"vieta\.measured"):
        fingerprint(["vieta.measured"], tree(tmp_path, **FILES))


def ran(function, *arguments):
    """The files of the package of which some function ran."""
    files = set()
    sys.setprofile(lambda frame, event, _: files.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return {Path(file) for file in files if Path(file).is_relative_to(PACKAGE)}


def small_efficiency():
    """A row with the default method and its rivals, in batch and online."""
    return one_run(replace(EFFICIENCY_ROWS[2], n=300), 0)


def small_likelihood():
    row = replace(ROWS[0], n=300)
    return likelihood_run(row, 0), bound(row)


def small_incomplete():
    return incomplete_run(IncompleteRow(of_sets(NEAR, 150), "Laplace"), 0)


@pytest.mark.parametrize(
    ("study", "function"),
    [(EFFICIENCY, small_efficiency), (INCOMPLETE, small_incomplete), (LIKELIHOOD, small_likelihood),
     (SOAK, lambda: soak(OPTIONS["drift 1e-8"], 600, 300))],
    ids=["efficiency", "incomplete", "likelihood", "soak"],
)  # fmt: skip
def test_every_file_that_runs_counts(study, function):
    function()  # imports what is imported late
    counted = set(closure(study.sources).values())
    files = ran(function)
    assert len(files) > 10
    assert files - counted == set()
    assert any(path.is_relative_to(PACKAGE / "weighted") for path in counted)
    assert not any(path.is_relative_to(PACKAGE / "anonymity") for path in counted)  # not simply everything
