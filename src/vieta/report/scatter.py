"""Readings as dots over time or an input, and what the fitted systems give there: lines, or marks where it depends on more."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure, FigureBase
from matplotlib.ticker import MaxNLocator

from vieta.arrays import Floats, Integers
from vieta.plots import DASHED, colors, legend_beside, name_axis
from vieta.sets import Data, padded
from vieta.typeface import literal

MOST_POINTS = 3000  # readings in a panel
MOST_PANELS = 4
MANY = 500  # readings from which on dots are small
JITTER = 0.18  # to either side of a category
DOTS: dict[str, Any] = {"ls": "", "marker": ".", "color": "#222222", "alpha": 0.45, "zorder": 3}


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Sets over an axis.

    Attributes
    ----------
    label : str
        Of the axis.
    at : (n,)
        Where the sets stand; times in microseconds since 1970.
    sets : (n, L)
        NaN where a reading is missing.
    rows : (n, D)
        Inputs of the sets.
    grid, grid_rows : (m,) and (m, D), optional
        Places along the axis and the inputs there, where these depend on nothing else; lines are drawn then.
    kind : "number", "count", "time" or "level"
        Of the axis; a level is one of the `levels`, from 0 on.
    levels : tuple of str
    note : str
        Which of the sets these are, if it is not all of them or some of all.
    value : str
        What a reading is called.
    """

    label: str
    at: Floats
    sets: Floats
    rows: Floats
    grid: Floats | None = None
    grid_rows: Floats | None = None
    kind: Literal["number", "count", "time", "level"] = "number"
    levels: tuple[str, ...] = ()
    note: str = ""
    value: str = "reading"


def places(n: int, most: int) -> Integers:
    """At most so many of n places, evenly spread.

    >>> places(5, 3)
    array([0, 2, 4])
    """
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def panels_of(sample: Data, input_names: list[str]) -> tuple[Panel, ...]:
    """Sets in memory over their one input, or over their number; none if readings are not numbers, or several inputs vary."""
    if sample.reading_dim > 1 or len(input_names) > 1:
        return ()
    some = places(len(sample), max(MOST_POINTS // sample.n_systems, 1))
    rows, sets = sample.inputs[some].reshape(len(some), -1), padded(sample.at(some))[:, :, 0]
    if not input_names:
        at = np.asarray(some + 1, dtype=np.float64)
        return (Panel("set", at, sets, rows, at[[0, -1]], rows[[0, -1]], "count"),)
    order = np.argsort(rows[:, -1])
    return (Panel(input_names[0], rows[:, -1], sets, rows, rows[order, -1], rows[order]),)


def readings(panels: tuple[Panel, ...], theta: Floats, truth: Floats | None = None) -> Figure:
    """Readings over each axis in a panel, with the systems `theta` (L, D), and the `truth` (L, D), if it is known."""
    figure = Figure(figsize=readings_size(len(panels)), layout="constrained")
    draw_readings(figure, panels, theta, truth)
    return figure


def readings_size(count: int) -> tuple[float, float]:
    """Inches that a picture of so many panels takes."""
    return (9.0, 3.6) if count == 1 else (9.0, 3.3 * -(-count // 2))


def draw_readings(figure: FigureBase, panels: tuple[Panel, ...], theta: Floats, truth: Floats | None = None) -> None:
    """The picture of `readings`, in a figure or in a part of one."""
    count = min(len(panels), MOST_PANELS)
    axes = figure.subplots(-(-count // 2), min(count, 2), squeeze=False).ravel()
    for ax in axes[count:]:
        ax.set_axis_off()
    for ax, panel in zip(axes, panels):
        _systems(ax, panel, theta, truth)
        size = 2.5 if panel.sets.size > MANY else 4.0
        across = np.repeat(_jittered(panel)[:, None], panel.sets.shape[1], axis=1)
        ax.plot(_as_axis(across, panel).ravel(), panel.sets.ravel(), ms=size, rasterized=True, **DOTS)
        _axis(ax, panel)
        (value,), how = literal([panel.value])
        ax.set_ylabel(value, **how)
        ax.spines[["top", "right"]].set_visible(False)
    legend_beside(figure, axes[0])


def _systems(ax: Axes, panel: Panel, theta: Floats, truth: Floats | None) -> None:
    """What each system gives: a line, or a mark at each set."""
    has_line = panel.grid is not None and panel.grid_rows is not None
    at, rows = (panel.grid, panel.grid_rows) if has_line else (panel.at, panel.rows)
    across = _as_axis(np.asarray(at), panel)
    look: dict[str, Any] = {"lw": 2.0} if has_line else {"ls": "", "marker": "_", "ms": 5, "mew": 1.6, "alpha": 0.8}
    dashed = DASHED if has_line else {"ls": "", "marker": "x", "ms": 3, "color": "black", "zorder": 4}
    if has_line and np.ptp(np.asarray(at)) == 0.0:  # a line needs two points
        alone: dict[str, Any] = {"ls": "", "marker": "_", "ms": 24}
        look, dashed = look | alone, dashed | alone
    given = np.asarray(rows) @ theta.T
    for l, shade in enumerate(colors(len(theta))):
        ax.plot(across, given[:, l], color=shade, label=f"system {l + 1}", rasterized=not has_line, **look)
    if truth is not None:
        labels = ["truth", *[None] * (len(truth) - 1)]
        ax.plot(across, np.asarray(rows) @ truth.T, label=labels, **dashed)


def _jittered(panel: Panel) -> Floats:
    if panel.kind != "level":
        return panel.at
    return panel.at + np.random.default_rng(0).uniform(-JITTER, JITTER, len(panel.at))


def _as_axis(at: Floats, panel: Panel) -> Any:
    """Places as matplotlib has them."""
    return at.round().astype("datetime64[us]") if panel.kind == "time" else at


def _axis(ax: Axes, panel: Panel) -> None:
    name_axis(ax, panel.label)
    if panel.kind == "time":
        locator = AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    elif panel.kind == "level":
        texts, how = literal(panel.levels)
        ax.set_xticks(range(len(texts)), texts, **how)
    else:
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=panel.kind == "count", min_n_ticks=1))
        ax.ticklabel_format(axis="x", useOffset=False)
