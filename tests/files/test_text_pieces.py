"""Items made in another thread."""

import gc
import threading

import pytest

from vieta.files.text_pieces import ahead


def test_items_come_in_order_and_in_another_thread():
    def items():
        for i in range(5):
            yield i, threading.get_ident()

    found = list(ahead(items()))
    assert [i for i, _ in found] == list(range(5))
    assert threading.get_ident() not in {thread for _, thread in found}


def test_what_goes_wrong_there_is_told_here():
    def items():
        yield 1
        raise ValueError("the second")

    found = ahead(items())
    assert next(found) == 1
    with pytest.raises(ValueError, match="the second"):
        next(found)


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_rest_that_nobody_wants_may_be_cleared_away_in_its_own_thread():
    dropped, cleared = threading.Event(), threading.Event()

    def items():
        yield 1
        dropped.wait(10)
        gc.collect()
        cleared.set()
        yield 2

    gc.disable()
    try:
        found = ahead(items())
        assert next(found) == 1
        circle = [found]
        circle.append(circle)
        del found, circle
        dropped.set()
        assert cleared.wait(10)
    finally:
        gc.enable()
