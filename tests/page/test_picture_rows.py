import json

import numpy as np

from vieta.page.picture_rows import listed


def test_columns_are_json_whatever_they_hold():
    column = np.array([1.0, -np.inf, np.nan, 1e300, 0.1 + 0.2])
    assert json.loads(json.dumps(listed(column), allow_nan=False)) == [1.0, None, None, 1e300, 0.3]
