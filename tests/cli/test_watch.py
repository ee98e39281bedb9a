"""`vieta watch`: what it shows, exit codes, and that neither a kill nor a signal loses or repeats anything."""

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import vieta
from tests.adaptive.cases import draw
from tests.answers.cases import drawn
from tests.live.streams import MIXED, lines_of, made
from tests.live.streams import run as absorb
from vieta.cli import watch as module
from vieta.cli.commands import vieta as command

SETS, PSI, LINES = lines_of(400)
TEXT = "".join(f"{line}\n" for line in LINES).encode()
PROGRAM = [sys.executable, "-c", "from vieta.cli import main; main()", "watch"]


def run(text, *arguments):
    """The command in this process, with some text on its standard input."""
    with tempfile.TemporaryFile() as file, pytest.MonkeyPatch.context() as patch:
        file.write(text)
        file.seek(0)
        patch.setattr(module, "INPUT", file.fileno())
        return CliRunner().invoke(command, ["watch", *map(str, arguments)])


def events(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_answer_in_the_end():
    result = run(TEXT + b"bad\n")
    assert result.exit_code == 0
    for words in (
        "400 sets from 401 lines, the latest at t = 399",
        "left out: 1 line: not JSON",
        "2 systems, method efficient, noise sd 0.0",
        "95% interval",
        "What to make of it",
        "- No findings.",
    ):
        assert words in result.stdout
    assert (
        result.stderr == "sets of 2 readings, psi a number (1 where it is absent)\nleft out: line 401: not JSON: bad\n"
    )


@pytest.mark.parametrize("dim", [1, 2])
def test_answers_with_a_known_number_are_those_of_the_library(dim, tmp_path):
    sets, psi, b = drawn("count", 150, 0, np.array([[0.2, 0.5], [1.8, -0.3]])[:, :dim])
    known = b if dim == 1 else np.column_stack([psi, b])
    lines = [json.dumps({"y": y, "psi": p}) for y, p in zip(sets.tolist(), known.tolist(), strict=True)]
    state, text = tmp_path / "s.npz", [f"{line}\n".encode() for line in lines]
    options = ("--family", "count", "--offset", "--json", "--state", state)
    run(b"".join(text[:100]), *options)
    final = events(run(b"".join(text), *options))[-1]
    stream = vieta.SymmetricFilter(2, dim, family="count")
    expected = stream.partial_fit(sets, None if dim == 1 else psi, offset=b).estimate()
    np.testing.assert_allclose(final["theta"], expected.theta, rtol=1e-9)
    assert final["n_sets"] == 150
    keyed = [{"y": y, "offset": v} for y, v in zip(sets.tolist(), b.tolist(), strict=True)]
    keyed = keyed if dim == 1 else [{**one, "psi": p} for one, p in zip(keyed, psi.tolist(), strict=True)]
    text = b"".join(f"{json.dumps(one)}\n".encode() for one in keyed)
    assert events(run(text, *options[:4]))[-1]["theta"] == final["theta"]
    without = run(b"[0, 1]\n[1, 2]\n", *options[:4])
    assert "no offset" in without.output
    refused = run(b"[0.5, 1]\n", "--family", "count")
    assert refused.exit_code == 2
    assert "whole numbers" in refused.output


def test_json_is_the_estimate_of_the_filter():
    *on_the_way, final = events(run(TEXT, "--json", "--every", 150, "--level", 0.9))
    assert [event["event"] for event in on_the_way] == ["estimate"] * 2
    for event in [*on_the_way, final]:
        n = event["n_sets"]
        expected = vieta.SymmetricFilter(2).partial_fit(SETS[:n], PSI[:n]).estimate()
        assert event["theta"] == expected.theta.tolist()
        assert event["conf_int"] == expected.conf_int(0.9).tolist()
        assert event["t"] == n - 1
    assert (final["event"], final["lines"], final["left_out"]) == ("final", 400, {})
    assert set(expected.to_dict()) < set(final)


def test_a_change_is_announced():
    _, _, lines = lines_of(600, change=300)
    text = "\n".join(lines).encode()
    (change,) = [event for event in events(run(text, "--json")) if event["event"] == "change"]
    assert abs(change["after_set"] - 300) < 20
    assert f"The parameters changed after set {change['after_set']}." in run(text).stderr


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("--method", "lms", "--step", "1e-3", "--step", "1e-4"), {"method": "lms", "step": [1e-3, 1e-4]}),
        (("--memory", "100", "--robust"), {"memory": 100.0, "robust": True}),
        (("--drift", "1e-6"), {"drift": 1e-6}),
        (("--method", "recursive-em", "--law", "laplace"), {"method": "recursive-em", "law": "laplace"}),
    ],
)
def test_options_reach_the_filter_and_are_kept(arguments, options, tmp_path):
    (final,) = events(run(TEXT, "--json", "--state", tmp_path / "state", *arguments))
    assert final["theta"] == vieta.SymmetricFilter(2, **options).partial_fit(SETS, PSI).estimate().theta.tolist()
    again = run(TEXT, "--json", "--state", tmp_path / "state")
    assert events(again) == [final]
    assert run(TEXT, "--json", "--state", tmp_path / "state", *arguments).stdout == again.stdout
    other = run(TEXT, "--state", tmp_path / "state", "--method", "rls")
    assert other.exit_code == 2
    method = options.get("method", "efficient")
    assert f"state holds a filter with --method {method}, and one with --method rls was asked for." in other.stderr
    assert "Leave the option out, or take another --state file." in other.stderr


def test_the_account_of_a_watch():
    watch, given = made(), {"level": 0.9}
    assert module._account(watch, given).trouble == "no set has been read"
    absorb(watch, MIXED)
    account = module._account(watch, given)
    assert account.description[0] == "600 sets from 605 lines, the latest at t = 599"
    assert account.description[1] == "left out: 1 line: not JSON"
    assert account.full()["left_out"]["not-json"] == 1
    assert account.brief()["left_out"] == 3


def test_an_estimate_that_cannot_be_made_is_no_error():
    watch = made("lms")
    absorb(watch, b'{"y": [1, 2], "psi": 0}\n')
    account = module._account(watch, {"level": 0.95})
    assert account.estimate is None
    assert not account.is_sound
    assert account.verdict[0].text == account.trouble


def test_labels_that_json_has_but_numbers_have_not():
    for label, expected in (("1e999", None), ("NaN", None), ("[1]", None), ("1" + "0" * 400, 10**400), ('"x"', "x")):
        watch = made()
        absorb(watch, f'{{"y": [1, 2], "t": {label}}}\n'.encode())
        assert watch.label == expected
        json.dumps(module._account(watch, {"level": 0.95}).full(), allow_nan=False)


def test_notes_do_not_count_where_findings_do():
    _, _, lines = lines_of(600, change=300)
    result = run("\n".join(lines).encode(), "--strict")
    assert "- The parameters changed: after set" in result.stdout
    assert "give --drift or --memory" in result.stdout
    assert result.exit_code == 0
    remembering = run("\n".join(lines).encode(), "--memory", "200")
    assert "give --drift" not in remembering.stdout


def test_strict():
    result = run(TEXT[:40] + b"\n" + TEXT, "--strict")
    assert result.exit_code == 2
    assert result.stderr.startswith("sets of 2 readings")
    assert "Error: line 1: not JSON: " in result.stderr
    assert run(TEXT, "--strict").exit_code == 0
    few = run(b"".join(TEXT.splitlines(keepends=True)[:5]), "--strict")
    assert few.exit_code == 1
    assert "! Very few sets: 5" in few.stdout


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ((), b"", "Error: there is no estimate: no set has been read (0 sets from 0 lines)."),
        ((), b"a\nb", "no set has been read (0 sets from 1 line; left out: 1 line: not JSON)."),
        (("--step", "0.1"), TEXT, "Error: --step belongs to 'averaged'"),
        (("--method", "lms", "--step", "-1"), TEXT, "--step -1.0 must be a positive finite number"),
        (("--method", "lms", "--step", "1", "--step", "1", "--step", "1"), TEXT, "or 2 of them, one for each degree"),
        (("--method", "lms", "--step", "1000"), TEXT, "cannot be absorbed: the recursion overflowed"),
        (("--method", "em"), TEXT, "'em' is not one of"),
        (("--memory", "0"), TEXT, "--memory 0.0 must be a number of sets above 1"),
        (("--systems", "3"), TEXT, "left out: 400 lines: another number of readings than expected"),
        (("--every", "3"), TEXT, "--every needs --json."),
        (("--seconds", "3"), TEXT, "--seconds needs --json."),
        (("--checkpoint-every", "3"), TEXT, "--checkpoint-every needs --state."),
        (("--checkpoint-seconds", "3"), TEXT, "--checkpoint-seconds needs --state."),
        (("--state", "nowhere/state"), TEXT, "nowhere/state cannot be written: No such file or directory."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_words(arguments, text, message):
    result = run(text, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_wrong_options_are_refused_before_any_set_has_come():
    read, write = os.pipe()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "INPUT", read)
        result = CliRunner().invoke(command, ["watch", "--method", "rls", "--step", "3"])
    assert result.exit_code == 2
    os.close(read)
    os.close(write)


def test_a_damaged_state_is_refused_and_left_alone(tmp_path):
    (tmp_path / "state").write_bytes(b"text")
    result = run(TEXT, "--state", tmp_path / "state")
    assert result.exit_code == 2
    assert f"{tmp_path / 'state'} is damaged, or not a filter that vieta saved: " in result.stderr
    assert "Take another file for --state, or remove this one." in result.stderr
    assert (tmp_path / "state").read_bytes() == b"text"


@pytest.mark.parametrize("resume", ["replay", "continue"])
def test_a_state_does_not_keep_what_cannot_be_absorbed(tmp_path, resume):
    arguments = ("--state", tmp_path / "state", "--json", "--method", "lms", "--step", "0.01", "--resume", resume)
    bad = b'{"y": [1e99, 2e99], "psi": 1e90}\n'
    refused = run(TEXT + bad, *arguments)
    assert refused.exit_code == 2
    assert "Error: the set on line 401 cannot be absorbed" in refused.stderr
    more = bytes(TEXT) if resume == "continue" else TEXT + bad + TEXT
    (final,) = events(run(more, *arguments))
    assert (final["n_sets"], final["lines"]) == (800, 801)
    assert final["left_out"] == {"not-absorbed": 1}


def test_a_closed_standard_input_is_reported():
    done = subprocess.run(
        PROGRAM, check=False, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.close(0), capture_output=True
    )
    assert done.returncode == 2
    assert done.stderr == b"Error: standard input cannot be read: Bad file descriptor.\n"


cells = st.one_of(
    st.sampled_from([b"[1, 2]", b'{"y": [1, 2], "psi": 0.5}', b"", b"{}", b"[1, 1e308]", b'{"y": [0, 0]}', b"[[1, 2], [3, 4]]"]),
    st.binary(max_size=12),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(
    st.lists(cells, max_size=12), st.sampled_from([(), ("--strict",), ("--json", "--every", "1"), ("--method", "rls")])
)
def test_whatever_comes_there_is_an_answer_or_a_message(lines, arguments):
    result = run(b"\n".join(lines), *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in {0, 1, 2}
    assert ("Error: " in result.stderr) == (result.exit_code == 2)


# --- going on -------------------------------------------------------------------------------------------------------


def test_a_state_says_how_it_goes_on(tmp_path):
    state = tmp_path / "state"
    first = run(TEXT, "--state", state)
    assert first.stderr.startswith(f"{state} is new: the state is kept there.\n")
    again = run(TEXT, "--state", state)
    assert again.stdout == first.stdout
    assert again.stderr == (
        f"{state}: 400 sets from 400 lines. The input must begin anew with them (--resume replay): they are passed over.\n"
    )
    more = run(TEXT, "--state", state, "--resume", "continue")
    assert "800 sets from 800 lines" in more.stdout
    assert "The input goes on after them (--resume continue): nothing is passed over." in more.stderr
    both = run(TEXT + TEXT, "--state", state)
    assert both.stdout == more.stdout
    other = run(TEXT[20:], "--state", state)
    assert other.exit_code == 2
    assert "the input does not begin with the line with which it began before." in other.stderr


def test_one_is_no_plural(tmp_path):
    line = LINES[0].encode() + b"\n"
    run(line, "--state", tmp_path / "state")
    assert "state: 1 set from 1 line. The input" in run(line, "--state", tmp_path / "state").stderr


def test_continued_in_pieces_cut_anywhere_is_as_in_one(tmp_path):
    whole = run(TEXT, "--state", tmp_path / "whole")
    for at in range(0, len(TEXT), len(TEXT) // 5):
        last = run(TEXT[at : at + len(TEXT) // 5], "--state", tmp_path / "pieces", "--resume", "continue")
    assert last.stdout == whole.stdout
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_log_that_grows_is_read_on(tmp_path):
    for part in (TEXT[:5000], TEXT[:9000], TEXT):
        last = run(part, "--state", tmp_path / "state")
    assert last.stdout == run(TEXT).stdout


def start(*arguments, stdin=subprocess.PIPE):
    words = [*PROGRAM, *map(str, arguments)]
    return subprocess.Popen(  # a small pipe, for it not to run far ahead of who reads
        words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096
    )


def ended(process):
    """Exit code and the rest of what it says."""
    out, err = process.communicate()
    return process.returncode, out, err


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_set_is_absorbed_as_soon_as_it_comes_and_a_signal_ends_as_the_input_does(stop, tmp_path):
    process = start("--json", "--every", "1", "--state", tmp_path / "state", "--method", "efficient")
    for k in range(3):  # each answer is waited for before the next set is written
        process.stdin.write(f"{LINES[k]}\n".encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["n_sets"] == k + 1
    process.stdin.write(LINES[3][:30].encode())
    process.stdin.flush()
    process.send_signal(stop)
    code, out, err = ended(process)
    assert (code, json.loads(out)["event"], json.loads(out)["n_sets"]) == (0, "final", 3)
    assert b"Traceback" not in err
    rest = "\n".join([LINES[3][30:], *LINES[4:]]).encode()
    taken = vieta.SymmetricFilter.load(tmp_path / "state").notes["watch"]["rest"]
    assert taken in {"", LINES[3][:30]}  # the signal may have come first
    (final,) = events(
        run(LINES[3][len(taken) : 30].encode() + rest, "--json", "--state", tmp_path / "state", "--resume", "continue")
    )
    assert final["theta"] == vieta.SymmetricFilter(2).partial_fit(SETS, PSI).estimate().theta.tolist()


def test_a_closed_pipe_ends_quietly_and_the_state_is_kept(tmp_path):
    (tmp_path / "sets").write_bytes(TEXT)
    with open(tmp_path / "sets", "rb") as file:
        process = start("--json", "--every", "1", "--state", tmp_path / "state", stdin=file)
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        assert process.wait() in {0, 141}
    assert b"Traceback" not in err
    assert b"rror" not in err
    assert run(TEXT, "--state", tmp_path / "state").stdout == run(TEXT).stdout


def test_a_table_on_a_terminal(tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(PROGRAM, stdin=subprocess.PIPE, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    process.stdin.write(TEXT[: len(TEXT) // 2])
    process.stdin.flush()
    while b"What to make of it" not in shown:  # before the input has ended
        shown += os.read(ours, 1 << 16)
    assert b"waiting for sets" in shown
    process.stdin.write(TEXT[len(TEXT) // 2 :])
    process.stdin.close()
    while True:
        try:
            shown += os.read(ours, 1 << 16)
        except OSError:  # closed on their side
            break
    assert process.wait() == 0
    os.close(ours)
    assert b"400 sets from 400 lines" in shown


# --- killed ---------------------------------------------------------------------------------------------------------

_, _, MANY = lines_of(2000, change=1200)
JUNK = {100: "junk", 101: "", 777: "[1]", 1300: '{"y": [1, null]}'}
HARD = "\n".join(line for k in range(2000) for line in ([JUNK[k]] if k in JUNK else []) + [MANY[k]]).encode()


def killed_and_resumed(folder, moments, seed, *method):
    """Kill a watch after a random number of its reports, as often as `moments` says, and let the last one go on to its end."""
    (folder / "sets").write_bytes(HARD)
    arguments = ("--state", folder / "state", "--checkpoint-every", 20, "--json", "--every", 10, *method)
    rng, before = np.random.default_rng(seed), 0
    for _ in range(moments):
        with open(folder / "sets", "rb") as file:
            process = start(*arguments, stdin=file)
            for _ in range(rng.integers(1, 2 + 120 // moments)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.communicate()
        after = vieta.SymmetricFilter.load(folder / "state").n_sets if (folder / "state").exists() else 0
        assert after >= before  # whole, and never going back
        before = after
    assert 0 < before < 2000
    last = run(HARD, *arguments)
    assert [name for name in os.listdir(folder) if name.startswith(".")] == []
    return last, (folder / "state").read_bytes()


def assert_as_if_never_killed(folder, moments, seed, *method):
    last, state = killed_and_resumed(folder, moments, seed, *method)
    whole = run(HARD, "--json", "--state", folder / "whole", *method)
    assert events(last)[-1] == events(whole)[-1]
    assert state == (folder / "whole").read_bytes()


def test_killed_at_any_moment_it_goes_on_as_if_never_killed(tmp_path):
    assert_as_if_never_killed(tmp_path, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["efficient", "lms", "rls", "averaged", "recursive-em"])
def test_killed_ten_times_it_goes_on_as_if_never_killed(method, tmp_path):
    assert_as_if_never_killed(tmp_path, 10, 1, "--method", method)


def test_sets_of_any_size_on_the_command_line(tmp_path):
    drawn = draw(600, 2, rate=1.0)
    lines = [
        json.dumps({"y": y.ravel().tolist(), "psi": float(psi)})
        for y, psi in zip(drawn.sets, drawn.inputs, strict=True)
    ]
    text = "".join(line + "\n" for line in lines).encode()
    asked = ("--systems", 3, "--method", "adaptive")
    whole = run(text, *asked)
    assert whole.exit_code == 0
    for words in ("600 sets from 600 lines", "seen with probability 0.", "false readings a set", "- No findings."):
        assert words in whole.stdout
    assert whole.stderr == "sets of any number of readings, from 3 systems, psi a number (1 where it is absent)\n"
    state = tmp_path / "w.npz"
    run("".join(line + "\n" for line in lines[:333]).encode(), *asked, "--state", state)
    assert events(run(text, "--state", state, "--json")) == events(run(text, *asked, "--json"))
    left = run(text, "--systems", 3)
    assert "--method adaptive, which takes sets of any size" in left.stdout


def test_several_inputs_at_once(tmp_path):
    paths = [tmp_path / name for name in ("north", "south")]
    for path, lines in zip(paths, (LINES[:150], [*LINES[150:], "bad"]), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines))
    words = [*paths, "--json", "--state", tmp_path / "state.npz"]
    result = run(b"", *words)
    assert events(result)[-1]["n_sets"] == 400
    assert f"left out: {paths[1]}, line 251" in result.stderr
    assert events(run(b"", *words))[-1]["n_sets"] == 400  # nothing is counted twice
    for more, said in ((("--resume", "continue"), "begin anew"), (("-", "-"), "can be read once")):
        refused = run(b"", *words, *more)
        assert refused.exit_code == 2
        assert said in " ".join(refused.output.split())
    missing = run(TEXT, tmp_path / "west")
    assert missing.exit_code == 2
    assert "west" in missing.output
