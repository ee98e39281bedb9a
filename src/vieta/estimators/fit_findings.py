"""Findings in plain words: what a user should know before trusting an estimate, and what to do about it."""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.sets import Data
from vieta.weighted import diagnostics, solve, tracker

SURE = 4.5  # z-values beyond which a test speaks up
MANY_OUTLIERS = 0.3
TYPICAL = (
    0.17  # median misfit; Gaussian 0.6 to 0.8, Laplace 0.4 to 0.6, Student-3 0.3 to 0.5, a tenth false 0.08 to 0.14
)
WEAK_INPUT = 1e-4
TOLD_APART = 3.0  # standard errors between two systems
RELIABLE = 6.0  # standard errors between two systems from which intervals are what they promise to be
HOPELESS = 1e4  # times as many sets
IDLE = 4.0  # times the noise variance of the other systems
SAME = 1e-8  # of their size: parameters that differ by less are not told apart without noise either


def of_fit(data: Data, found: solve.Fit, *, robust: bool) -> tuple[str, ...]:
    """What a batch fit's residuals tell."""
    always = (*_convergence(found), *_separation(found), *_inputs(data))
    if diagnostics.is_exact(found):
        return always
    return (
        *always,
        *_outliers(found, robust),
        *_change(data, found),
        *_dependence(data, found),
        *_model(found),
    )


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


def of_idle_systems(theta: Floats, cov: Floats, variances: Floats) -> tuple[str, ...]:
    """Systems that do not answer to the input and are far noisier than the rest: false readings look like this."""
    L, D = theta.shape
    blocks = cov.reshape(L, D, L, D)
    words = []
    for l in range(L):
        others = float(np.median(np.delete(variances, l)))
        if variances[l] > IDLE * others and theta[l] @ np.linalg.solve(blocks[l, :, l], theta[l]) < 9.0 * D:
            words.append(
                f"One of the {L} systems does not answer to the input (its parameters are zero within their errors) and is "
                f"{np.sqrt(variances[l] / others):.0f} times as noisy as the others: false readings look like this. If it is "
                f"none, there are {L - 1} systems, and one reading in each set is not of them."
            )
    return tuple(words)


def of_changes(changes: Integers) -> tuple[str, ...]:
    """Changes that a filter saw and followed."""
    if not len(changes):
        return ()
    times = ", ".join(f"{int(k):,}" for k in changes[-5:])
    return (
        f"The parameters changed: after set {times}. The estimate is of the sets since then. If they wander all the time, "
        "give drift= or memory=.",
    )


def of_unsafe_start(safe: bool, collecting: bool) -> tuple[str, ...]:
    """A filter that had to start without being sure, or that is in doubt now."""
    unsafe = (
        "The filter had to start although the first sets did not separate the systems clearly: it may have settled on "
        "wrong values. Check with vieta.fit on stored sets, or give larger inputs."
    )
    doubt = "The latest sets contradict the estimate; whether the parameters have changed is being checked."
    return (*(() if safe else (unsafe,)), *((doubt,) if collecting else ()))


def _convergence(found: solve.Fit) -> tuple[str, ...]:
    if found.converged:
        return ()
    return (
        "The iteration did not settle: the estimate may be far off. Too few sets for this many systems and this much "
        "noise, or systems that coincide, do this.",
    )


def _separation(found: solve.Fit) -> tuple[str, ...]:
    apart = tracker.separation(found.theta, found.cov)
    if apart > RELIABLE:
        return ()
    needed = (8.0 / max(apart, 1e-3)) ** 2
    remedy = (
        f"About {needed:.0f} times as many sets, or larger inputs, would do."
        if needed < HOPELESS
        else "They may be one and the same: estimate fewer systems."
    )
    if apart >= TOLD_APART:
        return (
            f"Too few sets for exact intervals: two systems are only {apart:.1f} standard errors apart. That tells them apart, "
            f"but their intervals count as reliable from {RELIABLE:.0f} on. {remedy}",
        )
    return (
        f"Too few sets for this many systems and this much noise: two systems are only {apart:.1f} standard errors apart, and "
        f"count as told apart from {TOLD_APART:.0f} on. {remedy}",
    )


def _inputs(data: Data) -> tuple[str, ...]:
    weakest = solve.weakest_input(solve.as_matrices(data))
    if weakest > WEAK_INPUT:
        return ()
    return (
        f"The inputs hardly tell all {data.dim} parameters apart: some combination of them moves {1 / max(weakest, 1e-300):.0e} "
        "times less than others. Vary the inputs more evenly, or estimate fewer parameters.",
    )


def _outliers(found: solve.Fit, robust: bool) -> tuple[str, ...]:
    if len(found.squares) < 200:
        return ()
    share, typical = diagnostics.outlier_share(found), float(np.median(found.squares))
    remedy = "Their influence is bounded." if robust else "Use robust=True to bound their influence."
    if share >= MANY_OUTLIERS:
        return (f"A few sets dominate: the most extreme half per cent make up {share:.0%} of the misfit. {remedy}",)
    if typical < TYPICAL:
        return (
            f"Some sets are far noisier than most: a typical one misses the model by {typical:.0%} of the average only. False "
            f"readings in many sets do this. {remedy}",
        )
    return ()


def _change(data: Data, found: solve.Fit) -> tuple[str, ...]:
    change = diagnostics.change_point(data, found)
    if change is None:
        return ()
    return (
        f"The parameters seem to change with time, most clearly after set {change.after:,} of {len(data.sets):,}: the "
        "estimate mixes before and after. Fit the parts on their own, or use SymmetricFilter, which follows changes.",
    )


def _dependence(data: Data, found: solve.Fit) -> tuple[str, ...]:
    across, on_input = diagnostics.dependence(data, found), diagnostics.input_dependence(data)
    words = []
    if abs(across) > SURE:
        words.append(
            f"The noise seems to be dependent across the systems (z = {across:.1f}): the method assumes that it is not, "
            "and estimates may be biased. Remove what disturbs all systems at once, if it can be measured."
        )
    if abs(on_input) > SURE:
        words.append(
            f"The noise seems to depend on the input (z = {on_input:.1f}). A mean that does so biases the estimates; a "
            "variance that does so costs accuracy only, and the standard errors allow for it."
        )
    return tuple(words)


def _model(found: solve.Fit) -> tuple[str, ...]:
    typical = float(np.median(found.squares))
    if typical < 3.0 or len(found.squares) < 20:
        return ()
    return (
        f"The sets do not look like {len(found.theta)} systems with these inputs: they miss the model {typical:.1f} times "
        "as far as its noise would have it. A wrong number of systems, false readings, or wrong inputs do this.",
    )
