"""What every method returns, in batch and online: parameters with their covariance, the noise, and findings."""

from dataclasses import dataclass, field

import numpy as np

from vieta.answer_model import AnswerModel
from vieta.arrays import Floats
from vieta.findings import Finding, finding
from vieta.matching import block_index
from vieta.reading_model import ReadingModel
from vieta.symmetric import canonical_order

NAMED = 5  # pairs of systems that a sentence names
BIASED = ("dependent-noise", "shock-not-common", "shock-unknowable", "model-misfit", "not-certified", "change-in-batch")
CLOSE = (
    "systems-coincide",
    "not-separated",
    "barely-separated",
)  # what is said of systems that lie close, the strongest first
SAME = 1e-8  # of their size: parameters that differ by less are not told apart without noise either


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The outcome of a method.

    Attributes
    ----------
    theta : (L, D)
        Parameters, rows in any order.
    cov : (L D, L D)
        Covariance of theta.ravel(); NaN where it is not known.
    noise : (p, p)
        Second moment of the noise of one reading.
    n_sets : int
        Sets that entered.
    findings : tuple of Finding
    transform : str
        What the estimate went through: a transform's name, "weighted", "likelihood", ..
    imaginary : (L, D), optional
        Imaginary parts that `theta` leaves out; zero if absent.
    condition : float
        Condition number of the last step; NaN if there is none to tell.
    noise_sd : (L,), optional
        Standard deviation of each system's noise, for vectors the root of its mean variance over the coordinates; NaN where it is not known.
    n_sets_effective : float
        How many sets without memory over time would tell as much as these do; NaN if that is not known.
    dof : float
        Degrees of freedom of the t law that intervals are taken from; infinite for the normal law.
    shock_sd : float
        Standard deviation of the noise that the systems share, which `noise` leaves out; zero where none is modelled.
    readings : ReadingModel, optional
        How often systems are seen, false readings, and the law of the noise, where they were estimated.
    answers : AnswerModel, optional
        Family, link and what was estimated beside the parameters, where readings are answers.
    """

    theta: Floats
    cov: Floats
    noise: Floats
    n_sets: int
    findings: tuple[Finding, ...] = ()
    transform: str = ""
    imaginary: Floats | None = None
    condition: float = field(default=float("nan"))
    noise_sd: Floats | None = None
    n_sets_effective: float = float("nan")
    dof: float = float("inf")
    shock_sd: float = 0.0
    readings: ReadingModel | None = None
    answers: AnswerModel | None = None


def in_parameters(
    theta: Floats,
    cov: Floats,
    noise: Floats,
    n_sets: int,
    findings: tuple[Finding, ...],
    *,
    transform: str,
    noise_sd: Floats | None = None,
    n_sets_effective: float = float("nan"),
    dof: float = float("inf"),
    readings: ReadingModel | None = None,
    answers: AnswerModel | None = None,
) -> Solution:
    """A solution from parameters (L, D) in any order, with what their number, their noise and their distances say."""
    order = canonical_order(theta)
    index = block_index(order, theta.shape[1])
    theta, cov = theta[order], cov[np.ix_(index, index)]
    unknown = unknown_noise(n_sets, len(noise), theta.shape[1])
    few = unknown or few_sets(theta.size, n_sets)
    condition = float(np.linalg.cond(cov)) if np.isfinite(cov).all() else float("nan")
    cov = np.full_like(cov, np.nan) if unknown else cov
    found = without_vain_advice(strongest((*few, *coincident(theta, cov), *findings)))
    sd = None if noise_sd is None else noise_sd[order]
    return Solution(
        theta,
        cov,
        noise,
        n_sets,
        found,
        transform,
        None,
        condition,
        noise_sd=sd,
        n_sets_effective=n_sets_effective,
        dof=dof,
        readings=None if readings is None else readings.reordered(order),
        answers=None if answers is None else answers.reordered(order),
    )


def few_sets(unknowns: int, n_sets: int) -> tuple[Finding, ...]:
    """Too few sets for large-sample reasoning."""
    if n_sets >= max(5 * unknowns, 20):
        return ()
    return (finding("few-sets", n_sets=n_sets, unknowns=unknowns),)


def unknown_noise(n_sets: int, reading_dim: int, dim: int) -> tuple[Finding, ...]:
    """No number is left over once the sum of the readings has been fitted: nothing tells how large the noise is."""
    return () if n_sets * reading_dim > dim else (finding("noise-unknown", n_sets=n_sets),)


def coincident(theta: Floats, cov: Floats) -> tuple[Finding, ...]:
    """Pairs whose difference is within three of its standard errors, or of rounding, in every direction."""
    L, D = theta.shape
    blocks = cov.reshape(L, D, L, D)
    rounding = np.diag((SAME * abs(theta).max(axis=0)) ** 2 + 1e-300) + 1e-12 * _known_sum(cov) * np.eye(D)
    found = []
    for i in range(L):
        for j in range(i + 1, L):
            spread = blocks[i, :, i] + blocks[j, :, j] - blocks[i, :, j] - blocks[j, :, i] + rounding
            gap = theta[i] - theta[j]
            if np.isfinite(spread).all() and gap @ np.linalg.solve(spread, gap) < 9.0 * D:
                found.append(f"{i + 1} and {j + 1}")
    if not found:
        return ()
    return (finding("systems-coincide", pairs="; ".join(found[:NAMED]), others=max(len(found) - NAMED, 0)),)


def _known_sum(cov: Floats) -> float:
    """The sum of the variances that are known."""
    variances = np.diag(cov)
    return float(variances[np.isfinite(variances)].sum())


def strongest(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The same findings, of which only the strongest says that systems lie close, with the advice of those that it stands for.

    >>> close = finding("barely-separated", apart=4.0, reliable=6.0, times=4.0)
    >>> [one.code for one in strongest((finding("systems-coincide", pairs="1 and 2"), close))]
    ['systems-coincide']
    """
    said = {one.code: one for one in reversed(findings) if one.code in CLOSE}
    if len(said) < 2:
        return findings
    kept = next(said[code] for code in CLOSE if code in said)
    advice = {key: value for one in said.values() for key, value in one.facts.items() if key in ("times", "biased")}
    joined = finding(kept.code, kept.severity, **(advice | dict(kept.facts)))
    return tuple(joined if one is kept else one for one in findings if one is kept or one.code not in CLOSE)


def without_vain_advice(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The same findings, of which those on systems that lie close do not ask for more sets where others speak of a bias: it would stay."""
    biased = ", ".join(dict.fromkeys(one.code for one in findings if one.code in BIASED))
    if not biased:
        return findings
    return tuple(
        finding(one.code, one.severity, **(dict(one.facts) | {"biased": biased})) if one.code in CLOSE else one
        for one in findings
    )
