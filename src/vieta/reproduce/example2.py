"""Example 2: two systems that jump, in Laplace noise. The filter needs no noise law."""

from typing import TYPE_CHECKING

import numpy as np

from vieta import scenarios
from vieta.estimate import SymmetricFilter, Trajectory
from vieta.reproduce.report import NOT_REPRODUCED, PENDING, REPRODUCED, Report, Row, Verdict, shown
from vieta.simulation import simulate
from vieta.simulation.motion import Jump
from vieta.symmetric import elementary
from vieta.symmetric.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

START = np.array([[1.0], [2.0]])
STEP = 2e-5
BEFORE, AFTER = np.array([[4.0], [5.0]]), np.array([[1.0], [3.0]])


def run(seed: int = 0, n: int | None = None, runs: int = 20) -> Report:
    """Run the Example on n sets (the jump at half of them), `runs` times to tell bias from noise."""
    n = n or scenarios.get("example-2").n or 0
    half = n // 2
    paths = [_one(seed + r, n, half) for r in range(runs)]
    ends = np.array([[p.theta[p.index == half][0], p.theta[-1]] for p in paths])
    rows = (
        Row(
            "Recursive EM with a wrong noise law, before the jump",
            "[3.559, 5.456]",
            "-",
            PENDING,
            "Recursive EM is a likelihood method, which this release does not have.",
        ),
        Row("Recursive EM with a wrong noise law, after the jump", "[0.741, 3.266]", "-", PENDING),
        _row("before the jump", ends[:, 0], _expected(START, BEFORE, half), BEFORE),
        _row("after the jump", ends[:, 1], _expected(BEFORE, AFTER, n - half), AFTER),
    )
    settings = (
        *scenarios.get("example-2").ours,
        f"{runs} runs (seeds {seed} to {seed + runs - 1}), where the paper shows one.",
    )
    values = {"before": ends[:, 0], "after": ends[:, 1]}
    return Report(2, "A jump in Laplace noise: no bias", settings, rows, _figure(paths[0], half), values)


def _one(seed: int, n: int, half: int) -> Trajectory:
    records = simulate("example-2", n=n, seed=seed, motion=Jump(half, AFTER))
    stream = SymmetricFilter(2, method="lms", step=STEP, start=START)
    return stream.trace(records.sets, records.inputs, every=max(half // 300, 1))


def _expected(start: Floats, end: Floats, n: int) -> Floats:
    """Mean of the coefficients after n sets: what LMS with this step has not yet forgotten of its start is left in."""
    transform = elementary(2).transform
    left = (1.0 - STEP * np.array([1.0, 3.0])) ** n  # E psi², E psi⁴
    return np.asarray(transform(end) + left * (transform(start) - transform(end)))


def _row(when: str, ends: Floats, expected: Floats, truth: Floats) -> Row:
    """Bias is judged on the coefficients, where the filter is linear and its mean is known exactly."""
    coefficients = elementary(2).transform(ends)
    standard_error = coefficients.std(axis=0, ddof=1) / np.sqrt(len(ends))
    z = abs(coefficients.mean(axis=0) - expected) / standard_error
    verdict: Verdict = REPRODUCED if z.max() < 4.0 else NOT_REPRODUCED
    return Row(f"Filter (LMS), {when}", f"converges to {shown(truth, 0)}, no bias",
               f"{shown(ends.mean(axis=0))} on average, sd {shown(ends.std(axis=0, ddof=1))}", verdict,
               f"Coefficients within {z.max():.1f} standard errors of their exact mean. At this step "
               f"{abs(expected - elementary(2).transform(truth)).max():.2g} of the start is left in them.")  # fmt: skip


def _figure(path: Trajectory, half: int) -> "Figure":
    from vieta import plots

    truth = np.where(path.index[:, None] <= half, BEFORE.T, AFTER.T)
    figure, left, right = plots.two_panels("Example 2: Laplace noise, a jump at half time, truth dashed")
    left.set_axis_off()
    left.text(0.5, 0.5, "recursive EM:\nnot in this release", ha="center", va="center")
    plots.trajectory(right, path.index, path.theta[:, :, 0], truth, title="Filter on the coefficients (LMS)")
    return figure
