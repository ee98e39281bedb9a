"""Example 1, as `vieta reproduce` runs it."""

import numpy as np
import pytest

from tests.paper.data import verdicts
from vieta.paper import example1
from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION

TRUTH_1 = np.array([[-2.0], [5.0], [8.0]])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_example_1(seed):
    report = example1.run(seed)
    assert verdicts(report) == [
        REPRODUCED,
        REPRODUCED,
        WRONG_EXPLANATION,
        REPRODUCED,
        NOT_REPRODUCED,
        REPRODUCED,
    ]
    assert abs(report.values["lms"] - TRUTH_1).max() < 0.005
    assert abs(np.sort(report.values["direct"].ravel()) - [-2.026, 6.123, 6.450]).max() < 0.02
    assert abs(report.values["other"] - TRUTH_1).max() > 0.02  # from [3, 6, 9]: not yet converged
    saddle = report.rows[2].why
    assert "SADDLE" in saddle
    assert "eigenvalues -0.19" in saddle


def test_example_1_is_not_reproduced_by_too_few_sets():
    assert verdicts(example1.run(0, n=20_000))[0] == NOT_REPRODUCED
