"""Turning single signs: each row ends where no turn helps, and the best row is the one that is told."""

import numpy as np
import pytest

from vieta.search.sign_turns import turn_signs


def random_form(n, seed):
    rng = np.random.default_rng(seed)
    rows, half = rng.standard_normal((n, 3)), rng.standard_normal(n)
    form = (np.eye(n) - rows @ np.linalg.pinv(rows)) * np.outer(half, half)
    return 0.5 * (form + form.T)


def one_by_one(form, signs):
    """The same in plain steps."""
    signs = signs.copy()
    while True:
        turned = np.where(np.eye(len(signs), dtype=bool), -signs, signs)
        values = ((turned @ form) * turned).sum(axis=1)
        if values.min() >= signs @ form @ signs - 1e-11 * abs(form).max():
            return signs
        signs = turned[values.argmin()]


@pytest.mark.parametrize("n", [5, 14, 40])
@pytest.mark.parametrize("seed", range(3))
def test_each_row_ends_where_plain_steps_end(n, seed):
    form, rng = random_form(n, seed), np.random.default_rng(seed)
    starts = rng.choice([-1.0, 1.0], (20, n))
    signs = starts.copy()
    best = turn_signs(form, signs)
    ends = np.array([one_by_one(form, one) for one in starts])
    assert np.array_equal(signs, ends)
    values = ((ends @ form) * ends).sum(axis=1)
    assert values[best] == pytest.approx(values.min(), rel=1e-9, abs=1e-12)
