"""Estimates that `vieta fit --json` wrote are read back, and everything else is told from them or refused in words."""

import gzip
import json
import os
import tracemalloc

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import vieta
from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cli.estimate_file import as_estimate, inputs_of, names_of, read_estimate, wishes_of
from vieta.errors import BadFileError
from vieta.files.layout import Wishes
from vieta.findings import sentences

LEVELS = ("--added", "0", "--added", "0.5")


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments])


def test_an_estimate_is_read_back_with_its_findings_and_the_inputs_of_its_records(tmp_path):
    sets, psi = files.records(15)
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    (tmp_path / "e.json").write_text(run("fit", path, "--json").stdout)
    answer = read_estimate(str(tmp_path / "e.json"))
    found, expected = as_estimate(answer, "e.json"), vieta.fit(sets, psi)
    assert_array_equal(found.theta, expected.theta)
    assert_array_equal(found.cov, expected.cov)
    assert [one.code for one in found.findings] == [one.code for one in expected.findings] != []
    assert sentences(found.findings) == expected.warnings
    assert_array_equal(inputs_of(answer, "e.json")[0], psi)


@pytest.mark.parametrize(
    "text", ["", "set,y\n1,2\n", '{"y": [1, 2]}\n{"y": [3, 4]}\n', "[1, 2]\n", "{", "{}", '{"theta": ', "[" * 9]
)
def test_other_files_are_no_estimates(tmp_path, text):
    (tmp_path / "a").write_text(text)
    assert read_estimate(str(tmp_path / "a")) is None
    assert read_estimate("-") is None


ESTIMATE = {
    "theta": [[0.0], [1.0]], "cov": [[None, None], [None, None]], "noise_var": 0.25, "n_sets": 100, "method": "rls",
    "transform": "elementary", "imaginary": [[0.0], [0.0]], "condition": None, "warnings": [], "findings": [],
    "noise_sd": [0.5, None], "n_sets_effective": None, "dof": None,
    "settings": {"files": ["-"], "layout": "long", "set": "set", "values": ["y"], "inputs": [], "intercept": False},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cov": None}, "is not what vieta fit writes as JSON"),
        ({"theta": "abc"}, "is not what vieta fit writes as JSON"),
        ({"imaginary": [[0.0]]}, "is not what vieta fit writes as JSON"),
        ({"noise_sd": [0.5]}, "is not what vieta fit writes as JSON"),
        ({"dof": "many"}, "is not what vieta fit writes as JSON"),
        ({"settings": None}, "'settings' is missing"),
        (
            {"settings": ESTIMATE["settings"] | {"inputs": ["x"]}},
            "from standard input, with inputs, which are not in it. What a",
        ),
    ],
)
def test_estimates_that_are_broken_are_refused(tmp_path, change, message):
    path = tmp_path / "estimate.json"
    path.write_text(json.dumps(ESTIMATE))
    assert run("audit", path, *LEVELS).exit_code == 0
    path.write_text(json.dumps(ESTIMATE | change))
    result = run("audit", path, *LEVELS)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("name", ["cov", "noise_var", "method", "n_sets", "findings"])
def test_estimates_of_which_something_is_missing_are_refused(tmp_path, name):
    path = tmp_path / "estimate.json"
    path.write_text(json.dumps({key: value for key, value in ESTIMATE.items() if key != name}, indent=2))
    result = run("audit", path, *LEVELS)
    assert result.exit_code == 2
    assert f"{path} is not what vieta fit writes as JSON: '{name}' is missing." in result.stderr


@pytest.mark.parametrize("name", ["files", "layout", "values", "intercept"])
def test_settings_of_which_something_is_missing_are_refused(name):
    settings = ESTIMATE["settings"] | {"inputs": ["x"], "files": ["a.csv"]}
    with pytest.raises(BadFileError) as refused:
        inputs_of(ESTIMATE | {"settings": {key: value for key, value in settings.items() if key != name}}, "e.json")
    assert refused.value.code == "not-an-answer"
    assert name in refused.value.facts["why"]


def test_numbers_that_were_not_known_are_not_known_again():
    assert np.isnan(as_estimate(ESTIMATE, "e.json").cov).all()
    assert as_estimate(ESTIMATE, "e.json").condition == np.inf


def with_inputs(**settings):
    return ESTIMATE | {"settings": ESTIMATE["settings"] | {"inputs": ["x"], "files": ["a.csv"]} | settings}


def test_an_estimate_that_names_a_device_or_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("/dev/zero", str(tmp_path / "pipe")):
        with pytest.raises(
            BadFileError, match=f"cannot be taken from {name} again: {name} is .*regular file is needed"
        ):
            inputs_of(with_inputs(files=[name]), "e.json")


@pytest.mark.parametrize("name", ["nowhere.csv", "", "a\0b", "."])
def test_an_estimate_that_names_no_file_is_refused(name):
    with pytest.raises(BadFileError, match="cannot be taken from"):
        inputs_of(with_inputs(files=[name]), "e.json")


@pytest.mark.parametrize(
    "settings",
    [
        {"files": "a.csv"}, {"files": [3]}, {"files": None}, {"layout": 5}, {"layout": "round"}, {"set": []}, {"values": "y"},
        {"values": [1]}, {"inputs": [None]}, {"inputs": 7}, {"intercept": "yes"},
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_another_kind_are_refused(settings):
    with pytest.raises(BadFileError) as refused:
        inputs_of(with_inputs(**settings), "e.json")
    assert refused.value.code == "not-an-answer"


@pytest.mark.parametrize("names", [None, 3, [3], ["a", "b"], {"a": 1}])
def test_names_of_parameters_are_a_list_of_texts_one_for_each(names):
    assert names_of(ESTIMATE, 1, "e.json") == ["1"]
    assert names_of(ESTIMATE | {"parameter_names": ["slope"]}, 1, "e.json") == ["slope"]
    with pytest.raises(BadFileError) as refused:
        names_of(ESTIMATE | {"parameter_names": names}, 1, "e.json")
    assert refused.value.code == "not-an-answer"


def test_a_packed_file_is_not_unpacked_to_its_end_to_see_whether_it_is_an_estimate(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.cli.estimate_file.LONGEST", 1 << 20)
    (tmp_path / "a.json").write_bytes(gzip.compress(b'{"theta":' + b" " * (20 << 20), 1))
    tracemalloc.start()
    try:
        assert read_estimate(str(tmp_path / "a.json")) is None
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "value", [None, True, -1, 0, 10**400, float("nan"), float("inf"), "x", [], [[1.0]], [[[]]], {}]
)
@pytest.mark.parametrize("name", sorted({*ESTIMATE, "parameter_names"} - {"warnings"}))
def test_whatever_an_estimate_holds_ends_in_words(tmp_path, name, value):
    path = tmp_path / "estimate.json"
    path.write_text(json.dumps(ESTIMATE | {name: value}))
    result = run("audit", path, "--added", "0")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"regressors": ["intercept", "days"]}, "inputs-of-their-file"),
        ({"layout": "round"}, "not-an-answer"),
        ({"values": 5}, "not-an-answer"),
    ],
)
def test_how_records_were_read_is_in_an_estimate(change, code):
    settings = {
        "layout": "long",
        "set": "t",
        "values": ["y"],
        "inputs": ["x"],
        "intercept": True,
        "regressors": ["intercept", "x"],
    }
    found = wishes_of({"theta": [[1.0, 2.0]], "settings": settings}, "e.json")
    assert found == Wishes("long", "t", ("y",), ("x",), 1, True)
    with pytest.raises(BadFileError) as refused:
        wishes_of({"theta": [[1.0, 2.0]], "settings": settings | change}, "e.json")
    assert refused.value.code == code
    with pytest.raises(BadFileError, match="'settings' is missing"):
        wishes_of({"theta": [[1.0, 2.0]]}, "e.json")
