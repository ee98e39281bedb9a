"""Associations of dask arrays: those in memory, chunk by chunk, and nothing before it is asked for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from vieta.errors import InputError
from vieta.estimators.chunked_associations import ChunkedAssociations

da = pytest.importorskip("dask.array", reason="the extra `cluster` (dask[distributed]) is not installed")

RECORDS = vieta.simulate("example-1", n=600, seed=3)
WHOLE = vieta.fit(RECORDS.sets, RECORDS.inputs)
GAPS = np.where(np.random.default_rng(0).random(RECORDS.sets.shape) < 0.2, np.nan, RECORDS.sets)


def chunked(array, sizes):
    return da.from_array(array, chunks=(tuple(sizes), *array.shape[1:]))


def same(found, expected):
    for name in ("systems", "clutter", "missed"):
        assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-9)
    assert_array_equal(found.best, expected.best)
    assert_array_equal(found.offsets, expected.offsets)


@pytest.mark.parametrize("sizes", [(600,), (250, 1, 349), (250, 0, 350)])
@pytest.mark.parametrize("sets", [RECORDS.sets, GAPS], ids=["complete", "gaps"])
def test_they_are_those_in_memory_however_sets_are_cut(sets, sizes):
    found = WHOLE.associations(chunked(sets, sizes), RECORDS.inputs)
    assert isinstance(found, ChunkedAssociations)
    assert len(found) == 600
    used = tuple(n for n in sizes if n)
    assert found.systems.chunks == (used, (3,), (3,))
    assert [one.chunks[0] for one in (found.clutter, found.missed, found.best)] == [used] * 3
    same(found.compute(), WHOLE.associations(sets, RECORDS.inputs))


def test_places_without_a_reading_are_nan_and_belong_to_nobody():
    found = WHOLE.associations(chunked(GAPS, (300, 300)), chunked(RECORDS.inputs, (300, 300)))
    systems, best = found.systems.compute(), found.best.compute()
    assert_array_equal(np.isnan(systems).all(axis=2), np.isnan(GAPS))
    assert (best[np.isnan(GAPS)] == -1).all()
    seen = np.nansum(systems, axis=(1, 2)) + found.missed.compute().sum(axis=1)
    assert_allclose(seen, 3.0, atol=1e-6)  # each system is seen or missed


def test_what_was_learned_of_readings_and_answers_too():
    learned = vieta.fit(GAPS, RECORDS.inputs)
    assert learned.readings is not None
    same(
        learned.associations(chunked(GAPS, (400, 200)), RECORDS.inputs).compute(),
        learned.associations(GAPS, RECORDS.inputs),
    )
    rng = np.random.default_rng(1)
    psi = rng.standard_normal((300, 1))
    answers = (rng.random((300, 2)) < 1 / (1 + np.exp(-psi * [-2.0, 2.0]))).astype(float)
    fitted = vieta.fit(answers, psi, family="binary", offset=0.1 * psi[:, 0])
    same(
        fitted.associations(chunked(answers, (200, 100)), psi, offset=0.1 * psi[:, 0]).compute(),
        fitted.associations(answers, psi, offset=0.1 * psi[:, 0]),
    )


def test_vectors_too():
    planar = np.random.default_rng(0).standard_normal((300, 2, 2)) * 0.4 + np.array([[0.0, 0.0], [1.0, 1.0]])
    found = vieta.fit(planar)
    same(found.associations(chunked(planar, (200, 100))).compute(), found.associations(planar))


def test_nothing_is_computed_before_it_is_asked_for():
    def fail(block):
        raise AssertionError("computed")

    sets = chunked(RECORDS.sets, (300, 300)).map_blocks(fail, dtype=float)
    assert WHOLE.associations(sets, RECORDS.inputs).systems.shape == (600, 3, 3)


def test_other_shapes_are_refused_at_once_and_bad_sets_by_their_number():
    with pytest.raises(InputError) as error:
        WHOLE.associations(chunked(RECORDS.sets, (300, 300)), np.ones((600, 2)))
    assert error.value.code == "associations-shape"
    with pytest.raises(InputError) as error:
        WHOLE.associations(da.zeros((600, 3), chunks=(300, 2)), RECORDS.inputs)
    assert error.value.code == "chunks-across-sets"
    bad = RECORDS.sets.copy()
    bad[450, 1] = np.inf
    learned = vieta.fit(GAPS, RECORDS.inputs)
    with pytest.raises(InputError, match="450"):
        learned.associations(chunked(bad, (300, 300)), RECORDS.inputs).compute()
    with pytest.raises(InputError, match="450"):
        WHOLE.associations(chunked(bad, (300, 300)), RECORDS.inputs).compute()
