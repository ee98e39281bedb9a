r"""What the agents' errors will be, exactly for least mean squares and to first order for recursive least squares.

**Least mean squares**, inputs that are numbers. Let :math:`X^{ab}_{ij} = E\,\tilde\lambda_{i,a}\tilde\lambda_{j,b}` be the second moments
of the errors of coefficients a of agent i and b of agent j, of degrees :math:`d_a, d_b`. Sets of different agents are independent, so that

.. math:: X^{ab} \leftarrow E\,C\,(F^{ab} \circ X^{ab} + \epsilon_a\epsilon_b R_{ab}\,I)\,C', \qquad
    F^{ab}_{ij} = \begin{cases} E(1-\epsilon_a\psi^{2d_a})(1-\epsilon_b\psi^{2d_b}) & i = j,\\
    E(1-\epsilon_a\psi^{2d_a})\,E(1-\epsilon_b\psi^{2d_b}) & i \ne j, \end{cases}

with :math:`R = E A'VA`, and the mean over failing links as in `vieta.network.combination`. No term is left out.

**Recursive least squares.** Every set adds a term of covariance P, that of the estimate from one set; after k sets agent i has
:math:`U_{ii} P / k^2` with :math:`U \leftarrow E\,C\,(U + I)\,C'`. For all data in one place that is :math:`P/(nk)`, for an agent alone
:math:`P/k`. The ratio to all data in one place tends to one, as 1 + constant/k: disagreement is of smaller order than the error.

Parameters follow by the delta method.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count
from vieta.coefficients import asymptotics, input_statistics
from vieta.coefficients.coefficient_errors import as_design, require_identified
from vieta.coefficients.design import Design
from vieta.errors import InputError, UnstableStepError
from vieta.laws.setting import InputsLike, NoiseLike, as_parameters, as_points, as_shared_noise
from vieta.network.agent_data import AgentData, regressions
from vieta.network.combination import Combination
from vieta.network.diffusion_rls import Rule, normal_equations
from vieta.options import as_start, as_steps

LARGEST = 50  # agents up to which the steady state is solved for


@dataclass(frozen=True, slots=True, eq=False)
class NetworkErrors:
    """Mean squared errors of the parameters, summed over systems and coordinates.

    Attributes
    ----------
    agents : (n,)
        Of each agent of the network.
    together : float
        With the data of all agents in one place.
    alone : float
        Of an agent that hears nobody.
    coefficients : (n, M, M)
        Second moments of the errors of each agent's coefficients.
    """

    agents: Floats
    together: float
    alone: float
    coefficients: Floats

    @property
    def ratio(self) -> float:
        """Mean over the agents, over that with all data in one place."""
        return float(self.agents.mean() / self.together)


def mean_square_error(
    theta: ArrayLike,
    noise: NoiseLike,
    inputs: InputsLike = None,
    *,
    weights: ArrayLike,
    n_sets: int | None = None,
    step: ArrayLike | None = None,
    weighted: bool = True,
    failing: float = 0.0,
    start: ArrayLike | None = None,
) -> NetworkErrors:
    """Errors of a network of agents that are alike, after `n_sets` sets each.

    Parameters
    ----------
    theta : (L, D) or (L,)
    noise
        A variance or a law, the same for all systems and agents.
    inputs
        A law of inputs or a sample of them, for each agent its own draws; None for Psi = I.
    weights, step, weighted, failing, start
        As for `Diffusion`. With a step, inputs must be numbers.
    n_sets : int, optional
        Of each agent; by default, with a step, the steady state.

    >>> from vieta.network import metropolis, ring
    >>> found = mean_square_error([-2, 5, 8], 1.0, weights=metropolis(ring(20)), n_sets=1000)
    >>> round(found.ratio, 3), round(found.alone / found.together, 3)
    (1.039, 20.0)
    """
    parameters = as_parameters(theta)
    L, D = parameters.shape
    combination = Combination.of(weights, failing)
    n = len(combination.weights)
    everyone, nobody = Combination(np.full((n, n), 1.0 / n), 0.0), Combination(np.eye(n), 0.0)
    design, seen = as_design(inputs, L, D, "auto", moments=2 * L)
    require_identified(asymptotics.normal_matrix(design, seen))
    cov = as_shared_noise(noise, L, design.reading_dim)
    count = None if n_sets is None else as_count(n_sets, "n_sets")
    if step is not None:
        lms = _lms(design, seen, parameters, cov, as_steps(step, L), as_start(start, L, D))
        moments = [lms.after(one, count) for one in (combination, everyone, nobody)]
    else:
        if count is None:
            raise InputError(
                "network-sets-missing",
                "`n_sets` must be given without a step: the error of recursive least squares goes to zero, and depends on it.",
            )
        P = _per_set(design, seen, parameters, cov, inputs, weighted=weighted)
        moments = [_spread(one, count)[:, None, None] / count**2 * P for one in (combination, everyone, nobody)]
    J = design.transform.sensitivity(parameters)
    errors = [np.einsum("pa,nab,pb->n", J, one, J) for one in moments]
    return NetworkErrors(errors[0], float(errors[1].mean()), float(errors[2].mean()), moments[0])


def _spread(combination: Combination, count: int) -> Floats:
    """(n,) the diagonal of U after a number of sets."""
    U = np.zeros_like(combination.weights)
    for _ in range(count):
        U = combination.moved(U + np.eye(len(U)))
    return np.diag(U)


def _per_set(
    design: Design, seen: input_statistics.State, theta: Floats, noise: Floats, inputs: InputsLike, *, weighted: bool
) -> Floats:
    """P (M, M): the covariance of the coefficients from one set, so to speak."""
    if not weighted:
        Q = asymptotics.normal_matrix(design, seen)
        return asymptotics.least_squares_covariance(Q, asymptotics.score_covariance(design, seen, theta, noise), 1.0)
    points = as_points(inputs, theta.shape[1])
    sets = np.zeros((1, 1, len(points.psi), design.n_systems, design.reading_dim))
    data = AgentData(sets, points.psi[None, None], theta.shape[1])
    rule = Rule(design, Combination(np.ones((1, 1)), 0.0), True, False, 0)
    G, _ = normal_equations(rule, regressions(design, data), theta[None, None], noise[None, None])
    return np.asarray(np.linalg.inv(np.einsum("k,kab->ab", points.weights, G[0, 0])))


@dataclass(frozen=True, slots=True, eq=False)
class _Lms:
    """Factors of the recursion: `alone` and `apart` (M, M) for one agent and for two, `source` (M, M), and the first errors (M,)."""

    same: Floats
    apart: Floats
    source: Floats
    first: Floats

    def after(self, combination: Combination, count: int | None) -> Floats:
        """(n, M, M) after a number of sets, or in the steady state."""
        n = len(combination.weights)
        eye = np.eye(n)
        F = self.same[..., None, None] * eye + self.apart[..., None, None] * (1.0 - eye)
        source = self.source[..., None, None] * eye
        if count is None:
            X = _steady(combination, F, source)
        else:
            X = np.broadcast_to(np.outer(self.first, self.first)[..., None, None], F.shape)
            for _ in range(count):
                X = combination.moved(F * X + source)
        return np.asarray(np.moveaxis(np.diagonal(X, axis1=-2, axis2=-1), -1, 0))


def _lms(
    design: Design, seen: input_statistics.State, theta: Floats, noise: Floats, step: Floats, start: Floats | None
) -> _Lms:
    if design.inputs != "scalar":
        raise InputError(
            "network-step-inputs",
            "errors of least mean squares are computed for inputs that are numbers; rows or matrices were given.",
        )
    bounds = asymptotics.step_bounds(design, seen)
    unstable = np.flatnonzero(step >= bounds)
    if len(unstable):
        worst = int(unstable[0])
        raise UnstableStepError(
            "network-step-too-large",
            "step {step:.3g} is too large for the coefficients of degree {degree}: their mean squared error grows without bound from "
            "{bound:.3g} on.",
            step=float(step[worst]), degree=worst + 1, bound=float(bounds[worst]),
        )  # fmt: skip
    algebra, moments = design.transform.parameters, input_statistics.moments(seen)
    d, eps = algebra.degrees, design.spread(step)
    kept = 1.0 - eps * moments[d]
    same = kept[:, None] + kept - 1.0 + np.outer(eps, eps) * moments[d[:, None] + d]
    R = asymptotics.score_covariance(design, seen, theta, noise)
    first = (np.zeros(algebra.size) if start is None else algebra.transform(start)) - algebra.transform(theta)
    return _Lms(same, np.outer(kept, kept), np.outer(eps, eps) * R, first)


def _steady(combination: Combination, F: Floats, source: Floats) -> Floats:
    """X (M, M, n, n) with X = E C(F∘X + source)C', a linear equation of n² unknowns for each pair of coefficients."""
    n = F.shape[-1]
    if n > LARGEST:
        raise InputError(
            "network-steady-size",
            "the steady state is solved for up to {most} agents, and there are {n}. Give `n_sets`.",
            most=LARGEST, n=n,
        )  # fmt: skip
    moves = combination.moved(np.eye(n * n).reshape(n * n, n, n)).reshape(n * n, n * n).T
    X = np.empty_like(F)
    for a, b in np.ndindex(*F.shape[:2]):
        right = moves @ source[a, b].ravel()
        X[a, b] = np.linalg.solve(np.eye(n * n) - moves * F[a, b].ravel(), right).reshape(n, n)
    return X
