import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from tests.adaptive.cases import draw
from vieta.adaptive.set_survey import Survey, survey


def test_it_counts_sizes_and_finds_the_range():
    drawn = draw(60, 0)
    sizes = np.array([len(one) for one in drawn.sets])
    for blocks in (1, 5):
        found = survey(drawn.passes(blocks))
        assert_array_equal(found.sizes, np.bincount(sizes))
        assert (found.n_sets, found.n_readings) == (60, sizes.sum())
        assert_allclose(found.mean_size, sizes.mean())
        assert (found.below(3), found.above(3)) == ((sizes < 3).sum(), (sizes > 3).sum())
        every = np.concatenate(drawn.sets)
        assert_allclose([found.low[0], found.high[0], found.extent], [every.min(), every.max(), np.ptp(every)])
        assert_allclose(found.gram, [[drawn.inputs @ drawn.inputs]])


def test_sets_without_readings_add_nothing_to_the_range():
    data = draw(60, 0).data
    some = Survey.of(data)
    both = some + Survey.of(data.part(0, 0))
    assert_allclose(both.low, some.low)
    assert both.above(100) == 0
