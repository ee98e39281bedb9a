"""CSV: its header, its cells, and the two ways to read them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from vieta.errors import BadFileError
from vieta.files.csv_format import Csv
from vieta.files.formats import sniff
from vieta.files.reader import reader
from vieta.files.rows import Wanted

LINES = b"set,y,psi\n1,2.0,3.0\n"
WANTED = Wanted(("y", "psi"), "set", "number")


def sniffed(tmp_path, content, delimiter=None):
    path = tmp_path / "file"
    path.write_bytes(content)
    return sniff(path, "file", delimiter)


def refused(tmp_path, content):
    with pytest.raises(BadFileError) as error:
        sniffed(tmp_path, content)
    return error.value


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiters_are_recognised(tmp_path, delimiter):
    source = sniffed(tmp_path, LINES.replace(b",", delimiter.encode()))
    assert (source.kind, source.delimiter, source.names) == ("csv", delimiter, ("set", "y", "psi"))


def test_a_delimiter_that_is_given_is_taken(tmp_path):
    assert sniffed(tmp_path, b"a:b,c\n1:2\n", ":").names == ("a", "b,c")


def test_names_keep_their_letters_and_lose_their_spaces(tmp_path):
    assert sniffed(tmp_path, 'ψ, "größe, cm" ,\n1,2,3\n'.encode()).names == ("ψ", '"größe', 'cm"', "column 4")
    assert sniffed(tmp_path, 'ψ,"größe, cm",\n1,2,3\n'.encode()).names == ("ψ", "größe, cm", "column 3")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"1,2,3\n4,5,6\n", "numbers-for-header"),
        (b"t,y,y\n1,2,3\n", "column-twice"),
        (b"\xe4,y\n1,2\n", "header-not-utf8"),
        (b"\nset,y\n1,2\n", "blank-header"),
    ],
)
def test_what_is_no_header_is_refused(tmp_path, content, code):
    error = refused(tmp_path, content)
    assert (error.code, error.facts["file"]) == (code, "file")
    if code == "column-twice":
        assert (error.facts["column"], error.facts["places"]) == ("y", "2, 3")


def test_the_first_rows_are_numbers_text_and_missing_cells(tmp_path):
    source = sniffed(tmp_path, b"set,y,name\n1,2.5,a\n\n2,NA,\n3\n")
    assert source.first_rows() == {"set": [1, 2, 3], "y": [2.5, None, None], "name": ["a", None, None]}


@pytest.mark.parametrize("content", [b"hello", b"set,y\n", b"set,y\n\n\n"])
def test_a_file_without_rows(tmp_path, content):
    source = sniffed(tmp_path, content)
    assert not any(source.first_rows().values())
    error = source.describe_empty()
    assert error.code == "csv-without-rows"
    assert error.facts["text"] == content.decode().split("\n")[0]


cells = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr), st.sampled_from(["", "NA", "3", " 4 ", "1e5", "-", "x"])
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), cells, cells), min_size=1, max_size=8))
def test_polars_and_the_cells_give_the_same_rows(tmp_path_factory, rows):
    """What polars reads, it reads as the careful way does; the rest it leaves to it."""
    path = tmp_path_factory.mktemp("csv") / "file"
    path.write_text("set,y,psi\n" + "".join(f"{k},{y},{psi}\n" for k, y, psi in rows))
    source = sniff(path, "file")
    (found,) = source.rows(WANTED, strict=False, progress=lambda _: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Csv, "_fast", lambda *_: None)
        (careful,) = source.rows(WANTED, strict=False, progress=lambda _: None)
    assert_array_equal(found.numbers(("set", "y", "psi"), None), careful.numbers(("set", "y", "psi"), None))
    assert_array_equal(found.lines, np.arange(2, len(rows) + 2))


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"2,1,2,3\n", "too-many-cells"), (b"2,abc,3\n", "not-a-number"), (b'2,"1,5",3\n', "not-a-number")],
)
def test_a_wrong_line_is_refused_with_its_number_or_nan(tmp_path, line, code):
    source = sniffed(tmp_path, LINES + line)
    with pytest.raises(BadFileError) as error:
        list(source.rows(WANTED, strict=True, progress=lambda _: None))
    assert (error.value.code, error.value.facts["line"]) == (code, 3)
    (rows,) = source.rows(WANTED, strict=False, progress=lambda _: None)
    assert np.isnan(rows.numbers(("y",), None)).ravel().tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "line", "count"),
    [
        ('set,y,note\n1,1,\n1,2,\n2,3,\n2,4,\n"', 6, 1),
        ('set,y,note\n1,1,\n1,2,\n2,3,\n2,4,\n3,5,"cut\n3,6,\n4,7,\n4,8,\n', 6, 4),
        ('set,y,note\n1,1,5" pipe\n1,2,\n2,3,\n2,4,\n3,5,"cut\n3,6,\n', 6, 2),
    ],
)
def test_a_quote_that_is_not_closed_is_refused_or_counted(tmp_path, capfd, text, line, count):
    """Polars ends in a panic on it, with a line on standard error."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    with reader([str(path)]) as source, pytest.raises(BadFileError) as error:
        source.all()
    assert error.value.code == "quote-not-closed"
    assert (
        f"line {line} of {path} opens a quote that is not closed: from there to the end of the file, {count} line"
        in str(error.value)
    )
    with reader([str(path)], on_bad_set="drop") as source:
        assert source.all().data.sets[:, :, 0].tolist() == [[1.0, 2.0], [3.0, 4.0]]
        assert source.dropped["quote-not-closed"] == count
    assert capfd.readouterr().err == ""
