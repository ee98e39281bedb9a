"""Files of incomplete sets through `vieta fit`: every format and layout, how many systems, and what cannot be used, as in Python."""

import json
import re
import shlex

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

import vieta
from vieta.cli.commands import vieta as command
from vieta.errors import VietaError

FORMATS = [
    ("csv", ()),
    ("csv.gz", ()),
    ("tsv", ()),
    ("parquet", ()),
    ("ndjson", ()),
    ("csv", ("--layout", "wide")),
    ("parquet", ("--layout", "wide")),
]


def run(*arguments):
    return CliRunner().invoke(command, [str(word) for word in arguments])


def fitted(*arguments):
    result = run("fit", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Files of a scenario by ending and layout, and the estimate from its sets in Python."""
    folder, known = tmp_path_factory.mktemp("scenarios"), {}

    def make(scenario, ending, more=()):
        path = folder / f"{scenario}{'-wide' * bool(more)}.{ending}"
        if not path.exists():
            truth = ("--keep-truth", folder / f"{scenario}.json")
            assert run("simulate", scenario, "-n", 150, "-o", path, *truth, *more).exit_code == 0
        if scenario not in known:
            records = vieta.simulate(scenario, n=150, seed=0)
            known[scenario] = vieta.fit(records.sets, records.inputs, n_systems=len(records.theta))
        return path, known[scenario], folder / f"{scenario}.json"

    return make


@pytest.mark.parametrize(("ending", "more"), FORMATS)
@pytest.mark.parametrize(("scenario", "L"), [("radar-like", 3), ("silent-meters", 4)])
def test_every_format_gives_the_estimate_of_the_sets(simulated, scenario, L, ending, more):
    path, expected, truth = simulated(scenario, ending, more)
    answer = fitted(path, "--systems", L, "--truth", truth)
    assert answer["method"] == "adaptive"
    assert_allclose(answer["theta"], expected.theta, rtol=1e-6, atol=1e-9)
    assert_allclose(answer["readings"]["detection"], expected.detection, rtol=1e-5)
    assert_allclose(answer["readings"]["clutter_rate"], expected.clutter_rate, rtol=1e-5, atol=1e-9)
    assert sum(answer["sizes"].values()) == 150


def test_lists_in_parquet_and_padded_columns_that_divide_among_the_systems(tmp_path):
    records = vieta.simulate("radar-like", n=150, seed=0)
    few = records.sizes <= 6
    sets = [row[:size].tolist() for row, size in zip(records.sets[few], records.sizes[few])]
    psi = records.inputs[few]
    expected = vieta.fit(sets, psi, n_systems=3).theta
    inputs = {"psi1": psi[:, 0], "psi2": psi[:, 1]}
    pl.DataFrame({"y": sets, **inputs}).write_parquet(tmp_path / "l.parquet")
    assert_allclose(fitted(tmp_path / "l.parquet", "--systems", 3)["theta"], expected, rtol=1e-6)
    wide = {f"y{i + 1}": [row[i] if i < len(row) else None for row in sets] for i in range(6)}
    pl.DataFrame({**wide, **inputs}).write_csv(tmp_path / "w.csv")  # six columns, and these are no vectors of two
    assert_allclose(fitted(tmp_path / "w.csv", "--systems", 3)["theta"], expected, rtol=1e-6)


def test_the_answer_says_in_words_what_was_read_and_how_often_systems_are_seen(simulated):
    path, expected, _ = simulated("silent-meters", "csv")
    said = run("fit", path, "--systems", 4).output
    sizes = vieta.simulate("silent-meters", n=150, seed=0).sizes
    for words in (
        f"150 sets of {sizes.min()} to 4 readings used",
        f"{sizes.sum()} of 600 expected readings, {(sizes < 4).sum()} sets with fewer than 4",
        "4 systems, method adaptive",
        "seen with probability ",
        "0 false readings a set",
    ):
        assert words in said
    assert all(f"{p:.3g} │" in said for p in expected.detection)
    path, _, _ = simulated("radar-like", "csv")
    said, sizes = run("fit", path, "--systems", 3).output, vieta.simulate("radar-like", n=150, seed=0).sizes
    assert f"{sizes.sum()} readings, where 3 systems seen in every set give 450" in said
    assert f"{(sizes > 3).sum()} sets with more" in said


def test_a_page_and_a_picture_of_incomplete_sets(simulated, tmp_path):
    path, expected, truth = simulated("radar-like", "csv")
    page, picture = tmp_path / "r.html", tmp_path / "r.png"
    result = run("fit", path, "--systems", 3, "--report", page, "--plot", picture, "--truth", truth)
    assert result.exit_code == 0, result.output
    text = page.read_text()
    for words in (
        "Readings and systems",
        "How the estimate settled",
        "Every reading as a dot",
        "seen with probability",
    ):
        assert words in text
    assert f"{expected.detection[0]:.3g}" in text
    assert "Residuals" not in text  # of sums, which incomplete sets do not have
    assert picture.stat().st_size > 10_000


def test_the_number_of_systems_is_counted_if_asked_for(tmp_path):
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 120)
    sets = [(np.array([1.0, 4.0]) * x + 0.1 * rng.normal(size=2))[rng.random(2) < 0.9] for x in psi]
    path = lines(tmp_path / "a.ndjson", [{"y": y.tolist(), "psi": x} for y, x in zip(sets, psi.tolist())])
    answer = fitted(path, "--systems", "auto")
    assert len(answer["theta"]) == 2
    chosen = next(one for one in answer["findings"] if one["code"].startswith("number-"))
    assert (chosen["facts"]["chosen"], chosen["facts"]["tried"]) == (2, "1, 2, 3, 4")
    expected = vieta.fit(sets, psi)
    assert chosen["code"] in [one.code for one in expected.findings]
    assert_allclose(answer["theta"], expected.theta, rtol=1e-6, atol=1e-9)
    words = shlex.split(answer["settings"]["command"])
    assert words[words.index("--systems") + 1] == "auto"
    rows = [(*y, *[None] * (2 - len(y)), x) for y, x in zip(sets, psi)]
    pl.DataFrame(rows, schema=["y1", "y2", "psi"], orient="row").write_csv(tmp_path / "w.csv")
    pieces = fitted(tmp_path / "w.csv", "--systems", "auto", "--stream")
    assert_allclose(pieces["theta"], answer["theta"], rtol=1e-6)


def test_incomplete_sets_that_come_late_in_a_file_that_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 3000)
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 200)
    rows = [
        (k, l * x + 0.1 * rng.normal(), x)
        for k, x in enumerate(psi)
        for l in (1, 3, 5)
        if k < 150 or rng.random() < 0.8
    ]
    path = tmp_path / "a.csv"
    pl.DataFrame(rows, schema=["set", "y", "psi"], orient="row").write_csv(path)
    pieces, kept = fitted(path, "--systems", 3, "--stream"), fitted(path, "--systems", 3, "--no-stream")
    assert pieces["method"] == kept["method"] == "adaptive"
    assert_allclose(pieces["theta"], kept["theta"], rtol=1e-6)
    again = fitted(*shlex.split(kept["settings"]["command"])[2:])
    assert again == kept


# --- what cannot be used --------------------------------------------------------------------------------------------


def lines(path, sets):
    path.write_text("".join(f"{json.dumps(one)}\n" for one in sets))
    return path


def some(n=40):
    rng = np.random.default_rng(1)
    return [rng.normal(size=2 + k % 2).round(3).tolist() for k in range(n)], rng.uniform(size=n).round(3).tolist()


SETS, PSI = some()
BAD = {
    "large": ([*SETS, [0.5] * 70], [*PSI, 1.0], {}, "has 70 readings, and 64 are practical", "leave out readings"),
    "empty": ([[]] * 9, [1.0] * 9, {}, "empty", "At least"),
    "too many": (SETS, PSI, {"n_systems": 7}, "7 was asked for, and the largest set has 3 reading(s)", "Give a smaller number"),
    "no misses": (SETS, PSI, {"misses": False}, "of the 40 sets have fewer than 3 readings", "or give a smaller number"),
    "no clutter": (SETS, PSI, {"n_systems": 2, "clutter": False}, "have more than 2 readings", "or give a larger number"),
    "no input": ([*SETS, []], [*PSI, None], {}, "is missing or", "those of empty sets too|a set without readings needs its inputs"),
    "part of a vector": ([[[1.0, 2.0], [3.0, 4.0]]] * 9 + [[[1.0, None]]], None, {"n_systems": 2}, "missing in part", "leave"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_what_came_and_what_to_do(tmp_path, case):
    sets, psi, more, came, to_do = BAD[case]
    options = {"n_systems": 3} | more
    arrays = [np.array(one, dtype=float) for one in sets]
    inputs = None if psi is None else np.array(psi, dtype=float)
    with pytest.raises(VietaError) as refused:
        vieta.fit(arrays, inputs, **options)
    objects = [{"y": y} for y in sets] if psi is None else [{"y": y, "psi": x} for y, x in zip(sets, psi)]
    words = [{"n_systems": "--systems"}.get(name, f"--{name}") for name in options]
    values = [{False: "no"}.get(value, value) if isinstance(value, bool) else value for value in options.values()]
    flags = [part for pair in zip(words, values) for part in pair]
    result = run("fit", lines(tmp_path / "a.ndjson", objects), *flags)
    assert result.exit_code == 2
    for text in (str(refused.value), result.stderr):
        assert came in text, text
        assert re.search(to_do, text), text
    assert "sets[" not in result.stderr or "line" in result.stderr


def test_an_empty_set_is_data(tmp_path):
    records = vieta.simulate("silent-meters", n=100, seed=1)
    sets = [row[:size].tolist() for row, size in zip(records.sets, records.sizes)]
    sets[5] = sets[7] = []
    psi = records.inputs.tolist()
    path = lines(tmp_path / "a.ndjson", [{"y": y, "psi": x} for y, x in zip(sets, psi)])
    answer = fitted(path, "--systems", 4)
    assert answer["sizes"]["0"] == 2
    assert_allclose(
        answer["theta"], vieta.fit([np.array(one) for one in sets], records.inputs, n_systems=4).theta, rtol=1e-6
    )


def test_sets_that_all_have_another_size_are_not_taken_for_incomplete_unless_it_is_said(tmp_path):
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 100)
    sets = np.column_stack([psi, 3.0 * psi, rng.uniform(-9, 9, 100)]) + 0.1 * rng.normal(size=(100, 3))
    path = lines(tmp_path / "a.ndjson", [{"y": y, "psi": x} for y, x in zip(sets.tolist(), psi.tolist())])
    refused = run("fit", path, "--systems", 2)
    assert refused.exit_code == 2
    assert re.search(r"none of the \d+ sets has so many", refused.stderr)
    assert "give --misses yes or --clutter yes" in refused.stderr
    with pytest.raises(VietaError, match="n_systems=2 was asked for"):
        vieta.fit(sets, psi, n_systems=2)
    answer = fitted(path, "--systems", 2, "--clutter", "yes")
    assert_allclose(np.ravel(answer["theta"]), [1.0, 3.0], atol=0.1)
    assert answer["settings"]["options"] == {"clutter": True}
    again = fitted(*shlex.split(answer["settings"]["command"])[2:])
    assert again == answer


@pytest.mark.parametrize(
    ("given", "words"), [("none", "neither a whole number, 1 or more, nor auto"), ("0", "neither a whole")]
)
def test_a_number_of_systems_is_a_number_or_auto(given, words, tmp_path):
    refused = run("fit", "a.csv", "--systems", given)
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_a_method_that_needs_complete_sets_refuses_them(simulated):
    path, _, _ = simulated("silent-meters", "csv")
    refused = run("fit", path, "--systems", 4, "--method", "em")
    assert refused.exit_code == 2
    assert "reading(s) where 4 were expected" in refused.stderr
    unsaid = run("fit", path, "--robust")
    assert "if --systems says how many systems there are, or auto" in unsaid.stderr
    other = run("fit", path, "--systems", 4, "--robust")
    assert other.exit_code == 2
    assert (
        "--robust belongs to 'efficient'; method 'adaptive' takes --clutter, --drift, --memory, --misses"
        in other.stderr
    )
