"""Sets from blocks of lines: both ways of reading agree to the last bit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta.live import set_blocks
from vieta.live.set_blocks import MANY, read_block
from vieta.live.set_lines import Form, find_sets

SCALAR, ROWS, VECTORS = Form(2, 1, ()), Form(2, 1, (1, 3)), Form(2, 2, (2, 3))


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
def test_many_lines_are_read_fast_with_the_same_bits(form):
    lines = list(lines_of(form, MANY))
    text = b"\n".join(lines) + b"\n"
    assert set_blocks._fast(text, MANY, form) is not None
    same(read_block(text, form), find_sets(lines, form))
    same(read_block(text[:-1], form), find_sets(lines, form))


def test_many_lines_without_input_are_read_fast():
    text = b"\n".join(lines_of(SCALAR, MANY, bare=True)) + b"\n"
    found = set_blocks._fast(text, MANY, SCALAR)
    assert_array_equal(found.inputs, np.ones(MANY))


@pytest.mark.parametrize("shape", [(), (1, 2)])
def test_many_lines_of_any_size_are_read_fast_with_the_same_sets(shape):
    rng = np.random.default_rng(1)
    form = Form(3, 1, shape, any_size=True)
    lines = [
        json.dumps({"y": rng.normal(size=rng.integers(0, 5)).tolist(), "psi": rng.normal(size=shape[1:]).tolist()})
        for _ in range(MANY)
    ]
    text = "\n".join(lines).encode()
    fast, slow = set_blocks._fast(text, MANY, form), find_sets(text.split(b"\n"), form)
    assert {len(one) for one in fast.sets} == set(range(5))
    for a, b in zip(fast.sets, slow.sets, strict=True):
        assert_array_equal(a, b, strict=True)
    assert_array_equal(fast.inputs, slow.inputs)
    odd = text.replace(b"[]", b"[null]")
    assert set_blocks._fast(odd, MANY, form) is None
    assert [len(one) for one in read_block(odd, form).sets] == [len(one) for one in slow.sets]


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
    assert set_blocks._fast(line * MANY, MANY, SCALAR) is None
