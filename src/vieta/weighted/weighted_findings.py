"""Findings about a weighted fit, from the numbers of `diagnostics`. Their words are in `vieta.findings`."""

from itertools import combinations

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.findings import Finding, finding
from vieta.options import as_cap
from vieta.pairing import as_row
from vieta.solution import few_sets
from vieta.sums import Passes, in_memory
from vieta.symmetric import canonical_order
from vieta.tails import chi_square_tail, normal_quantile
from vieta.weighted import diagnostics, solve
from vieta.weighted.constancy import change_point
from vieta.weighted.input_order import better_shift, slopes_probability, varying_inputs
from vieta.weighted.later_sets import Later
from vieta.weighted.missing_constant import missing_constant
from vieta.weighted.noise_pairs import Pairs, noise_pairs, pair_products, with_memory
from vieta.weighted.repeated_readings import repeated_readings
from vieta.weighted.repeated_sets import repeated_sets
from vieta.weighted.score_errors import Basis
from vieta.weighted.separation import separation
from vieta.weighted.shock_fit import SharedFit
from vieta.weighted.solve import Fit
from vieta.weighted.specification import specification
from vieta.weighted.sum_regression import SumRegression
from vieta.weighted.vector_shock import VectorFit

SURE = 4.5  # z-values beyond which a test reports
MEANS, VARIANCES = 3e-4, 2e-4  # false alarms of the tests of the sums' means and variances
PAIRS, ERRORS = 5e-4, 2e-3  # of the test of pairs of noises, and of those of errors of an input, all together
EXPLAINS = 0.5  # of what the pairs show, that errors of an input must explain
WITH_MEMORY = 0.05  # of these, where memory must be estimated
LATER = 0.02  # of these, at each look at a stream
EVEN, UNEVEN = 2.0, 1e-6  # ratio of variances beyond which their own errors move pairs after a shock; of these, there
INCOMPARABLE = (
    400.0  # ratio of variances beyond which errors of the larger ones make pairs of the smaller ones look alike
)
ENOUGH_FOR_SLOPES = 50  # sets
BETTER = 3.3  # z-value from which on the inputs of other sets explain the sums better
NOTHING = 0.01  # probability of slopes as large as they are, above which the inputs explain nothing
MANY_OUTLIERS = 0.3
HARMFUL = 1.4  # times as large errors as with bounded influence
TYPICAL = (
    0.17  # median misfit; Gaussian 0.6 to 0.8, Laplace 0.4 to 0.6, Student-3 0.3 to 0.5, a tenth false 0.08 to 0.14
)
ENOUGH_FOR_SHARES = 200  # sets
MISFIT = 3.0  # median misfit from which the model is wrong
ENOUGH_FOR_MISFIT = 20  # sets
WEAK_INPUT = 1e-4
TOLD_APART = 3.0  # standard errors between two systems
RELIABLE = 6.0  # standard errors between two systems from which intervals are no longer for lying close
AIM = 8.0  # standard errors that more sets are to reach
CARRYING = 3.0  # sets for each parameter of a system
CLOSE = 4.0  # noise standard deviations, times N^(-1/4)
IDLE = 4.0  # times the noise variance of the other systems


def of_fit(
    passes: Passes, found: Fit, *, robust: bool, variances: Floats | None = None, independent: bool = False
) -> tuple[Finding, ...]:
    """What the residuals of a fit tell; `variances` (L,) are those of the systems' noises, where they are known.

    Where pairs of noises are not looked at, noises that are known to be `independent` across systems are not tested again.
    """
    always = (*of_convergence(found), *of_search(found), *of_separation(found.theta, found.cov), *of_inputs(found))
    if diagnostics.is_exact(found):
        return always
    return (
        *always,
        *of_outliers(passes, found, robust=robust),
        *of_leverage(found),
        *of_change(passes, found),
        *of_dependence(passes, found, None if robust else of_pairs(passes, found, variances), independent=independent),
        *of_model(found),
        *of_readings(passes, found.n_sets),
        *of_copies(passes, found.n_sets),
        *of_order(passes, found, found.theta, found.cov),
    )


def of_shared(passes: Passes, found: Fit, shared: SharedFit | VectorFit) -> tuple[Finding, ...]:
    """What is to be said about an estimate with a shock; `found` is a fit of the `passes`, from which the shock's correlation was taken out."""
    converged = () if shared.converged else (finding("not-converged"),)
    always = (*converged, *of_search(found), *of_separation(shared.theta, shared.cov), *of_inputs(found))
    if diagnostics.is_exact(found):
        return always
    return (
        *always,
        *of_outliers(passes, found, robust=False),
        *of_change(passes, found),
        *of_specification(passes, found),
        *of_shared_pairs(passes, found, shared),
        *of_model(found),
        *of_order(passes, found, shared.theta, shared.cov),
    )


def of_convergence(found: Fit) -> tuple[Finding, ...]:
    """An iteration that did not converge, and the systems that lie so close that this is why."""
    if found.converged:
        return ()
    return (finding("not-converged"), *of_close_systems(found))


def of_close_systems(found: Fit) -> tuple[Finding, ...]:
    r"""Pairs whose values differ by less than :math:`4 N^{-1/4}` noise standard deviations, the order of the error of coinciding ones."""
    closest = CLOSE**2 * float(np.trace(found.noise)) * np.sqrt(found.n_sets)
    close = []
    for i, j in combinations(range(len(found.theta)), 2):
        gap = np.linalg.solve(found.regression.root, found.theta[i] - found.theta[j])
        if gap @ gap < closest:
            close.append(f"{i + 1} and {j + 1}")
    return (finding("systems-coincide", pairs="; ".join(close)),) if close else ()


def of_search(found: Fit) -> tuple[Finding, ...]:
    """A solution that leaves too much, one that was reached only once, and one that another explains the sets as well as."""
    left = () if found.certified else (finding("not-certified", residual=found.residual),)
    left = left if found.repeated else (*left, finding("search-unsure"))
    if found.rival is None:
        return left
    rows = "; ".join(as_row(row) for row in found.rival.theta[canonical_order(found.rival.theta)])
    return (*left, finding("rival-solution", behind=found.rival.behind, rival=rows))


def of_separation(theta: Floats, cov: Floats) -> tuple[Finding, ...]:
    """Systems that are too close for their errors, and how many times as many sets would do."""
    return of_distance(separation(theta, cov))


def of_distance(apart: float) -> tuple[Finding, ...]:
    """The same, from the number of standard errors that the closest two are apart."""
    if not apart <= RELIABLE:  # NaN: the errors are not known
        return ()
    times = (AIM / max(apart, 1e-3)) ** 2
    if apart >= TOLD_APART:
        return (finding("barely-separated", apart=apart, reliable=RELIABLE, times=times),)
    return (finding("not-separated", apart=apart, enough=TOLD_APART, times=times),)


def of_inputs(found: Fit) -> tuple[Finding, ...]:
    """Inputs that hardly move some combination of the parameters."""
    weakest = found.regression.weakest
    if weakest > WEAK_INPUT:
        return ()
    return (finding("weak-inputs", dim=found.theta.shape[1], times=1.0 / max(weakest, 1e-300)),)


def of_outliers(passes: Passes, found: Fit, *, robust: bool) -> tuple[Finding, ...]:
    """A few sets that dominate, where that makes errors larger, or many that are far noisier than most."""
    if found.n_sets < ENOUGH_FOR_SHARES:
        return ()
    share, typical = diagnostics.outlier_share(found), found.misfit.median
    if share >= MANY_OUTLIERS:
        known = found.converged and not robust
        growth = solve.error_growth(passes, found, as_cap(robust=True)) if known else np.nan
        return of_dominance(share, growth, robust=robust)
    if typical < TYPICAL:
        return (finding("uneven-noise", typical=typical, robust=robust),)
    return ()


def of_dominance(share: float, growth: float, *, robust: bool) -> tuple[Finding, ...]:
    """A few sets that have this share in the misfit and make errors larger by this factor; NaN where errors are not known.

    Heavy tails alone do no harm: errors under Student's t with 3 degrees of freedom grow by 1.1 to 1.2.
    """
    if robust:
        return (finding("outliers", "note", share=share, robust=True),)
    if growth < HARMFUL:
        return ()
    if not np.isfinite(growth):
        return (finding("outliers", share=share, robust=False),)
    return (finding("outliers", share=share, growth=growth, robust=False),)


def of_leverage(found: Fit) -> tuple[Finding, ...]:
    """A few sets that carry most of the information."""
    D, N = found.theta.shape[1], found.n_sets
    if found.basis.carrying >= CARRYING * D or few_sets(found.theta.size, N):
        return ()
    return (finding("few-sets-carry", carrying=found.basis.carrying, n_sets=N),)


def of_memory(basis: Basis, n_sets: int, others: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Scores that are alike from one set to the next, unless one of the `others` says that a change makes them so."""
    if not basis.has_memory or any(one.code == "change-in-batch" for one in others):
        return ()
    return (finding("memory", factor=basis.factor, effective=basis.n_effective, n_sets=n_sets),)


def of_change(passes: Passes, found: Fit) -> tuple[Finding, ...]:
    """Parameters that change with time."""
    change = change_point(passes, found)
    return () if change is None else (finding("change-in-batch", after=change.after, n_sets=found.n_sets),)


def of_dependence(
    passes: Passes, found: Fit, pairs: tuple[Finding, ...] | None, *, independent: bool = False
) -> tuple[Finding, ...]:
    """Noise that depends on the noise of other systems, as `pairs` say or, where none were looked at, a test of its own; or on the input."""
    if pairs is None:
        z = (
            0.0 if independent else diagnostics.dependence(passes, found) / found.basis.factor
        )  # by what memory makes of its error
        pairs = (finding("dependent-noise", z=z),) if abs(z) > SURE else ()
    return (*pairs, *of_specification(passes, found))


def of_constant(passes: Passes, regression: SumRegression) -> tuple[Finding, ...]:
    """A constant of the readings that the inputs lack."""
    seen = missing_constant(passes, regression)
    return (finding("constant-missing", size=seen.size, z=seen.z),) if seen.is_sure else ()


def of_specification(passes: Passes, found: Fit) -> tuple[Finding, ...]:
    """Sums of the readings whose mean or variance depends on the input in a way that the model does not have."""
    return (*of_constant(passes, found.regression), *_of_functions(passes, found))


def _of_functions(passes: Passes, found: Fit) -> tuple[Finding, ...]:
    """Residuals of the sums, or their squares, against functions of the inputs."""
    seen = specification(passes, found.regression)
    if seen is None:
        z = diagnostics.input_dependence(passes, found.regression) / found.basis.factor
        return (finding("noise-depends-on-input", z=z),) if abs(z) > SURE else ()
    if seen.mean < MEANS or seen.variance < VARIANCES:
        return (finding("noise-depends-on-input", z=_as_z(min(seen))),)
    return ()


def of_pairs(passes: Passes, found: Fit, variances: Floats | None) -> tuple[Finding, ...] | None:
    """Noises of two systems that go together, as errors of an input would make them or otherwise; None where they are not looked at."""
    if not found.converged:
        return None
    common = np.full(len(found.theta), float(np.trace(found.noise)) / len(found.noise))
    used = common if variances is None else np.where(np.isfinite(variances), variances, common)
    if used.max() > INCOMPARABLE * used.min():
        return None
    pairs = noise_pairs(passes, found.n_sets, found.theta, used)
    return _of_pairs(passes, pairs, found.n_sets, found.theta, "dependent-noise")


def of_shared_pairs(passes: Passes, found: Fit, shared: SharedFit | VectorFit) -> tuple[Finding, ...]:
    """The same for sets from which a common shock was taken out, as far as it is one."""
    L = len(shared.theta)
    if L < 3 or isinstance(shared, VectorFit) or not shared.converged or shared.contradicted:
        return ()
    now = shared.model.values(shared.place)
    apart = shared.variances - shared.variances.mean()
    expected = np.array([-(now.share / L) * (apart[a] + apart[b]) for a, b in combinations(range(L), 2)])
    pairs = noise_pairs(passes, found.n_sets, shared.theta, now.variances, expected)
    loadings = shared.theta - now.share * shared.theta.mean(axis=0)
    uneven = float(shared.variances.max()) > EVEN * float(shared.variances.min())
    return _of_pairs(passes, pairs, found.n_sets, loadings, "shock-not-common", UNEVEN if uneven else 1.0) or ()


def _of_pairs(
    passes: Passes, pairs: Pairs | None, n_sets: int, loadings: Floats, other: str, share: float = 1.0
) -> tuple[Finding, ...] | None:
    """Errors of the input whose loadings (L, D) explain the pairs best, or else the `other` finding; None where they are not looked at.

    Of the false alarms that are allowed, a `share` is.
    """
    varying = np.flatnonzero(varying_inputs(passes)) if pairs is not None else np.zeros(0, dtype=np.int64)
    if pairs is None or not len(varying):  # constant inputs hardly tell dependence from other parameters
        return None
    seen = _judged_pairs(pairs, varying, loadings, share)
    if seen is None:
        return ()
    grown = with_memory(passes, pairs, n_sets)
    if not np.array_equal(grown.cov, pairs.cov):  # memory makes chance larger, and is not known exactly
        seen = _judged_pairs(grown, varying, loadings, share * WITH_MEMORY)
    if seen is None:
        return ()
    column, z = seen
    if column:
        return (finding("input-errors", column=column, z=z),)
    return (finding("dependent-noise", z=z) if other == "dependent-noise" else finding(other),)


def of_later_pairs(later: Later, factor: float) -> tuple[int, float] | None:
    """The same of a stream, which is looked at many times, as `_judged_pairs` has it; memory over time raises variances by a factor."""
    if not later.cov.any():
        return None
    pairs = later.pairs
    varying = np.flatnonzero(varying_inputs(in_memory(later.sample)))
    if not len(varying):
        return None
    return _judged_pairs(pairs._replace(cov=factor * pairs.cov), varying, later.theta, LATER)


def _judged_pairs(pairs: Pairs, varying: Integers, loadings: Floats, share: float) -> tuple[int, float] | None:
    """The input, from 1 on, whose errors explain the pairs, with their z; or 0 with the z of all pairs; None if chance explains them.

    Of the false alarms that are allowed, a `share` is.
    """
    statistic, freedom = pairs.statistic()
    values = {int(d): pairs.along(pair_products(loadings[:, d])) for d in varying}
    best = max(values, key=lambda d: values[d], default=0)
    z = values.get(best, 0.0)
    enough = -normal_quantile(share * ERRORS / max(len(values), 1))
    if z > max(enough, pairs.along(np.ones(len(pairs.value)))) and z**2 > EXPLAINS * statistic:
        return best + 1, z
    tail = chi_square_tail(freedom, statistic)
    return (0, _as_z(tail)) if tail < share * PAIRS else None


def _as_z(tail: float) -> float:
    """The normal variable, of either sign, that is as improbable."""
    return -normal_quantile(max(0.5 * tail, 1e-300))


def of_readings(passes: Passes, n_sets: int) -> tuple[Finding, ...]:
    """Readings that stand twice in their set."""
    seen = repeated_readings(passes)
    return (finding("readings-repeated", share=seen.equal / n_sets),) if seen.found else ()


def of_copies(passes: Passes, n_sets: int) -> tuple[Finding, ...]:
    """Sets that stand twice."""
    share = repeated_sets(passes, n_sets)
    return (finding("sets-repeated", share=share),) if share > 0.0 else ()


def of_order(passes: Passes, found: Fit, theta: Floats, cov: Floats) -> tuple[Finding, ...]:
    """Inputs that explain nothing, or less than those of a set before or after."""
    if passes.like.reading_dim > 1:
        return ()
    varying = varying_inputs(passes)
    shift = better_shift(passes, found.n_sets, varying)
    z = shift.z / found.basis.factor
    if z > BETTER:
        return (finding("inputs-shifted", by=abs(shift.by), side="before" if shift.by > 0 else "after", z=z),)
    if varying.any() and found.n_sets >= ENOUGH_FOR_SLOPES:
        p = slopes_probability(theta, cov, varying)
        return (finding("inputs-explain-nothing", p=p),) if p > NOTHING else ()
    return ()


def of_model(found: Fit) -> tuple[Finding, ...]:
    """Sets that miss the model by far more than the noise of their sums explains."""
    typical = found.misfit.median
    if typical < MISFIT or found.n_sets < ENOUGH_FOR_MISFIT:
        return ()
    return (finding("model-misfit", n_systems=len(found.theta), typical=typical),)


def of_idle_systems(theta: Floats, cov: Floats, variances: Floats) -> tuple[Finding, ...]:
    """Systems (L, D) that do not answer to the input and are far noisier than the rest: so they may be, and so false readings look."""
    L, D = theta.shape
    if L < 2:
        return ()
    blocks = cov.reshape(L, D, L, D)
    found = []
    for l in range(L):
        others = float(np.median(np.delete(variances, l)))
        if variances[l] > IDLE * others and theta[l] @ np.linalg.solve(blocks[l, :, l], theta[l]) < 9.0 * D:
            found.append(finding("idle-system", n_systems=L, fewer=L - 1, times=float(np.sqrt(variances[l] / others))))
    return tuple(found)
