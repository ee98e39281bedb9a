"""The idea in motion, by the package itself: sets without labels, the average of their polynomials, and its roots."""

from typing import Any

import numpy as np

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.noise import Gaussian
from vieta.scenarios import Scenario, simulate
from vieta.symmetric import elementary

MOST_SYSTEMS = 8
SHOWN_SETS = 8
CURVE = 160  # places at which a polynomial is shown


def polynomial(asked: dict[str, Any]) -> dict[str, Any]:
    r"""Sets of L numbers, the average of their polynomials :math:`\prod_l (t - y_l)`, and its roots after 1, 2, .. sets."""
    L = int(number_in(asked, "systems", 2, MOST_SYSTEMS, 3))
    n = int(number_in(asked, "n", 1, 5000, 400))
    noise = number_in(asked, "noise", 0.0, 10.0, 0.3)
    truth = np.linspace(-(L - 1) / 2.0, (L - 1) / 2.0, L) * 1.5
    scenario = Scenario("lesson", "Numbers 1.5 apart.", theta=truth, noise=Gaussian(max(noise, 1e-9) ** 2))
    sets = simulate(scenario, n=n, seed=seed_in(asked)).sets.reshape(n, L)
    transform = elementary(L)
    mean = np.cumsum(transform.transform(sets[:, :, None]), axis=0) / np.arange(1, n + 1)[:, None]
    at = np.unique(np.geomspace(1, n, min(n, 40)).round().astype(np.int64))
    found = transform.inverse(mean[at - 1])
    reach = float(abs(truth).max() + 1.5 + 2.0 * noise)
    t = np.linspace(-reach, reach, CURVE)
    return {
        "truth": truth.tolist(),
        "sets": sets[:SHOWN_SETS].round(3).tolist(),
        "at": at.tolist(),
        "roots": found.theta[:, :, 0].round(4).tolist(),
        "imaginary": found.imaginary[:, :, 0].round(4).tolist(),
        "t": t.round(4).tolist(),
        "each": [_values(row, t) for row in transform.transform(sets[:SHOWN_SETS, :, None])],
        "averages": [_values(row, t) for row in mean[at - 1]],
        "right": _values(transform.transform(truth[:, None]), t),
    }


def _values(coefficients: Floats, t: Floats) -> list[float]:
    r""":math:`t^L - e_1 t^{L-1} + e_2 t^{L-2} - \dots` at some places."""
    signs = (-1.0) ** np.arange(1, len(coefficients) + 1)
    return [float(f"{v:.5g}") for v in np.polyval([1.0, *(signs * coefficients)], t)]


def seed_in(asked: dict[str, Any]) -> int:
    """The seed that was asked for."""
    return int(number_in(asked, "seed", 0, 1_000_000, 0))


def number_in(asked: dict[str, Any], name: str, least: float, most: float, otherwise: float) -> float:
    """A number that was asked for, within its range."""
    given = asked.get(name, otherwise)
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise InputError(
            "lesson-range", "{name} must be a number from {least:g} to {most:g}.", name=name, least=least, most=most
        )
    return float(given)
