"""Example 4: four systems with ten parameters each, one hundred trials."""

from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING

import numpy as np

from vieta import scenarios
from vieta.arrays import Floats
from vieta.coefficients import lms_recursion
from vieta.coefficients.design import Design
from vieta.paper.naive_lms import naive_lms
from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION, Report, Row
from vieta.scenarios import simulate
from vieta.symmetric import convolution, inverse_by_columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STEP, NAIVE_STEP = 5e-4, 5e-3
PRINTED = 7e-4  # the paper's largest relative error of the average


def run(seed: int = 0, n: int | None = None, trials: int = 100) -> Report:
    """Run `trials` independent trials of n sets."""
    truth = scenarios.get("example-4").theta
    design = Design(convolution(*truth.shape), "scalar")
    with ThreadPoolExecutor(cpu_count()) as pool:
        coefficients = list(pool.map(lambda r: _coefficients(design, seed + r, n), range(trials)))
    robust = design.transform.inverse(np.array(coefficients)).theta
    columns = inverse_by_columns(design.transform, np.array(coefficients))
    first = simulate("example-4", n=n, seed=seed)
    naive = naive_lms(first.sets, step=NAIVE_STEP).final
    rows = (
        _average_row(robust, truth, trials),
        _columns_row(columns.theta, float(np.median(columns.condition)), truth),
        _naive_row(naive, truth),
    )
    settings = (
        *scenarios.get("example-4").ours,
        f"Steps {STEP:g} (vector) and {NAIVE_STEP:g} (naive). With {NAIVE_STEP:g} the naive matrix scatters as the "
        "printed one does; with it the vector filter's average would be off by 4e-4 to 1e-3, as the seed has it.",
        f"Seeds {seed} to {seed + trials - 1}.",
    )
    values = {"robust": robust, "columns": columns.theta, "naive": naive, "truth": truth}
    figure = _figure(truth, robust.mean(axis=0), naive)
    return Report(4, "Four systems of ten parameters", settings, rows, figure, values)


def _coefficients(design: Design, seed: int, n: int | None) -> Floats:
    """Coefficients at the end of one trial of the filter."""
    records = simulate("example-4", n=n, seed=seed)
    state = lms_recursion.init(np.zeros(design.transform.parameters.size))
    step = np.full(design.n_systems, STEP)
    for at in range(0, len(records.sets), 2048):
        piece = records.sets[at : at + 2048]
        state, _ = lms_recursion.update(state, design, design.blocks(piece, np.ones(len(piece))), step)
    return state.coefficients


def relative_error(theta: Floats, truth: Floats) -> float:
    """Largest relative error of the average over trials (n, L, D)."""
    return float((abs(theta.mean(axis=0) - truth) / abs(truth)).max())


def _average_row(robust: Floats, truth: Floats, trials: int) -> Row:
    error = relative_error(robust, truth)
    return Row(f"Largest relative error of the average of {trials} trials", f"at most {PRINTED:.0e}", f"{error:.1e}",
               REPRODUCED if error <= 7.5e-4 else NOT_REPRODUCED,
               "With an inverse that reads the polynomials on circles and fits all coefficients.")  # fmt: skip


def _columns_row(columns: Floats, condition: float, truth: Floats) -> Row:
    error = relative_error(columns, truth)
    return Row("The same with the paper's own inverse, column by column", f"at most {PRINTED:.0e}", f"{error:.1e}",
               REPRODUCED if error <= 7.5e-4 else NOT_REPRODUCED,
               f"Its condition number is {condition:.0e}: the error grows fourfold from column to column.")  # fmt: skip


def _naive_row(naive: Floats, truth: Floats) -> Row:
    columns_sorted = bool((np.diff(naive, axis=0) > 0.0).all())
    scatter = float(np.sqrt(np.mean((naive - np.sort(truth, axis=0)) ** 2)))
    return Row("The naive transform", "all order information is lost; every printed column ascends",
               f"every column ascends: {columns_sorted}; rms {scatter:.4f} about the sorted truth",
               WRONG_EXPLANATION if columns_sorted else NOT_REPRODUCED,
               "It never knew an order: it returns each column sorted, also when the rows are far apart.")  # fmt: skip


def _figure(truth: Floats, robust: Floats, naive: Floats) -> "Figure":
    from vieta import plots

    figure, left, right = plots.two_panels("Example 4: rows of the truth (lines) and of the estimate (points)")
    plots.matrix_comparison(left, truth, robust, title="Vector transform")
    plots.matrix_comparison(right, truth, naive, title="Naive transform: columns sorted")
    return figure
