r"""Adapt, then combine, by recursive weighted least squares: as good as all data in one place.

Set k of agent i has :math:`G = A'V^{-1}A` and :math:`s = A'V^{-1}z`, V the covariance of its coefficients at the agent's latest parameters and
its own noise (the identity if it is not weighted). What agents exchange is one of two things.

*Coefficients.* Each agent has the information H of its own sets only:

.. math:: H_i \leftarrow H_i + G_i, \quad \varphi_i = \lambda_i + H_i^{-1}(s_i - G_i\lambda_i), \quad
    \lambda_i \leftarrow \sum_j C_{ij}\,\varphi_j,

which tends to the mean of the agents' own estimates: the best there is where agents are alike.

*Information.* Agents combine their sums; those who know more then count for more, and an agent may know nothing by itself:

.. math:: H_i \leftarrow \sum_j C_{ij}(H_j + G_j), \quad b_i \leftarrow \sum_j C_{ij}(b_j + s_j), \quad \lambda_i = H_i^{-1} b_i .

Weights are renewed at times that do not depend on how a stream is cut, and use the past only, so that :math:`E(s - G\lambda) = 0` whatever they
are. The first sets are held: after 32, 64, 128 and 256 of them all sums are made anew with weights that are better, and messages
are exchanged until hardly any disagreement is left.
"""

from dataclasses import dataclass, replace

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Design
from vieta.compiled import kernel
from vieta.errors import NotIdentifiableError
from vieta.network.agent_data import AgentData, Regressions, regressions
from vieta.network.combination import Combination
from vieta.network.number_weights import weigh_numbers

FIRST, HELD = 32, 256  # sets an agent: the first estimate, and the last that starts again from sets that were held
RENEWED = 1.25  # by which factor sets grow until weights are renewed
MESSAGES = 200  # at most, when sums are made anew
AGREED = 0.02  # of the disagreement that is left then
LEAST = 1e-12  # noise variance, relative to the square of the readings, that weights are computed with at least


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What agents do: the transform, how they combine, whether sets are weighted, and whether sums are exchanged."""

    design: Design
    combination: Combination
    weighted: bool
    information: bool
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class RlsState:
    """What the network carries from set to set.

    Attributes
    ----------
    count : int
        Sets absorbed by each agent.
    coefficients : (R, n, M)
        NaN before there are any.
    information, moment : (R, n, M, M), (R, n, M)
        H and b; b is not used where coefficients are exchanged.
    theta, noise : (R, n, L, D), (R, n, p, p)
        Parameters and noise that the weights are computed with.
    power : (R, n, p, p)
        Sum of squares of the innovations of the readings' sum, over `counted` sets.
    spread : (n, n)
        U: covariance of sums over the network of independent terms of unit variance, one a set and agent; :math:`U_{ii}/k^2` is the
        variance of agent i's estimate relative to that of one set.
    messages : int
        Sent over each link so far.
    held : AgentData
        The first sets, as long as they are needed.
    """

    count: int
    coefficients: Floats
    information: Floats
    moment: Floats
    theta: Floats
    noise: Floats
    power: Floats
    counted: int
    spread: Floats
    messages: int
    held: AgentData


def init(rule: Rule, like: AgentData) -> RlsState:
    """Nothing absorbed."""
    R, n, _, L, p = like.sets.shape
    M = rule.design.transform.parameters.size
    return RlsState(
        count=0,
        coefficients=np.full((R, n, M), np.nan),
        information=np.zeros((R, n, M, M)),
        moment=np.zeros((R, n, M)),
        theta=np.full((R, n, L, like.dim), np.nan),
        noise=np.full((R, n, p, p), np.nan),
        power=np.zeros((R, n, p, p)),
        counted=0,
        spread=np.zeros((n, n)),
        messages=0,
        held=like[:0],
    )


def advance(rule: Rule, state: RlsState, data: AgentData) -> RlsState:
    """Absorb sets; the result does not depend on how a stream is cut."""
    at = 0
    while at < len(data):
        stop = at + min(len(data) - at, _until_renewed(state.count))
        state = _absorb(rule, state, data[at:stop])
        at = stop
    return state


def _marks() -> list[int]:
    """When weights are renewed."""
    marks = [FIRST]
    while marks[-1] < 10**12:
        last = marks[-1]
        marks.append(2 * last if last < HELD else int(RENEWED * last))
    return marks


MARKS = _marks()


def _until_renewed(count: int) -> int:
    return next(mark for mark in MARKS if mark > count) - count


def _absorb(rule: Rule, state: RlsState, data: AgentData) -> RlsState:
    """Sets up to the next mark at most, which all have the same weights."""
    count = state.count + len(data)
    if state.count < FIRST or (state.count < HELD and _is_blank(state)):
        state = replace(state, count=count, held=state.held.and_then(data))
        return _made_anew(rule, state) if count in MARKS else state
    seen = regressions(rule.design, data)
    G, s = normal_equations(rule, seen, state.theta, state.noise)
    steps = len(data)
    C = rule.combination.drawn(rule.seed, state.messages, steps, len(G))
    lam, H, b = state.coefficients.copy(), state.information.copy(), state.moment.copy()
    (combine_sums if rule.information else combine_coefficients)(lam, H, b, G, s, C)
    U = state.spread
    for _ in range(steps):
        U = rule.combination.moved(U + np.eye(len(U)))
    power = _with_squares(rule.design, seen, _frozen(rule.design, state.theta), state.power)
    held = state.held.and_then(data) if state.count < HELD else state.held
    state = replace(
        state, count=count, coefficients=lam, information=H, moment=b, spread=U, messages=state.messages + steps,
        power=power, counted=state.counted + steps, held=held,
    )  # fmt: skip
    if count not in MARKS:
        return state
    return _made_anew(rule, state) if count <= HELD else _renewed(rule, state)


def _is_blank(state: RlsState) -> bool:
    return bool(np.isnan(state.coefficients).any())


def _made_anew(rule: Rule, state: RlsState) -> RlsState:
    """All sums again from the sets that are held; at the first time without weights, then with those of the result."""
    seen = regressions(rule.design, state.held)
    if _is_blank(state):
        state = _settled(rule, state, seen)
    state = _renewed(rule, _settled(rule, state, seen)) if not _is_blank(state) else state
    if state.count < HELD:
        return state
    if _is_blank(state):
        raise NotIdentifiableError(
            "agents-not-identified",
            "the inputs of {n_sets} sets an agent do not identify the parameters{alone}. Vary the inputs in every coordinate{instead}.",
            n_sets=state.count,
            alone="" if rule.information else " for every agent by itself",
            instead="" if rule.information else ", or have agents share information",
        )
    return replace(state, held=state.held[:0])


def _settled(rule: Rule, state: RlsState, seen: Regressions) -> RlsState:
    """Sums of the held sets and what follows after messages; a blank state stays one where inputs do not identify the parameters."""
    G, s = normal_equations(rule, seen, state.theta, state.noise)
    H, b = G.sum(axis=2), s.sum(axis=2)
    R, n = b.shape[:2]
    rounds = _rounds(rule.combination)
    C = rule.combination.drawn(rule.seed, state.messages, rounds, R)
    U = state.count * np.eye(n)
    if not rule.information and not _is_regular(H):
        return state
    lam = np.full_like(b, np.nan) if rule.information else np.linalg.solve(H, b[..., None])[..., 0]
    for k in range(rounds):
        c, U = C[k % len(C)], rule.combination.moved(U)
        if rule.information:
            H, b = np.einsum("rij,rjab->riab", c, H), np.einsum("rij,rja->ria", c, b)
        else:
            lam = np.einsum("rij,rja->ria", c, lam)
    if rule.information:
        if not _is_regular(H):
            return state
        lam = np.linalg.solve(H, b[..., None])[..., 0]
    state = replace(
        state, coefficients=lam, information=H, moment=b, spread=U, messages=state.messages + rounds,
        power=_with_squares(rule.design, seen, lam, np.zeros_like(state.power)), counted=state.count,
    )  # fmt: skip
    return _renewed(rule, state)


def _rounds(combination: Combination) -> int:
    """Messages until hardly any disagreement is left."""
    mixing = combination.mixing
    return 1 if mixing < AGREED else min(MESSAGES, int(np.ceil(np.log(AGREED) / np.log(mixing))))


def _is_regular(H: Floats) -> bool:
    scale = np.sqrt(np.maximum(np.diagonal(H, axis1=-2, axis2=-1), 1e-300))
    return bool(np.linalg.cond(H / (scale[..., :, None] * scale[..., None, :])).max() < 1e13)


def _renewed(rule: Rule, state: RlsState) -> RlsState:
    """Parameters and noise that the next weights are computed with."""
    flat = state.coefficients.reshape(-1, state.coefficients.shape[-1])
    theta = np.asarray(rule.design.transform.solve(flat)).real.reshape(state.theta.shape)
    noise = state.power / (rule.design.n_systems * max(state.counted - 1, 1))
    p = noise.shape[-1]
    size = LEAST * np.maximum((theta**2).mean(axis=(-1, -2)), np.trace(noise, axis1=-2, axis2=-1)) + 1e-200
    return replace(state, theta=theta, noise=noise + size[..., None, None] * np.eye(p))


def normal_equations(rule: Rule, seen: Regressions, theta: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """G (R, n, N, M, M) and s (R, n, N, M) of each set, at parameters (R, n, L, D) and noise (R, n, p, p); NaN for no weights."""
    if not rule.weighted or np.isnan(theta).any():
        return np.swapaxes(seen.A, -1, -2) @ seen.A, np.einsum("...ma,...m->...a", seen.A, seen.z)
    if rule.design.transform.name == "elementary":
        return weigh_numbers(np.ascontiguousarray(seen.psi[..., 0, 0]), seen.z, theta[..., 0], noise[..., 0, 0])
    means = np.einsum("rnkpd,rnld->rnklp", seen.psi, theta)
    V = rule.design.transform.readings.covariance(means, noise[:, :, None, None])
    scale = np.sqrt(np.diagonal(V, axis1=-2, axis2=-1))
    V = V / (scale[..., :, None] * scale[..., None, :]) + 1e-13 * np.eye(V.shape[-1])
    A, z = seen.A / scale[..., None], seen.z / scale
    both = np.linalg.solve(V, np.concatenate([A, z[..., None]], axis=-1))
    return np.swapaxes(A, -1, -2) @ both[..., :-1], np.einsum("...ma,...m->...a", A, both[..., -1])


def _frozen(design: Design, theta: Floats) -> Floats:
    """The coefficients (R, n, M) that the latest weights belong to."""
    return design.transform.parameters.transform(theta)


def _with_squares(design: Design, seen: Regressions, coefficients: Floats, power: Floats) -> Floats:
    """(R, n, p, p) the sum of squares of the innovations of the readings' sum, in the order of time."""
    p = design.reading_dim
    e = seen.z[..., :p] - np.einsum("rnkma,rna->rnkm", seen.A[..., :p, :], coefficients)
    power = power.copy()
    for k in range(e.shape[2]):
        power += e[:, :, k, :, None] * e[:, :, k, None, :]
    return power


@kernel
def combine_coefficients(lam: Floats, H: Floats, b: Floats, G: Floats, s: Floats, C: Floats) -> None:
    """The first recursion over N sets, in place; b is left alone."""
    R, n, N, M = s.shape
    phi, gain = np.empty((n, M)), np.empty(M)
    for r in range(R):
        for k in range(N):
            c = C[k % C.shape[0], r % C.shape[1]]
            for i in range(n):
                for a in range(M):
                    gain[a] = s[r, i, k, a]
                    for d in range(M):
                        H[r, i, a, d] += G[r, i, k, a, d]
                        gain[a] -= G[r, i, k, a, d] * lam[r, i, d]
                step = np.linalg.solve(H[r, i], gain)
                for a in range(M):
                    phi[i, a] = lam[r, i, a] + step[a]
            for i in range(n):
                for a in range(M):
                    total = 0.0
                    for j in range(n):
                        total += c[i, j] * phi[j, a]
                    lam[r, i, a] = total


@kernel
def combine_sums(lam: Floats, H: Floats, b: Floats, G: Floats, s: Floats, C: Floats) -> None:
    """The second recursion over N sets, in place."""
    R, n, N, M = s.shape
    old_H, old_b = np.empty((n, M, M)), np.empty((n, M))
    for r in range(R):
        for k in range(N):
            c = C[k % C.shape[0], r % C.shape[1]]
            for i in range(n):
                for a in range(M):
                    old_b[i, a] = b[r, i, a] + s[r, i, k, a]
                    for d in range(M):
                        old_H[i, a, d] = H[r, i, a, d] + G[r, i, k, a, d]
            for i in range(n):
                for a in range(M):
                    total = 0.0
                    for j in range(n):
                        total += c[i, j] * old_b[j, a]
                    b[r, i, a] = total
                    for d in range(M):
                        total = 0.0
                        for j in range(n):
                            total += c[i, j] * old_H[j, a, d]
                        H[r, i, a, d] = total
        for i in range(n):
            found = np.linalg.solve(H[r, i], b[r, i])
            for a in range(M):
                lam[r, i, a] = found[a]
