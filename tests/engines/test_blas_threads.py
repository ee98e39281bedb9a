"""Threads of linear algebra: one during a fit, and afterwards as many as before."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import vieta
from vieta.engines.blas_threads import one_blas_thread
from vieta.weighted import weighted_fit


def counts():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        if counts() != {2}:
            pytest.skip("linear algebra without threads of its own")
        yield


def test_one_within_and_as_many_as_before_afterwards():
    with one_blas_thread():
        assert counts() == {1}
        with one_blas_thread():
            assert counts() == {1}
        assert counts() == {1}
    assert counts() == {2}


def test_an_error_ends_it():
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert counts() == {2}


def test_one_that_ends_after_the_first_sets_nothing_back_wrongly():
    begun, end = threading.Event(), threading.Event()

    def longer():
        with one_blas_thread():
            begun.set()
            end.wait(10)

    with one_blas_thread():
        other = threading.Thread(target=longer)
        other.start()
        assert begun.wait(10)
    end.set()
    other.join()
    assert counts() == {2}


@pytest.mark.parametrize("threads", [None, 2])
def test_a_fit_has_one(monkeypatch, threads):
    seen, solution = [], weighted_fit.solution

    def watched(*given):
        seen.append(counts())
        return solution(*given)

    monkeypatch.setattr(weighted_fit, "solution", watched)
    rng = np.random.default_rng(0)
    vieta.fit(np.array([0.0, 3.0]) + 0.1 * rng.standard_normal((200, 2)), threads=threads)
    assert seen == [{1}]
    assert counts() == {2}
