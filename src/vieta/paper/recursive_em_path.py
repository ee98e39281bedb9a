"""Recursive EM as the paper runs it: a constant step on the likelihood of an assumed noise law."""

from numpy.typing import ArrayLike

from vieta.arrays import Floats
from vieta.errors import InputError
from vieta.laws.labels import Weighted
from vieta.laws.noise import Scaled
from vieta.likelihood.associations import require_few
from vieta.likelihood.assumed import Assumed, assume
from vieta.likelihood.expectation import require_distinct
from vieta.likelihood.orders import as_orders
from vieta.likelihood.recursive_scoring import Settings, advance, init
from vieta.options import as_start
from vieta.paper.path import Guard, Path, follow
from vieta.paper.regression import checked, one_step
from vieta.sets import Data

ADVICE = "Use a smaller step, or a noise variance of the size of the noise: the gradient is divided by it."


def recursive_em(
    sets: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    step: float,
    start: ArrayLike,
    law: str | Scaled = "gaussian",
    noise_var: ArrayLike | None = None,
    prior: ArrayLike | Weighted | None = None,
    record_every: int | None = None,
) -> Path:
    r"""Recursive EM, eq. rem of the paper:

    .. math:: \theta(k+1) = \theta(k) + \epsilon \sum_\sigma P(\sigma \mid Y(k), \theta(k))\,
        \nabla_\theta \log p\bigl(Y(k) \mid \sigma, \theta(k)\bigr) .

    Only the marginals of the posterior enter, and for a uniform prior they come without a sum over permutations. With a
    wrong law or variance the limit is biased, as the paper shows in Example 2.

    Parameters
    ----------
    sets : (N, L) or (N, L, p)
    inputs : None, (N,), (N, D) or (N, p, D)
    step : float
        :math:`\epsilon`.
    start : (L, D)
        No default: equal rows would never part.
    law : str or law
        "gaussian", "laplace", "student-t", or a law from `vieta.laws.noise`.
    noise_var : float or (p, p)
        The variance that the law is taken to have: needed, unless the law is given with its own, as ``Laplace(4.0)`` is.
    prior : (L!,) or Weighted, optional
        Probabilities of the permutations, in lexicographic order, or of those listed: up to eight systems. Uniform if
        absent.
    record_every : int, optional
        Record after every so many sets and after the last; after the last only if absent.

    Returns
    -------
    Path
        Rows in the order of the start.

    >>> recursive_em([[1.0, 3.0], [3.0, 1.0]] * 500, step=0.01, start=[0.0, 4.0], noise_var=0.1).final.ravel().round(3)
    array([1., 3.])
    """
    data = checked(sets, inputs)
    epsilon = one_step(step)
    theta = as_start(start, data.n_systems, data.dim)
    if theta is None:
        raise InputError("start-missing", "{option.start} is missing: give different parameters for each system.")
    require_distinct(theta)
    if prior is None:
        require_few(data.n_systems)
    orders = None if prior is None else as_orders(prior, data.n_systems)
    settings = Settings(_known(assume(law, noise_var), noise_var), True, epsilon, orders)
    guard = Guard.of(data, theta, ADVICE)

    def run(theta: Floats, piece: slice) -> Floats:
        part = Data(data.sets[piece], data.inputs[piece], data.dim)
        theta = advance(settings, init(settings, theta), part, piece.start).theta
        guard.check(theta, piece.stop)
        return theta

    return Path(*follow(run, theta, len(data.sets), record_every))


def _known(noise: Assumed, noise_var: ArrayLike | None) -> Scaled:
    """The law, whose variance must be known."""
    if not noise.known:
        raise InputError(
            "variance-unknown",
            "{option.noise_var:{value!r}} is not a variance, and this recursion does not estimate it. Give {option.noise_var} a number "
            "or a matrix, or a law with its own variance such as Laplace(4.0); the same recursion in {call.filter} estimates it.",
            value=noise_var,
        )
    return noise.law
