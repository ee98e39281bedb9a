"""Sets written as lists, in NDJSON and Parquet: one object a line, of any size; and the two ways to read lines."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tests.files import samples as files
from vieta.errors import BadFileError
from vieta.files import ndjson_format
from vieta.files.formats import sniff
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.reasons import UNKNOWN_INPUT, UNKNOWN_READING, WRONG_COUNT
from vieta.files.rows import Wanted


def plain(items):
    return items.tolist() if isinstance(items, np.ndarray) else items


def lines(sets, psi, path):
    path.write_text("".join(json.dumps({"y": y, "psi": x}) + "\n" for y, x in zip(plain(sets), plain(psi))))
    return path


def table(sets, psi, path):
    pl.DataFrame({"y": plain(sets), "psi": plain(psi)}).write_parquet(path)
    return path


WRITTEN = pytest.mark.parametrize("write", [lines, table])


def block(path, *, on_bad_set="error", stream=False, **wishes):
    with reader([str(path)], Wishes(**wishes), on_bad_set=on_bad_set, stream=stream) as source:
        return source.all()


def read(path, **options):
    return block(path, **options).data


def same(data, sets, psi=None):
    assert_array_equal(data.sets, np.reshape(sets, data.sets.shape))
    assert_array_equal(data.inputs, np.ones(len(sets)) if psi is None else np.reshape(psi, data.inputs.shape))


@WRITTEN
@pytest.mark.parametrize("sets_and_inputs", [files.records(50), files.vectors(40)])
def test_scalars_and_vectors_come_back_as_they_were(tmp_path, sets_and_inputs, write):
    same(read(write(*sets_and_inputs, tmp_path / "a[1]")), *sets_and_inputs)  # nor is the name a pattern


@WRITTEN
def test_rows_of_inputs(tmp_path, write):
    sets, _ = files.records(30)
    rows = np.random.default_rng(0).standard_normal((30, 2))
    same(read(write(sets, rows, tmp_path / "a")), sets, rows)


@pytest.mark.parametrize("sets", [files.records(50)[0], files.vectors(40)[0]])
@pytest.mark.parametrize("stream", [False, True])
def test_lines_that_are_lists_are_sets_without_inputs(tmp_path, sets, stream):
    path = tmp_path / "a.ndjson"
    text = "".join(f"{json.dumps(y)}\n" for y in sets.tolist())
    path.write_text(text)
    same(read(path, stream=stream), sets)
    path.write_text("[]\n" + text)
    assert read(path, stream=stream).sizes.tolist() == [0] + [sets.shape[1]] * len(sets)
    found = block(path, on_bad_set="drop", stream=stream)
    same(found.data, sets)
    assert found.dropped == {WRONG_COUNT: 1}


def test_arrays_of_parquet(tmp_path):
    sets, _ = files.records(50)
    pl.DataFrame({"y": sets}, schema={"y": pl.Array(pl.Float64, 3)}).write_parquet(tmp_path / "a.parquet")
    same(read(tmp_path / "a.parquet"), sets)


@WRITTEN
@pytest.mark.parametrize("change", [lambda y: y[:2], lambda y: [*y, 1.0], lambda y: [], lambda y: [*y, *y]])
@pytest.mark.parametrize("stream", [False, True])
def test_a_set_of_another_size_stays_as_it_is_or_is_left_out(tmp_path, change, write, stream):
    sets, psi = files.records(30)
    changed = sets.tolist()
    changed[20] = change(changed[20])
    path = write(changed, psi, tmp_path / "a")
    data = read(path, stream=stream)
    assert data.sizes.tolist() == [len(y) for y in changed]
    assert_array_equal(data.readings[:, 0], np.concatenate(changed))
    assert_array_equal(data.inputs, psi)
    found = block(path, on_bad_set="drop", stream=stream)
    same(found.data, np.delete(sets, 20, axis=0), np.delete(psi, 20))
    assert found.dropped == {WRONG_COUNT: 1}


@pytest.mark.parametrize("change", [lambda y: [y, y], lambda _: 3.0, lambda y: [y[0], [y[1]]]])
def test_what_is_no_list_of_readings_is_refused_or_left_out(tmp_path, change):
    sets, psi = files.records(30)
    changed = sets.tolist()
    changed[20] = change(changed[20])
    path = lines(changed, psi, tmp_path / "a.ndjson")
    with pytest.raises(
        BadFileError, match=r"line 21 of .*: 'y' is (a list of 2 x 3|no list|a ragged list), not a"
    ) as told:
        read(path)
    assert told.value.code == "other-shape"
    found = block(path, on_bad_set="drop")
    same(found.data, np.delete(sets, 20, axis=0), np.delete(psi, 20))
    assert found.dropped == {WRONG_COUNT: 1}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda y: [y[0], "x", y[2]], "not-a-number"),
        (lambda y: [y[0], True, y[2]], "not-a-number"),
    ],
)
def test_a_reading_that_is_not_known_is_refused_or_left_out(tmp_path, change, code):
    sets, psi = files.records(30)
    changed = sets.tolist()
    changed[20] = change(changed[20])
    path = lines(changed, psi, tmp_path / "a.ndjson")
    with pytest.raises(BadFileError, match=r"^line 21 of ") as told:
        read(path)
    assert told.value.code == code
    assert block(path, on_bad_set="drop").dropped == {UNKNOWN_READING: 1}


@pytest.mark.parametrize(
    ("change", "size"),
    [
        (lambda y: [y[0], None, y[2]], 2),
        (lambda y: [y[0], float("nan"), y[2]], 2),
        (lambda _: None, 0),
        (lambda _: [], 0),
    ],
)
def test_a_reading_that_is_missing_leaves_a_smaller_set(tmp_path, change, size):
    sets, psi = files.records(30)
    changed = sets.tolist()
    changed[20] = change(changed[20])
    path = lines(changed, psi, tmp_path / "a.ndjson")
    data = block(path).data
    assert data.sizes.tolist() == [3] * 20 + [size] + [3] * 9
    assert_array_equal(data.inputs, psi)


@WRITTEN
@pytest.mark.parametrize("size", [1, 90, 1 << 20])
def test_lists_of_another_size_are_told_and_counted_whatever_the_pieces(tmp_path, monkeypatch, write, size):
    """A set of too few or ragged readings, a missing one, and an input of another size."""
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", size)
    monkeypatch.setattr("vieta.files.typed_columns.ROWS", max(size // 90, 1))
    good, inputs = files.vectors(30)
    sets, psi = good.tolist(), inputs.tolist()
    sets[4], sets[7][1], sets[9], psi[11] = sets[4][:1], [1.0], None, psi[11][:1]
    path = write(sets, psi, tmp_path / "a")
    with pytest.raises(BadFileError, match=r"(line|row) 8 of .*: 'y' is a ragged list, not a list of 2 x 2. Repair"):
        read(path)
    for stream in (False, True):
        found = block(path, on_bad_set="drop", stream=stream)
        assert_array_equal(found.data.sets, np.delete(good, [4, 7, 9, 11], axis=0))
        assert found.dropped == {WRONG_COUNT: 2, UNKNOWN_READING: 1, UNKNOWN_INPUT: 1}


@WRITTEN
def test_a_list_of_another_size_in_a_column_that_is_not_used_is_no_matter(tmp_path, write):
    sets, psi = files.vectors(30)
    inputs = psi.tolist()
    inputs[3] = inputs[3][:1]
    names = [f"y{i}_{j}" for i in (1, 2) for j in (1, 2)]
    same(read(write(sets, inputs, tmp_path / "a"), layout="wide", value=tuple(names)), sets)


def test_long_files_of_lists_count_a_bad_reading_once(tmp_path):
    records = [{"set": k, "y": [k, i]} for k in range(9) for i in range(3)]
    records[4]["y"] = [1]
    (tmp_path / "a.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    found = block(tmp_path / "a.ndjson", on_bad_set="drop")
    assert found.data.sets.shape == (8, 3, 2)
    assert found.dropped == {UNKNOWN_READING: 1}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{\n"theta": [[1]], "cov": [[1]]}', "estimate-file"),
        (b'[{"y": 1}]', "json-array"),
        (b"[[1, 2], [3, 4]]\n", "json-array"),
        (b"[\n[1, 2],\n[3, 4]\n]\n", "json-array"),
        (b"[1, 2,\n3, 4]\n", "json-array"),
    ],
)
def test_other_json_is_refused(tmp_path, content, code):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(BadFileError) as refused:
        sniff(tmp_path / "file", "file")
    assert refused.value.code == code


usual = st.builds(
    lambda y, psi: json.dumps({"set": 1, "y": y, "psi": psi}),
    st.lists(st.floats(-1e9, 1e9) | st.integers(-99, 99), max_size=4),
    st.floats(-9, 9) | st.none(),
)
odd = st.sampled_from(
    [
        "",
        "  ",
        "x",
        "7",
        "{}",
        "[1, 2]",
        '{"y": 5}',
        '{"y": null}',
        '{"y": ["a"]}',
        '{"y": [[1]]}',
        '{"y": [1, null], "psi": 2}',
        '{"y": [1, 2], "psi": 1, "psi": 2}',
        '{"y": [], "psi": "3"}',
        '{"y": [1, 2], "psi": "NA"}',
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(usual | odd, min_size=1, max_size=6))
def test_polars_and_the_lines_give_the_same_rows(tmp_path_factory, some):
    """What polars reads, it reads as the careful way does; the rest it leaves to it."""
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_text("\n".join(['{"y": [1, 2], "psi": 1, "set": 1}'] * 60 + some) + "\n")
    source = sniff(path, "file")
    wanted = Wanted(("y1", "y2", "psi"), "set", "number", ("y1", "y2"))
    (found,) = source.rows(wanted, strict=False, progress=lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ndjson_format.Ndjson, "_fast", lambda *_: None)
        (careful,) = source.rows(wanted, strict=False, progress=lambda _: None)
    shown, expected = (str(rows.frame.rows()).replace("None", "nan") for rows in (found, careful))
    assert shown == expected
    assert (found.members, found.misfits) == (careful.members, careful.misfits) == ("y", careful.misfits)


def test_a_key_that_comes_twice_counts_the_last_time_in_a_file_as_in_a_live_input(tmp_path):
    (tmp_path / "file").write_text('{"y": [1, 2], "psi": 1, "psi": 2}\n' * 5)
    assert read(tmp_path / "file").inputs.tolist() == [2.0] * 5
