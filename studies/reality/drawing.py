"""The pictures: readings as dots, which have no names; curves with names thin and black; curves of the estimate bold."""

import io
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studies.reality.comparison import REFUSED, RIGHT, SILENT, WITHIN
from vieta.plots import colors

COLUMNS = 4
SHADES = {RIGHT: "#009E73", WITHIN: "#009E73", SILENT: "#D00000"}
OTHERS = "#B06000"


def draw(ax: Axes, name: str, result: dict[str, Any]) -> None:
    """One panel on an axes."""
    shown = result["picture"]
    times, readings = (np.asarray(values) for values in shown["dots"])
    ax.plot(np.repeat(times, readings.shape[1]), readings.ravel(), ".", color="#999999", ms=2.5, zorder=1)
    if shown["fitted"] is not None:
        fitted = np.asarray(shown["fitted"])
        for curve, color in zip(fitted.T, colors(fitted.shape[1])):
            ax.plot(shown["axis"], curve, color=color, lw=2.2, alpha=0.75, zorder=2)
    ax.plot(shown["axis"], shown["labeled"], color="black", lw=0.7, zorder=3)
    room = 0.08 * np.ptp(readings)
    ax.set_ylim(readings.min() - room, readings.max() + room)
    ax.set_title(f"{name}: {result['verdict']}", fontsize=9, color=SHADES.get(result["verdict"], OTHERS))
    ax.tick_params(labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)


def one(name: str, result: dict[str, Any]) -> bytes:
    """A panel's picture."""
    figure = Figure(figsize=(7.0, 4.8), layout="constrained")
    ax = figure.subplots()
    draw(ax, name, result)
    words = " ".join(result["findings"]) or "no findings"
    ax.set_xlabel(words if result["verdict"] != REFUSED else f"refused: {words}", fontsize=8)
    return _png(figure, 110)


def sheet(results: dict[str, dict[str, Any]]) -> bytes:
    """All panels."""
    rows = -(-len(results) // COLUMNS)
    figure = Figure(figsize=(3.3 * COLUMNS, 2.3 * rows), layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, COLUMNS)).ravel()
    for ax, (name, result) in zip(axes, results.items()):
        draw(ax, name, result)
    for ax in axes[len(results) :]:
        ax.set_axis_off()
    return _png(figure, 100)


def _png(figure: Figure, dpi: int) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, dpi=dpi)
    return file.getvalue()
