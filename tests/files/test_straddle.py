"""Sets that reach from one file into the next: one set where the halves meet, refused where they do not, two where names begin anew."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from tests.files import samples as files
from vieta.errors import BadFileError
from vieta.files import straddle
from vieta.files.assemble import Edge, Names
from vieta.files.layout import Wishes
from vieta.files.reader import reader

SETS, PSI = files.records(40)
FRAME = files.long_frame(SETS, PSI)


def cut(folder, frame, rows, ending="csv"):
    """The frame in files that end before these rows."""
    bounds = [0, *rows, frame.height]
    paths = [folder / f"{i}.{ending}" for i in range(len(bounds) - 1)]
    return [str(files.write(frame[a:b], path)) for path, a, b in zip(paths, bounds[:-1], bounds[1:], strict=True)]


def read(paths, wishes=None, **options):
    with reader(paths, wishes or Wishes(), **options) as source:
        return source.all(), source


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("rows", [(59,), (58,), (60,), (59, 80), (58, 59), (1, 2, 3, 100), (31, 32, 34)])
def test_however_files_are_cut_the_sets_are_those_of_one_file(tmp_path, rows, stream):
    found, source = read(cut(tmp_path, FRAME, rows), Wishes(systems=3), stream=stream)
    assert found.data.is_complete
    assert_array_equal(found.data.sets[:, :, 0], SETS)
    assert_array_equal(found.data.inputs, PSI)
    assert source.n_sets == 40
    assert source.sizes == Counter({3: 40})
    assert_array_equal(source.picked(np.array([19, 20, 39])).data.sets[:, :, 0], SETS[[19, 20, 39]])


def test_places_behind_a_joint_are_those_in_the_file(tmp_path):
    paths = cut(tmp_path, FRAME, (59,))
    with reader(paths) as source:
        assert source.place(19).startswith("line 59 of")
        assert source.place(20).startswith("line 3 of")
        assert source.place(20).endswith("1.csv: set 20")


def test_names_that_are_text_too(tmp_path):
    frame = FRAME.with_columns(pl.format("day {}", pl.col("set")).alias("set"))
    found, _ = read(cut(tmp_path, frame, (59,)))
    assert_array_equal(found.data.sets[:, :, 0], SETS)


def test_files_whose_names_begin_anew_are_of_different_sets(tmp_path):
    """Every file holds one set, and its name is always the same."""
    paths = [files.write(files.long_frame(SETS[i : i + 1], PSI[i : i + 1]), tmp_path / f"{i}.csv") for i in range(4)]
    found, _ = read(map(str, paths), Wishes(set="set", value=("y",), input=("psi",), systems=3))
    assert_array_equal(found.data.sets[:, :, 0], SETS[:4])


def test_incomplete_sets_at_a_joint_are_put_together(tmp_path):
    frame = FRAME.filter(pl.int_range(pl.len()).is_in([4, 57]).not_())  # sets 1 and 19 lack a reading
    found, source = read(cut(tmp_path, frame, (57,)), Wishes(systems=3), any_size=True)
    assert_array_equal(found.data.sizes, np.where(np.isin(np.arange(40), [1, 19]), 2, 3))
    assert source.sizes == Counter({3: 38, 2: 2})


def doubled(frame):
    """Two and three readings of one name."""
    return pl.concat([frame[:59], frame[57:]])


def changed(frame):
    """Another input from row 59 on."""
    return frame.with_columns(pl.col("psi") + (pl.int_range(pl.len()) >= 59).cast(float))


@pytest.mark.parametrize(("spoil", "code"), [(doubled, "straddling-set"), (changed, "straddling-inputs")])
def test_halves_that_do_not_fit_are_refused_with_their_place(tmp_path, spoil, code):
    with pytest.raises(BadFileError, match=r"line 59 of .*0\.csv: set 19") as error:
        read(cut(tmp_path, spoil(FRAME), (59,)))
    assert error.value.code == code
    assert "1.csv" in str(error.value)


def test_an_input_that_counts_sets_is_refused_at_a_joint(tmp_path):
    frame = FRAME.select(pl.format("day {}", pl.col("set")).alias("set"), "y")
    with pytest.raises(BadFileError) as error:
        read(cut(tmp_path, frame, (59,)), Wishes(set="set", value=("y",), trend=True, systems=3))
    assert error.value.code == "straddling-counted"


def test_halves_that_are_not_adjacent_are_refused_and_chance_is_not(tmp_path):
    wishes = Wishes(set="set", value=("y",), input=("psi",), systems=3)
    apart = pl.concat([FRAME[:30], FRAME[31:], FRAME[30:31]])  # set 10 lacks a reading, which is in the last file
    with pytest.raises(BadFileError, match="do not follow each other") as error:
        read(cut(tmp_path, apart, (60,)), wishes, any_size=True)
    assert error.value.code == "scattered-sets"
    some = FRAME.filter(pl.Series(np.random.default_rng(0).random(120) > 0.3))
    paths = [str(files.write(some, tmp_path / f"again{i}.csv")) for i in range(2)]  # names begin anew
    found, _ = read(paths, wishes, any_size=True)
    assert len(found.data) == 2 * some["set"].n_unique()


def test_where_bad_sets_are_left_out_halves_are_counted_as_such(tmp_path):
    found, source = read(cut(tmp_path, FRAME, (59,)), on_bad_set="drop")
    assert len(found.data) == 39
    assert sum(source.dropped.values()) == 2


def test_the_usual_size():
    assert straddle.usual_size(Counter({2: 5, 3: 6, 9: 1})) == 3
    assert straddle.usual_size(Counter({10**9: 1})) == 10**9
    assert straddle.usual_size(Counter({2: 5}), 4) == 4


def test_the_sample_of_names_is_bounded():
    sample = straddle.Sample()
    for file in range(5):
        hashes = np.random.default_rng(file).integers(0, 2**63, 2 * straddle.KEPT).astype(np.uint64)
        sample.add(file, Names("a", hashes, np.full(len(hashes), 2)), 3, None)
    assert len(sample.kept) <= 2 * straddle.KEPT


def test_two_edges():
    one = Edge("a", 1, "line 2 of x", np.ones((2, 1)), np.ones(1))
    assert straddle.is_one_set(one, one._replace(readings=np.ones((1, 1))), 3)
    assert not straddle.is_one_set(one, one._replace(name="b"), 3)
    assert len(straddle.longer(one, one).readings) == 4
