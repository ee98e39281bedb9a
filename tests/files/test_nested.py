"""Sets written as lists, one object a line, and constants beside inputs."""

import json

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from vieta.files.bad_file import WRONG_COUNT, BadFileError
from vieta.files.nested import shapes, unfold

from tests.files import samples as files
from vieta.files import assemble
from vieta.files.layout import Wishes
from vieta.files.reader import reader


def plain(items):
    return items.tolist() if isinstance(items, np.ndarray) else items


def lines(sets, psi, path):
    path.write_text("".join(json.dumps({"y": y, "psi": x}) + "\n" for y, x in zip(plain(sets), plain(psi))))
    return path


def table(sets, psi, path):
    pl.DataFrame({"y": plain(sets), "psi": plain(psi)}).write_parquet(path)
    return path


WRITTEN = pytest.mark.parametrize("write", [lines, table])


def read(path, *, on_bad_set="error", **wishes):
    with reader([str(path)], Wishes(**wishes), on_bad_set=on_bad_set, stream=False) as source:
        return source.all()


@WRITTEN
@pytest.mark.parametrize("sets_and_inputs", [files.records(50), files.vectors(40)])
def test_scalars_and_vectors_come_back_as_they_were(tmp_path, sets_and_inputs, write):
    batch = read(write(*sets_and_inputs, tmp_path / "a[1]"))  # nor is the name a pattern
    assert_array_equal(batch.sets, sets_and_inputs[0])
    assert_array_equal(batch.inputs, sets_and_inputs[1])


@WRITTEN
def test_rows_of_inputs(tmp_path, write):
    sets, _ = files.records(30)
    rows = np.random.default_rng(0).standard_normal((30, 2))
    batch = read(write(sets, rows, tmp_path / "a"))
    assert_array_equal(batch.inputs, rows)


@pytest.mark.parametrize("sets", [files.records(50)[0], files.vectors(40)[0]])
def test_lines_that_are_lists_are_sets_without_inputs(tmp_path, sets):
    path = tmp_path / "a.ndjson"
    path.write_text("[]\n" + "".join(f"{json.dumps(y)}\n" for y in sets.tolist()))
    with pytest.raises(BadFileError, match=r"line 1 of .*: 'y' is a list of 0, not a list of"):
        read(path)
    batch = read(path, on_bad_set="drop")
    assert_array_equal(batch.sets, sets)
    assert batch.inputs is None
    assert batch.dropped == {WRONG_COUNT: 1}


def test_arrays_of_parquet(tmp_path):
    sets, _ = files.records(50)
    pl.DataFrame({"y": sets}, schema={"y": pl.Array(pl.Float64, 3)}).write_parquet(tmp_path / "a.parquet")
    assert_array_equal(read(tmp_path / "a.parquet").sets, sets)


@pytest.mark.parametrize("change", [lambda y: y[:2], lambda y: [*y, 1.0], lambda y: [y, y], lambda _: 3.0])
def test_a_set_of_another_size_is_refused_or_left_out_and_never_cut(tmp_path, change):
    sets, psi = files.records(30)
    path = lines(sets, psi, tmp_path / "a.ndjson")
    text = path.read_text().splitlines()
    record = json.loads(text[20])
    text[20] = json.dumps(record | {"y": change(record["y"])})
    path.write_text("\n".join(text))
    with pytest.raises(
        BadFileError, match=r"line 21 of .*: 'y' is (a list of [24x 3]+|no list), not a list of 3. Repair"
    ):
        read(path)
    batch = read(path, on_bad_set="drop")
    assert_array_equal(batch.sets, np.delete(sets, 20, axis=0))
    assert batch.dropped == {WRONG_COUNT: 1}


@WRITTEN
@pytest.mark.parametrize("size", [1, 90, 1 << 20])
def test_lists_of_another_size_are_told_and_counted_whatever_the_pieces(tmp_path, monkeypatch, write, size):
    """A set of too few or ragged readings, a missing one, and an input of another size."""
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", size)
    monkeypatch.setattr("vieta.files.parquet_format.ROWS", max(size // 90, 1))
    good, inputs = files.vectors(30)
    sets, psi = good.tolist(), inputs.tolist()
    sets[4], sets[7][1], sets[9], psi[11] = sets[4][:1], [1.0], None, psi[11][:1]
    path = write(sets, psi, tmp_path / "a")
    with pytest.raises(BadFileError, match=r"(line|row) 5 of .*: 'y' is a list of 1 x 2, not a list of 2 x 2. Repair"):
        read(path)
    for stream in (False, True):
        with reader([str(path)], on_bad_set="drop", stream=stream) as source:
            batch = source.all()
        assert_array_equal(batch.sets, np.delete(good, [4, 7, 9, 11], axis=0))
        assert batch.dropped == {WRONG_COUNT: 2, assemble.UNKNOWN_READING: 1, assemble.UNKNOWN_INPUT: 1}


@WRITTEN
def test_a_list_of_another_size_in_a_column_that_is_not_used_is_no_matter(tmp_path, write):
    sets, psi = files.vectors(30)
    inputs = psi.tolist()
    inputs[3] = inputs[3][:1]
    names = [f"y{i}_{j}" for i in (1, 2) for j in (1, 2)]
    batch = read(write(sets, inputs, tmp_path / "a"), kind="wide", values=tuple(names))
    assert_array_equal(batch.sets, sets)


def test_long_files_of_lists_count_a_bad_reading_once(tmp_path):
    records = [{"set": k, "y": [k, i]} for k in range(9) for i in range(3)]
    records[4]["y"] = [1]
    (tmp_path / "a.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    batch = read(tmp_path / "a.ndjson", on_bad_set="drop")
    assert batch.sets.shape == (8, 3, 2)
    assert batch.dropped == {assemble.UNKNOWN_READING: 1}


def test_shapes_are_the_usual_ones_and_lines_that_are_no_objects_stay():
    text = b'{"y": [1]}\n{"y": [1, 2]}\nnonsense\n{"y": [3, 4], "x": [[1], [2, 3]]}\n[1, 2]\n'
    assert shapes(text) == {"y": (2,)}
    assert unfold(b'nonsense\n\n{"y": null, "b": "["}', {"y": (2,)}) == b'nonsense\n\n{"b": "["}'


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_an_intercept_is_a_one_before_the_inputs(tmp_path, layout):
    sets, psi = files.records(40)
    make = files.long_frame if layout == "long" else files.wide_frame
    path = files.write(make(sets, psi), tmp_path / "a.csv")
    batch = read(path, intercept=True)
    assert_array_equal(batch.inputs, np.column_stack([np.ones(40), psi]))
    assert_array_equal(np.sort(batch.sets), np.sort(sets))


def test_an_intercept_needs_inputs_and_readings_of_one_number(tmp_path):
    vectors = files.write(files.long_vectors(*files.vectors()), tmp_path / "a.csv")
    with pytest.raises(BadFileError, match="readings of one number that have inputs; these have 2"):
        read(vectors, intercept=True)
    plain = files.write(files.long_frame(*files.records()).drop("psi"), tmp_path / "b.csv")
    with pytest.raises(BadFileError, match="none was found: name them with --input"):
        read(plain, intercept=True)
