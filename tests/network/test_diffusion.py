"""A network of agents: as good as all data in one place, honest about its errors, blind to the order of readings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import DivergedError, InputError, NotIdentifiableError
from vieta.laws.inputs import Gaussian
from vieta.network import Diffusion, grid, mean_square_error, metropolis, ring

THETA = np.array([-2.0, 5.0, 8.0])


def drawn(runs, n, N, seed, theta=THETA, sd=1.0):
    """Sets (runs, n, N, L, 1) and inputs (runs, n, N); deviations may differ from agent to agent."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(runs, n, N))
    noise = np.asarray(sd).reshape(-1, 1, 1) * rng.normal(size=(runs, n, N, len(theta)))
    return rng.permuted(psi[..., None] * theta + noise, axis=-1)[..., None], psi


def squared(found, theta=THETA):
    return ((found.theta[..., 0] - theta) ** 2).sum(axis=-1)


@pytest.mark.parametrize("options", [{}, {"share": "information", "failing": 0.3}])
def test_twenty_agents_are_as_good_as_all_data_in_one_place(options):
    runs, n, N = 8, 20, 500
    sets, psi = drawn(runs, n, N, 0)
    weights = metropolis(grid(4, 5))
    found = Diffusion(weights, 3, **options).fit(sets, psi)
    alone = Diffusion(np.eye(1), 3)
    together = squared(alone.fit(sets.reshape(runs, 1, n * N, 3, 1), psi.reshape(runs, 1, n * N)))[:, 0]
    mine = squared(found).mean(axis=1)
    predicted = mean_square_error(
        THETA, 1.0, Gaussian(), weights=weights, n_sets=N, failing=options.get("failing", 0.0)
    )
    excess = mine - predicted.ratio * together  # the same data: their difference is small beside the errors
    assert abs(excess.mean()) < 4 * excess.std() / np.sqrt(runs) + 0.02 * together.mean()
    assert predicted.ratio < 1.1
    single = squared(alone.fit(sets[:, :1], psi[:, :1])).mean()
    assert single > 5 * mine.mean()  # no cooperation: about twenty times
    covered = (abs(found.theta[..., 0] - THETA) < 1.96 * found.stderr[..., 0]).mean()
    assert covered > 0.85
    assert not found.findings


def test_agents_that_differ_should_share_information():
    """Half of them see little: means of estimates then lose against sums."""
    sd = np.where(np.arange(6) % 2, 4.0, 0.2)
    sets, psi = drawn(6, 6, 400, 1, sd=sd)
    weights = metropolis(ring(6))
    coefficients, information = (
        squared(Diffusion(weights, 3, share=one).fit(sets, psi)).mean() for one in ("coefficients", "information")
    )
    assert information < 0.2 * coefficients


def test_nothing_depends_on_the_order_within_sets():
    sets, psi = drawn(1, 4, 100, 2)
    shuffled = np.random.default_rng(5).permuted(sets, axis=-2)
    team = Diffusion(metropolis(ring(4)), 3)
    assert_allclose(team.fit(sets, psi).coefficients, team.fit(shuffled, psi).coefficients, rtol=1e-8)


def test_rows_of_inputs_and_one_network_without_runs():
    rng = np.random.default_rng(3)
    theta = np.array([[1.0, -1.0], [3.0, 2.0]])
    psi = rng.normal(size=(5, 200, 2))
    sets = psi @ theta.T + 0.1 * rng.normal(size=(5, 200, 2))
    found = Diffusion(metropolis(ring(5)), 2, dim=2).fit(sets, psi)
    assert found.theta.shape == (5, 2, 2)
    assert (abs(found.theta - theta) < 5 * found.stderr).all()
    assert found.disagreement < 0.05


def test_an_agent_may_know_nothing_by_itself_if_information_is_shared():
    """Each agent has one direction of inputs only."""
    rng = np.random.default_rng(4)
    theta = np.array([[1.0, -1.0], [3.0, 2.0]])
    directions = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0], [1.0, 2.0], [2.0, -1.0]])
    psi = directions[:, None] * rng.normal(size=(6, 300, 1))
    sets = psi @ theta.T + 0.1 * rng.normal(size=(6, 300, 2))
    found = Diffusion(metropolis(ring(6)), 2, dim=2, share="information").fit(sets, psi)
    assert (abs(found.theta - theta) < 5 * found.stderr).all()
    with pytest.raises(NotIdentifiableError, match="by itself"):
        Diffusion(metropolis(ring(6)), 2, dim=2).fit(sets, psi)


def test_least_mean_squares_follows_and_diverges_with_an_error():
    sets, psi = drawn(2, 4, 300, 6, theta=np.array([1.0, 2.0]), sd=0.1)
    team = Diffusion(metropolis(ring(4)), 2, step=[0.05, 0.02])
    state = team.advance(None, sets[:, :, :100], psi[:, :, :100])
    found = team.learned(team.advance(state, sets[:, :, 100:], psi[:, :, 100:]))
    assert np.array_equal(found.coefficients, team.fit(sets, psi).coefficients)
    assert (abs(found.coefficients - [3.0, 2.0]) < 0.3).all()
    assert np.isnan(found.stderr).all()
    with pytest.raises(DivergedError):
        Diffusion(metropolis(ring(4)), 2, step=50.0).fit(sets, psi)


def test_complex_roots_are_reported():
    sets, psi = drawn(1, 3, 40, 7, theta=np.array([5.0, 5.01]), sd=3.0)
    found = Diffusion(metropolis(ring(3)), 2).fit(sets, psi)
    assert found.is_complex.any() == bool(found.findings)
    assert found.findings[0].code == "agents-complex"
    assert np.isnan(found.stderr[found.is_complex]).all()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"share": "labels"}, "share-name"),
        ({"weights": np.eye(4)}, "weights-not-connected"),
        ({"weights": np.ones((4, 4))}, "not-doubly-stochastic"),
        ({"failing": -0.1}, "out-of-range"),
        ({"seed": -1}, "not-a-count"),
        ({"weights": metropolis(ring(5))}, "agents-shape"),
    ],
)
def test_bad_networks_are_refused(options, code):
    sets, psi = drawn(1, 4, 40, 0)
    with pytest.raises(InputError) as caught:
        Diffusion(**{"weights": metropolis(ring(4)), "n_systems": 3, **options}).fit(sets, psi)
    assert caught.value.code == code
    assert "{" not in str(caught.value)


def test_few_sets_and_other_shapes_are_refused():
    sets, psi = drawn(2, 4, 40, 0)
    team = Diffusion(metropolis(ring(4)), 3)
    with pytest.raises(InputError, match="too few"):
        team.fit(sets[:, :, :31], psi[:, :, :31])
    state = team.advance(None, sets, psi)
    with pytest.raises(InputError, match="another shape"):
        team.advance(state, sets[:1], psi[:1])


def test_points_in_the_plane_without_inputs():
    rng = np.random.default_rng(8)
    theta = np.array([[0.0, 0.0], [0.0, 3.0], [4.0, 1.0]])
    sets = rng.permuted(theta + 0.3 * rng.normal(size=(4, 150, 3, 2)), axis=-2) * 0.0
    for i in range(4):
        for k in range(150):
            sets[i, k] = rng.permutation(theta) + 0.3 * rng.normal(size=(3, 2))
    found = Diffusion(metropolis(ring(4)), 3, dim=2).fit(sets)
    assert (abs(found.theta[0][[0, 1]].sum(axis=0) - [0.0, 3.0]) < 0.2).all()
    assert (abs(found.theta[:, 2] - theta[2]) < 6 * found.stderr[:, 2]).all()
