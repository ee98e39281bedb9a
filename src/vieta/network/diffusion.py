"""A network of agents that learn the same systems, each from its own sets: what goes in, what is carried on, what comes out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Booleans, Floats
from vieta.checks import as_count
from vieta.errors import DivergedError, InputError
from vieta.findings import Finding, finding
from vieta.network import diffusion_lms, diffusion_rls
from vieta.network.agent_data import AgentData, as_agent_data, design_of, regressions
from vieta.network.combination import Combination
from vieta.network.diffusion_lms import LmsState
from vieta.network.diffusion_rls import FIRST, RlsState, Rule
from vieta.options import as_start, as_steps, positive_integer
from vieta.symmetric import canonical_order

PIECE = 200_000  # sets of all agents and runs that go through at once
SHARED = ("coefficients", "information")


@dataclass(frozen=True, slots=True, eq=False)
class AgentEstimates:
    """What each agent has learned.

    Attributes
    ----------
    theta : (n, L, D)
        Parameters, rows in canonical order; (R, n, L, D) for R runs at once.
    stderr : (n, L, D)
        Their standard errors, of the agent's own knowledge and of what reached it; NaN where `mean_square_error` has
        to be asked, for least mean squares and without weights, and where roots are complex.
    coefficients : (n, M)
        What agents exchange.
    is_complex : (n,)
        Whether some roots are complex: those systems cannot be told apart yet.
    n_sets : int
        Absorbed by each agent.
    findings : tuple of Finding
    """

    theta: Floats
    stderr: Floats
    coefficients: Floats
    is_complex: Booleans
    n_sets: int
    findings: tuple[Finding, ...]

    @property
    def disagreement(self) -> float:
        """Root mean square distance of the agents' parameters from their mean."""
        apart = self.theta - self.theta.mean(axis=-3, keepdims=True)
        return float(np.sqrt((apart**2).sum(axis=(-1, -2)).mean()))


@dataclass(frozen=True, slots=True, eq=False)
class NetworkState:
    """All that a network carries from set to set; `advance` makes it."""

    filter: LmsState | RlsState
    like: AgentData
    has_runs: bool

    @property
    def n_sets(self) -> int:
        """Absorbed by each agent."""
        return self.filter.count


@dataclass(frozen=True, eq=False)
class Diffusion:
    r"""Adapt, then combine, on symmetric coefficients: agents need not agree on which system is which.

    Every agent has sets of its own, of the *same* systems, in an order of its own. After each set it sends coefficients to those it is linked
    to, and takes the weighted mean of what it hears. A mean of coefficients has no labels to match.

    Parameters
    ----------
    weights : (n, n)
        Doubly stochastic, as `metropolis` makes them from links.
    n_systems, dim : int
        L and D.
    step : float or (L,), optional
        Of least mean squares, which follows systems that move; without it, recursive least squares.
    weighted : bool
        Whether least squares weighs each set by what it can tell. It always should; False is the plain objective of the paper.
    share : str
        What recursive least squares sends: "coefficients", or "information" (sums: coefficients with their weights), which is better where
        agents differ in their noise, their inputs or their place.
    failing : float
        The probability that a link fails at a step.
    seed : int
        Of failing links.
    start : (L, D), optional
        Parameters at which least mean squares starts; zero if absent.

    Examples
    --------
    >>> import numpy as np
    >>> from vieta import network
    >>> rng = np.random.default_rng(0)
    >>> psi = rng.normal(size=(8, 300))  # 8 agents, 300 sets each
    >>> sets = psi[..., None] * [-2.0, 5.0, 8.0] + 0.3 * rng.normal(size=(8, 300, 3))
    >>> team = network.Diffusion(network.metropolis(network.ring(8)), n_systems=3)
    >>> learned = team.learned(team.advance(None, rng.permuted(sets, axis=-1), psi))
    >>> learned.theta.shape, learned.theta[0].round(1).ravel()
    ((8, 3, 1), array([-2.,  5.,  8.]))
    """

    weights: ArrayLike
    n_systems: int
    dim: int = 1
    step: ArrayLike | None = None
    weighted: bool = True
    share: str = "coefficients"
    failing: float = 0.0
    seed: int = 0
    start: ArrayLike | None = None

    def advance(self, state: NetworkState | None, sets: ArrayLike, inputs: ArrayLike | None = None) -> NetworkState:
        """The state after more sets; None is that before any. The result does not depend on how the stream is cut.

        Sets are (n, N, L) or (n, N, L, p), N of each agent, inputs None, (n, N), (n, N, D) or (n, N, p, D); or both with runs before
        them, (R, n, N, L, p), which are independent networks.
        """
        combination, L, D = self._checked()
        data = as_agent_data(sets, inputs, len(combination.weights), L, D)
        if state is None:
            state = self._begun(combination, data, has_runs=np.ndim(sets) == 5)
        _require_like(data, state.like)
        R, n = data.sets.shape[:2]
        size, found = max(1, PIECE // (R * n)), state.filter
        for at in range(0, len(data), size):
            found = self._moved(combination, found, data[at : at + size])
        return NetworkState(found, state.like, state.has_runs)

    def learned(self, state: NetworkState) -> AgentEstimates:
        """What each agent knows now."""
        found = state.filter
        if np.isnan(found.coefficients).any():
            raise InputError(
                "agents-few-sets",
                "{n_sets} set(s) an agent are too few to begin with: {needed} are needed, with inputs that identify the parameters.",
                n_sets=found.count, needed=FIRST,
            )  # fmt: skip
        design = design_of(state.like)
        flat = found.coefficients.reshape(-1, found.coefficients.shape[-1])
        roots = np.asarray(design.transform.solve(flat), dtype=np.complex128)
        roots = roots[np.arange(len(roots))[:, None], canonical_order(roots)]
        is_complex = (abs(roots.imag) > 1e-9 * np.maximum(abs(roots.real), 1e-300)).any(axis=(1, 2))
        theta = roots.real.reshape(*found.coefficients.shape[:2], *roots.shape[1:])
        stderr = self._stderr(state, theta)
        stderr[is_complex.reshape(theta.shape[:2])] = np.nan
        shaped: list[Any] = [theta, stderr, found.coefficients, is_complex.reshape(theta.shape[:2])]
        theta, stderr, coefficients, complex_agents = shaped if state.has_runs else [one[0] for one in shaped]
        return AgentEstimates(theta, stderr, coefficients, complex_agents, found.count, _findings(is_complex))

    def fit(self, sets: ArrayLike, inputs: ArrayLike | None = None) -> AgentEstimates:
        """What each agent knows after all of these sets."""
        return self.learned(self.advance(None, sets, inputs))

    def _checked(self) -> tuple[Combination, int, int]:
        if self.share not in SHARED:
            raise InputError(
                "share-name",
                "`share` must be one of {known}, got {given!r}.",
                known=", ".join(SHARED),
                given=self.share,
            )
        as_count(self.seed, "seed", least=0)
        combination = Combination.of(self.weights, self.failing)
        return combination, positive_integer(self.n_systems, "n_systems"), positive_integer(self.dim, "dim")

    def _begun(self, combination: Combination, data: AgentData, *, has_runs: bool) -> NetworkState:
        design, like = design_of(data), data[:0]
        if self.step is None:
            return NetworkState(diffusion_rls.init(self._rule(combination, data), like), data[:1], has_runs)
        R, n, L = data.sets.shape[0], data.sets.shape[1], design.n_systems
        start = as_start(self.start, L, data.dim)
        algebra = design.transform.parameters
        lam = np.zeros(algebra.size) if start is None else algebra.transform(start)
        return NetworkState(LmsState(0, np.tile(lam, (R, n, 1))), data[:1], has_runs)

    def _rule(self, combination: Combination, data: AgentData) -> Rule:
        return Rule(design_of(data), combination, self.weighted, self.share == "information", self.seed)

    def _moved(self, combination: Combination, state: LmsState | RlsState, data: AgentData) -> LmsState | RlsState:
        if isinstance(state, RlsState):
            return diffusion_rls.advance(self._rule(combination, data), state, data)
        design = design_of(data)
        assert self.step is not None
        step = design.spread(as_steps(self.step, design.n_systems))
        C = combination.drawn(self.seed, state.count, len(data), len(data.sets))
        with np.errstate(over="ignore", invalid="ignore"):
            state = diffusion_lms.update(state, regressions(design, data), C, step)
        if not np.isfinite(state.coefficients).all():
            raise DivergedError(
                "network-overflow",
                "the recursion overflowed: the agents' coefficients are no longer finite. Use a smaller step, or scale readings and "
                "inputs to the order of one.",
            )
        return state

    def _stderr(self, state: NetworkState, theta: Floats) -> Floats:
        """From the information of the agents, on the mean where each has its own, and how well the network has mixed."""
        found = state.filter
        if isinstance(found, LmsState) or not self.weighted:
            return np.full_like(theta, np.nan)
        design, k = design_of(state.like), found.count
        one = k * np.linalg.inv(found.information)
        one = one if self.share == "information" else np.broadcast_to(one.mean(axis=1, keepdims=True), one.shape)
        share = np.diag(found.spread) / k**2
        stderr = np.full_like(theta, np.nan)
        for r in range(theta.shape[0]):
            for i in range(theta.shape[1]):
                try:
                    J = design.transform.sensitivity(theta[r, i])
                except np.linalg.LinAlgError:
                    continue
                with np.errstate(invalid="ignore"):
                    stderr[r, i] = np.sqrt(share[i] * np.diag(J @ one[r, i] @ J.T)).reshape(theta.shape[2:])
        return stderr


def _require_like(data: AgentData, like: AgentData) -> None:
    runs, shape = len(data.sets), data.sets.shape[3:]
    if (runs, *shape) != (len(like.sets), *like.sets.shape[3:]) or data.inputs.shape[3:] != like.inputs.shape[3:]:
        raise InputError(
            "agents-shape-changed",
            "these sets have another shape than those before them: {given} where {needed} were expected (runs, systems, numbers a reading).",
            given=(runs, *shape), needed=(len(like.sets), *like.sets.shape[3:]),
        )  # fmt: skip


def _findings(is_complex: Booleans) -> tuple[Finding, ...]:
    agents = int(is_complex.sum())
    return (finding("agents-complex", agents=agents, of=len(is_complex)),) if agents else ()
