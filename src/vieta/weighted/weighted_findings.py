"""Findings about a weighted fit."""

from vieta.findings import Finding
from vieta.sums import Passes
from vieta.weighted import solve


def of_fit(passes: Passes, found: solve.Fit, *, robust: bool) -> tuple[Finding, ...]:
    """What the residuals of a fit show."""
    return ()
