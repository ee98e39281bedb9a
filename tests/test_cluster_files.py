"""Files that workers read themselves: the same answers as here, and errors that name the file and the row."""

import json
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.files import samples as files
from vieta.cli.commands import vieta as command
from vieta.cluster_files import passes_of_files
from vieta.engines import dask_clients
from vieta.errors import BadFileError, InputError
from vieta.file_fit import fitted, placed
from vieta.files.layout import Wishes
from vieta.files.reader import reader

REASON = "the extra `cluster` (dask[distributed]) is not installed"
pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, on whatever machine it meets
SETS, PSI = files.records(600)
CUTS = [0, 250, 251, 600]


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason=REASON)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def written(folder, ending, *, spoil=None):
    """Three files of 250, 1 and 349 sets."""
    paths = []
    for i, (a, b) in enumerate(pairwise(CUTS)):
        frame = files.long_frame(SETS[a:b], PSI[a:b])
        paths.append(files.write(frame if spoil is None else spoil(i, frame), folder / f"{i}.{ending}"))
    return [str(path) for path in paths]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_an_estimate_is_that_of_files_read_here(client, tmp_path, ending):
    paths, seen, told = written(tmp_path, ending), [], []
    with reader(paths) as source:
        here = fitted(source.passes(), None, None, {})
        sizes = dict(source.sizes)
    with reader(paths) as source:
        passes = passes_of_files(source, client, seen.append, told.append, ascending=ending == "csv")
        there = fitted(passes, None, None, {})
        assert dict(source.sizes) == sizes
        assert source.n_sets == 600
        assert sum(seen) == source.size
        assert told.count(0.0) == told.count(1.0) > 1  # whole passes after that
    assert_allclose(there.theta, here.theta, rtol=1e-9)
    assert_allclose(there.stderr, here.stderr, rtol=1e-8)


def test_sets_that_reach_over_the_ends_of_files_are_put_together(client, tmp_path):
    """Four files of 100 rows and a bit, one of them of a single row; then one whose half does not fit."""
    frame = files.long_frame(SETS, PSI)
    cuts = [0, 100, 101, 602, 1200, 1800]
    paths = [str(files.write(frame[a:b], tmp_path / f"{i}.csv")) for i, (a, b) in enumerate(pairwise(cuts))]
    with reader(paths) as source:
        passes = passes_of_files(source, client, lambda _: None)
        assert passes.like.is_complete
        assert_array_equal(passes.head(600).sets[:, :, 0], SETS)
        assert dict(source.sizes) == {3: 600}
        assert_allclose(fitted(passes, None, None, {}).theta, vieta.fit(SETS, PSI).theta, rtol=1e-9)
    files.write(frame[601:1200], tmp_path / "3.csv")
    with reader(paths) as source, pytest.raises(BadFileError, match=r"line 501 of .*2\.csv: set 200 .*3\.csv"):
        passes_of_files(source, client, lambda _: None)


def test_sets_that_are_left_out_are_counted(client, tmp_path):
    def spoil(i, frame):
        return frame[:-1] if i == 2 else frame

    paths = written(tmp_path, "csv", spoil=spoil)
    with reader(paths, on_bad_set="drop") as source:
        passes = passes_of_files(source, client, lambda _: None)
        assert passes.total(lambda block, _: len(block)) == 599
        assert sum(source.dropped.values()) == 1


def test_a_poisoned_file_is_named_with_its_row(client, tmp_path):
    paths = written(tmp_path, "csv")
    lines = Path(paths[2]).read_text().split("\n")
    lines[10] = lines[10].replace(lines[10].split(",")[1], "seven", 1)
    Path(paths[2]).write_text("\n".join(lines))
    with reader(paths) as source, pytest.raises(BadFileError, match=r"line 11 of .*2\.csv"):
        passes_of_files(source, client, lambda _: None)


def test_a_set_that_a_method_refuses_is_named_by_its_place(client, tmp_path):
    paths = written(tmp_path, "csv", spoil=lambda i, frame: frame[:-1] if i == 2 else frame)
    with reader(paths) as source:
        passes = passes_of_files(source, client, lambda _: None)
        with pytest.raises(InputError, match=r"2\.csv"), placed(source):
            fitted(passes, None, "efficient", {})


def test_files_with_other_columns_are_refused(client, tmp_path):
    def spoil(i, frame):
        return frame.rename({"psi": "phi"}) if i == 1 else frame

    paths = written(tmp_path, "parquet", spoil=spoil)
    with pytest.raises(BadFileError, match=r"1\.parquet has no column 'psi'"), reader(paths):
        pass


def test_inputs_that_count_sets_over_all_files_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y1,y2\n" + "\n".join(f"{a},{b}" for a, b in SETS[:50, :2]))
    with (
        reader([str(path)], Wishes(layout="wide", trend=True)) as source,
        pytest.raises(BadFileError, match="order of the sets"),
    ):
        passes_of_files(source, None, lambda _: None)


def test_the_command_takes_patterns_and_workers(client, tmp_path, monkeypatch):
    written(tmp_path, "parquet")

    @contextmanager
    def ours(_):
        yield client

    monkeypatch.setattr(dask_clients, "local_cluster", ours)
    here, there = (_run(tmp_path / "*.parquet", "--json", *words) for words in ((), ("--workers", 2)))
    assert there.exit_code == 0, there.output
    assert_allclose(json.loads(there.stdout)["theta"], json.loads(here.stdout)["theta"], rtol=1e-9)
    assert_allclose(json.loads(_run(tmp_path / "*.parquet", "--json", "--cluster", "local").stdout)["theta"],
                    json.loads(here.stdout)["theta"], rtol=1e-9)  # fmt: skip


def _run(*words):
    return CliRunner().invoke(command, ["fit", *map(str, words)])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "2", "--cluster", "tcp://there:8786"), "--workers are processes on this machine"),
        (("--workers", "2", "--threads", "2"), "--threads share the work in this process"),
        (("--workers", "0"), "--workers"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(tmp_path, words, said):
    path = files.write(files.long_frame(SETS[:50], PSI[:50]), tmp_path / "a.csv")
    result = _run(path, *words)
    assert result.exit_code == 2
    assert said in result.output


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    path = files.write(files.long_frame(SETS[:50], PSI[:50]), tmp_path / "a.csv")
    result = _run(path, "--workers", "2")
    assert result.exit_code == 2
    assert "pip install 'vieta[cluster]'" in " ".join(result.output.split())
    assert np.isfinite(vieta.fit(SETS[:50], PSI[:50]).theta).all()
