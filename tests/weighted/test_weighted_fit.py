"""The weighted estimate: the same from one block and from several, in order, and with its findings."""

import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES, DISTINCT, shuffle
from tests.weighted.cases import CAP, codes, cut, set_error, solved
from vieta.scenarios import names
from vieta.sets import Data, as_data
from vieta.sums import Passes, in_memory
from vieta.weighted import solve, tracker
from vieta.weighted.refinement import refine
from vieta.weighted.weighted_fit import from_fit, solution

THETA = {
    "none": np.array([[-2.0], [1.0], [4.0]]),
    "numbers": np.array([[-2.0], [1.0], [4.0]]),
    "vectors": np.array([[1.0, -2.0], [2.0, 1.0]]),
    "rows": np.array([[1.0, -2.0], [2.0, 1.0]]),
    "matrices": np.array([[1.0, -2.0], [2.0, 1.0]]),
    "lines": np.array([[1.0, -2e-5], [2.0, 1e-5]]),  # [1, t] with t up to 1e5
}
every_kind = pytest.mark.parametrize("kind", THETA)
every_bound = pytest.mark.parametrize("robust", [False, True])
CUTS = {"two": (1000,), "seven": (300,) * 6, "tiny": (1, 2), "one by one": (1,) * 40}


def inputs(kind, rng, n):
    return {
        "none": None,
        "numbers": rng.uniform(0.5, 1.5, n),
        "vectors": rng.uniform(0.5, 1.5, n),
        "rows": rng.normal(size=(n, 2)),
        "matrices": rng.normal(size=(n, 2, 2)),
        "lines": np.stack([np.ones(n), 1e5 * rng.random(n)], axis=1),
    }[kind]


def draw(kind, spoiled, n=2000):
    """Clean sets, or sets with outliers, noise that follows the input, and a change."""
    rng = np.random.default_rng(5)
    psi, theta = inputs(kind, rng, n), THETA[kind]
    matrices = np.ones((n, 1, 1)) * np.eye(theta.shape[1]) if psi is None else psi
    if matrices.ndim == 1:
        matrices = matrices[:, None, None] * np.eye(theta.shape[1])
    matrices = matrices[:, None, :] if matrices.ndim == 2 else matrices
    sets = np.einsum("npd,ld->nlp", matrices, theta)
    size = np.sqrt((matrices**2).sum(axis=(1, 2)))[:, None, None]
    noise = 0.3 * rng.normal(size=sets.shape) * (size / size.mean() if spoiled else 1.0)
    if spoiled:
        sets[1200:] *= 1.3
        noise[::60, 0] *= 8.0
    return as_data(shuffle(sets + noise, rng), psi)


def both(kind, robust, cuts, spoiled):
    data, settings = draw(kind, spoiled), tracker.Settings(cap=CAP if robust else np.inf)
    return solution(in_memory(data), settings), solution(cut(data, *cuts), settings)


def agree(one, other, tolerance=1e-9):
    """Whether theta, cov and noise are equal, relative to their largest entries."""
    return all(
        abs(getattr(one, name) - getattr(other, name)).max() <= tolerance * abs(getattr(one, name)).max()
        for name in ("theta", "cov", "noise")
    )


@every_kind
@every_bound
@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("spoiled", [False, True], ids=["clean", "spoiled"])
def test_several_blocks_give_what_one_gives(kind, robust, cuts, spoiled):
    one, several = both(kind, robust, cuts, spoiled)
    assert agree(one, several)
    assert codes(one) == codes(several)
    assert bool(codes(one)) or not spoiled
    for a, b in zip(one.findings, several.findings):
        assert a.facts.keys() == b.facts.keys()
        for name, fact in a.facts.items():
            assert_allclose(b.facts[name], fact, rtol=1e-6, err_msg=f"{a.code}: {name}")
    assert one.n_sets == several.n_sets == 2000


@every_kind
def test_a_set_that_is_left_out_is_noticed(kind):
    """The control: what the test above calls equal is not so by accident."""
    data = draw(kind, False)
    assert not agree(solution(in_memory(data)), solution(in_memory(data.part(0, 1999))))


def test_blocks_in_another_order_of_time_move_the_change():
    data = draw("numbers", True)
    parts = [data.part(1200, 2000), data.part(0, 1200)]
    (moved,) = [
        one for one in solution(Passes(data.part(0, 0), lambda: parts)).findings if one.code == "change-in-batch"
    ]
    (there,) = [one for one in solution(in_memory(data)).findings if one.code == "change-in-batch"]
    assert abs(there.facts["after"] - 1200) < 60
    assert abs(moved.facts["after"] - 800) < 60


@pytest.mark.parametrize("name", names())
def test_every_scenario_is_the_same_in_blocks(name):
    records = vieta.simulate(name, n=600, seed=0)
    if not records.is_complete:
        pytest.skip("this method needs complete sets")
    data = as_data(records.sets, records.inputs)
    one, several = solution(in_memory(data)), solution(cut(data, 200, 1, 350))
    assert agree(one, several, 1e-8)  # where steps cycle, rounding is amplified
    assert codes(one) == codes(several)


def test_no_pass_holds_more_than_a_block(monkeypatch):
    """Blocks made anew for each pass, as from a file: one is alive beside that of the first sets."""
    monkeypatch.setattr(solve, "_few", lambda like: 250)
    data, alive = draw("numbers", False), []

    def read():
        for k in range(0, 2000, 250):
            assert sum(ref() is not None for ref in alive) <= 2
            sets = data.sets[k : k + 250].copy()
            alive.append(weakref.ref(sets))
            yield Data(sets, data.inputs[k : k + 250].copy(), data.dim)

    found = solution(Passes(data.part(0, 0), read))
    assert agree(solution(in_memory(data)), found)
    assert len(alive) > 8 * 8  # passes


@pytest.mark.parametrize("case", DISTINCT, ids=str)
def test_rows_and_covariance_are_put_in_order_together(case):
    passes = in_memory(case.data(400))
    found = refine(passes, solve.fit(passes))
    estimate = solution(passes)
    order = np.lexsort(found.theta.T[::-1])
    assert_array_equal(estimate.theta, found.theta[order])
    L, D = found.theta.shape
    blocks = found.cov.reshape(L, D, L, D)[order][:, :, order]
    assert_array_equal(estimate.cov, blocks.reshape(L * D, L * D))
    assert (estimate.transform, estimate.n_sets) == ("weighted", 400)
    assert estimate.noise.shape == (passes.like.reading_dim,) * 2
    assert np.isfinite(estimate.condition)


def test_bounded_influence_reaches_the_fit_and_leaves_out_the_refinement():
    sets, psi = CASES[1].draw(2000)
    sets[::50, 0] += 30.0
    robust, plain = solved(sets, psi, robust=True), solved(sets, psi)
    passes = in_memory(as_data(sets, psi))
    assert_array_equal(robust.theta.ravel(), np.sort(solve.fit(passes, CAP).theta.ravel()))
    assert set_error(robust.theta, CASES[1].theta) < set_error(plain.theta, CASES[1].theta)
    found = solve.fit(passes)
    unbounded = from_fit(passes, found, tracker.Settings())
    assert_array_equal(unbounded.theta, plain.theta)


def test_readings_that_are_all_zero_are_reported_not_an_error_of_linear_algebra():
    assert "systems-coincide" in codes(solved(np.zeros((60, 2))))


def test_a_system_that_only_makes_noise_is_reported():
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 1.5, 3000)
    sets = psi[:, None] * [-2.0, 4.0] + 0.3 * rng.normal(size=(3000, 2))
    clutter = rng.uniform(-3.0, 3.0, size=(3000, 1))
    assert "idle-system" in codes(solved(shuffle(np.concatenate([sets, clutter], axis=1), rng), psi))
    assert codes(solved(shuffle(sets, rng), psi)) == []
