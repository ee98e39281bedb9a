"""Inputs that are made of columns: of every kind of file, whole, in pieces and shuffled, against the formulas."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tests.files import samples as files
from vieta.errors import BadFileError
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.survey import as_text
from vieta.files.times import YEAR

N, L = 60, 3
MONTHS = [dt.date(2015 + k // 12, 1 + k % 12, 1) for k in range(N)]
RNG = np.random.default_rng(0)
SETS = RNG.normal(size=(N, L))
GROUPS = [("b", "a", "c")[k % 3] for k in range(N)]
SINCE = np.array([(day - MONTHS[0]).days for day in MONTHS]) * 86_400e6 / YEAR
PART = np.array([(day - day.replace(month=1)).days / (366 if day.year == 2016 else 365) for day in MONTHS])


def frame(**more):
    """Long rows."""
    repeated = {"date": MONTHS, "k": list(range(10, 10 + N)), "group": GROUPS} | more
    rows = {name: [cell for cell in cells for _ in range(L)] for name, cells in repeated.items()}
    return pl.DataFrame(rows).with_columns(y=pl.Series(SETS.ravel()))


def read(path, *, stream=None, on_bad_set="error", **wishes):
    asked = Wishes(**({"set": "date", "value": ("y",)} | wishes))
    with reader([str(path)], asked, stream=stream, on_bad_set=on_bad_set) as source:
        data = source.all().data
        return data.inputs.reshape(len(data), -1), source.layout


@pytest.mark.parametrize("name", ["a.csv", "a.ndjson", "a.parquet"])
@pytest.mark.parametrize("how", ["whole", "pieces", "shuffled"])
def test_trend_season_and_category_of_every_kind_of_file(tmp_path, name, how, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 300)
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", 37)
    rows = files.shuffled(frame()) if how == "shuffled" else frame()
    path = files.write(rows, tmp_path / name)
    wishes = {"input": ("group",), "trend": True, "season": ("year",)}
    found, layout = read(path, stream=how == "pieces", **wishes)
    assert layout.regressors == ("intercept", "group=b", "group=c", "trend per year", "cos year", "sin year")
    is_level = [[1.0 * (group == level) for group in GROUPS] for level in "bc"]
    expected = [np.ones(N), *is_level, SINCE, np.cos(2 * np.pi * PART), np.sin(2 * np.pi * PART)]
    np.testing.assert_allclose(found, np.stack(expected, axis=1), atol=1e-9)
    said = layout.describe()
    assert "(reference group=a; trend: years since 2015-01-01)" in said


@pytest.mark.parametrize("stream", [False, True])
def test_dates_that_stand_backwards_are_put_in_order(tmp_path, stream):
    path = files.write(frame()[::-1], tmp_path / "a.csv")
    if stream:
        with pytest.raises(BadFileError, match="goes back in time"):
            read(path, stream=True, season=("12",))
    else:
        found, layout = read(path, season=("12",))
        np.testing.assert_allclose(found[:, 1], np.cos(2 * np.pi * np.arange(N) / 12), atol=1e-12)
        assert layout.regressors == ("intercept", "cos 12 sets", "sin 12 sets")


def test_the_set_column_as_a_number_and_as_an_input(tmp_path):
    path = files.write(files.shuffled(frame()), tmp_path / "a.csv")
    found, layout = read(path, set="k", input=("k",), intercept=True)
    np.testing.assert_array_equal(found, np.stack([np.ones(N), np.arange(10.0, 10.0 + N)], axis=1))
    assert layout.regressors == ("intercept", "k")
    found, layout = read(path, set="k", trend=True, season=("12",))
    np.testing.assert_allclose(found[:, 1], np.arange(N))
    np.testing.assert_allclose(found[:, 2], np.cos(2 * np.pi * np.arange(10, 10 + N) / 12), atol=1e-12)
    assert layout.regressors == ("intercept", "trend in k", "cos 12 k", "sin 12 k")
    assert "trend: since k 10" in layout.describe()
    assert read(path, set="k", category=("k",))[0].shape == (N, N)


def test_a_date_as_an_input(tmp_path):
    path = files.write(frame(), tmp_path / "a.csv")
    found, layout = read(path, set="k", input=("date",))
    np.testing.assert_allclose(found[:, 1], SINCE, atol=1e-9)
    assert layout.regressors == ("intercept", "date per year")
    assert "date: years since 2015-01-01" in layout.describe()


@pytest.mark.parametrize("stream", [False, True])
def test_sets_that_are_left_out_count_in_the_order(tmp_path, stream, monkeypatch):
    """A season by the order of the sets keeps its phase over a gap."""
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 400)
    rows = frame().with_row_index()
    gaps = {7 * L: "short", 20 * L + 1: "short", 33 * L: "unknown"}
    short = [row for row, what in gaps.items() if what == "short"]
    rows = rows.with_columns(y=pl.when(pl.col("index") == 33 * L).then(None).otherwise(pl.col("y")))
    path = files.write(rows.filter(~pl.col("index").is_in(short)).drop("index"), tmp_path / "a.csv")
    found, _ = read(path, season=("12",), stream=stream, on_bad_set="drop")
    kept = np.delete(np.arange(N), [7, 20, 33])
    np.testing.assert_allclose(found[:, 1], np.cos(2 * np.pi * kept / 12), atol=1e-12)


def test_wide_rows_that_are_left_out_count_too(tmp_path):
    wide = pl.DataFrame({"t": [f"set {k}" for k in range(N)], **{f"y{i}": SETS[:, i] for i in range(L)}})
    wide = wide.with_columns(y0=pl.when(pl.col("t") == "set 5").then(None).otherwise(pl.col("y0")))
    path = files.write(wide, tmp_path / "a.csv")
    found, layout = read(path, set=None, value=(), trend=True, on_bad_set="drop")
    np.testing.assert_array_equal(found[:, 1], np.delete(np.arange(N), 5))
    assert layout.regressors == ("intercept", "trend per set")
    nameless = wide.with_columns(t=pl.when(pl.col("t") == "set 9").then(None).otherwise(pl.col("t")))
    path = files.write(nameless, tmp_path / "b.csv")
    with pytest.raises(BadFileError, match="depends on the order of the sets, and some cannot be counted"):
        read(path, set=None, value=(), trend=True, on_bad_set="drop")


def test_an_order_that_is_not_known_is_refused(tmp_path):
    rows = frame(name=[f"n{k}" for k in RNG.permutation(N)])
    path = files.write(files.shuffled(rows), tmp_path / "a.csv")
    with pytest.raises(
        BadFileError, match=r"the order of the sets of .* is not known: 'name' holds neither numbers nor times"
    ):
        read(path, set="name", trend=True)
    assert read(path, set="name", trend=True, time="date")[1].regressors == ("intercept", "trend per year")


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"category": ("same",)}, "has the same entry everywhere, '1'"),
        ({"season": ("year",), "time": "k"}, "season=year needs a column of dates or times, and 'k' of"),
        ({"season": ("4",), "harmonics": 3}, "harmonics=3 are too many for a period of 4 sets: there are 2 of them"),
        ({"category": ("many",)}, "has more than 100 different entries, too many for a category"),
    ],
)
def test_what_is_refused(tmp_path, wishes, message):
    rows = frame(same=[1] * N).with_columns(many=pl.Series(range(N * L)))
    path = files.write(rows, tmp_path / "a.csv")
    with pytest.raises(BadFileError) as error:
        read(path, **wishes)
    assert message in str(error.value)


def test_a_date_that_is_none_is_refused_by_its_line_or_left_out(tmp_path):
    path = tmp_path / "a.csv"
    many = "".join(f"2015-01-01 00:{k // 60:02d}:{k % 60:02d},{i}\n" for k in range(500) for i in range(L))
    path.write_text("date,y\n" + many + "soon,1\n" * L)
    with pytest.raises(BadFileError, match=r"line 1,502 of .*: 'soon' in column 'date' is not a time"):
        read(path, trend=True)
    found, layout = read(path, trend=True, on_bad_set="drop")
    np.testing.assert_allclose(found[:, 1], np.arange(500) / 60)
    assert layout.regressors[1] == "trend per minute"


def test_a_date_that_no_calendar_has_is_refused_too(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(frame().write_csv().replace("2015-03-01", "2015-02-30"))
    with pytest.raises(BadFileError, match=r"line 8 of .*: '2015-02-30' in column 'date' is not a time"):
        read(path, trend=True)


def test_entries_of_categories():
    assert as_text(pl.Series([1.0, 2.0, None, float("nan")])).to_list() == ["1", "2", None, None]
    assert as_text(pl.Series([1.5, 2.0])).to_list() == ["1.5", "2.0"]
    assert as_text(pl.Series([" a ", "NA", ""])).to_list() == ["a", None, None]


def test_a_set_column_with_a_word_in_it_is_an_input_all_the_same(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("k,y\n" + "".join(f"{k},{i}\n" for k in (*range(9), "x") for i in range(L)))
    with pytest.raises(
        BadFileError, match=r"line 29 of .*: set x cannot be used: an input is missing or not a finite number"
    ):
        read(path, set="k", input=("k",))
    assert read(path, set="k", input=("k",), on_bad_set="drop")[0].ravel().tolist() == list(range(9))
    assert read(path, set="k", trend=True, on_bad_set="drop")[0][:, 1].tolist() == list(range(9))


@pytest.mark.parametrize("stream", [False, True])
def test_a_month_that_is_missing_is_seen_where_a_season_counts_sets(tmp_path, stream, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 300)
    whole = files.write(frame(), tmp_path / "a.csv")
    gap = files.write(frame().filter(pl.col("k") != 30), tmp_path / "b.csv")
    for path, period, codes in ((whole, "12", []), (gap, "12", ["uneven-steps"]), (gap, "year", [])):
        with reader([str(path)], Wishes(set="date", value=("y",), season=(period,)), stream=stream) as source:
            source.all()
            assert [one.code for one in source.findings(L)] == codes
