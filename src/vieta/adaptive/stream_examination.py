r"""What the filter of incomplete sets knows about its assumptions: tests of stretches of sets, added up over the stream.

At the model of the moment a stretch of N sets has scores h of what is estimated, and t of what is assumed: that the noises of systems do not
go together and inputs have no errors (`vieta.adaptive.shared_noise`), that misses do not depend on values, false readings not on inputs, and
that sizes vary as they should (`vieta.adaptive.broken_assumptions`). Each stretch adds

.. math:: S = \sum_k r_k, \qquad V = \sum_k r_k r_k', \qquad r_k = t_k - B'h_k, \quad
    B = \Bigl(\sum_k h_k h_k'\Bigr)^{-1} \sum_k h_k t_k' .

What is left of t is zero on average where the assumptions hold, also when the model is a little off, so that S over all stretches is compared
with V over all. What needs a fit is tested on the sets of the latest one, and the verdict is kept.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vieta.adaptive import set_findings
from vieta.adaptive.adaptive_fit import AdaptiveFit
from vieta.adaptive.assumed_scores import Scored, outcome
from vieta.adaptive.broken_assumptions import assumed_scores, size_moments
from vieta.adaptive.common_shift import of_tails
from vieta.adaptive.complete_contrast import of_complete_sets
from vieta.adaptive.level_misfit import of_levels
from vieta.adaptive.set_errors import all_scores
from vieta.adaptive.set_model import SetModel, associated, weigh, without_far
from vieta.adaptive.set_sums import Free
from vieta.adaptive.shared_noise import adjustment, pair_scores, said_of_pairs, varied_inputs
from vieta.adaptive.spare_system import of_spare_systems
from vieta.arrays import Floats, Integers
from vieta.engine import require_positive, require_state
from vieta.findings import Finding, finding
from vieta.long_run import WINDOWS, Persistence
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted import first_sets

STRETCH = 1024  # sets that are examined together
ALL, EVERY = 16_384, 8  # sets of which all are examined, and afterwards one stretch in so many
ENOUGH = 100  # sets, below which nothing is tested
SURE = 5.0  # standard errors, of a test that is made again and again; and the probability of as many:
LEVEL = 6e-7
VERDICT = {
    "clutter-or-systems": ("n_systems",),
    "tails-hidden": ("z",),
    "system-not-shown": ("system", "margin"),
    "complete-sets-disagree": ("p",),
    "means-misfit": ("n_systems", "p"),
    "not-certified": ("residual",),
    "constant-missing": ("size", "z"),
    "noise-depends-on-input": ("z",),
    "readings-repeated": ("share",),
    "rival-at-start": (),
}  # findings of a fit that are kept, and their facts
NUMBERS = ("n_systems", "system")  # facts that count something


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """Sums over the stretches since the latest start.

    Attributes
    ----------
    count : int
        Sets examined.
    varied : (D,)
        Ones for inputs that are not constant.
    totals, products : (a,), (a, a)
        S and V; a = p + p D of pairs, then p of values, D of inputs, and one of sizes.
    beyond : float
        Sum of the squares of sizes about their mean, beyond what is expected.
    lasts : (2, 2, windows)
        Of misses, and of false readings: sums of products over time, and of their squares.
    verdict : (10, 3)
        For each code of `VERDICT` a one if the latest fit reports it, and its facts.
    """

    count: int
    varied: Integers
    totals: Floats
    products: Floats
    beyond: float
    lasts: Floats
    verdict: Floats


def blank(p: int, D: int) -> Examination:
    """Nothing examined, of readings (p,) and D parameters."""
    a = 2 * p + p * D + D + 1
    return Examination(
        0,
        np.ones(D, dtype=np.int64),
        np.zeros(a),
        np.zeros((a, a)),
        0.0,
        np.zeros((2, 2, len(WINDOWS))),
        np.zeros((len(VERDICT), 3)),
    )


def emptied(before: Examination) -> Examination:
    """Without what sets said about assumptions."""
    none = {name: np.zeros_like(getattr(before, name)) for name in ("totals", "products", "lasts")}
    return replace(before, count=0, beyond=0.0, **none)


def is_due(count: int) -> bool:
    """Whether a stretch begins after so many sets.

    >>> is_due(2048), is_due(17_408), is_due(24_576)
    (True, False, True)
    """
    return count < ALL or count % (EVERY * STRETCH) == 0


def added(before: Examination, data: Data, model: SetModel, free: Free, counts: Floats) -> Examination:
    """With a stretch of sets; `counts` (p, B) are the false readings in the bins."""
    left, misses, false = residual_scores(data, model, free, counts)
    mean, variance = size_moments(model)
    lasts = np.stack([np.stack([one.totals[:, 0], one.squares[:, 0]]) for one in (misses, false)])
    return replace(
        before,
        count=before.count + len(data),
        totals=before.totals + left.sum(axis=0),
        products=before.products + left.T @ left,
        beyond=before.beyond + float(((data.sizes - mean) ** 2 - variance).sum()),
        lasts=before.lasts + lasts,
    )


def residual_scores(data: Data, model: SetModel, free: Free, counts: Floats) -> tuple[Floats, Persistence, Persistence]:
    """(N, a) what is left of the scores of what is assumed; and products over time of misses and of false readings."""
    D, p = data.dim, data.reading_dim
    known = associated(data, model, without_far(weigh(data, model)))
    h = all_scores(data, model, known, free, counts)
    w, false, offset, rest = assumed_scores(data, model, known, np.ones(D))
    pairs = pair_scores(data, model, known, np.ones(D, dtype=np.bool_))
    by_value, by_input, sizes = rest[:, :p], rest[:, p : p + D], rest[:, p + D :]
    left = [
        _freed(pairs, h),
        _freed(by_value, h, w),
        _freed(by_input, h, w, offset),
        _freed(sizes, h, w),
    ]
    return np.concatenate(left, axis=1), Persistence.of(w[:, :, None]), Persistence.of(false[:, None, None])


def _freed(scores: Floats, *explaining: Floats) -> Floats:
    """(N, r) scores without what others explain; zeros where that is everything."""
    both = np.concatenate([*explaining, scores], axis=1)
    return np.asarray(both @ adjustment(Scored.of(both), scores.shape[1]))


def of_fit(before: Examination, data: Data, found: AdaptiveFit) -> Examination:
    """Begun anew with what a fit tells of its sets, none of them examined yet."""
    passes = in_memory(data)
    told = (
        *set_findings.of_constant_inputs(found),
        *of_tails(found.chosen),
        *of_spare_systems(passes, found),
        *of_complete_sets(passes, found),
        *of_levels(passes, found),
        *_of_law_free(data, found),
        *((finding("rival-at-start"),) if set_findings.of_rivals(found) else ()),
    )
    verdict = np.zeros((len(VERDICT), 3))
    for one in told:
        verdict[list(VERDICT).index(one.code)] = _as_row(one)
    return replace(emptied(before), varied=varied_inputs(found).astype(np.int64), verdict=verdict)


def _of_law_free(data: Data, found: AdaptiveFit) -> tuple[Finding, ...]:
    """What the estimate of complete sets without a law says."""
    if not data.is_complete:
        return ()
    told = first_sets.of_verdict(first_sets.examined(data, "none", found.chosen.model.theta).verdict)
    return tuple(one for one in told if one.code in VERDICT)


def _as_row(one: Finding) -> list[float]:
    facts = [float(one.facts[name]) for name in VERDICT[one.code]]
    return [1.0, *facts, *[0.0] * (2 - len(facts))]


def of_verdict(kept: Examination) -> tuple[Finding, ...]:
    """What the latest fit told, in words."""
    found = []
    for (code, names), (told, *facts) in zip(VERDICT.items(), kept.verdict, strict=True):
        if told:
            values = zip(names, facts, strict=False)
            said: dict[str, Any] = {name: int(value) if name in NUMBERS else float(value) for name, value in values}
            found.append(finding(code, **said))
    return tuple(found)


def of_assumptions(kept: Examination, model: SetModel, free: Free, factor: float) -> tuple[Finding, ...]:
    """What the stretches say about the assumptions; `factor` is that by which memory over time makes variances grow."""
    if kept.count < ENOUGH:
        return ()
    D, p = len(kept.varied), len(model.shape)
    at = p + p * D
    z_value, z_input, z_size = (
        _surprise(kept, np.arange(first, last), factor)
        for first, last in ((at, at + p), (at + p, at + p + D), (at + p + D, at + p + D + 1))
    )
    missed = free.detection != "none" and kept.count * float((1.0 - model.detection).sum()) > set_findings.FEW
    false = free.rate and kept.count * model.rate > set_findings.FEW
    misses_last, clutter_lasts = (float((one[0] / np.sqrt(np.maximum(one[1], 1e-300))).max()) for one in kept.lasts)
    expected = size_moments(model)[1]
    variance = expected + kept.beyond / kept.count
    sizes = finding("sizes-unlikely", variance=variance, expected=expected, z=z_size)
    return (
        *_of_pairs(kept, p, factor),
        *((finding("misses-follow-value", z=z_value),) if missed and z_value else ()),
        *((finding("clutter-follows-input", z=z_input),) if false and z_input else ()),
        *((sizes,) if (missed or false) and z_size else ()),
        *((finding("misses-last", z=misses_last),) if missed and misses_last > SURE else ()),
        *((finding("clutter-lasts", z=clutter_lasts),) if false and clutter_lasts > SURE else ()),
    )


def _of_pairs(kept: Examination, p: int, factor: float) -> tuple[Finding, ...]:
    """Noises that go together, or errors of inputs."""
    varied = kept.varied == 1
    at = np.concatenate([np.ones(p, dtype=np.bool_), np.tile(varied, p)])
    size = np.sqrt(np.maximum(np.diag(kept.products)[: len(at)] * factor, 1e-300))
    return said_of_pairs((kept.totals[: len(at)] / size)[at], varied, p, SURE)


def _surprise(kept: Examination, at: Integers, factor: float) -> float:
    """The root of S'V⁻¹S of some scores, if it is large; else zero."""
    V = kept.products[np.ix_(at, at)] * factor
    found = outcome(kept.totals[at], V, np.sqrt(np.maximum(np.diag(V), 1e-300)))
    return found.z if found.p_value < LEVEL else 0.0


def check(kept: Examination) -> None:
    """Refuse sums that no stream leaves."""
    flags = {0, 1}.issuperset(kept.varied) and {0.0, 1.0}.issuperset(kept.verdict[:, 0])
    require_state(flags and kept.count >= 0, "its examination has flags that are neither 0 nor 1")
    require_state(np.isfinite(kept.verdict).all() and (kept.lasts[:, 1] >= 0.0).all(), "its examination is not sound")
    require_positive(kept.products, "examination")
