"""One likelihood step over the Cramér-Rao bound of unlabeled sets, and how often its law is doubted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.running.simulation import Simulation
from vieta.arrays import Floats
from vieta.laws import inputs
from vieta.laws.noise import Gaussian, Laplace, Scaled, StudentT
from vieta.likelihood.assumed import assume
from vieta.likelihood.cramer_rao import cramer_rao
from vieta.likelihood.likelihood_findings import CONTRADICTED
from vieta.likelihood.scoring import fit
from vieta.scenarios import simulate
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.symmetric import canonical_order

PSI = inputs.Gaussian()
LARGEST_RATIO = 1.05
MOST_DOUBTS, LEAST_DOUBTS = 0.07, 0.95  # of the law, when it is right and when it is wrong


@dataclass(frozen=True)
class Row:
    """One setting: the truth, and what is assumed of the noise; no variance where it is estimated.

    `right` tells whether the law is; None where it is wrong, but too little to be told in most runs.
    """

    name: str
    theta: tuple[float, ...]
    noise: Scaled
    law: str
    noise_var: float | None
    right: bool | None = True
    n: int = 20_000


ROWS = (
    Row("(4, 5), Gaussian sd 2", (4, 5), Gaussian(4.0), "gaussian", 4.0),
    Row("(4, 5), Gaussian sd 2, variance estimated", (4, 5), Gaussian(4.0), "gaussian", None),
    Row("(4, 5), Gaussian sd 1", (4, 5), Gaussian(1.0), "gaussian", 1.0),
    Row("(-2, 5, 8), Gaussian sd 1", (-2, 5, 8), Gaussian(1.0), "gaussian", 1.0),
    Row("(4, 5), Laplace sd 2", (4, 5), Laplace(4.0), "laplace", 4.0),
    Row("(4, 5), Student t (5) sd 2", (4, 5), StudentT(4.0), "student-t", 4.0),
    Row("(4, 5), Laplace sd 2, taken for Gaussian sd 1", (4, 5), Laplace(4.0), "gaussian", 1.0, right=False),
    Row("(4, 5), Laplace sd 2, taken for Gaussian sd 2", (4, 5), Laplace(4.0), "gaussian", 4.0, right=None),
)


@dataclass(frozen=True)
class Outcome:
    """All runs of a row: squared errors summed over the parameters, coverage of 95 % intervals, p-values of the law."""

    bound: float  # trace of the Cramér-Rao bound
    squared: Floats  # (runs,)
    symmetric: Floats  # (runs,) of the estimate that the step starts from
    covered: Floats  # (runs,) share of the parameters
    p_values: Floats  # (runs,)

    @property
    def ratio(self) -> float:
        """Mean squared error over the bound."""
        return float(self.squared.mean() / self.bound)

    @property
    def standard_error(self) -> float:
        """Of the ratio."""
        return float(self.squared.std(ddof=1) / np.sqrt(len(self.squared)) / self.bound)

    @property
    def doubts(self) -> float:
        """How often an estimate comes with the warning that its law is contradicted."""
        return float(np.mean(self.p_values < CONTRADICTED))


def one_run(row: Row, seed: int) -> tuple[float, float, float, float]:
    """Squared error, that of the symmetric estimate, coverage and p-value on the data of one seed."""
    records = simulate(row.theta, n=row.n, seed=seed, noise=row.noise, inputs=PSI)
    found = fit(in_memory(as_data(records.sets, records.inputs)), assume(row.law, row.noise_var))
    order = canonical_order(found.theta)
    errors = (found.theta[order] - records.truth).ravel()
    before = (found.symmetric.theta[order] - records.truth).ravel()
    stderr = np.sqrt(np.diag(found.cov))[order]
    return (
        float(errors @ errors),
        float(before @ before),
        float(np.mean(abs(errors) < 1.96 * stderr)),
        found.contrast.p_value,
    )


def bound(row: Row) -> float:
    """The trace of the Cramér-Rao bound, for a variance that is known."""
    return float(np.trace(cramer_rao(row.theta, row.noise, PSI, draws=200_000).after(row.n)))


def outcome(row: Row, seeds: Iterable[int]) -> Outcome:
    """A row on the data of some seeds."""
    return Outcome(bound(row), *np.array([one_run(row, seed) for seed in seeds]).T)


def reached(row: Row, found: Outcome) -> bool:
    """The bound, up to the ratio's own error, and few doubts; or doubts nearly always.

    No ratio is asked for where the variance is estimated: the bound is for one that is known.
    """
    if row.right is None:
        return True
    if not row.right:
        return found.doubts >= LEAST_DOUBTS
    near = row.noise_var is None or found.ratio - found.standard_error <= LARGEST_RATIO
    return near and found.doubts <= MOST_DOUBTS


HEADER = "| setting | one step | symmetric start | coverage | law doubted (p < 0.01) | p < 0.05 |\n" + "|---" * 6 + "|"


def line(row: Row, found: Outcome) -> str:
    """A row of the table."""
    return (
        f"| {row.name} | {found.ratio:.2f} ± {found.standard_error:.2f} | {found.symmetric.mean() / found.bound:.2f} | "
        f"{found.covered.mean():.1%} | {found.doubts:.1%} | {np.mean(found.p_values < 0.05):.1%} |"
    )


class Likelihood(Simulation[Row]):
    """The page of the one-step estimate."""

    name = "likelihood"
    title = "One likelihood step"
    note = (
        "Mean squared error over the Cramér-Rao bound of unlabeled sets with a known noise law, with its standard error; "
        "coverage of 95 % intervals; how often the assumed law is doubted. 20,000 sets, psi ~ N(0, 1)."
    )
    runs, block = 200, 20
    rows, header = ROWS, HEADER
    sources = ("studies.likelihood",)

    def one_run(self, row: Row, seed: int) -> Any:
        return one_run(row, seed)

    def bound(self, row: Row) -> float:
        return bound(row)

    def line(self, row: Row, runs: Floats, bound: Any) -> tuple[str, bool]:
        found = Outcome(bound, *runs.T)
        return line(row, found), reached(row, found)


STUDY = Likelihood()
