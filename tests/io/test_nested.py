"""Sets written as lists, one object a line, and constants beside inputs."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.io import files
from vieta.io.batches import reader
from vieta.io.errors import BadFileError
from vieta.io.layout import Wishes
from vieta.io.nested import shapes, unfold


def lines(sets, psi, path):
    path.write_text("".join(json.dumps({"y": y, "psi": x}) + "\n" for y, x in zip(sets.tolist(), psi.tolist())))
    return path


def read(path, *, strict=True, **wishes):
    with reader([str(path)], Wishes(**wishes), strict=strict, stream=False) as source:
        return source.all()


@pytest.mark.parametrize("sets_and_inputs", [files.records(50), files.vectors(40)])
def test_scalars_and_vectors_come_back_as_they_were(tmp_path, sets_and_inputs):
    batch = read(lines(*sets_and_inputs, tmp_path / "a.ndjson"))
    assert_array_equal(batch.sets, sets_and_inputs[0])
    assert_array_equal(batch.inputs, sets_and_inputs[1])


def test_rows_of_inputs(tmp_path):
    sets, _ = files.records(30)
    rows = np.random.default_rng(0).standard_normal((30, 2))
    batch = read(lines(sets, rows, tmp_path / "a.ndjson"))
    assert_array_equal(batch.inputs, rows)


@pytest.mark.parametrize("change", [lambda y: y[:2], lambda y: [*y, 1.0], lambda y: [y, y], lambda _: 3.0])
def test_a_set_of_another_size_is_refused_or_left_out_and_never_cut(tmp_path, change):
    sets, psi = files.records(30)
    path = lines(sets, psi, tmp_path / "a.ndjson")
    text = path.read_text().splitlines()
    record = json.loads(text[20])
    text[20] = json.dumps(record | {"y": change(record["y"])})
    path.write_text("\n".join(text))
    with pytest.raises(BadFileError, match=r"line 21 of .*not a list of 3' in column 'y1' is not a number"):
        read(path)
    batch = read(path, strict=False)
    assert_array_equal(batch.sets, np.delete(sets, 20, axis=0))
    assert sum(batch.dropped.values()) == 1


def test_shapes_are_the_usual_ones_and_lines_that_are_no_objects_stay():
    text = b'{"y": [1]}\n{"y": [1, 2]}\nnonsense\n{"y": [3, 4], "x": [[1], [2, 3]]}\n[1]\n'
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
