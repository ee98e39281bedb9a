"""Other solutions that make nearly the same sets: two systems at a time exchange what the inputs let them exchange.

Most wrong solutions have most systems right and two entangled. `vieta.search.moves.alternatives` finds, from the means of a pair alone, other
parameters of the pair with nearly the same means; each climbs a little on some of the sets, and those that come near are kept.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np

from vieta.adaptive.set_ascent import Climbed, climb
from vieta.adaptive.set_model import SetModel
from vieta.adaptive.set_start import GAIN, KEPT, MOST_PAIRS, different, serving
from vieta.adaptive.set_sums import Free, set_sums
from vieta.laws.linear import respond
from vieta.search.moves import alternatives
from vieta.search.problem import problem
from vieta.sums import Passes, in_memory
from vieta.weighted.sum_regression import as_matrices

ITERATIONS = 15
EACH = 2  # alternatives of a pair
BEHIND = 12.0  # log-likelihood on some of the sets, from which on a solution is not looked at again
MOST = 3  # that are kept


def other_solutions(passes: Passes, n_sets: int, model: SetModel, free: Free, floor: float) -> list[SetModel]:
    """Models with two systems replaced that come near the likelihood of a model on some of the sets, the likeliest first."""
    data = passes.spread(serving(len(model.theta)), n_sets)
    part, rng = in_memory(data), np.random.default_rng(0)
    means = respond(data.inputs, np.broadcast_to(model.theta, (len(data), *model.theta.shape)))
    given = problem(means, as_matrices(data), model.shape * float(np.mean(model.noise_sd**2)))
    here = Climbed(model, set_sums(part, model, free, KEPT), True)
    pairs = list(combinations(range(len(model.theta)), 2))
    found = [here]
    for place in rng.permutation(len(pairs))[:MOST_PAIRS]:
        chosen = list(pairs[place])
        for _, other in zip(range(EACH), alternatives(given, model.theta, chosen, rng), strict=False):
            theta = model.theta.copy()
            theta[chosen] = other.theta
            start, goal = replace(model, theta=theta), here.height - BEHIND
            found.append(climb(part, start, free, floor, ITERATIONS, GAIN, KEPT, goal))
    gram = np.einsum("npd,npe->de", as_matrices(data), as_matrices(data)) / len(data)
    found = [here, *sorted(found[1:], key=lambda one: -one.height)]
    return [one.model for one in different(found, gram)[1:] if one.height > here.height - BEHIND][:MOST]
