"""The Estimate: parameters with honest uncertainty, and plain words on whether to trust them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.symmetric.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """An estimate of the parameter set.

    Attributes
    ----------
    theta : (L, D)
        Parameters, rows in canonical order: ascending first coordinate, then the next.
    cov : (L * D, L * D)
        Covariance of `theta` read row by row; NaN where it cannot be told.
    noise_var : float or (p, p)
        Second moment of the noise of one reading.
    n_sets : int
        Sets that entered.
    method, transform : str
        How it was made.
    imaginary : (L, D)
        Imaginary parts that `theta` leaves out; not zero only for complex pairs, which `warnings` explains.
    condition : float
        Condition number of the step from coefficients to parameters.
    warnings : tuple of str
        Findings in plain words; empty when all is well.
    """

    theta: Floats
    cov: Floats
    noise_var: float | Floats
    n_sets: int
    method: str
    transform: str
    imaginary: Floats
    condition: float
    warnings: tuple[str, ...]

    @property
    def stderr(self) -> Floats:
        """(L, D) standard errors."""
        return np.sqrt(np.diag(self.cov)).reshape(self.theta.shape)

    def conf_int(self, level: float = 0.95) -> Floats:
        """(L, D, 2) confidence intervals from the asymptotic normal law."""
        from scipy.special import ndtri

        if not 0.0 < level < 1.0:
            raise ValueError(f"level={level} must lie between 0 and 1, for example 0.95.")
        half = ndtri(0.5 + level / 2.0) * self.stderr
        return np.stack([self.theta - half, self.theta + half], axis=-1)

    def summary(self, level: float = 0.95) -> str:
        """A table to read."""
        low_high = self.conf_int(level)
        D = self.theta.shape[1]
        lines = [
            f"{len(self.theta)} systems, {D} parameter{'s' * (D > 1)} each, from {self.n_sets:,} unlabeled sets",
            f"method {self.method}, transform {self.transform}, noise sd {_sd(self.noise_var)}",
            "",
            f"{'system':>6}  {'parameter':>9}  {'estimate':>12}  {'std. error':>10}  {f'{level:.0%} interval':>25}",
        ]
        for l, row in enumerate(self.theta):
            for j, value in enumerate(row):
                interval = f"[{low_high[l, j, 0]:.5g}, {low_high[l, j, 1]:.5g}]"
                lines.append(f"{l + 1:>6}  {j + 1:>9}  {value:>12.6g}  {self.stderr[l, j]:>10.3g}  {interval:>25}")
        lines += ["", *[f"! {text}" for text in self.warnings]] if self.warnings else []
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; numbers that cannot be told are None."""
        return {
            "theta": self.theta.tolist(),
            "stderr": _listed(self.stderr),
            "cov": _listed(self.cov),
            "noise_var": self.noise_var if isinstance(self.noise_var, float) else self.noise_var.tolist(),
            "n_sets": self.n_sets,
            "method": self.method,
            "transform": self.transform,
            "imaginary": self.imaginary.tolist(),
            "condition": self.condition if np.isfinite(self.condition) else None,
            "warnings": list(self.warnings),
        }

    def plot(self, level: float = 0.95) -> "Figure":
        """The parameters with their confidence intervals (regions, in the plane)."""
        from vieta import plots

        return plots.parameters(self.theta, self.cov, level, f"{self.method}, {self.n_sets:,} sets")

    def __str__(self) -> str:
        return self.summary()


def _sd(noise_var: float | Floats) -> str:
    variances = np.atleast_1d(noise_var) if isinstance(noise_var, float) else np.diag(noise_var)
    return ", ".join(f"{np.sqrt(max(v, 0.0)):.4g}" for v in variances)


def _listed(array: Floats) -> list[Any]:
    items = array.astype(object)
    items[~np.isfinite(array)] = None
    listed: list[Any] = items.tolist()
    return listed
