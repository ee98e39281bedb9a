"""Every kind here has a sentence for both audiences, a severity, and facts that JSON can hold."""

from tests.findings.battery import check_kinds
from vieta.findings.installation_kinds import INSTALLATION_KINDS

FACTS = {
    "kernels-temporary": {"path": "/tmp/vieta-1000", "variable": "NUMBA_CACHE_DIR"},
    "kernels-not-kept": {"variable": "NUMBA_CACHE_DIR"},
    "kernels-not-compiled": {"missing": 3, "known": 30},
    "packages-missing": {"packages": "polars", "requirement": "vieta[app]"},
    "no-temporary-folder": {},
    "narrow-encoding": {"encoding": "ascii"},
}


def test_every_kind_passes_the_battery():
    check_kinds(INSTALLATION_KINDS, FACTS)
