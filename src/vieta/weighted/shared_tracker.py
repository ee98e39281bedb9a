r"""The weighted filter where the systems share a shock: the equations of `shock_fit`, a block of sets at a time.

Unknowns x (`shock_fit.Model`), the information H about them, and the regression of the mean reading, with residuals r, go on from a batch
fit. A block of sets with the information :math:`H_b` and the score :math:`g_b`, both at the x and the regression before it, makes

.. math:: H \leftarrow H + H_b, \qquad x \leftarrow x + H^{-1} g_b .

The sets were decorrelated by the mean parameter and the variance R of the mean residuals as they were known then. Had they been known as they
are after the block, :math:`\bar\theta + \Delta` and R', all means would be shifted by :math:`\kappa\psi'\Delta` and the
decorrelated noise scaled, so that

.. math:: \theta_l \leftarrow \theta_l + \kappa\Delta, \qquad \log\eta \leftarrow \log\eta + \log(R'/R) .

With :math:`a_k = (s_k, \psi_k r_k, r_k^2 - R)` of each set and the sum of :math:`a_k a_k'`, the covariance of the estimate is that of its
influences :math:`T a_k`,

.. math:: T_\theta = \bigl[H^{-1},\; \kappa\,1 \otimes (\textstyle\sum\psi\psi')^{-1},\; 0\bigr], \qquad
    T_g = \bigl[\eta H^{-1}_{\eta\cdot},\; 0,\; (1 - \eta/R)/N\bigr] .

Sets of a block that is not complete wait; an estimate counts them, and leaves them waiting.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.engine import growing, require_positive, require_readings, require_state
from vieta.sets import Data, joined
from vieta.weighted.decorrelation import mean_residuals, mean_variance, own_variances, rows_of
from vieta.weighted.record import BlockSums
from vieta.weighted.scaled_inverse import scaled_inverse
from vieta.weighted.shock_fit import PRIOR, Model, SharedFit, block_scores
from vieta.weighted.sum_regression import SumRegression

BLOCK = 256  # sets
LONGEST = 1.0  # step of a logarithm


@dataclass(frozen=True, slots=True, eq=False)
class SharedState:
    """What the filter carries where there is a shock; zeros where there is none. m = L D + L + 3 unknowns, of which some are not in use.

    Attributes
    ----------
    active : int
        1 where there is a shock.
    products : int
        1 where products join in.
    contradicted : int
        1 where products contradicted the values, and were left out.
    n_sets : int
        Sets that entered.
    place : (m,)
        x.
    information : (m, m)
        H, with that of the prior.
    outer : (m + D + 1, m + D + 1)
        Sum of a a'.
    shape, ratios : (2,), (L,)
        Of `shock_fit.Model`.
    gram, solution : (D, D), (D,)
        Of the regression of the sums: that of the inputs' outer products, and b.
    squares : (4,)
        Its residual sum of squares; and sums of the second to fourth powers of residuals as they came.
    unit : (L D, L D)
        Information of one set about the parameters, with the shock, for the record.
    pending_sets, pending_inputs : (n, L, 1), (n, ...)
        Sets of the block in progress.
    """

    active: int
    products: int
    contradicted: int
    n_sets: int
    place: Floats
    information: Floats
    outer: Floats
    shape: Floats
    ratios: Floats
    gram: Floats
    solution: Floats
    squares: Floats
    unit: Floats
    pending_sets: Floats = field(metadata=growing(BLOCK - 1))
    pending_inputs: Floats = field(metadata=growing(BLOCK - 1))

    @property
    def model(self) -> Model:
        """The equations, with the regression as it stands."""
        L, D, N = len(self.ratios), len(self.solution), self.n_sets
        noise = self.squares[0] / (L * (N - D))
        root = np.linalg.inv(np.linalg.cholesky(self.gram).T)
        regression = SumRegression(
            N, L, self.solution, np.array([[noise]]), 1.0, 1.0, self.squares[1:] / N, np.empty(0), root
        )
        shape = float(self.shape[0]), float(self.shape[1])
        return Model(regression, D, bool(self.products), shape, np.asarray(root @ root.T), self.ratios)

    @property
    def theta(self) -> Floats:
        """(L, D)."""
        L, D = len(self.ratios), len(self.solution)
        return self.place[: L * D].reshape(L, D)

    @property
    def pending(self) -> Data:
        """The sets that wait."""
        return Data(self.pending_sets, self.pending_inputs, len(self.solution))


def blank(data: Data) -> SharedState:
    """No shock; `data` tells the shapes."""
    L, D = data.n_systems, data.dim
    m = L * D + L + 3
    return SharedState(
        active=0,
        products=0,
        contradicted=0,
        n_sets=0,
        place=np.zeros(m),
        information=np.zeros((m, m)),
        outer=np.zeros((m + D + 1, m + D + 1)),
        shape=np.zeros(2),
        ratios=np.zeros(L),
        gram=np.zeros((D, D)),
        solution=np.zeros(D),
        squares=np.zeros(4),
        unit=np.zeros((L * D, L * D)),
        pending_sets=data.sets[:0],
        pending_inputs=data.inputs[:0],
    )


def check(state: SharedState) -> None:
    """Refuse a state of the right shapes that no stream leaves."""
    require_state(
        {0, 1}.issuperset((state.active, state.products, state.contradicted)), "its flags are neither 0 nor 1"
    )
    require_readings(state.pending_sets, state.pending_inputs, "waiting")
    if not state.active:
        return
    require_state(state.n_sets > len(state.solution), "it has too few sets for a shock")
    require_state(state.squares[0] > 0.0 and state.squares[1] > 0.0, "its noise is not positive")
    require_state((state.ratios > 0.0).all(), "the ratios of its variances are not positive")
    for name in ("information", "outer", "gram", "unit"):
        require_positive(getattr(state, name), name)
    require_state(np.linalg.eigvalsh(state.gram)[0] > 0.0, "its inputs do not identify the parameters")


def begun(found: SharedFit, data: Data) -> SharedState:
    """Go on from a fit of these sets."""
    model, regression = found.model, found.model.regression
    kept, rows = model.kept, rows_of(data)
    now = model.values(found.place)
    H, _, scores = block_scores(data, model, now)
    for i, sd in enumerate(PRIOR[: len(kept) - model.at - 1]):
        H[model.at + 1 + i, model.at + 1 + i] += sd**-2
    new = blank(data)
    new.place[kept] = found.place
    new.information[np.ix_(kept, kept)] = H
    residuals = regression.residuals(data)[:, 0]
    new.squares[:] = float(regression.noise[0, 0]) * model.n_systems * (len(data) - model.dim), *_powers(residuals)
    new = replace(
        new,
        active=1,
        products=int(model.products),
        contradicted=int(found.contradicted),
        n_sets=len(data),
        shape=np.array(model.shape),
        ratios=np.array(model.ratios, dtype=np.float64),
        gram=np.asarray(rows.T @ rows),
        solution=regression.solution.copy(),
        unit=scaled_inverse(found.cov) / len(data),
    )
    a = _stacked(new, data, scores)
    return replace(new, outer=np.asarray(a.T @ a))


class Absorbed(NamedTuple):
    """The state after a block, and each set's score (n, L D) about the parameters, in units of `SharedState.unit`."""

    state: SharedState
    scores: Floats


def absorbed(state: SharedState, block: Data) -> Absorbed:
    """Take in a block of sets."""
    model = state.model
    kept, n = model.kept, state.theta.size
    now = model.values(state.place[kept])
    H, g, scores = block_scores(block, model, now)
    a = _stacked(state, block, scores)
    own = a @ transform(state)[:n].T @ (state.n_sets * state.unit)
    information = state.information.copy()
    information[np.ix_(kept, kept)] += H
    step = scaled_inverse(information[np.ix_(kept, kept)], rcond=1e-12) @ g
    step[n:] = np.clip(step[n:], -LONGEST, LONGEST)
    place = state.place.copy()
    place[kept] += step
    new = _regressed(replace(state, place=place, information=information, outer=state.outer + a.T @ a), block)
    shifted = np.tile((new.solution - state.solution) / model.n_systems, model.n_systems)
    place[:n] += now.share * shifted
    place[kept[model.at]] -= np.log(mean_variance(new.model.regression) / mean_variance(model.regression))
    return Absorbed(new, own)


def waiting_absorbed(state: SharedState) -> SharedState:
    """The state with the sets that wait."""
    return absorbed(state, state.pending).state if len(state.pending_sets) else state


def waited(state: SharedState, data: Data) -> SharedState:
    """Let sets wait."""
    both = joined([state.pending, data])
    return replace(state, pending_sets=both.sets, pending_inputs=both.inputs)


def transform(state: SharedState) -> Floats:
    """(L D + 1, m + D + 1) T, with that of g last."""
    model = state.model
    kept, L, n, m = model.kept, model.n_systems, state.theta.size, len(state.place)
    now, R = model.values(state.place[kept]), mean_variance(model.regression)
    inverse = scaled_inverse(state.information[np.ix_(kept, kept)], rcond=1e-12)
    T = np.zeros((n + 1, m + model.dim + 1))
    T[:n, kept] = inverse[:n]
    T[:n, m:-1] = now.share * np.tile(model.inverse, (L, 1))
    T[n, kept] = now.eta * inverse[model.at]
    T[n, -1] = (1.0 - now.eta / R) / state.n_sets
    return T


class Conclusion(NamedTuple):
    """Parameters (L, D), their covariance (L D, L D), the own variances (L,), the variance g of the shock, and g over its standard error."""

    theta: Floats
    cov: Floats
    variances: Floats
    shock_variance: float
    z: float

    @property
    def noise_variance(self) -> float:
        """The mean of the own variances."""
        return float(self.variances.mean())


def concluded(state: SharedState) -> Conclusion:
    """What the sums say."""
    model, T = state.model, transform(state)
    now = model.values(state.place[model.kept])
    spread = T @ state.outer @ T.T
    g = mean_variance(model.regression) - now.eta
    variances = own_variances(now.variances, now.share)
    return Conclusion(now.theta, spread[:-1, :-1], variances, g, g / float(np.sqrt(spread[-1, -1])))


def without_past(state: SharedState, left: BlockSums) -> SharedState:
    """Go on with what the sets since a change say of the parameters; all sums shrink to their number."""
    share = left.n_sets / state.n_sets
    place, shift = state.place.copy(), left.theta - state.theta
    place[: left.theta.size] = left.theta.ravel()
    shrunk = {name: share * getattr(state, name) for name in ("information", "outer", "gram", "squares")}
    return replace(state, place=place, n_sets=int(left.n_sets), solution=state.solution + shift.sum(axis=0), **shrunk)


def _stacked(state: SharedState, block: Data, scores: Floats) -> Floats:
    """(n, m + D + 1) the a of the sets of a block."""
    model, rows, m = state.model, rows_of(block), len(state.place)
    r = mean_residuals(block, model.regression)
    a = np.zeros((len(block), m + model.dim + 1))
    a[:, model.kept] = scores
    a[:, m:-1] = rows * r[:, None]
    a[:, -1] = r**2 - mean_variance(model.regression)
    return a


def _regressed(state: SharedState, block: Data) -> SharedState:
    """The regression with a block more: its residual sum of squares grows by the new residuals' and by what the old ones lose."""
    rows, sums = rows_of(block), block.sets[:, :, 0].sum(axis=1)
    before = sums - rows @ state.solution
    gram = state.gram + rows.T @ rows
    change = np.linalg.solve(gram, rows.T @ before)
    after = before - rows @ change
    total = state.squares[0] + float(after @ after) + float(change @ state.gram @ change)
    squares = np.concatenate([[total], state.squares[1:] + _powers(before)])
    return replace(
        state, gram=gram, solution=state.solution + change, squares=squares, n_sets=state.n_sets + len(block)
    )


def _powers(residuals: Floats) -> Floats:
    """(3,) sums of the second to fourth powers."""
    square = residuals**2
    return np.array([square.sum(), (square * residuals).sum(), (square**2).sum()])
