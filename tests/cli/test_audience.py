"""The command speaks in its own terms: over every finding and a battery of bad input, no keyword of Python, and flags that exist."""

import json
import re
from string import Formatter

import numpy as np
import pytest
from click.testing import CliRunner

from tests.files import samples as files
from vieta.cli.audience import AUDIT, COMMAND, knows, spelled
from vieta.cli.commands import COMMANDS
from vieta.cli.commands import vieta as command
from vieta.findings import KINDS, Finding, finding
from vieta.method import registry
from vieta.wording import PYTHON, OptionNames, render

NAMES = sorted(
    {name for one in registry.every().values() for name in one.Options.infos()} | {"n_systems", "method", "level"}
)
KEYWORD = re.compile(rf"\b({'|'.join(NAMES)})=|SymmetricFilter|\bvieta\.[a-z]|--\w+_")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def flags():
    """Every flag of every command."""
    found = set()
    for name in COMMANDS:
        one = command.get_command(None, name)
        with one.context_class(one) as ctx:
            found |= {flag for param in one.get_params(ctx) for flag in (*param.opts, *param.secondary_opts)}
    return found


FLAGS = flags()


def is_ours(text):
    return not KEYWORD.search(text) and set(FLAG.findall(text)) <= FLAGS


def filled(code):
    """Findings of a kind with facts for every field of its sentence, in all its forms."""
    for robust, many in ((False, 1e9), (True, 2)):
        switches = {"robust": robust, "tracks": robust, "times": many, "count": 1 + robust, "fewer": 1, "more": many}
        text = KINDS[code].text
        template = text(switches) if callable(text) else text
        names = {name.split(".")[0] for _, name, _, _ in Formatter().parse(template) if name} - {
            "option",
            "flag",
            "call",
        }
        yield finding(code, **(dict.fromkeys(names, 3) | switches))


@pytest.mark.parametrize("code", KINDS)
@pytest.mark.parametrize("audience", [COMMAND, AUDIT])
def test_every_finding_is_said_in_the_terms_of_the_command(code, audience):
    for one in filled(code):
        assert is_ours(one.say(audience)), one.say(audience)


def test_the_test_can_fail():
    said = {str(one) for code in KINDS for one in filled(code)}
    assert sum(not is_ours(text) for text in said) >= 8
    assert not is_ours("Give --nonsense.")
    assert not is_ours("Give --noise_var 3.")


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{option.noise_var:{v}}", "--noise-var 0.5"),
        ("{option.noise_var}", "--noise-var"),
        ("{flag.robust}", "--robust"),
        ("{call.filter}, {call.fit}", "vieta watch, vieta fit"),
        ("{option.n_systems:{v}}", "--systems 0.5"),
        ("{option.on_bad_set:drop}", "--on-bad-set drop"),
    ],
)
def test_spelling(template, said):
    assert render(template, {"v": 0.5}, COMMAND) == said


def test_every_call_that_python_names_has_a_command():
    assert set(COMMAND.calls) == set(PYTHON.calls)
    assert all(call.split()[1] in COMMANDS for call in COMMAND.calls.values())


def test_the_command_knows_the_options_that_it_has():
    for name in ("start", "prior", "transform", "regularization", "dim", "nonsense"):
        assert not knows(name)
        assert spelled(name) not in FLAGS
    for name in ("memory", "drift", "robust", "step", "law", "noise_var", "n_systems", "method", "set", "on_bad_set"):
        assert knows(name)
        assert spelled(name) in FLAGS
    assert COMMAND.option("prior", "") == "prior"
    assert AUDIT.option("systems", "") == "--systems"
    assert AUDIT.option("memory", "") == "vieta fit --memory"
    assert OptionNames(["transform", "memory", "start"]).say(COMMAND) == "--memory"


def test_an_audit_advises_the_command_that_has_the_option():
    outliers = Finding("outliers", "caution", {"share": 0.5, "robust": False})
    about = finding("about-estimate", finding=outliers)
    assert "Use --robust to bound" in outliers.say(COMMAND)
    assert "About the estimate: " in about.say(AUDIT)
    assert "Use vieta fit --robust to bound" in about.say(AUDIT)


# --- whole commands -------------------------------------------------------------------------------------------------


def run(*arguments, stdin=None):
    return CliRunner().invoke(command, [str(a) for a in arguments], input=stdin)


def test_paths_are_shown_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hive" / "step=3").mkdir(parents=True)
    path = "hive/step=3/m.csv.gz"
    files.write(files.long_frame(*files.records(60)), tmp_path / path)
    shown = run("fit", path, "--report", "hive/step=3/r.html")
    assert f"{path}: long" in shown.stdout
    assert "written: hive/step=3/r.html" in shown.stdout
    assert f"{path} · method" in (tmp_path / "hive/step=3/r.html").read_text()
    assert json.loads(run("fit", path, "--json").stdout)["settings"]["files"] == [path]
    assert (
        run("fit", "hive/step=3/n.csv").stderr
        == "Error: hive/step=3/n.csv cannot be read: No such file or directory.\n"
    )
    assert f"{path}: long" in run("audit", path, "--added", "1").stdout


BAD = [
    ("--step", "3"),
    ("--memory", "0"),
    ("--drift", "-1"),
    ("--drift", "1", "--drift", "2"),
    ("--method", "rls", "--robust"),
    ("--method", "lms", "--memory", "9"),
    ("--method", "lms", "--step", "-1"),
    ("--method", "lms", "--step", "1000"),
    ("--method", "lms", "--step", "1", "--step", "2"),
    ("--method", "least-squares", "--law", "gaussian"),
    ("--method", "nonsense"),
    ("--level", "2"),
    ("--systems", "7"),
    ("--input", "nothing"),
    ("--value", "set"),
    ("--intercept",),
    ("--layout", "wide"),
    ("--delimiter", ";"),
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
@pytest.mark.parametrize("more", [(), ("--stream",)])
def test_what_is_said_about_bad_options_is_in_the_terms_of_the_command(tmp_path, arguments, more):
    path = files.write(files.long_frame(*files.records(60)), tmp_path / "a.csv")
    result = run("fit", path, *arguments, *more)
    assert is_ours(result.output), result.output
    if arguments not in {("--intercept",), ("--layout", "wide")}:
        assert result.exit_code == 2


def test_what_is_found_is_said_in_the_terms_of_the_command_also_in_json_and_on_pages(tmp_path):
    sets, psi = files.records(400)
    sets[::80] *= 40.0
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    shown = run("fit", path, "--report", tmp_path / "r.html")
    answer = json.loads(run("fit", path, "--json").stdout)
    assert "! A few sets dominate" in shown.stdout
    assert "Use --robust to bound" in shown.stdout
    assert is_ours(shown.stdout)
    (found,) = [one for one in answer["findings"] if one["code"] == "outliers"]
    assert found["severity"] == "caution"
    assert found["facts"]["robust"] is False
    assert 0.3 < found["facts"]["share"] < 1.0
    assert found["text"] in answer["warnings"]
    assert all(is_ours(text) for text in answer["warnings"])
    page = (tmp_path / "r.html").read_text()
    assert f'<li class="caution">{found["text"]}' in page
    assert "robust=True" not in page
    audited = run("audit", path, "--added", "1")
    assert "Use vieta fit --robust to bound" in audited.stdout
    assert is_ours(audited.stdout)


def test_a_path_of_parameters_that_moved_is_said_in_the_terms_of_the_command(tmp_path):
    sets, psi = files.records(600)
    sets[300:] += np.array([1.0, 2.0, 3.0])
    path = files.write(files.long_frame(sets, psi), tmp_path / "a.csv")
    shown = run("fit", path).stdout
    assert "!! The parameters seem to change with time" in shown
    assert "or use vieta watch, which follows changes" in " ".join(shown.split())
    assert is_ours(shown)


def test_decisions_are_spelled_as_they_are_typed():
    assert COMMAND.option("misses", "False") == "--misses no"
    assert COMMAND.option("clutter", "True") == "--clutter yes"
    assert COMMAND.option("stream", "False") == "--no-stream"
