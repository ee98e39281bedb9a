"""Findings about a likelihood estimate and its assumptions. Their words are in `vieta.findings`.

`instead` is always the name of the method that a user may take instead.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.findings import Finding, finding
from vieta.laws.noise import Scaled
from vieta.likelihood.contrast import Contrast

CONTRADICTED = 0.01  # p-value below which a noise law counts as contradicted
SURE = 4.5  # standard errors of the logarithm of a variance
FACTOR = 1.5  # between a variance that was given and that of the sums, below which nothing is reported
FORGOTTEN = 0.01  # part of the first error


def of_law(contrast: Contrast, law: Scaled, instead: str) -> tuple[Finding, ...]:
    """A noise law that the symmetric estimate, which needs none, contradicts."""
    if contrast.p_value > CONTRADICTED:
        return ()
    variance = np.atleast_2d(law.variance)
    sd = float(np.sqrt(np.trace(variance) / len(variance)))
    name = type(law).__name__
    return (finding("law-contradicted", law=name, sd=sd, p_value=contrast.p_value, instead=instead),)


def of_prior(contrast: Contrast) -> tuple[Finding, ...]:
    """A prior over the orders, where the likelihood is contradicted that rests on it as well as on the law."""
    return () if contrast.p_value > CONTRADICTED else (finding("prior-doubtful"),)


def of_size(law: Scaled, noise: Floats, n_sets: int) -> tuple[Finding, ...]:
    r"""A noise variance that was given, against that of the readings' sums (p, p), whatever the law.

    The logarithm of the ratio has a standard error of about :math:`\sqrt{3/N}`.
    """
    given = np.atleast_2d(law.variance)
    given = given if given.shape == noise.shape else given[0, 0] * np.eye(len(noise))
    ratio = float(np.trace(np.linalg.solve(given, noise)) / len(noise))
    if abs(np.log(max(ratio, 1e-300))) < max(np.log(FACTOR), SURE * np.sqrt(3.0 / n_sets)):
        return ()
    return (finding("noise-size", ratio=ratio),)


def of_iterations(
    iterations: int, converged: bool, halted: bool, *, law_free: str, one_step: str
) -> tuple[Finding, ...]:
    """EM that used up its iterations, or stopped where it could not go on."""
    if converged:
        return ()
    if halted:
        return (finding("em-halted", iterations=iterations, instead=law_free),)
    return (finding("em-not-converged", iterations=iterations, instead=one_step),)


def of_transient(left: float, step: float, elapsed: int) -> tuple[Finding, ...]:
    """A recursion with a constant step that has not forgotten its start: the part of the first error that is left."""
    if left < FORGOTTEN:
        return ()
    return (finding("start-not-forgotten", step=step, left=left, where="", n_sets=elapsed),)


def of_averaged_changes(changes: Integers, instead: str) -> tuple[Finding, ...]:
    """Changes that a recursion without forgetting has averaged over; after how many sets each (c,)."""
    if not len(changes):
        return ()
    return (finding("change-averaged", after=int(changes[-1]), instead=instead),)


def of_start(safe: bool) -> tuple[Finding, ...]:
    """A filter that had to start although its first sets did not separate the systems."""
    return () if safe else (finding("unsafe-start"),)
