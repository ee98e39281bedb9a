"""Every kind of file gives the sets that were written."""

import io
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.files import samples as files
from vieta.errors import BadFileError
from vieta.files.layout import Wishes
from vieta.files.reader import Reader, reader

KINDS = ["a.csv", "a.tsv", "a.csv.gz", "a.ndjson", "a.ndjson.gz", "a.parquet"]


def read(*paths, **options):
    """Sets (N, L) or (N, L, p), inputs and what was dropped, all files together."""
    with reader([str(path) for path in paths], **options) as source:
        block = source.all()
    sets = block.data.sets
    return sets[:, :, 0] if sets.shape[2] == 1 else sets, block.data.inputs, block.dropped


def same(found, sets, psi):
    """The same sets, whatever the order inside them."""
    assert_array_equal(np.sort(found[0], axis=1), np.sort(sets, axis=1))
    assert_array_equal(found[1], psi)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("stream", [False, True])
def test_long_and_wide_files_of_every_kind(tmp_path, name, stream):
    sets, psi = files.records()
    same(read(files.write(files.long_frame(sets, psi), tmp_path / name), stream=stream), sets, psi)
    same(read(files.write(files.wide_frame(sets, psi), tmp_path / name), stream=stream), sets, psi)


@pytest.mark.parametrize("name", KINDS)
def test_rows_in_any_order(tmp_path, name):
    sets, psi = files.records()
    for frame in (files.long_frame(sets, psi), files.wide_frame(sets, psi)):
        path = files.write(files.shuffled(frame), tmp_path / name)
        wishes = Wishes(layout="wide" if "y1" in frame.columns else None)
        same(read(path, wishes=wishes), sets, psi)


@pytest.mark.parametrize("name", ["a.csv", "a.ndjson", "a.parquet"])
@pytest.mark.parametrize("stands", ["in order", "shuffled", "one row late"])
@pytest.mark.parametrize("make", [files.long_frame, files.wide_frame])
def test_small_pieces_change_nothing(tmp_path, name, stands, make, monkeypatch):
    """Files in order are shaped piece by piece; a row out of order, however late, has the file looked at whole."""
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 500)
    monkeypatch.setattr("vieta.files.parquet_format.ROWS", 37)
    sets, psi = files.records()
    frame = make(sets, psi)
    if stands == "shuffled":
        frame = files.shuffled(frame)
    if stands == "one row late":
        frame = pl.concat([frame[: frame.height // 2], frame[frame.height // 2 + 1 :], frame[[frame.height // 2]]])
    told, looked_at_whole, whole = [], [], Reader._whole

    def watched(self, *arguments):
        looked_at_whole.append(True)
        return whole(self, *arguments)

    monkeypatch.setattr(Reader, "_whole", watched)
    with reader(
        [str(files.write(frame, tmp_path / name))], Wishes(layout="wide" if "y1" in frame.columns else None)
    ) as source:
        block = source.all(told.append)
        assert sum(told) == source.size
    same((block.data.sets[:, :, 0], block.data.inputs), sets, psi)
    assert bool(looked_at_whole) == (stands != "in order")


@pytest.mark.parametrize("make", [files.long_vectors, files.wide_vectors])
def test_vectors_with_matrices_for_inputs(tmp_path, make):
    sets, psi = files.vectors()
    found, inputs, _ = read(files.write(make(sets, psi), tmp_path / "a.csv"))
    assert_array_equal(found, sets)
    assert_array_equal(inputs, psi)


def test_columns_in_any_place_and_others_beside_them(tmp_path):
    sets, psi = files.records()
    frame = files.long_frame(sets, psi).with_columns(pl.lit('Zürich, "x"').alias("city"))
    path = files.write(frame.select("psi", "city", "y", "set"), tmp_path / "a.csv")
    same(read(path), sets, psi)


@pytest.mark.parametrize("size", [1, 50, 333, 100_000])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.ndjson", "a.parquet"])
def test_pieces_of_any_size(tmp_path, monkeypatch, size, name):
    sets, psi = files.records(60)
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", size)
    monkeypatch.setattr("vieta.files.parquet_format.ROWS", max(size // 40, 1))
    path = files.write(files.long_frame(sets, psi), tmp_path / name)
    same(read(path, stream=True), sets, psi)
    same(read(path, stream=False), sets, psi)


def test_a_line_end_inside_quotes_does_not_end_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 20)
    path = tmp_path / "a.csv"
    path.write_text('set,y,note\n1,1.5,"two\nlines"\n1,2.5,plain\n2,3.5,"again\n\ntwo"\n2,4.5,x\n')
    assert_array_equal(read(path, stream=True)[0], [[1.5, 2.5], [3.5, 4.5]])


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_byte_order_marks_and_blank_lines(tmp_path, ending, mark):
    path = tmp_path / "a.csv"
    lines = ["set,y", "", "1,1.5", "1,2.5", "", "2,3.5", "2, 4.5", ""]
    path.write_bytes(mark + ending.join(lines).encode())
    assert_array_equal(read(path)[0], [[1.5, 2.5], [3.5, 4.5]])


def test_standard_input(tmp_path, monkeypatch):
    sets, psi = files.records()
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.parquet")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    same(read("-"), sets, psi)


def test_several_files_follow_one_another_and_may_number_their_sets_anew(tmp_path):
    sets, psi = files.records()
    first = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    second = files.write(files.long_frame(sets + 1.0, psi), tmp_path / "b.ndjson")
    same(read(first, second), np.concatenate([sets, sets + 1.0]), np.concatenate([psi, psi]))


def test_files_of_different_columns_are_refused(tmp_path):
    sets, psi = files.records()
    first = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    second = files.write(files.long_frame(sets, psi, "time"), tmp_path / "b.csv")
    with pytest.raises(BadFileError, match=r"b.csv has no column 'set', as .*a.csv has. Give files of one layout."):
        read(first, second)


@pytest.mark.parametrize(
    "ids", [["b", "a", "c"], ["2024-01-01", "2024-01-02", "2024-01-03"], [10**18, 10**18 + 1, 10**18 + 2]]
)
def test_sets_named_by_text_and_by_very_large_numbers(tmp_path, ids):
    path = tmp_path / "a.csv"
    path.write_text("id,value\n" + "".join(f"{name},{k}\n{name},{k}.5\n" for k, name in enumerate(ids)))
    assert_array_equal(read(path)[0], [[0, 0.5], [1, 1.5], [2, 2.5]])  # in the order of the file


def test_shuffled_dates_are_put_in_order(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("date,value\n2024-01-02,3\n2024-01-01,1\n2024-01-02,4\n2024-01-01,2\n")
    assert_array_equal(read(path)[0], [[1, 2], [3, 4]])


def test_decimals_of_parquet(tmp_path):
    frame = pl.DataFrame({"t": [1, 1], "y": ["1.5", "2.5"]}).with_columns(pl.col("y").cast(pl.Decimal(10, 2)))
    assert_array_equal(read(files.write(frame, tmp_path / "a.parquet"))[0], [[1.5, 2.5]])


def test_dates_of_parquet(tmp_path):
    times = pl.Series(["2024-01-02", "2024-01-01", "2024-01-02", "2024-01-01"]).str.to_datetime()
    path = files.write(pl.DataFrame({"time": times, "y": [3.0, 1.0, 4.0, 2.0]}), tmp_path / "a.parquet")
    assert_array_equal(read(path)[0], [[1, 2], [3, 4]])


@pytest.mark.parametrize("stream", [False, True])
def test_a_file_in_pieces_must_be_sorted(tmp_path, stream):
    path = files.write(files.shuffled(files.long_frame(*files.records())), tmp_path / "a.csv")
    if not stream:
        read(path, stream=False)
        return
    with pytest.raises(
        BadFileError, match=r"line \d+ of .* goes back in time: .* sorted by 'set'. Sort it, or read it whole"
    ):
        read(path, stream=True)


def test_large_files_are_read_in_pieces(tmp_path, monkeypatch):
    path = files.write(files.long_frame(*files.records()), tmp_path / "a.csv")
    with reader([str(path)]) as source:
        assert not source.stream
    monkeypatch.setattr(sys.modules["vieta.files.reader"], "LARGE", 1e-12)
    with reader([str(path)]) as source:
        assert source.stream


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet"])
def test_progress_adds_up_to_the_size(tmp_path, monkeypatch, name):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 7000)
    monkeypatch.setattr("vieta.files.parquet_format.ROWS", 700)
    path = files.write(files.long_frame(*files.records(2000)), tmp_path / name)
    told, looked_at_whole, whole = [], [], Reader._whole

    def watched(self, *arguments):
        looked_at_whole.append(True)
        return whole(self, *arguments)

    monkeypatch.setattr(Reader, "_whole", watched)
    with reader([str(path)]) as source:
        list(source.blocks(told.append))
        assert sum(told) == source.size


@settings(max_examples=40, deadline=None)
@given(
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=12),
    L=st.integers(1, 4),
    seed=st.integers(0, 1000),
    stream=st.booleans(),
    size=st.integers(1, 80),
)
def test_ragged_sets_are_dropped_and_counted(tmp_path_factory, counts, L, seed, stream, size):
    """Against a plain count: what stays is every set of L readings, in order."""
    path = tmp_path_factory.mktemp("ragged") / "a.csv"
    rows = [(k, 10 * k + i) for k, count in enumerate(counts) for i in range(count)]
    if not stream:
        rows = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    path.write_text("set,y\n" + "".join(f"{k},{y}\n" for k, y in rows))
    expected = [sorted(y for k, y in rows if k == at) for at, count in enumerate(counts) if count == L]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vieta.files.text_pieces.SIZE", size)
        if not expected:
            with pytest.raises(
                BadFileError, match=f"no usable set is left: {len(counts)} left out for a wrong number of"
            ):
                read(path, wishes=Wishes(systems=L), on_bad_set="drop", stream=stream)
            return
        found, _, dropped = read(path, wishes=Wishes(systems=L), on_bad_set="drop", stream=stream)
    assert np.sort(found, axis=1).tolist() == expected
    assert dropped.total() == sum(count != L for count in counts)
