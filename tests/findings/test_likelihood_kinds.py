"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings.likelihood_kinds import LIKELIHOOD_KINDS

FACTS = {
    "law-contradicted": {"law": "Gaussian", "sd": 1.0, "p_value": 1e-5, "instead": "efficient"},
    "noise-size": {"ratio": 20.0},
    "prior-doubtful": {},
    "em-not-converged": {"iterations": 500, "instead": "one-step"},
    "em-halted": {"iterations": 12, "instead": "efficient"},
}


def test_every_kind_passes_the_battery():
    check_kinds(LIKELIHOOD_KINDS, FACTS)
