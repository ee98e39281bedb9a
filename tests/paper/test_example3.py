"""Example 3 on half of its sets, and the map that the paper prints."""

import numpy as np
import pytest

from tests.paper.data import verdicts
from vieta.paper import example3
from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION
from vieta.symmetric import convolution


@pytest.mark.parametrize("seed", [0, 1])
def test_example_3(seed):
    report = example3.run(seed, n=500_000)
    assert verdicts(report) == [REPRODUCED, NOT_REPRODUCED, WRONG_EXPLANATION]
    assert abs(report.values["lms"] - report.values["truth"]).max() < 0.03
    assert abs(report.values["printed"] - [[-2.403, 5.118], [4.403, 5.882]]).max() < 0.05
    assert "15%" in report.rows[1].why


def test_the_printed_map_is_the_right_one_with_rows_and_columns_exchanged():
    psi = np.random.default_rng(0).normal(size=(5, 2, 2))
    for degree in (1, 2, 3):
        right = convolution(3, 2).gains(np.swapaxes(psi, 1, 2))[degree - 1]
        assert np.allclose(example3.printed_gains(psi, degree), np.swapaxes(right, 1, 2))
