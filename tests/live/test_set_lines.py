"""Sets from lines of JSON: what is read, what is left out and why."""

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from vieta.files import reasons
from vieta.files.reader import reader
from vieta.live.set_lines import Form, find_sets, form_of

SCALAR, ROWS, VECTORS = Form(2, 1, ()), Form(2, 1, (1, 3)), Form(2, 2, (2, 3))
GOOD = {
    SCALAR: ['{"y": [1.5, -2], "psi": 3}', "[1.5, -2]", '{"psi": [[3]], "y": [[1.5], [-2]]}', '{"y": [1.5, -2], "psi": [3e0]}'],
    ROWS: ['{"y": [1, 2], "psi": [3, 4, 5]}', '{"y": [[1], [2]], "psi": [[3, 4, 5]], "t": 1}'],
    VECTORS: ['{"y": [[1, 2], [3, 4]], "psi": [[5, 6, 7], [8, 9, 10]]}'],
    Form(2, 2, ()): ['{"y": [[1, 2], [3, 4]], "psi": 5}', "[[1, 2], [3, 4]]", '{"y": [[1, 2], [3, 4]], "t": "12:00"}'],
}  # fmt: skip


@pytest.mark.parametrize(("form", "line"), [(form, line) for form, lines in GOOD.items() for line in lines])
def test_each_way_to_write_a_set(form, line):
    assert form_of([b"", line.encode()]) == (1, form)
    found = find_sets([line.encode(), b"\r", line.encode() + b"\r"], form)
    value = json.loads(line)
    y, psi = (value, 1.0) if isinstance(value, list) else (value["y"], value.get("psi", 1.0))
    assert_array_equal(found.sets, np.broadcast_to(np.reshape(y, form[:2]), (2, *form[:2])))
    assert_array_equal(found.inputs, np.broadcast_to(np.reshape(psi, form.inputs), (2, *form.inputs)))
    assert found.at.tolist() == [0, 2]
    assert found.faults == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", reasons.NOT_JSON),
        ('{"y": [1, 2]', reasons.NOT_JSON),
        ('{"y": [1, 2]} {"y": [1, 2]}', reasons.NOT_JSON),
        ("[" * 100_000, reasons.NOT_JSON),
        ("\0", reasons.NOT_JSON),
        ("5", reasons.NO_SET),
        ("[]", reasons.NO_SET),
        ('"y"', reasons.NO_SET),
        ("null", reasons.NO_SET),
        ('{"Y": [1, 2]}', reasons.NO_SET),
        ('{"y": 3}', reasons.NO_SET),
        ('{"y": null}', reasons.NO_SET),
        ("[1, null]", reasons.NOT_A_NUMBER),
        ('[1, "2"]', reasons.NOT_A_NUMBER),
        ("[1, true]", reasons.NOT_A_NUMBER),
        ("[[1], 2]", reasons.NOT_A_NUMBER),
        ("[[[1]], [[2]]]", reasons.NOT_A_NUMBER),
        ('{"y": [1, 2], "psi": null}', reasons.NOT_A_NUMBER),
        ('{"y": [1, 2], "psi": []}', reasons.NOT_A_NUMBER),
        ('{"y": [1, 2], "psi": "3"}', reasons.NOT_A_NUMBER),
        ("[[1, 2], [3]]", reasons.RAGGED),
        ("[[], []]", reasons.RAGGED),
        ("[1, NaN]", reasons.NOT_FINITE),
        ("[1, 1e999]", reasons.NOT_FINITE),
        ("[1, 1" + "0" * 400 + "]", reasons.NOT_FINITE),
        ('{"y": [1, 2], "psi": -Infinity}', reasons.NOT_FINITE),
        ("[1, -1e150]", reasons.TOO_LARGE),
        ('{"y": [1, 2], "psi": 1e300}', reasons.TOO_LARGE),
        ('{"y": [[1, 2], [3, 4]], "psi": [1, 2]}', reasons.FOREIGN_INPUT),
        ('{"y": [1, 2], "psi": [[1], [2]]}', reasons.FOREIGN_INPUT),
        ("[1, 2, 3]", reasons.OTHER_COUNT),
        ("[[1, 2], [3, 4]]", reasons.OTHER_LENGTH),
        ('{"y": [1, 2], "psi": [1, 2]}', reasons.OTHER_INPUT),
    ],
)
def test_each_reason_to_leave_a_line_out(line, reason):
    found = find_sets([b"[1, 2]", line.encode()], SCALAR)
    assert found.faults == [(1, reason)]
    assert found.at.tolist() == [0]


def test_a_matrix_is_asked_for_by_its_shape():
    assert find_sets([b"[1, 2]"], ROWS).faults == [(0, reasons.OTHER_INPUT)]


def test_bytes_that_are_no_text_and_a_mark_before_the_text():
    found = find_sets([b"\xef\xbb\xbf[1, 2]", b'{"y": [1, 2], "t": "\xff"}'], SCALAR)
    assert found.at.tolist() == [0]
    assert found.faults == [(1, reasons.NOT_JSON)]


def test_the_form_is_that_of_the_first_set_of_the_right_size():
    lines = [b"x", b"[1, 2]", b"[1, 2, 3]"]
    assert form_of(lines) == (1, SCALAR)
    assert form_of(lines, 3) == (2, Form(3, 1, ()))
    assert form_of(lines, 4) == (-1, None)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (Form(1, 1, ()), "sets of 1 reading, psi a number (1 where it is absent)"),
        (ROWS, "sets of 2 readings, psi a list of 3"),
        (VECTORS, "sets of 2 readings of 2 numbers, psi 2 lists of 3"),
    ],
)
def test_the_form_in_words(form, words):
    assert form.describe() == words


@pytest.mark.parametrize("form", [SCALAR, ROWS, VECTORS, Form(3, 2, ())])
def test_a_file_of_the_same_lines_has_the_same_sets(tmp_path, form):
    """One parser: what a watch makes of a line, a reader of files makes of it too."""
    rng = np.random.default_rng(0)
    lines = []
    for k in range(30):
        y = rng.normal(size=form[:2] if form.reading_dim > 1 else form[0]).tolist()
        psi = rng.normal(size=form.inputs if form.reading_dim > 1 else form.inputs[1:]).tolist()
        lines.append(json.dumps({"y": y, "psi": psi, "note": f"no {k}"}).encode())
    lines[3:3] = [b"nonsense", b"", b'{"y": [1, true], "psi": 1}', b'{"y": 3}']
    (tmp_path / "a.ndjson").write_bytes(b"\n".join(lines))
    found = find_sets(lines, form)
    with reader([str(tmp_path / "a.ndjson")], on_bad_set="drop") as source:
        block = source.all()
    assert_array_equal(block.data.sets, found.sets)
    assert_array_equal(block.data.inputs, found.inputs)
    assert block.dropped.total() == len(found.faults) == 3


def test_sets_of_any_size():
    form = Form(3, 1, (), any_size=True)
    lines = [
        b"[]",
        b"[1, 2]",
        b'{"y": [1, null, 3], "psi": 2}',
        b"[[1, 2]]",
        b"[" + b"1, " * 64 + b"1]",
        b'{"y": 1}',
        b"[1, x]",
    ]
    found = find_sets(lines, form)
    assert [one.ravel().tolist() for one in found.sets] == [[], [1.0, 2.0], [1.0, 3.0]]
    assert found.inputs.tolist() == [1.0, 1.0, 2.0]
    assert found.faults == [(3, "other-length"), (4, "too-many"), (5, "no-set"), (6, "not-json")]


def test_the_first_set_with_a_reading_tells_the_form_of_sets_of_any_size():
    lines = [b'{"y": [], "psi": [[1, 2], [3, 4]]}', b"[]", b'{"y": [[1, 2]], "psi": [[1, 2], [3, 4]]}']
    at, form = form_of(lines, 3, any_size=True)
    assert (at, form) == (2, Form(3, 2, (2, 2), any_size=True))
    assert form_of(lines[:2], 3, any_size=True) == (-1, None)
    found = find_sets(lines, form)
    assert [one.shape for one in found.sets] == [(0, 2), (1, 2)]
    assert found.faults == [(1, "other-input")]
