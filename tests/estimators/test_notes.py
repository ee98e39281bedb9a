"""What a filter keeps beside its estimate: a caller's notes, and when the parameters changed."""

import numpy as np
import pytest

import vieta
from tests.coefficients.cases import CASES
from tests.test_contract import make

CASE = CASES[1]


@pytest.mark.parametrize("n", [0, 300])
def test_notes_are_kept_with_the_filter(n, tmp_path):
    stream = make(CASE, "rls")
    if n:
        stream.partial_fit(*CASE.draw(n))
    stream.notes = {"lines": 12, "who": ["Ψ", None, 1.5]}
    stream.save(tmp_path / "filter")
    assert vieta.SymmetricFilter.load(tmp_path / "filter").notes == stream.notes


def test_there_are_no_notes_unless_given(tmp_path):
    make(CASE, "rls").save(tmp_path / "filter")
    assert vieta.SymmetricFilter.load(tmp_path / "filter").notes == {}


@pytest.mark.parametrize("method", ["efficient", "recursive-em", "rls"])
def test_changes_are_told_by_the_filters_that_look_for_them(method):
    rng = np.random.default_rng(0)
    psi = rng.standard_normal(3000)
    theta = np.where(np.arange(3000)[:, None] < 1500, [1.0, 2.0], [1.0, 3.0])
    sets = psi[:, None] * theta + 0.1 * rng.standard_normal((3000, 2))
    f = vieta.SymmetricFilter(2, method=method)
    assert f.changes == ()
    f.partial_fit(sets, psi)
    if method == "rls":
        assert f.changes == ()
    else:
        (after,) = f.changes
        assert abs(after - 1500) < 20
