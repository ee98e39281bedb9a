"""Tiny jobs that make kernels compile: each method in batch and online on each kind of data, an audit, a sort of many rows.

``python -m vieta.warm_up`` does those that the demonstration needs. It needs the core only, so that kernels can compile while
what reads and draws is being installed.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.errors import VietaError

N = 400  # sets: enough for every method to start
ENOUGH = 1600  # sets from which the default method does all that it can do for two systems


class Job(NamedTuple):
    """Something to run, and what it is called."""

    name: str
    run: Callable[[], object]


class Example(NamedTuple):
    """Sets and inputs of a kind that has machine code of its own."""

    name: str
    sets: Floats
    inputs: Floats | None
    dim: int = 1  # parameters of each system


def jobs() -> Iterator[Job]:
    """All jobs; those of a method that does not take a kind of data do nothing."""
    from vieta.answers import families
    from vieta.method import registry

    for name, method in registry.every().items():
        for example in examples():
            yield Job(f"{name}, {example.name}", partial(_fit, name, example))
            if method.has_engine:
                yield Job(f"{name} online, {example.name}", partial(_filter, name, example))
    for example in examples():
        yield Job(f"common shock, {example.name}", partial(_shock, example))
    yield Job("incomplete sets", _incomplete)
    for family in families.every():
        yield Job(f"{family} answers", partial(_answers, family))
    yield Job("network", _network)
    yield Job("audit", partial(_audit, next(examples())))
    yield Job("time of a change", _misfits)
    yield Job("many rows", _sort)
    yield Job("Markov labels", _markov)
    yield Job("paths of roots", _path)
    yield Job("direct gradient", _direct_gradient)


def first_jobs() -> Iterator[Job]:
    """What the demonstration does: what fits by default, in batch and online, on numbers with several inputs; and an audit."""
    from vieta.method import registry

    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(ENOUGH), rng.normal(size=ENOUGH)])
    sets = rows @ np.array([[0.0, 1.0, 4.0], [2.0, -1.0, 0.5]]) + 0.3 * rng.normal(size=(ENOUGH, 3))
    example, name = Example("several inputs", sets, rows, 2), registry.default()
    yield Job(f"default, {example.name}", partial(_fit, None, example))
    yield Job(f"{name} online, {example.name}", partial(_filter, name, example))
    yield Job("audit", partial(_audit, example))


def examples() -> Iterator[Example]:
    """Sets of numbers without inputs, with one, with several; and of vectors. Kernels are the same for any number of systems."""
    rng = np.random.default_rng(0)
    psi, rows, matrices = rng.normal(size=N), rng.normal(size=(N, 2)), rng.normal(size=(N, 2, 2))

    def noisy(means: Floats) -> Floats:
        return means + 0.01 * rng.normal(size=means.shape)

    yield Example("one input", noisy(np.outer(psi, [3.0, 6.0])), psi)
    vectors = np.array([[1.0, 2.0], [4.0, -1.0], [-3.0, 0.5]])
    yield Example("no input", noisy(np.tile([1.0, 4.0, 7.0], (N, 1))), None)
    yield Example("several inputs", noisy(rows @ vectors.T), rows, 2)
    yield Example("vectors", noisy(psi[:, None, None] * vectors), psi, 2)
    yield Example("matrices", noisy(np.einsum("kpd,ld->klp", matrices, vectors)), matrices, 2)


def _fit(method: str | None, example: Example) -> None:
    from vieta.estimators import fit

    _try(lambda: fit(example.sets, example.inputs, method=method))


def _shock(example: Example) -> None:
    from vieta.estimators import fit

    _try(lambda: fit(example.sets, example.inputs, shock="common"))


def _filter(method: str, example: Example) -> None:
    from vieta.estimators import SymmetricFilter

    def run() -> Any:
        one = SymmetricFilter(example.sets.shape[1], example.dim, method=method)
        return one.partial_fit(example.sets, example.inputs).estimate()

    _try(run)


def _try(run: Callable[[], object]) -> None:
    """Run what may be refused: not every method takes every kind of data."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            run()
        except VietaError:
            return


def _incomplete() -> None:
    from vieta.estimators import fit

    rng = np.random.default_rng(0)
    sets = [rng.normal([0.0, 3.0], 0.5)[rng.random(2) < 0.8] for _ in range(ENOUGH)]
    _try(lambda: fit(sets, n_systems=2, clutter=True))


def _answers(family: str) -> None:
    from vieta.estimators import SymmetricFilter, fit

    rng = np.random.default_rng(0)
    rows = np.column_stack([np.ones(ENOUGH), rng.normal(size=ENOUGH)])
    means = rows @ np.array([[-1.0, 1.0], [0.5, 1.0]])
    draws: dict[str, Callable[[], Floats]] = {
        "binary": lambda: (rng.logistic(size=means.shape) < means).astype(np.float64),
        "ordinal": lambda: (
            1.0 + (means + rng.logistic(size=means.shape) > np.array([-0.5, 1.0])[:, None, None]).sum(axis=0)
        ),
        "count": lambda: rng.poisson(np.exp(means)).astype(np.float64),
        "rounded": lambda: np.round(means + 0.5 * rng.normal(size=means.shape)),
    }
    answers = draws[family]()
    _try(lambda: fit(answers, rows, family=family))
    _try(lambda: SymmetricFilter(2, 2, family=family).partial_fit(answers, rows).estimate())


def _network() -> None:
    from vieta import network

    rng = np.random.default_rng(0)
    psi, weights = rng.normal(size=(4, 100)), network.metropolis(network.ring(4))
    sets = psi[..., None] * np.array([3.0, 6.0]) + 0.1 * rng.normal(size=(4, 100, 2))
    for options in ({}, {"share": "information"}, {"step": 1e-3}):
        team = network.Diffusion(weights, n_systems=2, **options)
        _try(partial(team.advance, None, sets, psi))


def _audit(example: Example) -> None:
    from vieta.anonymity import audit

    _try(lambda: audit(example.sets, example.inputs))


def _misfits() -> None:
    from vieta.sets import as_data
    from vieta.weighted.solve import misfits

    example = next(examples())
    misfits(as_data(example.sets, example.inputs), np.array([[3.0], [6.0]]), np.eye(1))


def _sort() -> None:
    from vieta import ascending
    from vieta.files.rows import MANY, time_order

    time_order(np.arange(MANY + 1)[::-1])
    ascending.sort_numbers(np.zeros(ascending.MANY), None, 1)


def _markov() -> None:
    from vieta.likelihood import markov_em

    example = next(iter(examples()))
    _try(lambda: markov_em(example.sets, example.inputs, noise_var=1.0, stay=0.9))


def _path() -> None:
    from vieta.symmetric import path

    path(np.tile([3.0, 2.0], (2, 1)))


def _direct_gradient() -> None:
    from vieta.paper.direct_gradient import direct_gradient

    example = next(iter(examples()))
    direct_gradient(example.sets, example.inputs, step=1e-6, start=[1.0, 2.0])


if __name__ == "__main__":
    for one in first_jobs():
        one.run()
