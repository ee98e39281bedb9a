"""`vieta fit`: answers, exit codes, and files that are broken in every way."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.files import samples as files
from vieta.cli.commands import vieta as command

QUICK = ("--method", "least-squares")


def run(*arguments, stdin=None):
    return CliRunner().invoke(command, ["fit", *map(str, arguments)], input=stdin)


@pytest.fixture
def data(tmp_path):
    sets, psi = files.records(400)
    return sets, psi, files.write(files.long_frame(sets, psi), tmp_path / "a.csv")


def test_the_table_says_what_was_read_and_what_came_out(data):
    result = run(data[2])
    assert result.exit_code == 0
    for words in (
        "long (one row a reading, sets by 'set'), readings y, inputs psi",
        "400 sets of 3 readings used",
        "3 systems, method adaptive, noise sd 0.",
        "95% interval",
        "What to make of it",
        "No findings: nothing in the sets speaks against this estimate",
    ):
        assert words in result.output
    assert result.stderr == ""


def test_json_is_the_estimate_with_its_settings(data):
    sets, psi, path = data
    answer = json.loads(run(path, "--json", "--level", "0.9").output)
    expected = vieta.fit(sets, psi)
    assert {name: answer[name] for name in expected.to_dict()} == json.loads(json.dumps(expected.to_dict()))
    assert_array_equal(answer["conf_int"], expected.conf_int(0.9))
    assert answer["dropped"] == {}
    assert answer["settings"]["layout"] == "long"
    assert answer["settings"]["version"] == vieta.__version__


@pytest.mark.parametrize(
    "more", [(), ("--method", "rls", "--memory", "200"), ("--method", "lms", "--step", "0.01", "--stream")]
)
def test_the_command_in_the_answer_gives_the_answer_again(data, more):
    import shlex

    answer = json.loads(run(data[2], "--json", *more).output)
    words = shlex.split(answer["settings"]["command"])
    assert words[:2] == ["vieta", "fit"]
    again = json.loads(run(*words[2:], "--json").output)
    assert again == answer


@pytest.mark.parametrize(
    "more", [(), ("--robust",), ("--method", "least-squares"), ("--memory", "200"), ("--method", "em")]
)
def test_a_file_that_is_read_in_pieces_gives_the_same_estimate(data, monkeypatch, more):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 3000)
    kept = json.loads(run(data[2], "--json", "--no-stream", *more).output)
    pieces = json.loads(run(data[2], "--json", "--stream", *more).output)
    assert pieces["method"] == kept["method"]
    assert pieces["n_sets"] == 400
    assert_allclose(pieces["theta"], kept["theta"], rtol=1e-9)
    assert_allclose(pieces["cov"], kept["cov"], rtol=1e-6, atol=1e-18)
    assert [one["code"] for one in pieces["findings"]] == [one["code"] for one in kept["findings"]]


@pytest.mark.parametrize("more", [(), ("--method", "least-squares")])
def test_the_page_of_a_file_that_is_read_in_pieces(data, tmp_path, monkeypatch, more):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 3000)
    page = tmp_path / "r.html"
    shown = run(data[2], "--stream", "--report", page, *more).output
    assert "400 sets of 3 readings used, read in pieces" in shown
    assert "How the estimate settled is not shown" in page.read_text()
    assert "Residuals" in page.read_text()


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.ndjson", "a.parquet"])
def test_standard_input_of_every_kind(data, tmp_path, name):
    sets, psi, _ = data
    content = files.write(files.long_frame(sets, psi), tmp_path / name).read_bytes()
    answer = json.loads(run("-", "--json", *QUICK, stdin=content).output)
    assert_array_equal(answer["theta"], vieta.fit(sets, psi, method="least-squares").theta)


def test_several_files_are_one_sequence_of_sets(data, tmp_path):
    sets, psi, path = data
    other = files.write(files.long_frame(sets, psi), tmp_path / "b.parquet")
    assert "800 sets of 3 readings" in run(path, other, *QUICK).output


def test_named_columns(tmp_path):
    sets, psi = files.records(300)
    frame = files.wide_frame(sets, psi).rename({"y1": "a", "y2": "b", "y3": "größe", "psi": "dose"})
    path = files.write(frame, tmp_path / "a.csv")
    named = ("--value", "a", "--value", "b", "--value", "größe", "--input", "dose", "--layout", "wide")
    answer = json.loads(run(path, "--json", *QUICK, *named).output)
    assert_array_equal(answer["theta"], vieta.fit(sets, psi, method="least-squares").theta)
    assert answer["settings"]["values"] == ["a", "b", "größe"]
    refused = run(path, *QUICK)
    assert refused.exit_code == 2
    assert "Its columns are: time, a, b, größe, dose. Give --value COLUMN" in refused.stderr


def test_vectors_are_shown_parameter_by_parameter(tmp_path):
    path = files.write(files.long_vectors(*files.vectors(300)), tmp_path / "a.csv")
    result = run(path, *QUICK)
    assert result.exit_code == 0
    assert "parameter" in result.output
    assert "noise sd 0.0" in result.output


def test_dropped_sets_are_counted_by_reason(data, tmp_path):
    sets, psi, _ = data
    sets[5, 0] = np.nan
    frame = files.long_frame(sets, psi)
    path = files.write(frame.filter(frame["set"] != 0).vstack(frame[:2]), tmp_path / "b.csv")
    refused = run(path, *QUICK)
    assert refused.exit_code == 2
    assert "has 2 reading(s) where 3 were expected" in refused.stderr
    result = run(path, *QUICK, "--on-bad-set", "drop")
    assert result.exit_code == 0
    assert "398 sets of 3 readings used" in result.output
    assert "left out for a wrong number of readings: 1" in result.output
    assert "left out for a reading that is missing or not a finite number: 1" in result.output


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_plot_of_each_kind(data, tmp_path, ending, start):
    picture = tmp_path / f"plot.{ending}"
    result = run(data[2], *QUICK, "--plot", picture)
    assert picture.read_bytes().startswith(start)
    assert f"written: {picture}\n" in result.output
    before = picture.read_bytes()
    run(data[2], *QUICK, "--plot", picture)
    assert picture.read_bytes() == before


def test_a_report(data, tmp_path):
    result = run(data[2], *QUICK, "--report", tmp_path / "report.html", "--json")
    assert json.loads(result.output)["n_sets"] == 400
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--plot", "a.gif", "the name must end in .png, .svg, .pdf."),
        ("--report", "a.pdf", "the name must end in .html, .htm."),
        ("--plot", "nowhere/a.png", "there is no folder"),
    ],
)
def test_outputs_that_cannot_be_written_are_refused_before_the_work(data, tmp_path, option, name, message):
    result = run(data[2], option, tmp_path / name)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")
    assert not (tmp_path / name).exists()


def test_strict_turns_findings_into_an_exit_code(tmp_path, data):
    path = files.write(files.long_frame(*files.records(4)), tmp_path / "few.csv")
    loose = run(path, *QUICK)
    assert loose.exit_code == 0
    assert "! Very few sets: 4" in loose.output
    assert run(path, *QUICK, "--strict").exit_code == 1
    assert run(data[2], *QUICK, "--strict").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "efficient", "--step", "0.1"), "--step belongs to 'averaged'"),
        (
            ("--method", "least-squares", "--robust"),
            "--robust belongs to 'efficient'; method 'least-squares' takes none.",
        ),
        (("--memory", "0"), "--memory 0.0 must be a number of sets above 1"),
        (
            ("--method", "lms", "--memory", "9"),
            "--memory belongs to 'adaptive', 'efficient' and 'rls'; method 'lms' takes --step.",
        ),
        (("--method", "em", "--noise-var", "-1"), "must not be negative"),
        (
            ("--method", "em", "--law", "cauchy"),
            "--law 'cauchy' is not known. Choose one of gaussian, laplace, student-t",
        ),
        (("--method", "lms", "--step", "-1"), "must be a positive finite number"),
        (("--method", "lms", "--step", "1000"), "step"),
        (("--level", "1.5"), "1.5 is not in the range"),
        (("--systems", "7", *QUICK), "has 3 reading(s) where 7 were expected"),
        (("--delimiter", ";;"), "one character is needed"),
        (("--delimiter", ";"), "perhaps its delimiter is ','"),
    ],
)
def test_wrong_options_are_refused_in_words(data, arguments, message):
    result = run(data[2], *arguments)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ")


def test_a_file_that_is_not_there():
    result = run("absent.csv")
    assert result.exit_code == 2
    assert result.stderr == "Error: absent.csv cannot be read: No such file or directory.\n"


def refused_or_answered(content, *arguments):
    """Whatever the file, there is an answer, or a message of a few sentences with exit code 2."""
    result = run("-", *QUICK, *arguments, stdin=content)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in {0, 2}
    if result.exit_code == 2:
        assert result.output.startswith("Error: ")
        assert len(result.output) < 700
    return result


GOOD = files.long_frame(*files.records(12)).write_csv().encode()
cells = st.one_of(
    st.floats(allow_nan=True).map(str),
    st.integers().map(str),
    st.sampled_from(
        ["", "NA", "abc", '"', '"x', "1,5", "1e400", "-1e-400", "٣", "true", "2024-01-01", "9" * 400, "\r", "\0"]
    ),
    st.text(max_size=4),
)


@settings(max_examples=40, deadline=None)
@given(
    names=st.lists(
        st.one_of(st.sampled_from(["set", "y", "psi", "y1", "y2", "id", "x", "ψ", "  y "]), cells), max_size=5
    ),
    rows=st.lists(st.lists(cells, max_size=6), max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", "|", " "]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
    more=st.sampled_from([(), ("--on-bad-set", "drop"), ("--stream",), ("--layout", "wide"), ("--delimiter", ";")]),
)
def test_any_table_is_refused_or_answered(names, rows, delimiter, ending, mark, more):
    lines = [delimiter.join(names), *[delimiter.join(row) for row in rows]]
    refused_or_answered((mark + ending.join(lines)).encode("utf-8", "replace"), *more)


@settings(max_examples=40, deadline=None)
@given(
    place=st.integers(0, len(GOOD) - 1),
    junk=st.binary(max_size=8),
    cut=st.integers(1, len(GOOD)),
    drop=st.booleans(),
    packed=st.booleans(),
)
def test_a_good_file_that_was_damaged_is_refused_or_answered(place, junk, cut, drop, packed):
    content = (GOOD[:place] + junk + GOOD[place + len(junk) :])[:cut]
    refused_or_answered(gzip.compress(content) if packed else content, *(("--on-bad-set", "drop") if drop else ()))


@settings(max_examples=40, deadline=None)
@given(
    content=st.binary(max_size=300),
    start=st.sampled_from([b"", b"PAR1", b"\x1f\x8b\x08", b"{", b'{"set": 1, "y": ', b"set,y\n"]),
)
def test_any_bytes_are_refused_or_answered(content, start):
    refused_or_answered(start + content)


@settings(max_examples=15, deadline=None)
@given(cut=st.integers(4, 400), kind=st.sampled_from(["csv.gz", "parquet", "ndjson"]))
def test_a_file_that_was_cut_off_is_refused_or_answered(tmp_path_factory, cut, kind):
    path = tmp_path_factory.mktemp("cut") / f"a.{kind}"
    content = files.write(files.long_frame(*files.records(30)), path).read_bytes()
    result = refused_or_answered(content[:cut])
    if kind != "ndjson":
        assert result.exit_code == 2


@settings(max_examples=25, deadline=None)
@given(
    scale=st.sampled_from([1e-300, 1e-150, 1e-20, 1e20, 1e100, 1e150, 1e300]),
    method=st.sampled_from(["least-squares", "rls"]),
)
def test_huge_and_tiny_numbers_are_refused_or_answered(scale, method):
    sets, psi = files.records(12)
    for pair in ((sets * scale, psi), (sets, psi * scale), (sets * scale, psi * scale)):
        refused_or_answered(files.long_frame(*pair).write_csv().encode(), "--method", method, "--json")


def test_one_set_only(tmp_path):
    path = files.write(files.long_frame(*files.records(1)), tmp_path / "a.csv")
    result = run(path, *QUICK)
    assert result.exit_code == 0
    assert "! Very few sets: 1" in result.output


def monthly(tmp_path, seed=0):
    """A panel of three regions: a trend and a season, by the first of each month."""
    rng = np.random.default_rng(seed)
    theta = np.array([[10.0, 1.0, 3.0, 0.0], [30.0, -1.0, -2.0, 2.0], [60.0, 0.5, 1.0, -4.0]])
    rows = ["date,price"]
    for k in range(120):
        part = 2 * np.pi * (k % 12) / 12
        y = theta @ [1.0, k / 12, np.cos(part), np.sin(part)] + 0.3 * rng.standard_normal(3)
        rows += [f"{2010 + k // 12}-{k % 12 + 1:02d}-01,{value:.4f}" for value in rng.permutation(y)]
    path = tmp_path / "panel.csv"
    path.write_text("\n".join(rows) + "\n")
    return path, theta


def test_trend_and_season_by_date(tmp_path):
    path, theta = monthly(tmp_path)
    result = run(path, "--trend", "--season", "12", "--json", "--plot", tmp_path / "a.svg")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.output)
    assert answer["names"] == answer["parameter_names"] == ["intercept", "trend per year", "cos 12 sets", "sin 12 sets"]
    assert_allclose(answer["theta"], theta, atol=0.4)
    drawn = (tmp_path / "a.svg").read_text()
    assert all(f"<!-- {words} -->" in drawn for words in ("date", "price", "trend per year", "system 3"))


def test_the_page_of_a_trend(tmp_path):
    path, _ = monthly(tmp_path)
    result = run(path, "--trend", *QUICK, "--report", tmp_path / "a.html")
    assert result.exit_code == 0, result.output
    page = (tmp_path / "a.html").read_text()
    assert "trend: years since 2010-01-01" in page
    assert "Every reading as a dot; the lines are what the systems give." in page


def test_the_same_again_and_the_audit_with_trend_and_season(tmp_path):
    import shlex

    path, _ = monthly(tmp_path)
    result = run(path, "--trend", "--season", "year", "--json")
    first = json.loads(result.output)
    again = CliRunner().invoke(command, [*shlex.split(first["settings"]["command"])[1:], "--json"])
    assert json.loads(again.output) == first
    (tmp_path / "fit.json").write_text(result.output)
    audited = CliRunner().invoke(command, ["audit", str(tmp_path / "fit.json"), "--json"])
    assert audited.exit_code == 0, audited.output
    assert json.loads(audited.output)["parameter_names"] == first["names"]


def test_the_set_column_as_an_input(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "a.csv"
    lines = [f"{d},{a + b * d + rng.normal():.3f}" for d in range(40) for a, b in ((200, 5), (250, -1), (300, 2))]
    path.write_text("Days,Reaction\n" + "\n".join(lines) + "\n")
    answer = json.loads(run(path, "--set", "Days", "--input", "Days", "--intercept", "--json").output)
    assert answer["names"] == ["intercept", "Days"]
    assert_allclose(answer["theta"], [[200, 5], [250, -1], [300, 2]], atol=3)


def test_incomplete_sets_that_are_left_out_are_a_finding(tmp_path):
    rng = np.random.default_rng(0)
    lost = dict.fromkeys(range(40, 100), 1)
    lines = [f"{k},{v + rng.normal():.3f}" for k in range(100) for v in (0, 30, 60)[lost.get(k, 0) :]]
    path = tmp_path / "a.csv"
    path.write_text("set,y\n" + "\n".join(lines) + "\n")
    refused = run(path)
    assert refused.exit_code == 2
    assert "has 2 reading(s) where 3 were expected; 60 of the 100 sets read have another size." in refused.stderr
    answer = json.loads(run(path, "--on-bad-set", "drop", "--json", *QUICK).output)
    assert (len(answer["theta"]), answer["n_sets"]) == (3, 40)
    assert [one["code"] for one in answer["findings"]][:2] == ["sets-left-out", "systems-counted"]
    assert "Give --systems if there are not 3 systems." in answer["warnings"][1]
    told = json.loads(run(path, "--on-bad-set", "drop", "--systems", 2, "--json", *QUICK).output)
    assert (len(told["theta"]), told["n_sets"]) == (2, 60)
    assert "40 of the 100 sets were left out: 40 with more." in told["warnings"][0]
    assert run(path, "--on-bad-set", "drop", "--strict", *QUICK).exit_code == 1


def test_a_file_that_ends_within_a_quote(tmp_path):
    text = "set,y,note\n" + "".join(f"{k},{k % 5 + 9 * i},\n" for k in range(50) for i in range(2)) + '50,1,"cut'
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert "line 102 of" in run(path).stderr
    answer = json.loads(run(path, "--on-bad-set", "drop", "--json", *QUICK).output)
    assert "quote-not-closed" in [one["code"] for one in answer["findings"]]
    assert answer["dropped"]["quote-not-closed"] == 1


def test_threads_change_nothing(data):
    path = data[2]
    one, two, default = (
        json.loads(run(path, "--json", *given).output)["theta"] for given in (["--threads", 1], ["--threads", 2], [])
    )
    assert one == two == default
    assert run(path, "--threads", 0).exit_code == 2
