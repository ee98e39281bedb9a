"""A running filter's state, the kernel on a copy of it, and its equations in plain numpy."""

from dataclasses import replace

import numpy as np

from vieta.excitation import WINDOW
from vieta.sets import Data
from vieta.weighted import kernel_runs, tracker
from vieta.weighted.equations import accumulate
from vieta.weighted.tracking_kernel import SURPRISED

NAMES = kernel_runs.UPDATED


def begin(L, p, D, n, seed=0, sd=0.3, shift=0.0):
    """Sets, inputs and a state of a filter that knows the truth well; the truth moves by `shift`."""
    rng = np.random.default_rng([L, p, D, seed])
    theta = 2.0 * np.arange(L)[:, None] + rng.normal(size=(L, D))
    psi = rng.uniform(0.5, 1.5, size=(n, p, D))
    sets = np.einsum("npd,ld->nlp", psi, theta + shift) + sd * rng.normal(size=(n, L, p))
    noise = sd**2 * np.eye(p)
    state = {
        "theta": theta.copy(), "settled_theta": theta.copy(), "information": 500.0 * np.eye(L * D),
        "meat": 500.0 * np.eye(L * D), "power": noise * L * 100.0, "noise": noise.copy(),
        "window_score": np.zeros(L * D), "window_information": np.zeros((L * D, L * D)),
        "numbers": np.array([100.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    }  # fmt: skip
    return sets, psi, state


def absorb(state, sets, psi, forgetting=1.0, drift=None, cap=np.inf, watch=True):
    """The kernel on a copy of a state, as the tracker calls it."""
    settings = tracker.Settings(forgetting, np.empty((0, 0)) if drift is None else drift, cap)
    data = Data(sets, psi, psi.shape[2])
    old = replace(tracker.init(data), tracking=1, collecting=int(not watch), **state)
    new, taken, event = kernel_runs.track(settings, old, data)
    return {name: getattr(new, name) for name in NAMES}, taken, event == SURPRISED


def naive(state, sets, psi, forgetting=1.0, drift=None, cap=np.inf):
    """The equations of `tracker`, one set after another."""
    s = {name: np.copy(state[name]) for name in NAMES}
    _N, L, p = sets.shape
    n = s["theta"].size
    latest, weights = np.zeros(n), np.zeros(n)
    for y, x in zip(sets, psi):
        information, score, _, (squares,) = accumulate(y[None], x[None], s["theta"], s["noise"], cap)
        prior = forgetting * s["information"]
        if drift is not None:
            prior = np.linalg.inv(np.linalg.inv(prior) + drift)
        e = (y - s["theta"] @ x.T).sum(axis=0)
        s["information"] = prior + information
        s["meat"] = forgetting**2 * s["meat"] + np.outer(score, score)
        s["power"] = forgetting * s["power"] + np.outer(e, e) + 1e-16 * (y**2).sum() / p * np.eye(p)
        s["theta"] = s["theta"] + np.linalg.solve(s["information"], score).reshape(s["theta"].shape)
        product = float(score @ (latest * weights))  # of neighbouring scores
        latest = score
        s["numbers"] = s["numbers"] * [forgetting, 1, 1, 1, 1, 1] + [1.0, 1.0, squares, product, product**2, 0.0]
        s["window_score"] = s["window_score"] + score
        s["window_information"] = s["window_information"] + information
        if s["numbers"][1] == WINDOW:
            s["noise"], s["settled_theta"] = s["power"] / (s["numbers"][0] * L), s["theta"]
            s["numbers"] = np.array([s["numbers"][0], 0.0, 0.0, 0.0, 0.0, 1.0])
            s["window_score"], s["window_information"] = np.zeros(n), np.zeros((n, n))
    return s
