"""All kinds are those of the subjects, and none stands in two of them."""

import vieta.findings.kinds as all_kinds
from vieta.findings import KINDS


def test_no_code_stands_in_two_subjects():
    subjects = [value for name, value in vars(all_kinds).items() if name.endswith("_KINDS")]
    assert len(subjects) > 5
    assert sum(map(len, subjects)) == len(KINDS)
