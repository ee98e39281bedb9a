"""Arrays of dask: the same answers as in memory, whoever works; and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.engines.chunks import REASON, RECORDS, asking, chunked
from vieta.engines.dask_arrays import is_dask
from vieta.errors import InputError

da = pytest.importorskip("dask.array", reason=REASON)
pytest.importorskip("distributed", reason=REASON)

pytestmark = pytest.mark.filterwarnings("ignore")  # of dask, on whatever machine it meets

CHUNKS = [(1200,), (500, 500, 200), (1, 399, 0, 800)]
METHODS = ["efficient", "least-squares", "em", "one-step", "rls"]


def test_arrays_of_dask_are_known_without_importing_it():
    assert is_dask(da.zeros((2, 2)))
    assert not any(map(is_dask, (np.zeros(2), [1.0], None, 3)))


@pytest.mark.parametrize(
    ("method", "sizes"), [*(("efficient", sizes) for sizes in CHUNKS[:2]), *((name, CHUNKS[2]) for name in METHODS)]
)
def test_an_estimate_is_that_in_memory_however_sets_are_cut(client, method, sizes):
    found = vieta.fit(chunked(RECORDS.sets, sizes), chunked(RECORDS.inputs, sizes), method=method)
    expected = vieta.fit(RECORDS.sets, RECORDS.inputs, method=method)
    assert_allclose(found.theta, expected.theta, rtol=1e-9)
    assert_allclose(found.cov, expected.cov, rtol=1e-7, atol=1e-9 * abs(expected.cov).max())
    assert [one.code for one in found.findings] == [one.code for one in expected.findings]
    assert (found.n_sets, found.method) == (1200, method)


def test_incomplete_sets_and_answers_too(client):
    rng = np.random.default_rng(0)
    sets = np.where(rng.random(RECORDS.sets.shape) < 0.1, np.nan, RECORDS.sets)
    found, expected = (vieta.fit(one, RECORDS.inputs) for one in (chunked(sets, (500, 500, 200)), sets))
    assert found.method == expected.method == "adaptive"
    assert_allclose(found.theta, expected.theta, rtol=1e-8)
    psi = rng.standard_normal((600, 1))
    answers = (rng.random((600, 2)) < 1 / (1 + np.exp(-(psi * np.array([-2.0, 2.0]))))).astype(float)
    offset = 0.1 * rng.standard_normal(600)
    found, expected = (
        vieta.fit(one, psi, family="binary", offset=offset)
        for one in (da.from_array(answers, chunks=(250, 2)), answers)
    )
    assert_allclose(found.theta, expected.theta, rtol=1e-7)


def test_an_audit_is_that_in_memory(client):
    arrays = chunked(RECORDS.sets, (500, 500, 200)), chunked(RECORDS.inputs, (500, 500, 200))
    found, expected = (
        vieta.anonymity.audit(*one, added=[0.0, 1.0], draws=200) for one in (arrays, (RECORDS.sets, RECORDS.inputs))
    )
    assert_allclose(found.now.reidentification, expected.now.reidentification, atol=1e-6)
    assert_allclose(found.order, expected.order, atol=1e-6)
    assert [one.code for one in found.findings] == [one.code for one in expected.findings]


def test_vectors_and_no_inputs_and_a_known_number(client):
    planar = np.random.default_rng(0).standard_normal((600, 2, 2))
    planar = planar * 0.2 + np.array([[0.0, 0.0], [3.0, 1.0]])
    assert_allclose(
        vieta.fit(da.from_array(planar, chunks=(250, 2, 2))).theta, vieta.fit(planar).theta, rtol=1e-9, atol=1e-12
    )
    shifted = RECORDS.sets + np.arange(1200.0)[:, None] / 1200
    found = vieta.fit(
        chunked(shifted, (500, 500, 200)), RECORDS.inputs, offset=np.arange(1200.0) / 1200, method="least-squares"
    )
    assert_allclose(found.theta, vieta.fit(RECORDS.sets, RECORDS.inputs, method="least-squares").theta, rtol=1e-9)


def test_who_works_changes_no_bit(client):
    sizes = (300, 500, 400)
    arrays = chunked(RECORDS.sets, sizes), chunked(RECORDS.inputs, sizes)
    two = vieta.fit(*arrays)
    with asking(None):
        one = vieta.fit(*arrays)
    assert_array_equal(one.theta, two.theta)
    assert_array_equal(one.cov, two.cov)


def test_a_set_that_is_refused_is_named_by_its_number_among_all(client):
    bad = RECORDS.sets.copy()
    bad[777, 1] = np.inf
    with pytest.raises(InputError, match="777"):
        vieta.fit(chunked(bad, (500, 500, 200)), RECORDS.inputs)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: (da.zeros((100, 4), chunks=(50, 2)), None), "chunks-across-sets"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4)), da.zeros((100, 2), chunks=(50, 1))), "chunks-across-sets"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4))[da.arange(100, chunks=50) > 3], None), "chunks-unknown"),
        (lambda: (da.zeros((100, 4), chunks=(50, 4)), np.zeros(99)), "chunks-count"),
        (lambda: (da.zeros((100, 4, 2), chunks=(50, 4, 2)), np.zeros((100, 3, 2))), "inputs-shape"),
        (lambda: (da.zeros(100, chunks=50), None), "sets-shape"),
        (lambda: (da.zeros((100, 4), chunks=50, dtype=complex), None), "complex-numbers"),
    ],
)
def test_chunks_and_shapes_that_cannot_be_used_are_refused(make, code):
    with pytest.raises(InputError) as error:
        vieta.fit(*make())
    assert error.value.code == code
    assert "{" not in str(error.value).replace(": -1})", "").replace("rechunk({", "")


def test_another_number_of_systems_is_refused():
    with pytest.raises(InputError, match="n_systems=4"):
        vieta.fit(chunked(RECORDS.sets, (1200,)), RECORDS.inputs, n_systems=4)
