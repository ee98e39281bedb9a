"""Twenty agents that exchange coefficients: their errors over those with all data in one place, and over what is predicted."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.running.simulation import Simulation
from vieta.arrays import Booleans, Floats
from vieta.estimators import fit
from vieta.laws.inputs import Gaussian
from vieta.network import Diffusion, grid, mean_square_error, metropolis, random_geometric, ring

HEADER = (
    "| systems, noise, links | network / one place | predicted | network / predicted | network / default in one place | "
    "alone / one place | coverage |\n" + "|---" * 7 + "|"
)
AGENTS, SETS = 20, 1000
MOST = 1.1  # over the error with all data in one place
LEAST_COVERED = 0.9  # agents agree, so that a run counts about as one


@dataclass(frozen=True, eq=False)
class Row:
    """Parameters, deviations of the noise (one, or one an agent), links, and options of `Diffusion`."""

    name: str
    theta: tuple[float, ...]
    sd: float | tuple[float, ...]
    links: Booleans
    failing: float = 0.0
    share: str = "coefficients"

    @property
    def alike(self) -> bool:
        """Whether all agents have the same noise, which predictions assume."""
        return isinstance(self.sd, float)


NEAR = random_geometric(AGENTS, 0.35, seed=1)
ROWS = (
    Row("(-2, 5, 8), sd 1, ring", (-2, 5, 8), 1.0, ring(AGENTS)),
    Row("(-2, 5, 8), sd 1, grid, links fail with probability .3", (-2, 5, 8), 1.0, grid(4, 5), 0.3),
    Row("(4, 5), sd .5, random geometric", (4, 5), 0.5, NEAR),
    Row("(4, 5), sd 2, random geometric", (4, 5), 2.0, NEAR),
    Row("(-3, -1, 0, 2, 5), sd .3, random geometric", (-3, -1, 0, 2, 5), 0.3, NEAR),
    Row("(-2, 5, 8), sd .2 or 5, information", (-2, 5, 8), (0.2, 5.0) * 10, NEAR, 0.0, "information"),
)


def one_run(row: Row, seed: int) -> tuple[float, ...]:
    """Squared errors: mean over the agents, all data in one place, the default there, mean over agents alone; and coverage."""
    rng, theta = np.random.default_rng(seed), np.array(row.theta)
    psi = rng.normal(size=(AGENTS, SETS))
    noise = np.broadcast_to(np.asarray(row.sd), (AGENTS,))[:, None, None] * rng.normal(size=(AGENTS, SETS, len(theta)))
    sets = rng.permuted(psi[..., None] * theta + noise, axis=-1)
    team = Diffusion(metropolis(row.links), len(theta), failing=row.failing, share=row.share, seed=seed)
    found, single = team.fit(sets, psi), Diffusion(np.eye(1), len(theta))
    mixed = rng.permutation(AGENTS * SETS)  # one place has no order of agents
    everything = sets.reshape(-1, len(theta))[mixed], psi.ravel()[mixed]
    # where agents differ, one place knows whose sets are whose: then all hear all
    together = (
        single.fit(everything[0][None], everything[1][None]).theta
        if row.alike
        else Diffusion(np.full((AGENTS, AGENTS), 1.0 / AGENTS), len(theta), share="information").fit(sets, psi).theta
    )
    alone = single.fit(sets[:, None, :, :, None], psi[:, None]).theta
    covered = (abs(found.theta[..., 0] - theta) <= 1.96 * found.stderr[..., 0]).mean()
    errors = [((one[..., 0] - theta) ** 2).sum(axis=-1).mean() for one in (found.theta, together, alone)]
    default = float(((fit(*everything).theta[:, 0] - theta) ** 2).sum())
    return float(errors[0]), float(errors[1]), default, float(errors[2]), float(covered)


class Network(Simulation[Row]):
    """The figures of a network."""

    name = "network"
    title = "A network of agents"
    note = (
        f"{AGENTS} agents, {SETS} sets each, ψ ~ N(0, 1). *Network / one place*: mean squared error of the agents over that of the same "
        "weighted recursion on all of their sets in one place, with its standard error. *Predicted*: the same ratio by "
        "`mean_square_error`. *Network / predicted*: the error itself over its prediction. *Default in one place*: `vieta.fit` on all sets, "
        "which has one noise for all where agents differ. *Alone*: an agent that hears nobody. *Coverage*: of 95 % intervals. Where agents "
        "differ, what is in one place is weighted by each agent's noise, and nothing is predicted. "
        "The network loses to the default what its messages lose: agents exchange coefficients, which are means of the values of a "
        "set's polynomial, and those average without labels. The default uses the products of these values beside, which tell more the "
        "larger the noise is over the gaps, and which are weighted at parameters. By the errors of the two (`mean_square_error`, "
        "`theory.efficient_covariance`) the ratio with all data in one place is 1.04 for (-2, 5, 8), sd 1; 1.07 for (4, 5), sd .5; 1.27 for "
        "(4, 5), sd 2; 1.04 for five systems, sd .3. Where that matters, let filters of the default run at the agents and merge them by "
        "information (`vieta.merge`)."
    )
    runs, block = 100, 10
    rows, header = ROWS, HEADER
    sources = ("studies.network", "vieta.network.diffusion", "vieta.network.mean_square")

    def one_run(self, row: Row, seed: int) -> Any:
        return one_run(row, seed)

    def bound(self, row: Row) -> Any:
        """The predicted error of an agent, and with all data in one place."""
        if not isinstance(row.sd, float):
            return None
        weights = metropolis(row.links)
        found = mean_square_error(row.theta, row.sd**2, Gaussian(), weights=weights, n_sets=SETS, failing=row.failing)
        return [float(found.agents.mean()), found.together]

    def line(self, row: Row, runs: Floats, bound: Any) -> tuple[str, bool]:
        mine, together, default, alone, covered = runs.T
        ratio, error = _ratio(mine, together)
        of_default, default_error = _ratio(mine, default)
        predicted = over = ""
        if bound is not None:
            spread = mine.std(ddof=1) / np.sqrt(len(mine)) / bound[0]
            predicted, over = f"{bound[0] / bound[1]:.3f}", f"{mine.mean() / bound[0]:.2f} ± {spread:.2f}"
        text = (
            f"| {row.name} | {ratio:.3f} ± {error:.3f} | {predicted} | {over} | {of_default:.2f} ± {default_error:.2f} | "
            f"{alone.mean() / together.mean():.1f} | {covered.mean():.3f} |"
        )
        return text, bool(ratio - 2.0 * error <= MOST and covered.mean() >= LEAST_COVERED)


def _ratio(mine: Floats, other: Floats) -> tuple[float, float]:
    """The ratio of means, with a standard error of first order."""
    ratio = mine.mean() / other.mean()
    relative = mine / mine.mean() - other / other.mean()
    return float(ratio), float(ratio * relative.std(ddof=1) / np.sqrt(len(mine)))


STUDY = Network()
