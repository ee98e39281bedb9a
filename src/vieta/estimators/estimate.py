"""The Estimate: parameters with honest uncertainty, and plain words on whether to trust them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vieta.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SYMMETRIC: dict[str, Callable[[Floats], Floats]] = {
    "sum": lambda theta: np.asarray(theta.sum(axis=0)),
    "mean": lambda theta: np.asarray(theta.mean(axis=0)),
    "spread": lambda theta: np.asarray(np.ptp(theta, axis=0)),
    "largest": lambda theta: np.asarray(theta.max(axis=0)),
    "smallest": lambda theta: np.asarray(theta.min(axis=0)),
}


def _interval(value: Floats, stderr: Floats, level: float) -> Floats:
    from scipy.special import ndtri

    if not 0.0 < level < 1.0:
        raise ValueError(f"level={level} must lie between 0 and 1, for example 0.95.")
    half = ndtri(0.5 + level / 2.0) * stderr
    return np.stack([value - half, value + half], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A function of the parameters: `value` (k,) and its covariance `cov` (k, k)."""

    value: Floats
    cov: Floats

    @property
    def stderr(self) -> Floats:
        """(k,) standard errors."""
        return np.sqrt(np.diag(self.cov))

    def conf_int(self, level: float = 0.95) -> Floats:
        """(k, 2) confidence intervals from the asymptotic normal law."""
        return _interval(self.value, self.stderr, level)


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
        """(L, D) standard errors; NaN where they cannot be told."""
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.cov)).reshape(self.theta.shape)

    def conf_int(self, level: float = 0.95) -> Floats:
        """(L, D, 2) confidence intervals from the asymptotic normal law."""
        return _interval(self.theta, self.stderr, level)

    def derived(self, function: str | Callable[[Floats], Any]) -> "Derived":
        """A function of the parameters that needs no labels, with its standard error by the delta method.

        Parameters
        ----------
        function : str or callable
            "sum", "mean", "spread" (largest minus smallest), "largest" or "smallest" over the systems, of each
            coordinate; or a function of `theta` (L, D) that does not depend on the order of its rows.
        """
        if isinstance(function, str) and function not in SYMMETRIC:
            raise ValueError(
                f"function={function!r} is not known. Choose one of {', '.join(SYMMETRIC)}, or give a callable."
            )
        call = SYMMETRIC[function] if isinstance(function, str) else function
        value = np.atleast_1d(np.asarray(call(self.theta), dtype=np.float64)).ravel()
        gradient = np.empty((value.size, self.theta.size))
        for i in range(self.theta.size):
            step = np.zeros(self.theta.size)
            step[i] = 1e-5 * max(float(self.stderr.ravel()[i]), 1e-8 * max(1.0, abs(self.theta).max()))
            moved = [np.ravel(call(self.theta + sign * step.reshape(self.theta.shape))) for sign in (1.0, -1.0)]
            gradient[:, i] = (moved[0] - moved[1]) / (2.0 * step[i])
        return Derived(value, gradient @ self.cov @ gradient.T)

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
                error, interval = f"{self.stderr[l, j]:.3g}", f"[{low_high[l, j, 0]:.5g}, {low_high[l, j, 1]:.5g}]"
                if not np.isfinite(self.stderr[l, j]):
                    error = interval = "not known"
                lines.append(f"{l + 1:>6}  {j + 1:>9}  {value:>12.6g}  {error:>10}  {interval:>25}")
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

    def plot(self, level: float = 0.95, names: list[str] | None = None, truth: Floats | None = None) -> "Figure":
        """The parameters, which may have `names`, with their confidence intervals (regions, in the plane).

        The `truth` (L, D), if it is given, is shown as crosses.
        """
        from vieta import plots

        title = f"{self.method}, {self.n_sets:,} set{'s' * (self.n_sets != 1)}"
        return plots.parameters(self.theta, self.cov, level, title, names, truth)

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
