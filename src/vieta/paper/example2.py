"""Example 2: two systems that jump, in Laplace noise. Recursive EM needs the noise law, the filter does not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from vieta import scenarios
from vieta.arrays import Floats
from vieta.estimators import SymmetricFilter, Trajectory
from vieta.laws.motion import Jump
from vieta.method.lms import METHOD
from vieta.paper.path import Path
from vieta.paper.recursive_em_path import recursive_em
from vieta.paper.verdicts import NOT_REPRODUCED, REPRODUCED, WRONG_EXPLANATION, Report, Row, Verdict, shown
from vieta.scenarios import Records, simulate
from vieta.symmetric import elementary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

START = np.array([[1.0], [2.0]])
STEP = 2e-5
REM_STEP = 5e-5
BEFORE, AFTER = np.array([[4.0], [5.0]]), np.array([[1.0], [3.0]])
PAPER = np.array([[[3.5590], [5.4559]], [[0.7405], [3.2658]]])  # recursive EM before and after the jump
WHEN = ("before the jump", "after the jump")
STATED, INFERRED = 1.0, 0.5  # noise variance that recursive EM assumes; the noise has 4
NEAR = 3.5  # deviations of a run within which a printed run is one like ours
SURE = np.log(100.0)  # log likelihood ratio from which one variance explains the printed run better than the other


def run(seed: int = 0, n: int | None = None, runs: int = 20, rivals: int = 8) -> Report:
    """Run the Example on n sets (the jump at half of them), `runs` times to tell bias from noise.

    Recursive EM and the weighted filter, which take longer, run on the first `rivals` of them.
    """
    n = n or scenarios.get("example-2").n or 0
    half = n // 2
    every = max(half // 300, 1)
    draws = [simulate("example-2", n=n, seed=seed + r, motion=Jump(half, AFTER)) for r in range(runs)]
    lms = [_lms(records, every) for records in draws]
    stated, inferred = ([_rival(records, every, v) for records in draws[:rivals]] for v in (STATED, INFERRED))
    values = {
        "lms": _ends(lms, half),
        "stated": _ends(stated, half),
        "inferred": _ends(inferred, half),
        "weighted": np.array([_weighted(records, half) for records in draws[:rivals]]),
    }
    expected = (_expected(START, BEFORE, half), _expected(BEFORE, AFTER, n - half))
    rows = (
        *_rival_rows(values["inferred"], values["stated"]),
        *(_row(when, values["lms"][:, i], expected[i], (BEFORE, AFTER)[i]) for i, when in enumerate(WHEN)),
        _weighted_row(values["weighted"]),
    )
    settings = (
        *scenarios.get("example-2").ours,
        f"Recursive EM runs with noise variance {STATED:g}, as stated, and {INFERRED:g}: the likelihood without its factor "
        "one half, exp(-(y - psi theta)²), which is the setting that gives the printed numbers.",
        f"{runs} runs (seeds {seed} to {seed + runs - 1}; recursive EM and the weighted filter on {rivals} of them), where "
        "the paper shows one.",
    )
    figure = _figure(inferred[0], lms[0], half)
    return Report(2, "A jump in Laplace noise: no bias", settings, rows, figure, values)


def _lms(records: Records, every: int) -> Trajectory:
    stream = SymmetricFilter(2, method=METHOD.name, step=STEP, start=START)
    return stream.trace(records.sets, records.inputs, every=every)


def _rival(records: Records, every: int, variance: float) -> Path:
    sets, inputs = records.sets, records.inputs
    return recursive_em(sets, inputs, step=REM_STEP, start=START, noise_var=variance, record_every=every)


def _weighted(records: Records, half: int) -> Floats:
    """(2, 2, L, D) estimates and their standard errors, at the jump and at the end."""
    stream, psi = SymmetricFilter(2), np.asarray(records.inputs)
    stops = [stream.partial_fit(records.sets[part], psi[part]).estimate() for part in (slice(half), slice(half, None))]
    return np.array([[stop.theta, stop.stderr] for stop in stops])


def _ends(paths: Sequence[Trajectory | Path], half: int) -> Floats:
    """(runs, 2, L, D) parameters at the jump and at the end."""
    return np.array([[path.theta[path.index == half][0], path.theta[-1]] for path in paths])


def _rival_rows(inferred: Floats, stated: Floats) -> tuple[Row, ...]:
    """The printed run against the scatter of ours, each time on its own; which variance explains it, by both together."""
    ratio = _log_likelihood(PAPER, inferred) - _log_likelihood(PAPER, stated)
    return tuple(_rival_row(when, inferred[:, i], stated[:, i], PAPER[i], ratio) for i, when in enumerate(WHEN))


def _rival_row(when: str, inferred: Floats, stated: Floats, paper: Floats, ratio: float) -> Row:
    far, far_as_stated = (float(abs(_deviations(paper, ends)[0]).max()) for ends in (inferred, stated))
    near: Verdict = WRONG_EXPLANATION if ratio > SURE else REPRODUCED
    verdict: Verdict = near if far < NEAR else NOT_REPRODUCED
    why = (
        f"The printed run lies {far:.1f} deviations of a run from ours with variance {INFERRED:g}, and {far_as_stated:.1f} "
        f"with the {STATED:g} that is stated; both times together, it is {_times(ratio)} as likely with {INFERRED:g}. The "
        "bias is there, but comes from the wrong variance more than from the wrong law: the noise has variance 4, and a "
        "Gaussian law that knows it gives about [4.03, 4.97]."
    )
    ours = f"{shown(inferred.mean(axis=0))} with variance {INFERRED:g}, {shown(stated.mean(axis=0))} with {STATED:g}"
    return Row(f"Recursive EM with a wrong noise law, {when}", shown(paper), ours, verdict, why)


def _deviations(printed: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """How far a printed run (...) is from ours (n, ...), in standard deviations of a further run, and those deviations."""
    sd = ends.std(axis=0, ddof=1) * np.sqrt(1.0 + 1.0 / len(ends))
    return np.asarray((printed - ends.mean(axis=0)) / sd), np.asarray(sd)


def _log_likelihood(printed: Floats, ends: Floats) -> float:
    r"""Of a printed run as one more of ours, whose numbers scatter normally and nearly independently: Student's t,

    .. math:: -\sum \Bigl(\tfrac n2 \log\bigl(1 + \tfrac{z^2}{n-1}\bigr) + \log s\Bigr)

    and a constant, with z and s from `_deviations`.
    """
    n = len(ends)
    z, sd = _deviations(printed, ends)
    return float(-(0.5 * n * np.log1p(z**2 / (n - 1)) + np.log(sd)).sum())


def _times(log_ratio: float) -> str:
    """A likelihood ratio in words.

    >>> _times(np.log(20.0)), _times(np.log(250_000.0))
    ('20 times', '2e+05 times')
    """
    return f"{np.exp(log_ratio):.{2 if log_ratio < SURE else 1}g} times"


def _weighted_row(stops: Floats) -> Row:
    """Our filter, on the same sets, without knowledge of the noise or of the jump; judged by its own standard errors."""
    theta, stderr = stops[:, :, 0].mean(axis=0), np.sqrt(np.mean(stops[:, :, 1] ** 2, axis=0))
    z = float(abs((theta - [BEFORE, AFTER]) / (stderr / np.sqrt(len(stops)))).max())
    verdict: Verdict = REPRODUCED if z < 4.0 else NOT_REPRODUCED
    ours = f"{shown(theta[0])}, {shown(theta[1])} on average, standard errors {shown(stderr[0])}, {shown(stderr[1])}"
    why = f"The average is within {z:.1f} of its standard errors of the truth. The filter found the jump by itself."
    return Row("Weighted filter (ours), before and after the jump", "not in the paper", ours, verdict, why)


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


def _figure(rival: Path, lms: Trajectory, half: int) -> "Figure":
    from vieta import plots

    truth = np.where(lms.index[:, None] <= half, BEFORE.T, AFTER.T)
    figure, left, right = plots.two_panels("Example 2: Laplace noise, a jump at half time, truth dashed")
    title = f"Recursive EM (Gaussian, variance {INFERRED:g})"
    plots.trajectory(left, rival.index, rival.theta[:, :, 0], truth, title=title)
    plots.trajectory(right, lms.index, lms.theta[:, :, 0], truth, title="Filter on the coefficients (LMS)")
    return figure
