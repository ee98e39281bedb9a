"""Tables that are read when they are asked for: the same answers as from frames, in pieces."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.files import samples as files
from vieta import frame_fit
from vieta.files import lazy_source as lazy
from vieta.files.frame_source import source_of

SETS, PSI = files.records(400)
FRAME = files.long_frame(SETS, PSI)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(lazy, "ROWS", 100)


def written(folder):
    """Two partitions, as hive writes them."""
    for i, (a, b) in enumerate(((0, 150), (150, 400))):
        place = folder / f"part={i}"
        place.mkdir()
        files.long_frame(SETS[a:b], PSI[a:b]).with_columns(pl.col("set") + a).write_parquet(place / "a.parquet")
    return folder


def test_a_lazy_frame_is_read_in_pieces_to_the_same_estimate(small, tmp_path, monkeypatch):
    FRAME.write_parquet(tmp_path / "a.parquet")
    table, sizes = pl.scan_parquet(tmp_path / "a.parquet"), []
    pieces = lazy.LazySource.pieces

    def counted(self, *given):
        for one in pieces(self, *given):
            sizes.append(len(one))
            yield one

    monkeypatch.setattr(lazy.LazySource, "pieces", counted)
    found, expected = vieta.fit_frame(table), vieta.fit_frame(FRAME)
    assert_allclose(found.theta, expected.theta, rtol=1e-9)
    assert found.frame_kind == "polars"
    assert found.n_sets == 400
    assert max(sizes) <= 200
    assert len(sizes) > 12
    some = vieta.fit_frame(table.filter(pl.col("set") < FRAME["set"][300]))
    assert some.n_sets == 100


def test_rows_that_are_not_sorted_are_collected(small):
    found = vieta.fit_frame(files.shuffled(FRAME).lazy())
    assert_allclose(found.theta, vieta.fit_frame(FRAME).theta, rtol=1e-9)


def test_the_systems_of_sets_of_different_sizes_are_counted_as_in_memory(small, monkeypatch):
    rng, asked = np.random.default_rng(0), []

    def fitted(passes, systems, *_):
        asked.append((systems, passes.total(lambda block, _: len(block))))
        return vieta.fit(SETS, PSI, method="least-squares")

    monkeypatch.setattr(frame_fit, "fitted", fitted)
    some = FRAME.filter(pl.Series(rng.random(len(FRAME)) > 0.1))
    for one in (some, some.lazy()):
        vieta.fit_frame(one)
    assert asked[0] == asked[1]
    assert asked[0][0] == frame_fit.AUTO


def test_a_dataset_of_pyarrow_with_partitions_and_a_filter(small, tmp_path):
    ds = pytest.importorskip("pyarrow.dataset", reason="pyarrow is not installed")
    table = ds.dataset(written(tmp_path), partitioning="hive")
    assert lazy.is_dataset(table)
    found = vieta.fit_frame(table, set="set", value="y", inputs="psi")
    assert_allclose(found.theta, vieta.fit_frame(FRAME).theta, rtol=1e-9)
    later = vieta.fit_frame(table.filter(ds.field("part") == 1), set="set", value="y", inputs="psi")
    assert later.n_sets == 250


def test_what_is_lazy():
    assert lazy.is_lazy(FRAME.lazy())
    assert not lazy.is_lazy(FRAME)
    assert not lazy.is_dataset([1.0])
    assert len(lazy.collected(FRAME.lazy())) == len(FRAME)
    assert len(source_of(FRAME.lazy()).frame) == len(FRAME)


def test_a_table_without_rows_is_refused():
    with pytest.raises(vieta.VietaError, match="no rows"):
        vieta.fit_frame(FRAME.head(0).lazy())
