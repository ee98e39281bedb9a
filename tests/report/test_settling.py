"""How estimates settled: the method's own estimates of the first sets, then its filter, to the last set."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.files import samples as files
from vieta.report.settling import FEWEST, settling
from vieta.sets import as_data

SETS, PSI = files.records(600)
DATA = as_data(SETS, PSI)


def test_a_method_without_a_filter_is_fitted_to_longer_and_longer_beginnings():
    path = settling(DATA, "least-squares", {})
    assert path.index[0] == FEWEST
    assert path.index[-1] == 600
    assert path.began > 600
    assert (np.diff(path.index) > 0).all()
    for n, theta in zip(path.index, path.theta):
        assert_allclose(theta, vieta.fit(SETS[:n], PSI[:n], method="least-squares").theta, rtol=1e-9)
    assert path.index.sum() < 5 * 600  # all of it costs a few fits


def test_a_filter_that_starts_at_once_is_shown_alone():
    path = settling(DATA, "rls", {"memory": 300.0})
    assert path.began == 0
    running = vieta.SymmetricFilter(3, method="rls", memory=300.0).partial_fit(SETS, PSI)
    assert_allclose(path.theta[-1], running.estimate().theta, rtol=1e-9)
    assert len(path.index) <= 400


def test_before_a_filter_starts_its_method_is_fitted_to_what_there_is():
    path = settling(DATA, "efficient", {"robust": True})
    early = path.index < path.began
    assert path.began >= 128
    assert path.index[0] <= FEWEST
    assert early.sum() >= 6
    assert (np.diff(path.index) > 0).all()
    n = int(path.index[early][-1])
    assert_allclose(path.theta[early][-1], vieta.fit(SETS[:n], PSI[:n], robust=True).theta, rtol=1e-9)
    running = vieta.SymmetricFilter(3, robust=True).partial_fit(SETS, PSI)
    found = running.estimate()  # of a young filter, that of a batch of its first sets
    assert np.all(abs(path.theta[-1] - found.theta) < 0.2 * found.stderr)
    assert np.isfinite(path.theta).all()


def test_sets_that_do_not_start_a_filter_are_fitted_to_the_last():
    records = vieta.simulate((4.0, 5.0), n=300, seed=0, noise=vieta.laws.noise.Gaussian(3.0))
    path = settling(as_data(records.sets, records.inputs), "efficient", {})
    assert path.began > 300
    assert path.index[-1] == 300
    assert_allclose(path.theta[-1], vieta.fit(records.sets, records.inputs, method="efficient").theta, rtol=1e-9)


def test_a_filter_that_fails_leaves_the_fits():
    assert settling(DATA, "lms", {"step": 1e4}) is None
    assert settling(DATA.part(0, 0), "rls", {}) is None


@pytest.mark.parametrize("n", [1, 3])
def test_few_sets_have_a_path_or_none(n):
    path = settling(DATA.part(0, n), "least-squares", {})
    assert path is None or (path.index[-1] == n and len(path.index) >= 2)


def test_incomplete_sets_settle_by_fits_of_the_first_of_them():
    rng = np.random.default_rng(0)
    psi = rng.uniform(0.5, 2.0, 60)
    sets = [np.array([1.0, 4.0])[rng.random(2) < 0.8] * x for x in psi]
    path = settling(as_data([one + 0.1 * rng.normal(size=len(one)) for one in sets], psi, 2), "adaptive", {})
    assert path is not None
    assert (path.index[-1], path.theta.shape[1:]) == (60, (2, 1))
