"""Pictures. Arrays in, matplotlib figures out; no mathematics beyond what drawing needs."""

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure, FigureBase
from matplotlib.patches import Ellipse
from matplotlib.ticker import EngFormatter, MaxNLocator
from numpy.typing import NDArray

from vieta.quantiles import planar_radius, two_sided
from vieta.typeface import literal

Floats = NDArray[np.float64]

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#8C6D31")
TRUTH: dict[str, Any] = {"ls": "", "marker": "x", "color": "black", "ms": 7, "zorder": 5, "label": "truth"}
DASHED: dict[str, Any] = {"color": "black", "lw": 1.0, "ls": (0, (4, 3)), "zorder": 4}
MOST_PATHS = 12  # panels of them
FEW_POINTS = 60  # of a path, each of which is marked
REACH = 4.0  # half intervals that a panel reaches to either side


def colors(n: int) -> list[str]:
    """Colors for n systems, no two alike; up to eight are told apart by most color-blind readers."""
    if n <= len(COLORS):
        return list(COLORS[:n])
    return [to_hex(shade) for shade in colormaps["turbo"](np.linspace(0.04, 0.96, n))]


def parameters(
    theta: Floats,
    cov: Floats,
    level: float,
    title: str,
    names: list[str] | None = None,
    truth: Floats | None = None,
    *,
    dof: float = float("inf"),
) -> Figure:
    """Parameters (L, D), called `names`, with confidence intervals; points with ellipses in the plane (D = 2).

    Three or more parameters have a panel each, because their scales differ. The `truth` (L, D), where it is known, as crosses.
    Intervals and ellipses are those of the t law with `dof` degrees of freedom.
    """
    figure = Figure(figsize=parameters_size(theta.shape[1]), layout="constrained")
    draw_parameters(figure, theta, cov, level, names, truth, dof=dof)
    if theta.shape[1] > 2:
        figure.suptitle(title)
    else:
        figure.axes[0].set_title(title)
    return figure


def parameters_size(dim: int) -> tuple[float, float]:
    """Inches that a picture of D parameters takes."""
    return (6.8, 4.2) if dim < 3 else (9.0, 2.3 * -(-min(dim, MOST_PATHS) // _panel_columns(dim)) + 0.5)


def _panel_columns(dim: int) -> int:
    return dim if dim <= 4 else 3 if dim in (5, 6, 9) else 4


def draw_parameters(
    figure: FigureBase,
    theta: Floats,
    cov: Floats,
    level: float,
    names: list[str] | None = None,
    truth: Floats | None = None,
    *,
    dof: float = np.inf,
    legend: bool = True,
) -> None:
    """The picture of `parameters`, in a figure or in a part of one, which may have the legend elsewhere."""
    D = theta.shape[1]
    called = names or [f"parameter {j + 1}" for j in range(D)]
    if D == 2:
        ax = figure.subplots()
        _plane(ax, theta, cov, planar_radius(level, dof), called, truth)
        if legend:
            legend_beside(figure, ax)
        return
    with np.errstate(invalid="ignore"):
        half = two_sided(level, dof) * np.sqrt(np.diag(cov)).reshape(theta.shape)
    axes = figure.subplots(-(-min(D, MOST_PATHS) // _panel_columns(D)), _panel_columns(D), squeeze=False).ravel()
    for j, ax in enumerate(axes):
        if j >= min(D, MOST_PATHS):
            ax.set_axis_off()
            continue
        _intervals(ax, theta[:, j], half[:, j], level, None if truth is None else truth[:, j])
        if D > 1:
            (name,), how = literal([called[j]])
            ax.set_title(name, fontsize="medium" if len(name) <= 20 else "small", **how)
            ax.set_ylabel("")
            ax.spines[["top", "right"]].set_visible(False)
    if truth is not None and legend:
        legend_beside(figure, axes[0])


def legend_beside(figure: FigureBase, ax: Axes) -> None:
    """The labels of an axes beside it, where they cover nothing; systems are left out if there are many."""
    handles, labels = ax.get_legend_handles_labels()
    many = sum(label.startswith("system ") for label in labels) > len(COLORS)
    kept = [(h, label) for h, label in zip(handles, labels) if not (many and label.startswith("system "))]
    kept.sort(key=lambda one: one[1] == "truth")
    if kept:
        figure.legend(*zip(*kept), loc="outside right upper", frameon=False, fontsize="small")


def _plane(ax: Axes, theta: Floats, cov: Floats, radius: float, names: list[str], truth: Floats | None) -> None:
    shades = colors(len(theta))
    for l, point in enumerate(theta):
        ax.plot(*point, "o", color=shades[l], label=f"system {l + 1}")
        if len(theta) > len(COLORS):
            ax.annotate(str(l + 1), (point[0], point[1]), xytext=(5, 4), textcoords="offset points", fontsize=8)
        block = cov[2 * l : 2 * l + 2, 2 * l : 2 * l + 2]
        if np.isfinite(block).all():
            values, vectors = np.linalg.eigh(block)
            width, height = 2.0 * radius * np.sqrt(np.maximum(values, 0.0))
            angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
            ax.add_patch(Ellipse((point[0], point[1]), width, height, angle=angle, color=shades[l], alpha=0.25, lw=0))
    if truth is not None:
        ax.plot(truth[:, 0], truth[:, 1], **TRUTH)
    (across, up), how = literal(names)
    ax.set_xlabel(across, **how)
    ax.set_ylabel(up, **how)
    ax.margins(0.15)


def _intervals(ax: Axes, values: Floats, half: Floats, level: float, truth: Floats | None) -> None:
    """One parameter (L,) of all systems."""
    at, known = np.arange(1, len(values) + 1), np.isfinite(half)
    for l, shade in enumerate(colors(len(values))):
        ax.errorbar(
            at[l : l + 1],
            values[l : l + 1],
            yerr=half[l : l + 1] if known[l] else None,
            fmt="o",
            capsize=4,
            color=shade,
        )
    if truth is not None:
        ax.plot(at, truth, **TRUTH)
    ax.set_xlabel("system")
    ax.set_xlim(0.4, len(values) + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12, min_n_ticks=1))
    ax.set_ylabel(f"estimate{f', {100 * level:.4g}% interval' if known.any() else ''}")


def trajectory(
    ax: Axes, index: NDArray[np.int64], theta: Floats, truth: Floats | None = None, *, title: str = ""
) -> None:
    """Paths (n, L) over the number of sets, with the truth (L,) or (n, L) as dashed lines.

    The picture shows where the paths settle, and the truth: what lies far outside the last half of them is cut off.
    """
    for l, shade in enumerate(colors(theta.shape[1])):
        ax.plot(index, theta[:, l], color=shade, lw=1.2)
    if truth is not None:
        lines = np.broadcast_to(truth, theta.shape)
        ax.plot(index, lines, color="black", lw=0.8, ls="--")
    ax.set(xlabel="sets", ylabel="estimate", title=title)
    late = np.concatenate([theta[len(theta) // 2 :].ravel(), np.ravel(truth if truth is not None else theta[-1])])
    margin = 0.75 * max(float(np.ptp(late)), 1e-12)
    ax.set_ylim(
        max(min(float(theta.min()), late.min()), late.min() - margin) - 0.1 * margin,
        min(max(float(theta.max()), late.max()), late.max() + margin) + 0.1 * margin,
    )
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))


def matrix_comparison(ax: Axes, truth: Floats, found: Floats, *, title: str = "") -> None:
    """Two matrices (L, D), rows of the truth as lines and rows found as markers of the same color."""
    at = np.arange(1, truth.shape[1] + 1)
    for l, shade in enumerate(colors(len(truth))):
        ax.plot(at, truth[l], color=shade, lw=1.0)
        ax.plot(at, found[l], "o", color=shade, ms=4)
    ax.set(xlabel="parameter", ylabel="value", title=title, xticks=at)


def two_panels(title: str) -> tuple[Figure, Axes, Axes]:
    """A figure with two panels side by side."""
    figure = Figure(figsize=(10.0, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    figure.suptitle(title)
    return figure, left, right


def paths(
    index: NDArray[np.int64], theta: Floats, interval: Floats, names: list[str], truth: Floats | None = None
) -> Figure:
    """Paths (n, L, D) of the estimates, each in a panel, with the `interval` (L, D, 2) as a band; NaN where it is not known.

    The end of a path is in view. The `truth` (L, D), where it is known, is dashed. What lies outside the scale is cut off: the
    first twentieth of a path has no say in it, nor has what is farther from the band than `REACH` half intervals. At most
    `MOST_PATHS` panels are drawn.
    """
    _, L, D = theta.shape
    places = list(np.ndindex(L, D))[:MOST_PATHS]
    columns = D if 1 < D <= 4 else min(len(places), 3)
    rows = -(-len(places) // columns)
    figure = Figure(figsize=(9.0, 2.1 * rows + 0.2), layout="constrained")
    axes, shades = figure.subplots(rows, columns, squeeze=False).ravel(), colors(L)
    for ax, (l, j) in zip(axes, places):
        _path(ax, index, theta[:, l, j], interval[l, j], shades[l], None if truth is None else float(truth[l, j]))
        (title,), how = literal([f"system {l + 1}, {names[j]}" if D > 1 else f"system {l + 1}"])
        ax.set_title(title, fontsize="medium", **how)
        _count_axis(ax, "sets")
        ax.set_xlim(0, index[-1])
    for ax in axes[len(places) :]:
        ax.set_axis_off()
    return figure


def _path(ax: Axes, index: NDArray[np.int64], theta: Floats, interval: Floats, shade: str, truth: float | None) -> None:
    late = theta[index > index[-1] / 20.0]
    ends = interval if np.isfinite(interval).all() else np.repeat(theta[-1], 2)
    half = (ends[1] - ends[0]) / 2.0
    if half > 0.0:
        late = np.clip(late, ends[0] - REACH * half, ends[1] + REACH * half)
    shown = [*late, theta[-1], *ends, *([] if truth is None else [truth])]
    low, high = min(shown), max(shown)
    margin = 0.1 * max(high - low, 1e-12 * max(abs(ends[0]), 1.0))
    ax.axhspan(ends[0], ends[1], color=shade, alpha=0.18, lw=0)
    ax.plot(index, theta, color=shade, lw=1.2, marker="." if len(index) <= FEW_POINTS else "", ms=4)
    if truth is not None:
        ax.axhline(truth, **DASHED)
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.set_ylim(low - margin, high + margin)


def residuals(left: Floats, at: NDArray[np.int64], sd: float, size: Floats | None, label: str) -> Figure:
    """Residuals (n,) of the sets `at`, their law beside the normal one of deviation `sd`, and against inputs (n,)."""
    figure = Figure(figsize=(9.0, 2.7), layout="constrained")
    axes = figure.subplots(1, 2 if size is None else 3)
    _points(axes[0], at, left, sd)
    axes[1].hist(left, bins=min(60, max(10, len(left) // 50)), density=True, color=COLORS[0], alpha=0.35)
    if sd > 0.0:
        x = np.linspace(-4.0 * sd, 4.0 * sd, 200)
        axes[1].plot(x, np.exp(-0.5 * (x / sd) ** 2) / (sd * np.sqrt(2.0 * np.pi)), color="black", lw=1.0)
    axes[1].set(yticks=[])
    axes[1].set_xlabel("residual")
    _count_axis(axes[0], "set")
    if size is not None:
        _points(axes[2], size, left, sd)
        name_axis(axes[2], label)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def _points(ax: Axes, at: NDArray[np.generic], left: Floats, sd: float) -> None:
    ax.plot(at, left, ".", ms=2.5, color=COLORS[0], alpha=0.5, rasterized=True)
    for edge in (-2.0 * sd, 0.0, 2.0 * sd):
        ax.axhline(edge, color="black", lw=0.8, ls="-" if edge == 0.0 else "--")
    ax.set_ylabel("residual")


def name_axis(ax: Axes, name: str) -> None:
    """The name of a column under an axes."""
    (text,), how = literal([name])
    ax.set_xlabel(text, **how)


def _count_axis(ax: Axes, label: str) -> None:
    ax.set_xlabel(label)
    ax.xaxis.set_major_locator(MaxNLocator(4, integer=True, min_n_ticks=1))
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.spines[["top", "right"]].set_visible(False)


def named(right: Floats, words: list[str]) -> Figure:
    """How often the best guess names each system's reading, `right` (L,), also in `words`, as bars beside pure chance."""
    L = len(right)
    figure = Figure(figsize=(7.5, min(0.34 * L, 9.0) + 1.0), layout="constrained")
    ax = figure.subplots()
    at = np.arange(1, L + 1)
    ax.barh(at, right, color=colors(L), height=0.72)
    for l in range(L if L <= 30 else 0):
        ax.annotate(words[l], (right[l], at[l]), xytext=(4, 0), textcoords="offset points", va="center")
    ax.axvline(1.0 / L, color="black", lw=1.0, ls="--")
    ax.annotate("pure chance", (1.0 / L, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=9)
    ax.set(xlim=(0.0, 1.08), ylim=(L + 0.6, 0.4), xlabel="named rightly", ylabel="system")
    ax.set_xticks(np.linspace(0.0, 1.0, 6), [f"{share:.0%}" for share in np.linspace(0.0, 1.0, 6)])
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=12))
    ax.spines[["top", "right"]].set_visible(False)
    return figure


def tradeoff(
    added: Floats,
    right: Floats,
    whole: Floats,
    anonymity: Floats,
    analyst: Floats,
    bound: Floats,
    title: str,
    what: str = "added noise (standard deviation)",
) -> Figure:
    """What added noise buys (left) and costs (right); `what` is its name and unit.

    Left: how often the best guess names each system's reading, `right` (m, L), and all of them, `whole` (m,), over the
    standard deviation of the `added` noise (m,). Right: the analyst's standard error `analyst` (m,), and its lower
    `bound` (m,), NaN where it is not known, over the `anonymity` (m,).
    """
    figure, left, cost = two_panels(title)
    figure.set_size_inches(10.0, 4.6)
    _buys(left, added, right, whole, what)
    _costs(cost, added, anonymity, analyst, bound)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=3, frameon=False, fontsize="small")
    figure.legend(*cost.get_legend_handles_labels(), loc="outside lower right", frameon=False, fontsize="small")
    return figure


def _buys(ax: Axes, added: Floats, right: Floats, whole: Floats, what: str) -> None:
    L = right.shape[1]
    few = len(COLORS) >= L
    ax.plot(added, whole, color="black", lw=3.0, label=f"the whole record (all {L})")
    for l in range(L):
        name = f"system {l + 1}" if few else f"each of {L} systems" if l == 0 else None
        ax.plot(added, right[:, l], color=COLORS[l if few else 0], lw=1.4 if few else 0.8, label=name)
    ax.axhline(1.0 / L, color="grey", lw=0.8, ls=":")
    ax.annotate(
        "pure chance, one system", (0.01, 1.0 / L), xycoords=("axes fraction", "data"), va="bottom", color="grey"
    )
    if len(added) > 2:
        ax.set_xscale("symlog", linthresh=max(added[added > 0.0].min(), 1e-300))
        ax.set_xticks(added[::2], [_plain(a) for a in added[::2]])
        ax.minorticks_off()
    ax.set(xlabel=what, ylabel="chance that the best guess is right", ylim=(0.0, 1.03))
    ax.margins(x=0.01)


def _costs(ax: Axes, added: Floats, anonymity: Floats, analyst: Floats, bound: Floats) -> None:
    known = np.isfinite(analyst)
    ax.plot(anonymity[known], analyst[known], "o-", color=COLORS[0], ms=4, label="efficient estimator")
    if np.isfinite(bound).any():
        ax.plot(anonymity, bound, "--", color=COLORS[1], label="least possible, where it is known")
    last = -1.0
    for a, x, y in zip(added[known][::2], anonymity[known][::2], analyst[known][::2]):
        if x < last + 0.04:  # no room for words
            continue
        last, words = x, f"+{_plain(a)}" if a else "now"
        at, side = ((6, -6), "left") if x < 0.08 else ((-5, 4), "right")
        ax.annotate(words, (x, y), textcoords="offset points", xytext=at, ha=side, fontsize=8, color="#555555")
    if (analyst[known] > 0.0).any():
        ax.set_yscale("log")
    ax.set(
        xlabel="anonymity of a single reading (0 none, 1 full)",
        ylabel="analyst's standard error × √records",
        xlim=(-0.04, 1.04),
    )
    ax.margins(y=0.1)


def _plain(number: float) -> str:
    """A number of two digits, without an exponent where it can be read without.

    >>> _plain(222.2), _plain(0.07194), _plain(1234567.0), _plain(3e-9)
    ('220', '0.072', '1,200,000', '3e-09')
    """
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if 10.0 <= abs(rounded) < 1e9 else f"{rounded:.2g}"
