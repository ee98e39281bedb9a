import json
import os
import sys
import time

from vieta.page.broadcast import Broadcast
from vieta.page.stream import Stream

COUNT = (
    "import json, sys\n"
    "for n, line in enumerate(sys.stdin, 1): print(json.dumps({'event': 'estimate', 'n_sets': n}), flush=True)\n"
    "print('not an event'); print('[]'); print('a remark', file=sys.stderr)\n"
)


def heard(cast, kind, count=1):
    """The contents of events of a kind, once there are so many."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = [json.loads(one.content) for one in cast.since(0) if one.kind == kind]
        if len(found) >= count:
            return found
        time.sleep(0.01)
    raise AssertionError(kind)


def followed(source):
    cast = Broadcast()
    stream = Stream(str(source), [sys.executable, "-c", COUNT], cast)
    stream.start()
    return cast, stream


def test_a_command_is_followed_to_its_end():
    cast, stream = followed("printf '1\\n2\\n3\\n'")
    assert [one["n_sets"] for one in heard(cast, "estimate", 3)] == [1, 2, 3]
    assert heard(cast, "remark")[0]["text"] == "a remark"
    heard(cast, "ended")
    stream.close()


def test_a_file_is_followed(tmp_path):
    (tmp_path / "sets").write_text("1\n2\n")
    cast, stream = followed(tmp_path / "sets")
    assert len(heard(cast, "estimate", 2)) == 2
    stream.close()


def test_writers_of_a_pipe_come_and_go_and_the_end_is_clean(tmp_path):
    pipe = tmp_path / "fifo"
    os.mkfifo(pipe)
    cast, stream = followed(pipe)
    for k in (1, 2):
        with pipe.open("w") as writer:
            writer.write("x\n")
        assert len(heard(cast, "estimate", k)) == k
    stream.close()
    assert not [one for one in cast.since(0) if one.kind == "ended"]


def test_a_command_that_never_ends_is_ended():
    _, stream = followed("sleep 600")
    stream.close()
    assert all(process.poll() is not None for process in stream._processes)
