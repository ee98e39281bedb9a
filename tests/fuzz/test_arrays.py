"""A small share of the odd arrays; `python -m tests.fuzz arrays --count 20000` tries more."""

import pytest

from tests.fuzz import arrays


@pytest.mark.parametrize("part", range(5))
def test_odd_arrays_end_in_an_answer_or_in_an_error_of_ours(part):
    assert list(arrays.failures(seed=0, start=25 * part, count=25)) == []


def test_what_must_hold_is_looked_at():
    """A warning, an error of another's, and a changed array are failures."""
    import numpy as np

    def changes(rng):
        given = np.ones(3)
        with arrays._unchanged(given):
            given[0] = 2.0

    def warns(rng):
        np.array([1e200]) ** 2

    def raises(rng):
        arrays._ours(lambda: 1 / 0)

    for case, word in ((changes, "was changed"), (warns, "overflow"), (raises, "ZeroDivisionError")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(arrays, "CASES", [case])
            assert word in arrays.one(0, 0)
