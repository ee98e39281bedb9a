"""What the agents see: sets of one shape, as many for each; and the regressions that the sets become."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.coefficients.choice import choose_design
from vieta.coefficients.design import Design
from vieta.errors import InputError
from vieta.set_requirements import require_complete, require_finite
from vieta.sets import Data, as_data


@dataclass(frozen=True, slots=True, eq=False)
class AgentData:
    """Sets (R, n, N, L, p) and inputs (R, n, N) or (R, n, N, p, D) of n agents in R runs, N sets each; D parameters a system."""

    sets: Floats
    inputs: Floats
    dim: int

    def __len__(self) -> int:
        return int(self.sets.shape[2])

    def __getitem__(self, cut: slice) -> "AgentData":
        return AgentData(self.sets[:, :, cut], self.inputs[:, :, cut], self.dim)

    def and_then(self, later: "AgentData") -> "AgentData":
        """These sets, followed by others."""
        sets, inputs = (np.concatenate(pair, axis=2) for pair in ((self.sets, later.sets), (self.inputs, later.inputs)))
        return AgentData(sets, inputs, self.dim)


@dataclass(frozen=True, slots=True, eq=False)
class Regressions:
    """z = A lambda + noise: `z` (R, n, N, m), `A` (R, n, N, m, M), and the matrices `psi` (R, n, N, p, D) behind them."""

    z: Floats
    A: Floats
    psi: Floats


def as_agent_data(sets: ArrayLike, inputs: ArrayLike | None, n_agents: int, n_systems: int, dim: int) -> AgentData:
    """Sets (n, N, L), (n, N, L, p) or (R, n, N, L, p) and inputs None, (n, N), (n, N, D), (n, N, p, D), or with runs before them."""
    given = _array(sets, "sets")
    has_runs = given.ndim == 5
    if given.ndim not in {3, 4, 5} or given.shape[has_runs] != n_agents:
        raise InputError(
            "agents-shape",
            "`sets` must have shape ({agents}, N, {L}), ({agents}, N, {L}, p) or (runs, {agents}, N, {L}, p): as many sets of one shape for "
            "each of the {agents} agents; got {shape}.",
            agents=n_agents, L=n_systems, shape=given.shape,
        )  # fmt: skip
    full = given if has_runs else given[None]
    full = full if full.ndim == 5 else full[..., None]
    R, n, N, L, p = full.shape
    psi = None
    if inputs is not None:
        raw = _array(inputs, "inputs")
        lead = (R, n, N) if has_runs else (n, N)
        if raw.shape[: len(lead)] != lead:
            raise InputError(
                "agents-inputs",
                "`inputs` must begin with the shape {lead} of the sets, an input for each set of each agent; got {shape}.",
                lead=lead, shape=raw.shape,
            )  # fmt: skip
        psi = raw.reshape(R * n * N, *raw.shape[len(lead) :])
    data = as_data(full.reshape(R * n * N, L, p), psi, n_systems)
    require_complete(data, "network")
    require_finite(data)
    if data.dim != dim:
        raise InputError(
            "agents-dim",
            "these inputs are for {given} parameter(s) a system, and the network is for {dim}.",
            given=data.dim, dim=dim,
        )  # fmt: skip
    return AgentData(full, data.inputs.reshape(R, n, N, *data.inputs.shape[1:]), dim)


def _array(value: ArrayLike, name: str) -> Floats:
    """An array of numbers; agents whose data have different shapes make none."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "agents-differ",
            "`{name}` must be an array of numbers: every agent needs as many sets as the others, of the same shape.",
            name=name,
        ) from None
    return array


def design_of(data: AgentData) -> Design:
    """The transform that serves the shape of these sets."""
    R, n, N, L, p = data.sets.shape
    like = Data(data.sets.reshape(-1, L, p)[:1], data.inputs.reshape(R * n * N, *data.inputs.shape[3:])[:1], data.dim)
    design = choose_design("auto", like)
    if design.inputs == "undone":
        raise InputError(
            "network-transform",
            "{L} systems with {dim} parameters each have more coefficients than agents can exchange here. Estimate fewer parameters.",
            L=L, dim=data.dim,
        )  # fmt: skip
    return design


def regressions(design: Design, data: AgentData) -> Regressions:
    """The regressions of all sets at once."""
    z = design.transform.transform(data.sets)
    M, psi = design.transform.parameters.size, data.inputs
    if psi.ndim == 3:
        gains = psi[..., None] ** design.transform.parameters.degrees
        return Regressions(z, gains[..., None] * np.eye(M), psi[..., None, None] * np.eye(data.dim))
    A = np.zeros((*z.shape, M))
    flat = psi.reshape(-1, *psi.shape[3:])
    blocks = zip(design.transform.readings.blocks, design.degrees, design.transform.gains(flat), strict=True)
    for rows, columns, part in blocks:
        A[..., rows, columns] = part.reshape(*z.shape[:-1], *part.shape[1:])
    return Regressions(z, A, psi)
