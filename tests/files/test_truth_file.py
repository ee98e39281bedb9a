"""True parameters from files: every form in which they are written is read, and nothing else."""

import gzip
import tracemalloc

import pytest
from numpy.testing import assert_array_equal

from vieta.errors import BadFileError
from vieta.files.truth_file import read_truth
from vieta.files.writer import encoded_truth
from vieta.laws.motion import Constant, Jump
from vieta.scenarios import simulate


def test_parameters_that_moved_are_compared_at_the_end(tmp_path):
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(b'{"theta": [[1], [2]], "theta_last": [[3], [4]]}'))
    found = read_truth(tmp_path / "t.json.gz")
    assert_array_equal(found.theta, [[3.0], [4.0]])
    assert found.moved


@pytest.mark.parametrize("name", ["t.json", "t.json.gz", "t.csv", "t.csv.gz"])
@pytest.mark.parametrize("motion", [Constant(), Jump(at=10, to=[[1.0, 2.0], [7.0, 8.0]])], ids=["still", "moved"])
def test_the_truth_is_read_in_every_form_in_which_it_is_written(tmp_path, name, motion):
    records = simulate([[9.0, 1.0], [4.0, 2.0]], n=20, motion=motion)
    (tmp_path / name).write_bytes(encoded_truth(records, name))
    found, moved = read_truth(tmp_path / name), isinstance(motion, Jump)
    assert found.moved == moved
    assert found.file == str(tmp_path / name)
    assert_array_equal(found.theta, [[7.0, 8.0], [1.0, 2.0]] if moved else [[4.0, 2.0], [9.0, 1.0]])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1, 2]",
        "{}",
        "system,x\n1,2\n",
        "system,theta1\n1,a\n",
        "theta1\n2\n",
        '{"theta": 3}',
        '{"theta": [["a"]]}',
        '{"theta": [[1], [2, 3]]}',
        "3",
    ],
)
def test_files_that_hold_no_truth_are_refused(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(BadFileError) as refused:
        read_truth(tmp_path / "t.json")
    assert refused.value.code == "no-truth"
    assert refused.value.facts["file"] == str(tmp_path / "t.json")


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_far_too_long_is_not_read_to_its_end(tmp_path, monkeypatch, packed):
    monkeypatch.setattr("vieta.files.truth_file.LARGEST", 1 << 20)
    content = bytes(20 << 20)
    (tmp_path / "t.json").write_bytes(gzip.compress(content, 1) if packed else content)
    tracemalloc.start()
    try:
        with pytest.raises(BadFileError, match="holds more than 1 MB, unpacked") as refused:
            read_truth(tmp_path / "t.json")
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert refused.value.code == "too-long"


def test_a_device_that_never_ends_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("vieta.files.truth_file.LARGEST", 1 << 20)
    (tmp_path / "t.json").symlink_to("/dev/zero")
    with pytest.raises(BadFileError, match="holds more than 1 MB"):
        read_truth(tmp_path / "t.json")
