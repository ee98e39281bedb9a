"""Sets from lines of JSON: what is read, what is left out and why, and that both ways of reading agree to the last bit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta.live import set_blocks, set_lines
from vieta.live.set_blocks import MANY, read_block
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
        ("nonsense", set_lines.NOT_JSON),
        ('{"y": [1, 2]', set_lines.NOT_JSON),
        ('{"y": [1, 2]} {"y": [1, 2]}', set_lines.NOT_JSON),
        ("[" * 100_000, set_lines.NOT_JSON),
        ("\0", set_lines.NOT_JSON),
        ("5", set_lines.NO_SET),
        ("[]", set_lines.NO_SET),
        ('"y"', set_lines.NO_SET),
        ("null", set_lines.NO_SET),
        ('{"Y": [1, 2]}', set_lines.NO_SET),
        ('{"y": 3}', set_lines.NO_SET),
        ('{"y": null}', set_lines.NO_SET),
        ("[1, null]", set_lines.NO_NUMBER),
        ('[1, "2"]', set_lines.NO_NUMBER),
        ("[1, true]", set_lines.NO_NUMBER),
        ("[[1], 2]", set_lines.NO_NUMBER),
        ("[[[1]], [[2]]]", set_lines.NO_NUMBER),
        ('{"y": [1, 2], "psi": null}', set_lines.NO_NUMBER),
        ('{"y": [1, 2], "psi": []}', set_lines.NO_NUMBER),
        ('{"y": [1, 2], "psi": "3"}', set_lines.NO_NUMBER),
        ("[[1, 2], [3]]", set_lines.RAGGED),
        ("[[], []]", set_lines.RAGGED),
        ("[1, NaN]", set_lines.NOT_FINITE),
        ("[1, 1e999]", set_lines.NOT_FINITE),
        ("[1, 1" + "0" * 400 + "]", set_lines.NOT_FINITE),
        ('{"y": [1, 2], "psi": -Infinity}', set_lines.NOT_FINITE),
        ("[1, -1e150]", set_lines.TOO_LARGE),
        ('{"y": [1, 2], "psi": 1e300}', set_lines.TOO_LARGE),
        ('{"y": [[1, 2], [3, 4]], "psi": [1, 2]}', set_lines.FOREIGN_INPUT),
        ('{"y": [1, 2], "psi": [[1], [2]]}', set_lines.FOREIGN_INPUT),
        ("[1, 2, 3]", "another number of readings than 2"),
        ("[[1, 2], [3, 4]]", "readings of another length than 1"),
        ('{"y": [1, 2], "psi": [1, 2]}', "psi of another shape than a number"),
    ],
)
def test_each_reason_to_leave_a_line_out(line, reason):
    found = find_sets([b"[1, 2]", line.encode()], SCALAR)
    assert found.faults == [(1, reason)]
    assert found.at.tolist() == [0]


def test_a_matrix_is_asked_for_by_its_shape():
    assert find_sets([b"[1, 2]"], ROWS).faults == [(0, "psi of another shape than 1 x 3")]


def test_bytes_that_are_no_text_and_a_mark_before_the_text():
    found = find_sets([b"\xef\xbb\xbf[1, 2]", b'{"y": [1, 2], "t": "\xff"}'], SCALAR)
    assert found.at.tolist() == [0]
    assert found.faults == [(1, set_lines.NOT_JSON)]


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


# --- many lines at once ---------------------------------------------------------------------------------------------


def same(a, b):
    for left, right in zip(a[:3], b[:3]):
        assert_array_equal(left, right, strict=True)
        assert left.tobytes() == right.tobytes()  # the signs of zeros too
    assert a.faults == b.faults


def lines_of(form, n, *, bare=False):
    rng = np.random.default_rng(0)
    for k in range(n):
        y = rng.normal(size=form[:2] if form.reading_dim > 1 else form[0]).tolist()
        psi = rng.normal(size=form.inputs if form.reading_dim > 1 else form.inputs[1:]).tolist()
        yield json.dumps({"y": y, "t": f"no {k}"} | ({} if bare else {"psi": psi})).encode()


@pytest.mark.parametrize("form", [SCALAR, ROWS, VECTORS, Form(3, 2, ())])
def test_many_lines_are_read_at_once_with_the_same_bits(form):
    lines = list(lines_of(form, MANY))
    text = b"\n".join(lines) + b"\n"
    assert set_blocks._at_once(text, MANY, form) is not None
    same(read_block(text, form), find_sets(lines, form))
    same(read_block(text[:-1], form), find_sets(lines, form))


def test_many_lines_without_input_are_read_at_once():
    text = b"\n".join(lines_of(SCALAR, MANY, bare=True)) + b"\n"
    found = set_blocks._at_once(text, MANY, SCALAR)
    assert_array_equal(found.inputs, np.ones(MANY))


numerals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-10, 10).map(lambda x: f"{x:.25f}"),
    st.integers(-(10**30), 10**30).map(str),
    st.integers(2**53, 2**54).map(lambda m: str(2 * m + 1)),  # halfway between two numbers
    st.builds("{}.{}e{}".format, st.integers(-9, 9), st.integers(0, 10**20), st.integers(-340, 300)),
    st.sampled_from(["-0", "-0.0", "0", "5e-324", "1E5", "1e-999", "18446744073709551616"]),
)
odd = st.sampled_from(
    [
        b"",
        b"  ",
        b"x",
        b"5",
        b"[1, 2]",
        b'{"y": [1, 2]}',
        b'{"y": [1, 2], "psi": 1, "psi": 2}',
        b'{"y": [1, 2], "\\u0070si": 3}',
        b'{"y": [1, 2], "y": [3, 4], "psi": 2}',
        b'{"y": [1, 2], "psi": 1, "t": "y"}',
        b'{"y": [1, 2], "psi": 1, "t": [[]]}',
        b'{"y": [1, 2], "psi": 1, "t": {"y": 0}}',
        b'{"y": [1, null], "psi": 1}',
        b'{"y": [1, true], "psi": 1}',
        b'{"y": [1, "2"], "psi": 1}',
        b'{"y": [1, 2], "psi": null}',
        b'{"y": [1, 2], "psi": 1e999}',
        b'{"y": [1, 2], "psi": NaN}',
        b'{"y": [1, 2], "psi": 01}',
        b'{"y": [1, 2], "psi": +1}',
        b'{"y": [1, 2], "psi": .5}',
        b'{"y": [1, 2], "psi": 1.}',
        b'{"y": [1, 2], "psi": 1} ',
        b'{"y": [1, 2], "psi": 1}\r',
        b'{"y": [1, 2], "psi": 1} x',
        b'{"y": [1, 2, 3], "psi": 1}',
        b'{"y": [1], "psi": 1}',
        b'{"y": [], "psi": 1}',
        b'{"y": [1, 2], "psi": [1]}',
        b'{"y": [[1], [2]], "psi": 1}',
        b'{"y": [1, 2], "psi": 1, "t": "\xff"}',
        b'{"y": [1, 2], "psi": 1, "t": "\t"}',
        b"\xef\xbb\xbf" + b'{"y": [1, 2], "psi": 1}',
        b'{"y": [1, 2], "psi": 1',
        b'{"y": [1, 2],',
        b'"psi": 1}',
    ]
)
usual = st.builds('{{"y": [{}, {}], "psi": {}}}'.format, numerals, numerals, numerals).map(str.encode)


@settings(max_examples=80, deadline=None)
@given(st.lists(usual, max_size=8), st.lists(st.tuples(st.integers(0, MANY), odd), max_size=3))
def test_both_ways_of_reading_agree_whatever_comes(some, others):
    lines = some + [b'{"y": [1, 2], "psi": 1}'] * MANY
    for at, line in others:
        lines.insert(at, line)
    same(read_block(b"\n".join(lines) + b"\n", SCALAR), find_sets(lines, SCALAR))


def test_a_key_that_comes_twice_would_be_read_in_two_ways():
    import polars as pl

    line = b'{"y": [1, 2], "psi": 1, "psi": 2}\n'
    assert pl.read_ndjson(line, schema={"psi": pl.Float64})["psi"].to_list() == [1.0]
    assert find_sets([line], SCALAR).inputs.tolist() == [2.0]
    assert set_blocks._at_once(line * MANY, MANY, SCALAR) is None
