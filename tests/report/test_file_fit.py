"""Estimates from files are those from arrays; in pieces as from the whole."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.files import samples as files
from vieta.errors import BadFileError
from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.report.file_fit import estimate_files


def estimated(path, method, options=None, *, stream=False, with_path=False, on_bad_set="error"):
    with reader([str(path)], stream=stream, on_bad_set=on_bad_set) as source:
        return estimate_files(source, method, options or {}, with_path=with_path, progress=lambda _: None)


@pytest.fixture
def data(tmp_path):
    sets, psi = files.records(600)
    return sets, psi, files.write(files.long_frame(sets, psi), tmp_path / "a.csv")


@pytest.mark.parametrize("method", ["efficient", "least-squares", "rls", "lms", "averaged"])
def test_a_file_gives_what_its_arrays_give(data, method):
    sets, psi, path = data
    found = estimated(path, method).estimate
    expected = vieta.fit(sets, psi, method=method)
    assert_array_equal(found.theta, expected.theta)
    assert_array_equal(found.cov, expected.cov)
    assert found.warnings == expected.warnings


@pytest.mark.parametrize("method", ["lms", "averaged", "rls", "efficient"])
def test_a_filter_gives_the_same_however_a_file_is_cut(data, monkeypatch, method):
    sets, psi, path = data
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 2000)
    running = vieta.SymmetricFilter(3, method=method).partial_fit(sets, psi)
    for with_path in (False, True):
        outcome = estimated(path, method, stream=True, with_path=with_path)
        assert_array_equal(outcome.estimate.theta, running.estimate().theta)
        assert outcome.estimate.n_sets == len(sets)
    assert outcome.path.index[-1] == len(sets)
    assert outcome.path.theta.shape[1:] == (3, 1)


@pytest.mark.parametrize("make", [files.long_vectors, files.wide_vectors])
def test_least_squares_in_pieces_is_least_squares(tmp_path, monkeypatch, make):
    sets, psi = files.vectors(400)
    path = files.write(make(sets, psi), tmp_path / "a.csv")
    monkeypatch.setattr("vieta.files.text_pieces.SIZE", 5000)
    found = estimated(path, "least-squares", stream=True).estimate
    expected = vieta.fit(sets, psi, method="least-squares")
    assert_allclose(found.theta, expected.theta, rtol=1e-9)
    assert_allclose(found.cov, expected.cov, rtol=1e-6, atol=1e-15)
    assert found.n_sets == expected.n_sets
    assert found.transform == expected.transform


def test_dropped_sets_are_counted_once_though_files_are_read_twice(tmp_path):
    sets, psi = files.records(300)
    sets[[7, 200], 1] = np.nan
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    for stream in (False, True):
        outcome = estimated(path, "least-squares", stream=stream, on_bad_set="drop")
        assert outcome.dropped.total() == 2
        assert outcome.estimate.n_sets == 298


def test_options_reach_the_method(data):
    sets, psi, path = data
    assert_array_equal(
        estimated(path, "efficient", {"robust": True}).estimate.theta, vieta.fit(sets, psi, robust=True).theta
    )
    remembering = vieta.SymmetricFilter(3, memory=300).partial_fit(sets, psi).estimate()
    for stream in (False, True):
        assert_array_equal(
            estimated(path, "efficient", {"memory": 300}, stream=stream).estimate.theta, remembering.theta
        )


@pytest.mark.parametrize("stream", [False, True])
def test_options_of_another_method_are_refused(data, stream):
    with pytest.raises(ValueError, match=r"step= belongs to 'lms' .*; method 'efficient' takes"):
        estimated(data[2], "efficient", {"step": 0.1}, stream=stream)
    with pytest.raises(ValueError, match="method 'least-squares' has no options; memory came"):
        estimated(data[2], "least-squares", {"memory": 10}, stream=stream)


def test_methods_that_need_all_sets_are_not_read_in_pieces(data):
    with pytest.raises(
        ValueError, match=r"method 'em' needs all sets at once. To read files in pieces, use one of: effi"
    ):
        estimated(data[2], "em", stream=True)


@pytest.mark.parametrize("method", ["least-squares", "rls", "efficient"])
def test_the_path_ends_at_the_last_set(data, method):
    path = estimated(data[2], method, with_path=True).path
    assert path.index[0] <= 10
    assert path.index[-1] == 600
    assert np.isfinite(path.theta).all()
    assert_allclose(path.theta[-1], estimated(data[2], method).estimate.theta, atol=0.02)


@pytest.mark.parametrize("stream", [False, True])
def test_a_path_begins_before_its_filter_does(data, stream):
    path = estimated(data[2], "efficient", stream=stream, with_path=True).path
    early = path.index < path.began
    assert path.began >= 128
    assert path.index[0] <= 10
    assert early.sum() >= 10
    assert (np.diff(path.index) > 0).all()
    sets, psi, _ = data
    n = int(path.index[early][-1])
    assert_array_equal(path.theta[early][-1], vieta.fit(sets[:n], psi[:n]).theta)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("method", ["least-squares", "rls"])
def test_no_usable_set_is_an_error(tmp_path, stream, method):
    path = tmp_path / "a.csv"
    path.write_text("set,y\n1,1\n1,NA\n2,3\n2,x\n3,\n3,1\n")
    message = "no usable set is left: 3 left out for a reading that is missing or not a finite number. Check set="
    with pytest.raises(BadFileError, match=message):
        estimated(path, method, stream=stream, on_bad_set="drop")


def test_wishes_reach_the_reader(tmp_path):
    sets, psi = files.records(300)
    frame = files.wide_frame(sets, psi).rename({"psi": "dose"})
    path = files.write(frame, tmp_path / "a.parquet")
    with reader([str(path)], Wishes(input=("dose",))) as source:
        outcome = estimate_files(source, "least-squares", {}, with_path=False, progress=lambda _: None)
    assert_array_equal(outcome.estimate.theta, vieta.fit(sets, psi, method="least-squares").theta)
