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
from vieta.errors import BadFileError, IncompleteSetsError
from vieta.files.layout import Wishes
from vieta.files.reader import Reader, reader
from vieta.set_requirements import require_complete
from vieta.sets import joined

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
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", 37)
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
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", max(size // 40, 1))
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
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", 700)
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


@pytest.mark.parametrize("make", [files.long_frame, files.wide_frame])
def test_an_intercept_is_a_one_before_the_inputs(tmp_path, make):
    sets, psi = files.records(40)
    found, inputs, _ = read(files.write(make(sets, psi), tmp_path / "a.csv"), wishes=Wishes(intercept=True))
    assert_array_equal(inputs[:, 0], np.column_stack([np.ones(40), psi]))
    assert_array_equal(np.sort(found), np.sort(sets))


# --- passes, and places in files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.ndjson", "a.parquet"])
@pytest.mark.parametrize("stream", [False, True])
def test_every_pass_gives_the_same_blocks(tmp_path, monkeypatch, name, stream):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 900)
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", 90)
    sets, psi = files.records()
    path, read_bytes = files.write(files.long_frame(sets, psi), tmp_path / name), []
    with reader([str(path)], stream=stream) as source:
        passes = source.passes(read_bytes.append)
        first, second = list(passes.read()), list(passes.read())
        assert sum(read_bytes) == (2 if stream else 1) * source.size
    assert (len(passes.like), passes.like.sets.shape[1:]) == (0, (3, 1))
    assert (len(first) > 3) is stream
    for one, other in zip(first, second, strict=True):
        assert_array_equal(one.sets, other.sets)
        assert_array_equal(one.inputs, other.inputs)
    same((np.concatenate([block.sets[:, :, 0] for block in first]), joined(first).inputs), sets, psi)
    assert_array_equal(passes.head(5).inputs, psi[:5])


@pytest.mark.parametrize("stream", [False, True])
def test_sets_left_out_are_counted_once_however_many_passes(tmp_path, monkeypatch, stream):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 900)
    sets, psi = files.records()
    sets[[7, 150], 1] = np.nan
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    with reader([str(path)], on_bad_set="drop", stream=stream) as source:
        passes = source.passes()
        for _ in range(3):
            assert sum(len(block) for block in passes.read()) == 198
        assert source.dropped == {"unknown-reading": 2}
        assert source.all().dropped == {"unknown-reading": 2}
        assert source.dropped == {"unknown-reading": 2}


def test_a_file_that_changes_between_passes_is_refused(tmp_path):
    sets, psi = files.records()
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    with reader([str(path)], stream=True) as source:
        passes = source.passes()
        list(passes.read())
        files.write(files.long_frame(sets[:100], psi[:100]), path)
        with pytest.raises(BadFileError, match="they had 200 sets, and now 100") as refused:
            list(passes.read())
    assert refused.value.code == "file-changed"


@pytest.mark.parametrize("stands", ["in order", "shuffled", "in pieces"])
@pytest.mark.parametrize("kind", ["a.csv", "a.parquet"])
def test_the_place_of_a_set_is_that_of_its_first_row(tmp_path, monkeypatch, stands, kind):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 300)
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", 30)
    sets, psi = files.records(60)
    sets[10, 2] = np.nan  # left out: sets are counted without it
    frame = files.long_frame(sets, psi)
    frame = files.shuffled(frame) if stands == "shuffled" else frame
    path = files.write(frame, tmp_path / kind)
    before = 2 if kind == "a.csv" else 1
    unit = "line" if kind == "a.csv" else "row"
    with reader([str(path)], on_bad_set="drop", stream=stands == "in pieces") as source:
        for k in (0, 9, 10, 58):
            name = k + (k >= 10)
            line = frame["set"].to_list().index(name) + before
            assert source.place(k) == f"{unit} {line} of {path}: set {name}"
        with pytest.raises(IndexError):
            source.place(59)


@pytest.mark.parametrize("stream", [False, True])
def test_a_place_may_be_in_a_later_file_and_names_come_out_as_they_are(tmp_path, stream):
    folder = tmp_path / "step=3"
    folder.mkdir()
    paths = [folder / "--set {y}.csv", folder / "b.csv"]
    for path in paths:
        path.write_text("set,y\n" + "".join(f"{k},{y}\n" for k in range(4) for y in (1, 2)))
    with reader(map(str, paths), stream=stream) as source:
        assert source.place(1) == f"line 4 of {paths[0]}: set 1"
        assert source.place(6) == f"line 6 of {paths[1]}: set 2"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("count", "hint"), [(1, False), (6, True), (4, False)])
def test_incomplete_sets_that_a_method_refuses_are_explained_with_their_place(tmp_path, stream, count, hint):
    counts = [3, 3, 3, count, 3, 3]
    path = tmp_path / "a.csv"
    path.write_text("set,y\n" + "".join(f"{k},{k + i / 8}\n" for k, c in enumerate(counts) for i in range(c)))
    with reader([str(path)], stream=stream) as source:
        data = source.all().data
        assert data.sizes.tolist() == counts
        with pytest.raises(IncompleteSetsError) as refused:
            require_complete(data, "some")
        error = source.explain(refused.value)
    assert error.facts["place"] == f"line 11 of {path}: set 3"
    assert (error.facts["given"], error.facts["needed"], error.facts["count"], error.facts["n_sets"]) == (
        count,
        3,
        1,
        6,
    )
    assert ("two sets may share this name" in str(error)) is hint
    assert (
        "another size. Such sets are taken as they are by vieta.fit if systems= says how many systems there are"
        in str(error)
    )
    assert "or auto, to count them. Repair the data; on_bad_set=drop leaves" in str(error)
    assert str(error).endswith("which is right only where readings are missing by chance and none is false.")


def test_blocks_of_different_sizes_are_incomplete_together(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 1)
    path = tmp_path / "a.csv"
    path.write_text("set,y\n1,1\n1,2\n2,3\n2,4\n2,5\n3,6\n3,7\n")
    with reader([str(path)], stream=True) as source:
        blocks = [block.data for block in source.blocks() if len(block.data)]
    assert [block.is_complete for block in blocks] == [True, False, True]
    assert joined(blocks).sizes.tolist() == [2, 3, 2]


@pytest.mark.parametrize("stream", [False, True])
def test_sets_are_picked_by_number_with_the_columns_that_inputs_are_made_of(tmp_path, stream, monkeypatch):
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 500)
    sets, psi = files.records()
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    wanted = np.array([0, 3, 77, 199])
    with reader([str(path)], Wishes(intercept=True), stream=stream) as source:
        assert len(source.all().data) == source.n_sets == 200
        picked = source.picked(wanted)
    assert_array_equal(np.sort(picked.data.sets[:, :, 0], axis=1), np.sort(sets[wanted], axis=1))
    assert_array_equal(picked.read[:, 0], psi[wanted])
    assert_array_equal(picked.number, wanted)
    assert_array_equal(picked.data.inputs[:, 0], np.column_stack([np.ones(4), psi[wanted]]))


@pytest.mark.parametrize("text", ["set,y\n", "set,y1,y2\n"])
def test_sets_are_read_with_their_names(tmp_path, text):
    values = "1.5,2.5" if "y2" in text else "1.5"
    names = [1, 2, 3] if "y2" in text else [3, 3, 1, 1, 2, 2]
    path = tmp_path / "a.csv"
    path.write_text(text + "".join(f"{name},{values}\n" for name in names))
    with reader([str(path)], stream=False) as source:
        blocks = list(source.named())
    assert [name for block in blocks for name in block.names()] == [1, 2, 3]
    assert {block.file for block in blocks} == {str(path)}
