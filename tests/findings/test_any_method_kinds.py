"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings import finding
from vieta.findings.any_method_kinds import ANY_METHOD_KINDS

FACTS = {
    "few-sets": {"n_sets": 3, "unknowns": 6},
    "few-sets-for-coefficients": {"n_sets": 3, "unknowns": 6},
    "noise-unknown": {"n_sets": 1},
    "errors-unknown": {"n_sets": 6, "numbers": 14},
    "systems-coincide": {"pairs": "1 and 2", "others": 3},
    "complex-pair": {"systems": "1, 2"},
    "agents-complex": {"agents": 3, "of": 20},
    "covariance-not-computed": {"coefficients": 500, "most": 400},
    "covariance-singular": {},
}


def test_every_kind_passes_the_battery():
    check_kinds(ANY_METHOD_KINDS, FACTS)


def test_pairs_beyond_the_first_are_counted():
    assert "and 3 more pairs lie" in str(finding("systems-coincide", pairs="1 and 2", others=3))
