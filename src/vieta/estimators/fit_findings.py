"""Findings in plain words: what a user should know before trusting an estimate, and what to do about it."""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.laws.noise import Scaled
from vieta.likelihood.contrast import Contrast

SURE = 4.5  # z-values beyond which a test speaks up
SURE_OF_LAW = 0.01  # p-value below which a noise law counts as contradicted
SAME = 1e-8  # of their size: parameters that differ by less are not told apart without noise either


def of_few_sets(unknowns: int, n_sets: int) -> tuple[str, ...]:
    """Too few sets for large-number reasoning."""
    if n_sets >= max(5 * unknowns, 20):
        return ()
    return (
        f"Very few sets: {n_sets} for {unknowns} parameters. Standard errors rest on large numbers of sets; do not rely on "
        "them here.",
    )


def of_unknown_noise(n_sets: int, reading_dim: int, dim: int) -> tuple[str, ...]:
    """No number left over once the sum of the readings has been fitted: nothing tells how large the noise is."""
    if n_sets * reading_dim > dim:
        return ()
    return (
        f"Very few sets: {n_sets} can be fitted exactly, whatever the noise is. Nothing tells how large it is, so standard "
        "errors and intervals are not known.",
    )


def of_close_pairs(theta: Floats, cov: Floats) -> tuple[str, ...]:
    """Neighbours whose difference is within three of its standard errors, or of rounding, in every direction."""
    L, D = theta.shape
    blocks = cov.reshape(L, D, L, D)
    rounding = np.diag((SAME * abs(theta).max(axis=0)) ** 2 + 1e-300) + 1e-12 * np.trace(cov) * np.eye(D)
    found = []
    for i in range(L):
        for j in range(i + 1, L):
            spread = blocks[i, :, i] + blocks[j, :, j] - blocks[i, :, j] - blocks[j, :, i] + rounding
            gap = theta[i] - theta[j]
            if np.isfinite(spread).all() and gap @ np.linalg.solve(spread, gap) < 9.0 * D:
                found.append(f"{i + 1} and {j + 1}")
    if not found:
        return ()
    return (
        f"Systems {'; '.join(found)} lie within the error of their difference: they may be one value twice. Intervals "
        "assume well separated systems and are too optimistic there.",
    )


def of_unsafe_start(safe: bool, collecting: bool) -> tuple[str, ...]:
    """A filter that had to start without being sure, or that is in doubt now."""
    unsafe = (
        "The filter had to start although the first sets did not separate the systems clearly: it may have settled on "
        "wrong values. Check with vieta.fit on stored sets, or give larger inputs."
    )
    doubt = "The latest sets contradict the estimate; whether the parameters have changed is being checked."
    return (*(() if safe else (unsafe,)), *((doubt,) if collecting else ()))


def of_law(contrast: Contrast, law: Scaled) -> tuple[str, ...]:
    """A noise law that the symmetric estimate, which needs none, contradicts."""
    if contrast.p_value > SURE_OF_LAW:
        return ()
    sd = np.sqrt(np.trace(np.atleast_2d(law.variance)) / len(np.atleast_2d(law.variance)))
    return (
        f"The data contradict the assumed noise ({type(law).__name__}, sd {sd:.3g}): the estimate that needs no noise law "
        f"lies farther away than chance allows (p = {contrast.p_value:.1g}). Likelihood methods are biased when the law or "
        "the variance is wrong: use method 'efficient', or another law=, or leave out noise_var=.",
    )


def of_size(law: Scaled, noise: Floats, n_sets: int) -> tuple[str, ...]:
    """A noise variance that was given, against the one (p, p) that the readings' sums show, whatever the law."""
    given = np.atleast_2d(law.variance)
    given = given if given.shape == noise.shape else given[0, 0] * np.eye(len(noise))
    ratio = float(np.trace(np.linalg.solve(given, noise)) / len(noise))
    if abs(np.log(max(ratio, 1e-300))) < max(np.log(1.5), SURE * np.sqrt(3.0 / n_sets)):
        return ()
    return (
        f"The noise is not of the size that was given: its variance is about {ratio:.3g} times noise_var=, by the sums of the "
        "readings. Standard errors and estimates rest on it: leave out noise_var= to have it estimated.",
    )


def of_prior(contrast: Contrast) -> tuple[str, ...]:
    """A prior over the orders, where the likelihood is contradicted that rests on it as well as on the law."""
    if contrast.p_value > SURE_OF_LAW:
        return ()
    return (
        "The prior over the orders may be what is wrong: without prior= the estimate rests on the noise law alone, and the "
        "order within a set carries no meaning.",
    )


def of_iterations(iterations: int, converged: bool, halted: bool) -> tuple[str, ...]:
    """EM that was stopped on its way, after as many iterations as it may take, or where it could not go on."""
    if converged:
        return ()
    if halted:
        return (
            f"EM came to a halt after {iterations} iterations where the likelihood still has a slope: the noise law has an edge "
            "or a kink that it cannot pass. Do not rely on this estimate; use method 'efficient', or a law that fades away.",
        )
    return (
        f"EM had not settled after {iterations} iterations: the likelihood was still rising, as it does slowly where systems "
        "nearly coincide. Use method 'one-step', or more sets.",
    )


def of_transient(left: float, step: float, elapsed: int) -> tuple[str, ...]:
    """What a recursion with a constant step has left of its start."""
    if left < 0.01:
        return ()
    return (
        f"The filter has not forgotten its start: with step {step:.3g} about {left:.0%} of the first error is left after "
        f"{elapsed:,} sets. Let it run longer, or take a larger step.",
    )


def of_mixed_changes(changes: Integers) -> tuple[str, ...]:
    """Changes that a recursion without forgetting has averaged over."""
    if not len(changes):
        return ()
    return (
        f"The parameters changed, last after set {int(changes[-1]):,}, and all sets are remembered alike: the estimate mixes "
        "before and after. Give step=, or use method 'efficient', which follows changes.",
    )
