r"""Which of two channels tells more, whatever the question: Blackwell's order, decided by a linear programme.

A channel is a matrix with a row per state (who is who) and a column per outcome (what is seen); rows add up to one.
B dominates B̄ when B̄ is B seen through further noise, :math:`\bar B = B M` with a stochastic matrix M; equivalently when
in every decision problem the best use of B loses no more than the best use of B̄ (Blackwell 1953; the paper's definition
before its Theorem 5).

How far B is from dominating is Le Cam's deficiency, a linear programme and its dual:

.. math::

    \delta = \min_M \max_i \tfrac12 \sum_j |(BM)_{ij} - \bar B_{ij}|
           = \max_{\pi,\ \ell \in [0,1]} \Bigl(\mathrm{risk}_{\pi,\ell}(B) - \mathrm{risk}_{\pi,\ell}(\bar B)\Bigr),
    \qquad \mathrm{risk}_{\pi,\ell}(B) = \sum_x \min_j \sum_i \pi_i \ell_{ij} B_{ix} .

B dominates if and only if it is zero. Otherwise the maximiser is the proof: a question that B̄ answers better by δ.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_floats, as_number, as_probabilities
from vieta.errors import ComputationError, InputError

LARGEST = 3e7  # entries of a linear programme's matrix


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A decision problem: states drawn from `prior` (S,), and `loss` (S, A) in [0, 1] of each action in each state."""

    prior: Floats
    loss: Floats

    def risk(self, channel: ArrayLike) -> float:
        """Expected loss of the best use of a channel (S, outcomes).

        >>> guess = Decision(np.array([0.5, 0.5]), np.array([[0.0, 1.0], [1.0, 0.0]]))
        >>> guess.risk([[0.9, 0.1], [0.2, 0.8]])
        0.15...
        """
        joint = self.prior[:, None] * np.asarray(channel, dtype=np.float64)
        return float((joint.T @ self.loss).min(axis=1).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Blackwell:
    """Whether one channel dominates another, with a proof either way.

    Attributes
    ----------
    holds : bool
        The deficiency is zero up to the tolerance.
    deficiency : float
        The most that any question with losses in [0, 1] is answered worse from B than from B̄.
    kernel : (outcomes, outcomes_bar) or None
        M with B̄ = B M, rows adding up to one; None when B does not dominate. It keeps means when some kernel does.
    certificate : Decision or None
        A question that B̄ answers strictly better; None when B dominates.
    mean_preserving : bool or None
        Whether some kernel also satisfies E[value_bar | outcome] = value; None when no values were given.
    """

    holds: bool
    deficiency: float
    kernel: Floats | None
    certificate: Decision | None
    mean_preserving: bool | None


def blackwell_dominates(
    B: ArrayLike,
    B_bar: ArrayLike,
    *,
    values: ArrayLike | None = None,
    values_bar: ArrayLike | None = None,
    tolerance: float = 1e-8,
) -> Blackwell:
    """Decide whether channel B dominates channel B_bar, that is, tells at least as much about the state.

    Parameters
    ----------
    B, B_bar : (states, outcomes), (states, outcomes_bar)
        Row i is the law of what is seen in state i.
    values, values_bar : (outcomes,), (outcomes_bar,) or with a second axis for vectors, optional
        What the outcomes are as numbers, to ask for a kernel that keeps means.
    tolerance : float
        Deficiencies up to this count as zero. Entries that were rounded at 1e-9 move the deficiency by about as much,
        and so does the solver; a smaller tolerance would turn rounding into verdicts.

    Examples
    --------
    >>> clear, blurred = [[0.9, 0.1], [0.1, 0.9]], [[0.7, 0.3], [0.3, 0.7]]
    >>> blackwell_dominates(clear, blurred).kernel.round(6)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    >>> question = blackwell_dominates(blurred, clear).certificate
    >>> bool(question.risk(clear) < question.risk(blurred))
    True
    """
    channel, channel_bar = _as_channel(B, "B"), _as_channel(B_bar, "B_bar")
    if len(channel) != len(channel_bar):
        raise InputError(
            "channels-of-other-states",
            "`B` and `B_bar` must have a row for each of the same states, got {rows} and {rows_bar} rows.",
            rows=len(channel), rows_bar=len(channel_bar),
        )  # fmt: skip
    _require_small(len(channel), channel.shape[1], channel_bar.shape[1])
    if not as_number(tolerance, "tolerance") >= 0.0:
        raise InputError(
            "deficiency-negative",
            "`tolerance` must not be negative, got {tolerance!r}. The default suits the solver's rounding.",
            tolerance=tolerance,
        )
    means = _as_values(values, values_bar, channel.shape[1], channel_bar.shape[1])
    kernel, decision = _solve(channel, channel_bar)
    deficiency = float(abs(channel @ kernel - channel_bar).sum(axis=1).max()) / 2.0
    if deficiency > tolerance:
        return Blackwell(False, deficiency, None, decision, None if means is None else False)
    if means is None:
        return Blackwell(True, deficiency, kernel, None, None)
    keeping = _keep_means(channel, channel_bar, *means, tolerance)
    return Blackwell(True, deficiency, kernel if keeping is None else keeping, None, keeping is not None)


def _solve(B: Floats, B_bar: Floats) -> tuple[Floats, Decision]:
    """The best kernel and, from the dual, the question on which B falls short most.

    Variables M (K, J), S (I, J) and t: minimise t with BM + S >= B̄, S 1 <= t, M 1 = 1. The dual of the first set of
    constraints is prior times gain, that of the second the prior.
    """
    (I, K), J = B.shape, B_bar.shape[1]
    short = np.hstack([-np.kron(B, np.eye(J)), -np.eye(I * J), np.zeros((I * J, 1))])
    spread = np.hstack([np.zeros((I, K * J)), _sums(I, J), -np.ones((I, 1))])
    x, dual = _minimise(np.vstack([short, spread]), np.r_[-B_bar.ravel(), np.zeros(I)], K, J)
    prior = np.maximum(-dual[I * J :], 0.0)
    gain = -dual[: I * J].reshape(I, J) / np.where(prior > 0.0, prior, 1.0)[:, None]
    decision = Decision(prior / (prior.sum() or 1.0), 1.0 - np.clip(gain, 0.0, 1.0))
    return _stochastic(x[: K * J].reshape(K, J)), decision


def _keep_means(B: Floats, B_bar: Floats, y: Floats, y_bar: Floats, tolerance: float) -> Floats | None:
    """A kernel with B̄ = BM and M ȳ = y, or None. Outcomes that never occur may go anywhere.

    Minimises t, the largest entry of |BM - B̄| and of |M ȳ - y| over the size of the values.
    """
    K, J = B.shape[1], B_bar.shape[1]
    seen = np.eye(K)[B.max(axis=0) > 0.0]
    size = max(float(abs(y).max()), float(abs(y_bar).max())) or 1.0
    both = np.vstack([np.kron(B, np.eye(J)), np.kron(seen, y_bar.T / size)])
    target = np.r_[B_bar.ravel(), (seen @ y).ravel() / size]
    t = -np.ones((len(target), 1))
    x, _ = _minimise(np.block([[both, t], [-both, t]]), np.r_[target, -target], K, J)
    return _stochastic(x[: K * J].reshape(K, J)) if x[-1] <= tolerance else None


def _minimise(constraints: Floats, bounds: Floats, K: int, J: int) -> tuple[Floats, Floats]:
    """The last variable made least: x >= 0 with constraints x <= bounds and a kernel (K, J) as its first entries.

    Returns x and the sensitivities of the minimum to the bounds.
    """
    from scipy.optimize import linprog

    n = constraints.shape[1]
    rows = np.hstack([_sums(K, J), np.zeros((K, n - K * J))])
    cost = np.r_[np.zeros(n - 1), 1.0]
    found = linprog(
        cost,
        A_ub=constraints,
        b_ub=bounds,
        A_eq=rows,
        b_eq=np.ones(K),
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise ComputationError(
            "programme-not-solved",
            "the linear programme for a {rows} x {columns} kernel was not solved: {reason}",
            rows=K, columns=J, reason=found.message,
        )  # fmt: skip
    return np.asarray(found.x), np.asarray(found.ineqlin.marginals)


def _sums(rows: int, columns: int) -> Floats:
    """The matrix that adds up each row of a (rows, columns) matrix."""
    return np.repeat(np.eye(rows), columns, axis=1)


def _stochastic(kernel: Floats) -> Floats:
    """Rounded by the solver, so put right: no negative entry, rows that add up to one."""
    positive = np.maximum(kernel, 0.0)
    return np.asarray(positive / positive.sum(axis=1, keepdims=True))


def _require_small(I: int, K: int, J: int) -> None:
    size = (I * J + I) * (K * J + I * J + 1)
    if size > LARGEST:
        raise InputError(
            "channels-too-large",
            "channels of {states} states with {outcomes} and {outcomes_bar} outcomes make a linear programme of {size:.1g} entries; up "
            "to {most:.0e} are allowed (about 50 states and outcomes, some seconds). Merge outcomes or states that matter alike.",
            states=I, outcomes=K, outcomes_bar=J, size=float(size), most=LARGEST,
        )  # fmt: skip


def _as_channel(channel: ArrayLike, name: str) -> Floats:
    array = as_floats(channel, name)
    if array.ndim != 2 or array.size == 0:
        raise InputError(
            "channel-shape",
            "`{name}` must be a matrix with a row per state and a column per outcome, got {shape}.",
            name=name, shape=array.shape,
        )  # fmt: skip
    array = as_probabilities(array, name)
    return np.asarray(array / array.sum(axis=1, keepdims=True))


def _as_values(values: ArrayLike | None, values_bar: ArrayLike | None, K: int, J: int) -> tuple[Floats, Floats] | None:
    if values is None and values_bar is None:
        return None
    if values is None or values_bar is None:
        raise InputError(
            "values-of-one",
            "means need the values of both channels' outcomes: give `values` and `values_bar`, or neither.",
        )
    y, y_bar = as_floats(values, "values"), as_floats(values_bar, "values_bar")
    if y.ndim not in {1, 2} or y.shape[1:] != y_bar.shape[1:] or len(y) != K or len(y_bar) != J:
        raise InputError(
            "outcome-values-shape",
            "`values` and `values_bar` must have one entry per outcome, {outcomes} and {outcomes_bar} numbers or vectors of one length; "
            "got {shape} and {shape_bar}.",
            outcomes=K, outcomes_bar=J, shape=y.shape, shape_bar=y_bar.shape,
        )  # fmt: skip
    return y.reshape(K, -1), y_bar.reshape(J, -1)
