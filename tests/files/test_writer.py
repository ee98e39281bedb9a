"""Simulated sets as files: what is written is what is read, and nothing in it names a system."""

import gzip
import io
import json

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from vieta.files.layout import Wishes
from vieta.files.reader import reader
from vieta.files.writer import (
    as_lines,
    encoded_sets,
    encoded_table,
    encoded_truth,
    long_table,
    truth,
    truth_table,
    wide_table,
)
from vieta.laws import clutter, detection
from vieta.laws.inputs import Gaussian, Matrices
from vieta.laws.motion import Jump
from vieta.scenarios import simulate

PLAIN = simulate([[3.0], [1.0], [2.0]], n=20, inputs=Gaussian(), seed=1)
VECTORS = simulate([[3.0, 0.0, 1.0], [1.0, 5.0, 2.0]], n=20, inputs=Matrices(2), seed=2)
WITHOUT = simulate([3.0, 1.0], n=20, seed=3)


@pytest.mark.parametrize("records", [PLAIN, VECTORS, WITHOUT], ids=["scalars", "vectors", "no inputs"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.parquet", "a.csv.gz", "a.TSV.gz", "a.ndjson", "a.ndjson.gz"])
@pytest.mark.parametrize("layout", ["long", "wide"])
def test_what_is_written_is_read_to_the_last_bit(tmp_path, records, name, layout):
    (tmp_path / name).write_bytes(encoded_sets(records, name, layout))
    with reader([str(tmp_path / name)]) as source:
        data = source.all().data
    assert_array_equal(data.sets.reshape(records.sets.shape), records.sets)
    if records.inputs is not None:
        assert_array_equal(data.inputs.reshape(records.inputs.shape), records.inputs)


@pytest.mark.parametrize("table", [long_table, wide_table])
def test_tables_have_no_labels(table):
    columns = set(table(PLAIN).columns)
    assert columns == ({"set", "y", "psi"} if table is long_table else {"set", "y1", "y2", "y3", "psi"})


def test_lines_are_one_object_a_set():
    lines = as_lines(PLAIN).decode().splitlines()
    assert [json.loads(line)["y"] for line in lines] == PLAIN.sets.tolist()
    assert all(set(json.loads(line)) == {"y", "psi"} for line in lines)
    assert all(set(json.loads(line)) == {"y"} for line in as_lines(WITHOUT).decode().splitlines())


def test_the_truth_numbers_systems_in_canonical_order():
    found = truth(PLAIN)
    assert found["theta"] == [[1.0], [2.0], [3.0]]
    labels = np.array(found["labels"]) - 1
    assert_array_equal(np.array(found["theta"])[labels, 0], PLAIN.theta[PLAIN.labels, 0])
    table = truth_table(PLAIN)
    assert_array_equal(table["system"].to_numpy().reshape(20, 3), labels + 1)
    assert_array_equal(table["theta1"].to_numpy().reshape(20, 3), PLAIN.theta[PLAIN.labels, 0])


def test_the_truth_of_parameters_that_move_has_the_last_ones():
    moved = simulate([1.0, 2.0], n=20, motion=Jump(at=10, to=[9.0, 4.0]))
    assert truth(moved)["theta_last"] == [[9.0], [4.0]]
    assert truth_table(moved)["theta1"].to_list()[-2:] in ([9.0, 4.0], [4.0, 9.0])
    assert "theta_last" not in truth(PLAIN)


def test_zipped_files_are_the_same_for_the_same_sets():
    first, second = (encoded_truth(PLAIN, "t.json.gz") for _ in range(2))
    assert first == second
    assert json.loads(gzip.decompress(first))["n"] == 20
    assert pl.read_csv(io.BytesIO(encoded_truth(PLAIN, "t.csv"))).columns == ["set", "system", "theta1"]


def incomplete(n=40, seed=0):
    return simulate(
        [0, 10, 20],
        n=n,
        seed=seed,
        inputs=Gaussian(3.0),
        detection=detection.Independent(0.3),
        clutter=clutter.Uniform(0.3),
    )


@pytest.mark.parametrize("seed", range(2))
def test_incomplete_sets_are_written_without_padding(seed):
    records = incomplete(seed=seed)
    assert (records.sizes == 0).any()
    lines = [json.loads(line) for line in as_lines(records).decode().splitlines()]
    assert [len(one["y"]) for one in lines] == records.sizes.tolist()
    assert [one["psi"] for one in lines] == records.inputs.tolist()
    for one, row, size in zip(lines, records.sets, records.sizes):
        assert one["y"] == row[:size].tolist()
    long = long_table(records)
    counts = long.group_by("set", maintain_order=True).agg(n=pl.col("y").count(), psi=pl.col("psi").first())
    assert counts["n"].to_list() == records.sizes.tolist()  # a set without readings has a row, and no value
    assert counts["psi"].to_list() == records.inputs.tolist()
    wide = wide_table(records)
    assert len(wide) == 40
    values = wide.select(pl.col("^y.*$"))
    assert values.null_count().sum_horizontal()[0] == records.sets.size - records.sizes.sum()


def test_the_truth_of_incomplete_sets_names_false_readings_by_zero():
    records = incomplete()
    told = truth(records)["labels"]
    assert [len(row) for row in told] == records.sizes.tolist()
    assert sum(row.count(0) for row in told) == (records.labels == -1).sum() > 0
    table = truth_table(records)
    assert table["system"].to_list() == [one for row in told for one in row]
    assert (table.filter(pl.col("system") == 0)["theta1"].null_count()) == (records.labels == -1).sum()
    assert set(table.filter(pl.col("system") == 3)["theta1"]) == {20.0}


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.parquet", "a.ndjson"])
@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("theta", [[0, 10, 20], [[0, 1], [10, 2], [20, 3]]], ids=["numbers", "vectors"])
def test_incomplete_sets_are_read_as_they_were_written(tmp_path, name, layout, stream, theta):
    law = {"detection": detection.Independent(0.5), "clutter": clutter.Uniform(0.4)}
    records = simulate(theta, n=60, seed=1, inputs=Gaussian(3.0), **law)
    (tmp_path / name).write_bytes(encoded_sets(records, name, layout))
    with reader([str(tmp_path / name)], Wishes(systems=3), stream=stream) as source:
        data = source.all().data
    assert_array_equal(data.sizes, records.sizes)
    assert_array_equal(data.readings.ravel(), records.sets[records.labels != -2].ravel())
    assert_array_equal(data.inputs, records.inputs)
    assert data.n_systems == 3


@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.parquet", "a.ndjson"])
def test_a_table_in_every_format(name):
    frame = pl.DataFrame({"set": [1, 2], "y": [0.5, 1.5]})
    content = encoded_table(frame, name)
    content = gzip.decompress(content) if name.endswith("gz") else content
    how = {
        "csv": pl.read_csv,
        "tsv": lambda f: pl.read_csv(f, separator="\t"),
        "parquet": pl.read_parquet,
        "ndjson": pl.read_ndjson,
    }
    assert how[name.split(".")[1]](io.BytesIO(content)).equals(frame)
