"""Pictures. Arrays in, matplotlib figures out; no mathematics beyond what drawing needs."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from matplotlib.ticker import EngFormatter, MaxNLocator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#8C6D31")


def color(l: int) -> str:
    """A color for system l, told apart by most color-blind readers."""
    return COLORS[l % len(COLORS)]


def parameters(theta: Floats, cov: Floats, level: float, title: str) -> Figure:
    """Parameters (L, D) with confidence intervals; points with confidence ellipses in the plane (D = 2)."""
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    ax = figure.subplots()
    if theta.shape[1] == 2:
        _plane(ax, theta, cov, level)
    else:
        _intervals(ax, theta, cov, level)
    ax.set_title(title)
    return figure


def _plane(ax: Axes, theta: Floats, cov: Floats, level: float) -> None:
    radius = np.sqrt(-2.0 * np.log1p(-level))
    for l, point in enumerate(theta):
        ax.plot(*point, "o", color=color(l), label=f"system {l + 1}")
        block = cov[2 * l : 2 * l + 2, 2 * l : 2 * l + 2]
        if np.isfinite(block).all():
            values, vectors = np.linalg.eigh(block)
            width, height = 2.0 * radius * np.sqrt(np.maximum(values, 0.0))
            angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
            ax.add_patch(Ellipse((point[0], point[1]), width, height, angle=angle, color=color(l), alpha=0.25, lw=0))
    ax.set(xlabel="parameter 1", ylabel="parameter 2")
    ax.margins(0.15)
    ax.legend(frameon=False)


def _intervals(ax: Axes, theta: Floats, cov: Floats, level: float) -> None:
    from scipy.special import ndtri

    L, D = theta.shape
    half = ndtri(0.5 + level / 2.0) * np.sqrt(np.diag(cov)).reshape(L, D)
    for l, row in enumerate(theta):
        shift = 0.6 * ((l + 0.5) / L - 0.5) if D > 1 else 0.0
        at = np.arange(1, D + 1) + shift if D > 1 else np.array([l + 1.0])
        ax.errorbar(at, row, yerr=np.nan_to_num(half[l]), fmt="o", capsize=4, color=color(l), label=f"system {l + 1}")
    ax.set_xlabel("parameter" if D > 1 else "system")
    ax.set_xticks(np.arange(1, (D if D > 1 else L) + 1))
    ax.set_ylabel(f"estimate, {level:.0%} interval")
    ax.margins(x=0.1)
    if D > 1:
        ax.legend(frameon=False, ncols=min(L, 4))


def trajectory(
    ax: Axes, index: NDArray[np.int64], theta: Floats, truth: Floats | None = None, *, title: str = ""
) -> None:
    """Paths (n, L) over the number of sets, with the truth (L,) or (n, L) as dashed lines.

    The picture shows where the paths settle: what lies far outside the last half of them is cut off.
    """
    for l in range(theta.shape[1]):
        ax.plot(index, theta[:, l], color=color(l), lw=1.2)
    if truth is not None:
        lines = np.broadcast_to(truth, theta.shape)
        ax.plot(index, lines, color="black", lw=0.8, ls="--")
    ax.set(xlabel="sets", ylabel="estimate", title=title)
    late = np.concatenate([theta[len(theta) // 2 :].ravel(), np.ravel(truth if truth is not None else theta[-1])])
    margin = 0.75 * max(float(np.ptp(late)), 1e-12)
    ax.set_ylim(
        max(float(theta.min()), late.min() - margin) - 0.1 * margin,
        min(float(theta.max()), late.max() + margin) + 0.1 * margin,
    )
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))


def matrix_comparison(ax: Axes, truth: Floats, found: Floats, *, title: str = "") -> None:
    """Two matrices (L, D), rows of the truth as lines and rows found as markers of the same color."""
    at = np.arange(1, truth.shape[1] + 1)
    for l in range(len(truth)):
        ax.plot(at, truth[l], color=color(l), lw=1.0)
        ax.plot(at, found[l], "o", color=color(l), ms=4)
    ax.set(xlabel="parameter", ylabel="value", title=title, xticks=at)


def two_panels(title: str) -> tuple[Figure, Axes, Axes]:
    """A figure with two panels side by side."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    figure.suptitle(title)
    return figure, left, right


def tradeoff(
    added: Floats, right: Floats, whole: Floats, anonymity: Floats, analyst: Floats, bound: Floats, title: str
) -> Figure:
    """What added noise buys (left) and costs (right).

    Left: how often the best guess names each system's reading, `right` (m, L), and all of them, `whole` (m,), over the
    standard deviation of the `added` noise (m,). Right: the analyst's standard error `analyst` (m,), and its lower
    `bound` (m,), NaN where it is not known, over the `anonymity` (m,).
    """
    figure, left, cost = two_panels(title)
    _buys(left, added, right, whole)
    _costs(cost, added, anonymity, analyst, bound)
    return figure


def _buys(ax: Axes, added: Floats, right: Floats, whole: Floats) -> None:
    L = right.shape[1]
    ax.plot(added, whole, color="black", lw=3.0, label="all of them")
    for l in range(L):
        name = f"system {l + 1}" if L <= 8 else f"each of {L} systems" if l == 0 else None
        ax.plot(added, right[:, l], color=color(l) if L <= 8 else color(0), lw=1.4 if L <= 8 else 0.8, label=name)
    ax.axhline(1.0 / L, color="grey", lw=0.8, ls=":")
    ax.annotate(
        "pure chance, one system", (0.01, 1.0 / L), xycoords=("axes fraction", "data"), va="bottom", color="grey"
    )
    if len(added) > 2:
        ax.set_xscale("symlog", linthresh=max(added[added > 0.0].min(), 1e-300))
        ax.set_xticks(added[::2], [f"{a:.2g}" for a in added[::2]])
        ax.minorticks_off()
    ax.set(xlabel="added noise (standard deviation)", ylabel="chance that the best guess is right", ylim=(0.0, 1.03))
    ax.margins(x=0.01)
    ax.legend(frameon=False, loc="best")


def _costs(ax: Axes, added: Floats, anonymity: Floats, analyst: Floats, bound: Floats) -> None:
    told = np.isfinite(analyst)
    ax.plot(anonymity[told], analyst[told], "o-", color=color(0), ms=4, label="efficient estimator")
    if np.isfinite(bound).any():
        ax.plot(anonymity, bound, "--", color=color(1), label="least possible")
    for a, x, y in zip(added[told][::2], anonymity[told][::2], analyst[told][::2]):
        words = f"+{a:.2g}" if a else "now"
        ax.annotate(words, (x, y), textcoords="offset points", xytext=(-5, 4), ha="right", fontsize=7, color="grey")
    if (analyst[told] > 0.0).any():
        ax.set_yscale("log")
    ax.set(
        xlabel="anonymity of a single reading (0 none, 1 full)",
        ylabel="analyst's standard error × √records",
        xlim=(-0.04, 1.04),
    )
    ax.margins(y=0.1)
    ax.legend(frameon=False, loc="upper left")
