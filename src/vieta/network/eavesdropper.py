r"""What somebody learns who hears the messages of some agents, and knows all else that is public.

*Of the systems* he learns what the agents know: a message is the coefficients, whose roots are the parameters. *Who is who* he cannot learn:
coefficients do not change when the readings of a set change places, so that no message depends on an order, and neither does anything made
of messages.

*Of an agent's own readings*: a message is a mixture of all that reached the agent so far. Let the inputs be known and one (those of other
inputs are the same with other gains), and :math:`z_i(k)` a coefficient of agent i's set k. With gains :math:`g_k` (the step, or 1/k),

.. math:: \varphi(k) = (1 - g_k)\lambda(k) + g_k z(k), \qquad \lambda(k+1) = C \varphi(k),

all messages are known linear functions of all z. What they leave of the variance of :math:`z_i(k)` for the best linear guess, the best of
all for normal noise, follows from their joint covariance. Share 1: the coefficient is known exactly; if all degrees are, so is the
set, without its order. Share 0: nothing but what the parameters tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.checks import as_count, as_number
from vieta.errors import InputError
from vieta.network.combination import as_weights

RIDGE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Overheard:
    """Shares of the variance of a coefficient of an agent's sets that messages explain, (n_sets,) each.

    Attributes
    ----------
    up_to_then : (n_sets,)
        From all messages up to that of the set itself.
    in_the_end : (n_sets,)
        From all messages, later ones too.
    """

    up_to_then: Floats
    in_the_end: Floats


def overheard(
    weights: ArrayLike,
    agent: int,
    *,
    n_sets: int,
    step: float | None = None,
    heard: Sequence[int] | None = None,
) -> Overheard:
    """What the messages of some agents tell of one agent's own sets.

    Parameters
    ----------
    weights : (n, n)
        Of the network, known to the listener.
    agent : int
        Whose sets are asked for, from 0 on.
    n_sets : int
        Sets of each agent; the listener hears from the first on.
    step : float, optional
        Gain of least mean squares; by default that of least squares, 1/k.
    heard : sequence of int, optional
        Agents whose messages are heard; by default this one alone, on any one of its links.

    >>> from vieta.network import complete, metropolis
    >>> found = overheard(metropolis(complete(10)), 0, n_sets=50, step=0.05)
    >>> found.up_to_then[[0, 1, 40]].round(2), found.in_the_end[[1, 40]].round(2)
    (array([1.  , 0.92, 0.83]), array([0.93, 0.86]))
    """
    C = as_weights(weights)
    n, N = len(C), as_count(n_sets, "n_sets")
    listened = sorted({int(i) for i in (heard if heard is not None else [agent])})
    if not (0 <= agent < n and listened and listened[0] >= 0 and listened[-1] < n):
        raise InputError(
            "no-such-agent",
            "agents are numbered from 0 to {last}; asked for {agent}, and heard are {heard}.",
            last=n - 1, agent=agent, heard=listened,
        )  # fmt: skip
    gains = np.full(N, as_number(step, "step", above=0.0, below=1.0)) if step is not None else 1.0 / np.arange(1, N + 1)
    messages = _messages(C, gains, listened).reshape(N * len(listened), n * N)
    parts = _innovations(messages)[:, np.arange(N) * n + agent] ** 2  # of each z of the agent, what each message adds
    heard_so_far = np.arange(N * len(listened))[:, None] < (np.arange(N) + 1) * len(listened)
    up_to_then, in_the_end = (parts * heard_so_far).sum(axis=0), parts.sum(axis=0)
    return Overheard(np.minimum(up_to_then, 1.0), np.minimum(in_the_end, 1.0))


def _messages(C: Floats, gains: Floats, listened: list[int]) -> Floats:
    """(N, heard, n N) each message as a function of all z, those of the first sets first."""
    n, N = len(C), len(gains)
    state = np.zeros((n, n * N))
    found = np.empty((N, len(listened), n * N))
    for k, gain in enumerate(gains):
        message = (1.0 - gain) * state
        message[:, k * n : (k + 1) * n] += gain * np.eye(n)
        found[k] = message[listened]
        state = C @ message
    return found


def _innovations(messages: Floats) -> Floats:
    """What is new in each message after those before it, with unit variance, as a function of all z: squares are shares of variances."""
    size = np.sqrt((messages**2).sum(axis=1, keepdims=True))
    rows = messages / np.maximum(size, 1e-300)
    root = np.linalg.cholesky(rows @ rows.T + RIDGE * np.eye(len(rows)))
    return np.asarray(np.linalg.solve(root, rows))
