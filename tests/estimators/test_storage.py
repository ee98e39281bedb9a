"""Filters on disk: the same bits back, whole files or none, and no pickle."""

import json
import os
import zipfile

import numpy as np
import pytest

import vieta
from tests.coefficients.cases import CASES, some_cases
from tests.fuzz.state_files import members_of, packed, parsed
from tests.test_contract import (
    assert_same_estimate,
    assert_unchanged,
    every_case_and_filter,
    every_filter,
    make,
    snapshot,
)
from vieta.errors import BadFileError, InputError
from vieta.estimators import storage
from vieta.estimators.archive import opened
from vieta.laws.noise import StudentT
from vieta.method import registry

FILTERS = [name for name, one in registry.every().items() if one.has_engine]

CASE = CASES[1]
OPTIONS = {
    "efficient": {"memory": 200.0, "drift": [1e-6], "robust": True},
    "adaptive": {"memory": 200.0, "drift": [1e-6], "misses": True, "clutter": "auto"},
    "rls": {"memory": 100.0, "regularization": 0.1, "start": [-1.0, 0.0, 1.0]},
    "lms": {"step": [1e-3, 1e-3, 1e-4], "start": [-1.0, 0.0, 1.0]},
    "averaged": {"step": 1e-3},
    "recursive-em": {"law": StudentT(0.02, df=4), "step": 1e-4, "start": [-1.0, 0.0, 1.0]},
}


def resumed(stream, path):
    stream.save(path)
    return vieta.SymmetricFilter.load(path)


def assert_same_parameters(one, other):
    for name, value in other.get_params().items():
        found = one.get_params()[name]
        assert found == value or np.array_equal(found, value), name


@every_case_and_filter
def test_resumes_with_the_same_bits(case, method, tmp_path):
    sets, psi = case.draw(400)
    whole = make(case, method).partial_fit(sets, psi)
    expected = whole.estimate()
    for cut in (100, 256, 300):
        first, rest = slice(cut), slice(cut, 400)
        stream = make(case, method).partial_fit(sets[first], None if psi is None else psi[first])
        again = resumed(stream, tmp_path / f"filter-{cut}")
        assert_unchanged(again, snapshot(stream))
        again.partial_fit(sets[rest], None if psi is None else psi[rest])
        assert_unchanged(again, snapshot(whole))
    assert_same_estimate(again.estimate(), expected)  # of the same state


@some_cases
@every_filter
def test_resumes_before_any_data(case, method, tmp_path):
    sets, psi = case.draw(300)
    again = resumed(make(case, method), tmp_path / "filter")
    assert again.n_sets == 0
    assert_unchanged(again.partial_fit(sets, psi), snapshot(make(case, method).partial_fit(sets, psi)))


@every_filter
def test_options_come_back(method, tmp_path):
    stream = make(CASE, method, **OPTIONS[method])
    again = resumed(stream, tmp_path / "filter")
    assert_same_parameters(again, stream)
    sets, psi = CASE.draw(300)
    assert_unchanged(again.partial_fit(sets, psi), snapshot(stream.partial_fit(sets, psi)))
    later = resumed(stream, tmp_path / "filter")
    assert_same_parameters(later, stream)
    assert_same_estimate(later.estimate(), stream.estimate())


def test_path_may_be_text_and_needs_no_suffix(tmp_path):
    stream = make(CASE, "rls").partial_fit(*CASE.draw(20))
    stream.save(str(tmp_path / "filter.state"))
    assert os.listdir(tmp_path) == ["filter.state"]
    assert vieta.SymmetricFilter.load(str(tmp_path / "filter.state")).n_sets == 20


@pytest.mark.parametrize("name", ["numpy.savez", "os.fsync", "os.replace"])
@pytest.mark.parametrize("exists", [True, False])
def test_failure_leaves_no_trace(name, exists, tmp_path, monkeypatch):
    target = tmp_path / "filter"
    stream = make(CASE, "rls")
    if exists:
        stream.save(target)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    stream.partial_fit(*CASE.draw(20))

    def fail(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(name, fail)
    with pytest.raises(OSError, match="the disk is full"):
        stream.save(target)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_no_such_directory(tmp_path):
    with pytest.raises(FileNotFoundError):
        make(CASE, "rls").save(tmp_path / "nowhere" / "filter")


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        vieta.SymmetricFilter.load(tmp_path / "filter")


@every_filter
def test_any_damaged_byte_is_noticed_or_harmless(method, tmp_path):
    path = tmp_path / "filter"
    stream = make(CASE, method).partial_fit(*CASE.draw(300))
    stream.save(path)
    content = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for at in rng.integers(len(content), size=60):
        damaged = content.copy()
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        try:
            loaded = vieta.SymmetricFilter.load(path)
        except ValueError:
            continue
        assert_unchanged(loaded, snapshot(stream))
    for size in (0, 1, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="is damaged, or not a filter that vieta saved"):
            vieta.SymmetricFilter.load(path)


def save_header(path, header, **arrays):
    with open(path, "wb") as file:
        np.savez(file, header=np.array(header), **arrays)


def header(**other):
    """A header that is right, but for what is given."""
    right = {
        "n_systems": 2,
        "dim": 1,
        "method": "rls",
        "options": {},
        "shape": [1],
        "state": "least-squares-recursion",
        "notes": {},
    }
    return json.dumps({"format": 2} | right | other)


@pytest.mark.parametrize(
    "header",
    [
        "no json",
        "[]",
        "{}",
        '{"format": 2}',
        header(options={"color": "red"}),
        header(options=[]),
        header(n_systems=0),
        header(n_systems="2"),
        header(dim=None),
        header(method="kalman"),
        header(method=7),
        header(method="least-squares"),
        header(shape=[]),
        header(shape="x"),
        header(shape=["a"]),
        header(state="vieta.coefficients.rls_recursion"),
        header(state="no such kind"),
        header(options={"start": {"law": {"law": "no such law"}, "kind": "noise"}}),
    ],
)
def test_foreign_headers_are_refused(header, tmp_path):
    save_header(tmp_path / "filter", header)
    with pytest.raises(ValueError, match="is damaged, or not a filter that vieta saved"):
        vieta.SymmetricFilter.load(tmp_path / "filter")


def test_other_formats_are_refused(tmp_path):
    """Also the files of 0.1.0, whose format is 1."""
    for given in (1, 99):
        save_header(tmp_path / "filter", json.dumps({"format": given, "options": {}}))
        with pytest.raises(
            InputError, match=rf"has format {given}; this version of vieta reads 2\. Load it with"
        ) as caught:
            vieta.SymmetricFilter.load(tmp_path / "filter")
        assert caught.value.code == "file-format"


@every_filter
def test_files_hold_codes_and_no_path_of_a_module(method, tmp_path):
    path = tmp_path / "filter"
    make(CASE, method, **OPTIONS[method]).partial_fit(*CASE.draw(300)).save(path)
    with np.load(path) as file:
        text = str(file["header"])
    assert json.loads(text)["format"] == storage.FORMAT
    assert "vieta" not in text


@pytest.mark.parametrize("method", FILTERS)
def test_arrays_of_another_shape_are_refused(method, tmp_path):
    path = tmp_path / "filter"
    make(CASE, method).partial_fit(*CASE.draw(300)).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    header = str(arrays.pop("header"))
    for name, array in arrays.items():
        shape = array.shape
        wider = [(*shape[:-1], shape[-1] + 1)] if len(shape) > 1 else []
        for wrong in [(2, 2, 2, 2), *wider]:
            save_header(path, header, **{**arrays, name: np.zeros(wrong)})
            with pytest.raises(ValueError, match=f"{name} has shape"):
                vieta.SymmetricFilter.load(path)


@pytest.mark.parametrize("content", [b"", b"text", b"\x80\x04N.", b"PK\x03\x04"])
def test_foreign_files_are_refused(content, tmp_path):
    (tmp_path / "filter").write_bytes(content)
    with pytest.raises(ValueError, match="is damaged, or not a filter that vieta saved"):
        vieta.SymmetricFilter.load(tmp_path / "filter")


def test_a_numpy_array_is_refused(tmp_path):
    np.save(tmp_path / "array.npy", np.ones(3))
    with pytest.raises(ValueError, match="is damaged, or not a filter that vieta saved"):
        vieta.SymmetricFilter.load(tmp_path / "array.npy")


def test_pickles_are_neither_written_nor_read(tmp_path):
    path = tmp_path / "filter"
    make(CASE, "lms").partial_fit(*CASE.draw(300)).save(path)
    with zipfile.ZipFile(path) as archive:
        assert all(name.endswith(".npy") for name in archive.namelist())
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)
        assert json.loads(str(file["header"]))["format"] == storage.FORMAT
    np.savez(path, header=np.array([{}], dtype=object))
    os.replace(f"{path}.npz", path)
    with pytest.raises(ValueError, match=r"is damaged.*does not hold plain numbers"):
        vieta.SymmetricFilter.load(path)


def test_flatten_names_every_array(tmp_path):
    stream = make(CASE, "rls").partial_fit(*CASE.draw(20))
    names = storage.flatten(stream._state)
    assert {"count", "filter.coefficients", "filter.dispersion.0", "inputs.lanes", "power"} <= names.keys()
    stream.save(tmp_path / "filter")
    blank = make(CASE, "rls").partial_fit(*CASE.draw(1))._state
    with opened(tmp_path / "filter") as archive:
        restored = storage.restored(blank, archive)
    assert type(restored.count) is int
    for name, array in storage.flatten(restored).items():
        np.testing.assert_array_equal(array, names[name])


# --- files that anybody may have altered: `tests/fuzz/state_files.py` makes many more ---------------------------------


def refusal(path):
    with pytest.raises(BadFileError, match="is damaged, or not a filter that vieta saved") as refused:
        vieta.SymmetricFilter.load(path)
    assert refused.value.code == "not-a-filter"
    assert "\n" not in str(refused.value)
    return refused.value.facts["reason"]


def altered(path, method, change, n=300, **options):
    """Save a filter, let `change` alter its header and its arrays, and return why it is refused."""
    make(CASE, method, **options).partial_fit(*CASE.draw(n)).save(path)
    file = parsed(path.read_bytes())
    change(file)
    path.write_bytes(packed(members_of(*file)))
    return refusal(path)


@every_filter
def test_the_whole_shape_of_every_array_is_compared(method, tmp_path):
    path = tmp_path / "filter"
    stream = make(CASE, method).partial_fit(*CASE.draw(300))
    stream.save(path)
    right, fresh = parsed(path.read_bytes()), storage.flatten(stream._engine.blank(stream._engine.code(stream._state)))
    for name, array in right.arrays.items():
        for size in (15_000, len(array) + bool(len(fresh[name]))) if array.ndim else ():
            if size != len(array):
                longer = np.zeros((size, *array.shape[1:]), array.dtype)
                path.write_bytes(packed(members_of(right.header, right.arrays | {name: longer})))
                reason = refusal(path)
                assert f"{name} has shape {longer.shape}" in reason or name == "held_readings"  # which may be that long
        for dtype in (">f8", "<f2", "<i4", "|b1"):
            with np.errstate(over="ignore"):
                other = array.astype(dtype)
            path.write_bytes(packed(members_of(right.header, right.arrays | {name: other})))
            assert f"{name} has shape {array.shape} and dtype {dtype} where" in refusal(path)
    path.write_bytes(packed(members_of(*right)))
    assert vieta.SymmetricFilter.load(path).n_sets == 300  # the file that was altered is right


@every_filter
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_must_be_finite(method, value, tmp_path):
    path = tmp_path / "filter"
    make(CASE, method).partial_fit(*CASE.draw(300)).save(path)
    right = parsed(path.read_bytes())
    for name, array in right.arrays.items():
        if array.dtype.kind == "f" and array.size:
            wrong = array.copy()
            wrong.flat[-1] = value
            path.write_bytes(packed(members_of(right.header, right.arrays | {name: wrong})))
            assert refusal(path) == f"{name} holds numbers that are not finite"


@every_filter
@pytest.mark.parametrize("count", [-1, 299, 2**53 + 1, 2**63 - 1])
def test_counts_must_be_sane(method, count, tmp_path):
    def change(file):
        for name, array in file.arrays.items():
            if not array.ndim and (name == "count" or array == 300):
                file.arrays[name] = np.array(count)
                break

    if not (method == "efficient" and count == 299):  # which it cannot know
        assert altered(tmp_path / "filter", method, change)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"notes": []}, "'notes' in its header is not an object"),
        ({"options": None}, "'options' in its header is not an object"),
        ({"method": 7}, "'method' in its header is not a text"),
        ({"state": None}, "'state' in its header is not a text"),
        ({"dim": 1.0}, "'dim' in its header is not a whole number"),
        ({"n_systems": True}, "'n_systems' in its header is not a whole number"),
        ({"n_systems": -2}, "the sizes in its header are not positive"),
        ({"n_systems": 10**9}, "it is too small for the sizes in its header"),
        ({"n_systems": 10**30}, "it is too small for the sizes in its header"),
        ({"dim": 10**9, "shape": [10**9]}, "it is too small for the sizes in its header"),
        ({"shape": []}, "'shape' in its header does not fit its sizes"),
        ({"shape": [2]}, "'shape' in its header does not fit its sizes"),
        ({"shape": [10**9, 10**9, 1]}, "it is too small for the sizes in its header"),
        ({"shape": [0, 0, 1]}, "'shape' in its header does not fit its sizes"),
        ({"shape": None}, "it holds a state and no shape of its sets"),
        ({"method": "efficient", "state": "", "options": {}}, "which such a filter does not have"),
        ({"options": {"transform": "tensor"}, "dim": 40, "n_systems": 40, "shape": [1, 1, 40]}, "40 numbers a set and 1,600 unknowns"),
        ({"options": {"self": 1}}, "TypeError"),
        ({"options": {"start": {}}}, "KeyError"),
    ],
)  # fmt: skip
def test_headers_that_do_not_fit_are_refused_in_words(change, reason, tmp_path):
    assert reason in altered(tmp_path / "filter", "rls", lambda file: file.header.update(change))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format":' * 50_000, "9" * 5000, "null", '"x"', "\x00"])
def test_headers_that_are_no_object_are_refused_in_words(text, tmp_path):
    (tmp_path / "filter").write_bytes(packed(members_of(text, {})))
    assert refusal(tmp_path / "filter")


def test_members_that_are_missing_or_strange_are_refused(tmp_path):
    path = tmp_path / "filter"
    assert "'power' is missing" in altered(path, "rls", lambda file: file.arrays.pop("power"))
    assert "'extra' is in it" in altered(path, "rls", lambda file: file.arrays.update(extra=np.zeros(3)))


def test_a_pipe_or_a_device_in_the_place_of_a_filter_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(BadFileError, match="a regular file is needed"):
            vieta.SymmetricFilter.load(tmp_path / name)
        with pytest.raises(BadFileError, match="a regular file is needed"):
            make(CASE, "rls").save(tmp_path / name)
    assert not (tmp_path / "pipe").is_file()


def test_a_link_stays_and_leads_to_the_filter(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "filter")
    make(CASE, "rls").save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert os.listdir(tmp_path / "there") == ["filter"]


@pytest.mark.parametrize("method", sorted(name for name, method in registry.every().items() if method.has_engine))
def test_a_filter_that_saw_dark_inputs_can_be_resumed(method, tmp_path):
    """Sets whose input is zero are counted, and nothing else of the state counts them."""
    rng = np.random.default_rng(0)
    psi = np.concatenate([np.zeros(5), rng.normal(size=400), np.zeros(70), rng.normal(size=40)])
    sets = psi[:, None] * [1.0, 4.0] + 0.1 * rng.normal(size=(len(psi), 2))
    options = {"noise_var": 0.01} if method == "recursive-em" else {}
    for n in (3, 60, 470, 480):
        f = vieta.SymmetricFilter(2, method=method, **options).partial_fit(sets[:n], psi[:n])
        f.save(tmp_path / "f.npz")
        again = vieta.SymmetricFilter.load(tmp_path / "f.npz")
        assert again.n_sets == n
        again.partial_fit(sets[n:], psi[n:])
        f.partial_fit(sets[n:], psi[n:])
        np.testing.assert_array_equal(again.estimate().theta, f.estimate().theta)
