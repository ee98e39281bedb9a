"""Example 4 with few trials."""

import numpy as np

from tests.paper.data import verdicts
from vieta.paper import example4
from vieta.paper.verdicts import NOT_REPRODUCED, WRONG_EXPLANATION


def test_example_4():
    trials = 6
    report = example4.run(0, trials=trials)
    assert verdicts(report)[1:] == [NOT_REPRODUCED, WRONG_EXPLANATION]
    error = example4.relative_error(report.values["robust"], report.values["truth"])
    assert error < 7.5e-4 * np.sqrt(100 / trials)  # an average of fewer trials scatters more
    assert example4.relative_error(report.values["columns"], report.values["truth"]) > 0.01
    assert (np.diff(report.values["naive"], axis=0) > 0.0).all()
