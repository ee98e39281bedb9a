"""From sets to a chosen model."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import draw
from vieta.adaptive.adaptive_fit import fit, what_is_free
from vieta.adaptive.set_survey import survey
from vieta.errors import IncompleteSetsError
from vieta.matching import match_rows


@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_as_good_as_with_labels_where_noise_is_small(seed):
    drawn = draw(600, seed, sd=0.1, rate=2.0)
    found = fit(drawn.passes())
    order = match_rows(found.chosen.model.theta, drawn.theta)
    errors = np.sqrt(np.diag(found.errors.cov)).reshape(3, 1)[order]
    assert_allclose(found.chosen.model.theta[order], drawn.labeled, atol=2.0 * errors.max())


def test_blocks_give_the_same():
    drawn = draw(300, 3)
    whole, cut = (fit(drawn.passes(blocks)) for blocks in (1, 4))
    assert_allclose(cut.chosen.model.theta, whole.chosen.model.theta, rtol=1e-7)
    assert_allclose(cut.errors.cov, whole.errors.cov, rtol=1e-5)


def test_sizes_decide_what_is_free_unless_it_is_said():
    both, missed, whole = (
        survey(draw(200, 0, seen=p, rate=r).passes()) for p, r in ((0.7, 1.0), (0.7, 0.0), (1.0, 0.0))
    )
    assert what_is_free(both, 3, None, None).counts(3) == (1, 1, 1)
    assert what_is_free(missed, 3, None, None).counts(3) == (1, 1, 0)
    assert what_is_free(whole, 3, None, None).counts(3) == (1, 0, 0)
    assert what_is_free(whole, 3, True, True).counts(3) == (1, 1, 1)
    for known, decided, code in ((missed, (False, None), "misses-needed"), (both, (None, False), "clutter-needed")):
        with pytest.raises(IncompleteSetsError) as caught:
            what_is_free(known, 3, *decided)
        assert caught.value.code == code
