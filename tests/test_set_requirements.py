"""What methods ask of sets, and the errors of sets that do not have it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from tests.coefficients.cases import checked
from vieta.errors import IncompleteSetsError
from vieta.set_requirements import as_incomplete, has_absent, require_complete, require_finite
from vieta.sets import as_data, in_canonical_order

RAGGED = [[1.0, 2.0, 3.0], [4.0, 5.0], [], [6.0, 7.0, 8.0]]


def test_methods_that_need_complete_sets_say_so_in_one_place():
    require_complete(as_data(np.ones((4, 3)), None), "any")
    with pytest.raises(IncompleteSetsError) as caught:
        require_complete(as_data(RAGGED, None), "some-method")
    assert caught.value.facts == {"index": 1, "given": 2, "needed": 3, "count": 2, "n_sets": 4, "method": "some-method"}


@checked
@given(
    sets=hnp.arrays(np.float64, (3, 2), elements=st.sampled_from([0.0, 1.0, np.nan, np.inf, -np.inf])),
    inputs=hnp.arrays(np.float64, (3,), elements=st.sampled_from([0.0, 1.0, np.nan, np.inf])),
)
def test_only_finite_numbers_pass(sets, inputs):
    data = as_data(sets, inputs)
    if np.isfinite(sets).all() and np.isfinite(inputs).all():
        require_finite(data)
        return
    with pytest.raises(
        ValueError, match=r"(sets\[\d\]|inputs\[\d\]).*(missing|infinite).*(drop|repair|by chance)"
    ) as caught:
        require_finite(data)
    if not np.isfinite(sets).all():
        bad = np.argwhere(~np.isfinite(sets))[0]
        assert f"sets[{bad[0]}]" in str(caught.value)
        assert f"member {bad[1]}" in str(caught.value)


def test_gaps_are_readings_that_were_missed():
    gaps = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [6.0, 5.0, 4.0]])
    assert has_absent(as_data(gaps, None))
    assert not has_absent(as_data(gaps[2:], None))
    found = as_incomplete(as_data(gaps, None))
    assert_array_equal(found.sizes, [2, 0, 3])
    assert found.n_systems == 3
    assert_array_equal(in_canonical_order(found).readings.ravel(), [1.0, 3.0, 4.0, 5.0, 6.0])
    assert as_incomplete(as_data(gaps, None), 2).n_systems == 2
    whole = as_data(gaps[2:], None)
    assert as_incomplete(whole) is whole
    assert not as_incomplete(whole, 2).is_complete
    with pytest.raises(IncompleteSetsError, match="number of systems is not known"):
        as_incomplete(as_data(RAGGED, None))
    assert as_incomplete(as_data(RAGGED, None), counted=True).size == 0


@pytest.mark.parametrize(
    ("sizes", "size"),
    [
        ([50, 50, 49, 49, 49, 49, 49, 48, 47, 47, 46, 45], 50),  # chicks, some of which are lost
        ([3] * 50 + [2] * 50, 3),
        ([2, 3], 3),
    ],
)
def test_sets_of_another_size_than_the_largest_common_one_are_named(sizes, size):
    with pytest.raises(IncompleteSetsError) as error:
        require_complete(as_data([[1.0] * n for n in sizes], None), "some")
    assert error.value.facts["needed"] == size
    assert "drop" not in str(error.value)
