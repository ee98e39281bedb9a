import threading
import time

import pytest

from tests.page import few_tasks
from vieta.errors import InputError
from vieta.page.workers import MOST_WAITING, Job, Worker

TASKS = {name: getattr(few_tasks, name) for name in ("echo", "count", "sleep", "refuse", "fail", "die")}


@pytest.fixture(scope="module")
def worker():
    one = Worker(TASKS, few_tasks.said)
    yield one
    one.close()


def ended(job):
    assert job.finished.wait(60)
    return job.to_dict()


def test_a_task_gives_its_result_in_its_folder(worker, tmp_path):
    found = ended(worker.start("echo", {"a": 1}, tmp_path))
    assert found["status"] == "done"
    assert found["result"] == {"asked": {"a": 1}, "folder": str(tmp_path.resolve())}


def test_what_a_task_refuses_is_a_message_and_a_fault_of_ours_is_not_shown(worker):
    assert ended(worker.start("refuse", {}))["trouble"] == "no."
    found = ended(worker.start("fail", {}))
    assert found["status"] == "refused"
    assert "ours" not in found["trouble"]


def test_work_is_cancelled_and_the_next_goes_on(worker):
    job = worker.start("sleep", {})
    waiting = worker.start("sleep", {})
    deadline = time.monotonic() + 60
    while job.share == 0.0 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (job.phrase, job.share) == ("asleep", 0.25)
    worker.cancel(waiting.key)
    worker.cancel(job.key)
    assert ended(job)["status"] == "cancelled"
    assert ended(waiting)["status"] == "cancelled"
    assert ended(worker.start("echo", {}))["status"] == "done"


def test_parts_of_a_result_come_as_they_are_made(worker):
    job, found = worker.start("count", {"upto": 5}), []
    while more := job.more(len(found)):
        found += more
    assert found == [{"k": k} for k in range(5)]
    assert ended(job)["status"] == "done"


def test_work_that_is_left_ends_at_what_it_says_next_and_its_process_goes_on(worker):
    ended(worker.start("echo", {}))
    process = worker._process
    job, waiting = (worker.start("count", {"upto": 10**6, "pause": 0.01}) for _ in range(2))
    assert job.more(0)
    worker.leave(waiting.key)
    worker.leave(job.key)
    assert ended(job)["status"] == ended(waiting)["status"] == "cancelled"
    for _ in range(3):  # a message that comes too late is not taken for a task
        done = worker.start("echo", {})
        assert ended(done)["status"] == "done"
        worker.leave(done.key)
    assert worker._process is process
    assert process.is_alive()


def test_a_process_that_ends_is_reported_and_replaced(worker):
    assert "ended before it was done" in ended(worker.start("die", {}))["trouble"]
    assert ended(worker.start("echo", {}))["status"] == "done"


def test_few_pieces_of_work_may_wait(worker):
    jobs = [worker.start("sleep", {}) for _ in range(MOST_WAITING)]
    with pytest.raises(InputError, match="wait already"):
        worker.start("echo", {})
    for job in reversed(jobs):
        worker.cancel(job.key)
    assert ended(worker.start("echo", {}))["status"] == "done"


def test_what_is_not_remembered_is_refused(worker):
    with pytest.raises(InputError, match="not remembered"):
        worker.job("nothing")


def test_the_first_end_of_a_job_counts():
    job = Job("k")
    job.end("cancelled")
    job.end("done", result={})
    assert job.status == "cancelled"
    assert isinstance(job.finished, threading.Event)
