"""The pages: their code runs, what they show is what comes out, the commands they name exist.

A block of Python or a command is followed by a block of text if something comes out of it, and only commands that are
followed by one are run here; of the others the names and options are checked. Numbers may differ a little.
"""

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from vieta.cli.audience import spelled
from vieta.cli.commands import vieta as command
from vieta.findings import KINDS
from vieta.method import registry

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(DOCS)): path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n(\s*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-−]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
FRAME = re.compile(r"[━─┏┳┓┡╇┩├┼┤└┴┘┃│╭╮╰╯]+")


@dataclass(frozen=True)
class Block:
    """A block of code, its line, and the output that is shown for it, if any."""

    kind: str
    text: str
    line: int
    shown: str | None


def blocks(path):
    text = path.read_text(encoding="utf-8")
    return [
        Block(found[1], found[2], text.count("\n", 0, found.start()) + 1, found[4])
        for found in FENCE.finditer(text)
        if found[1] in {"python", "console", "toml"}
    ]


def commands(block):
    """Lines that begin with a prompt, without it."""
    return [line.removeprefix("$ ").split("  #")[0] for line in block.text.splitlines() if line.startswith("$ ")]


# --- what is shown is what comes out --------------------------------------------------------------------------------


def agrees(shown, printed, tolerance=0.02):
    """Whether a text is the shown one: three dots stand for anything, spaces and frames do not count, numbers may differ."""
    plain = " ".join(FRAME.sub(" ", printed).split())
    pattern, numbers = "", []
    for piece in re.split(rf"(\.\.\.|{NUMBER.pattern}|\s+)", " ".join(FRAME.sub(" ", shown).split())):
        if NUMBER.fullmatch(piece):
            numbers.append(piece)
            pattern += f"({NUMBER.pattern})"
        else:
            pattern += {"...": ".*?", " ": " ?"}.get(piece, re.escape(piece))
    found = re.fullmatch(pattern.strip(), plain, flags=re.DOTALL)
    if found is None:
        return False
    wanted, got = ([float(text.replace(",", "").replace("−", "-")) for text in t] for t in (numbers, found.groups()))
    return np.allclose(got, wanted, rtol=tolerance, atol=1e-6)


def test_numbers_may_differ_a_little_and_words_may_not():
    assert agrees("sd 0.1012, 20 sets", "sd  0.1013,\n20 sets")
    assert agrees("┃ a ┃ 1.5 ┃\n├───┤ ...", "│ a │ 1.51 │\n├────┼───┤ and more")
    assert not agrees("sd 0.1012, 20 sets", "sd 0.1112, 20 sets")
    assert not agrees("sd 0.1012, 20 sets", "sd 0.1012, 20 records")
    assert not agrees("one finding", "one finding and another")


def run_commands(block):
    """All that the commands print, on both channels."""
    printed = ""
    for line in commands(block):
        if re.search(r"[|<>;]", line):
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            shell = ["bash", "-o", "pipefail", "-c", line]
            environment = {**os.environ, "PATH": path}
            done = subprocess.run(shell, check=False, capture_output=True, text=True, env=environment)
            code, text = done.returncode, done.stdout
        else:
            result = CliRunner().invoke(command, shlex.split(line)[1:], catch_exceptions=False)
            code, text = result.exit_code, result.output
        assert code in {0, 1}, f"{line}\n{text}"
        printed += text
    return printed


def runnable(path):
    """How many blocks can be run: all, or those before a part that needs a package which is not installed."""
    text = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^<!-- from here on needs (\w+) -->$", text, flags=re.MULTILINE):
        if importlib.util.find_spec(found[1]) is None:
            line = text.count("\n", 0, found.start()) + 1
            return sum(block.line < line for block in blocks(path))
    return None


@pytest.mark.parametrize("name", [name for name, path in PAGES.items() if blocks(path)])
def test_code_runs_and_prints_what_the_page_shows(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for package in re.findall(r"^<!-- needs (\w+) -->$", PAGES[name].read_text(encoding="utf-8"), flags=re.MULTILINE):
        pytest.importorskip(package, reason=f"the page is about an extra: pip install '.[{package}]'")
    namespace = {}
    for block in blocks(PAGES[name])[: runnable(PAGES[name])]:
        where = f"{name}, line {block.line}"
        if block.kind == "toml":
            Path(block.text.split("\n")[0].removeprefix("# ")).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(block.text, where, "exec"), namespace)
            assert agrees(block.shown or "", output.getvalue()), f"{where}\n{output.getvalue()}"
        elif block.shown is not None:
            printed = run_commands(block)
            assert agrees(block.shown, printed), f"{where}\n{printed}"


# --- commands exist -------------------------------------------------------------------------------------------------


def parts(line):
    """The commands of a line of shell, without their redirections."""
    for part in re.split(r"[|;]|&&", line):
        words = shlex.split(re.sub(r"[<>]\s*\S+", "", part))
        if words:
            yield words


SHOWN = [(name, line) for name, path in PAGES.items() for block in blocks(path) for line in commands(block)]


def unknown(words):
    """Options of a vieta command that it does not have."""
    chosen = command.get_command(click.Context(command), words[1])
    params = chosen.get_params(click.Context(chosen))
    known = {"-h", "--help"} | {name for param in params for name in (*param.opts, *param.secondary_opts)}
    return [word for word in words[2:] if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known]


@pytest.mark.parametrize(("name", "line"), SHOWN)
def test_commands_and_their_options_exist(name, line):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    for words in parts(line):
        if words[0] == "make":
            assert set(words[1:]) <= set(targets)
        if words[0] == "vieta":
            assert unknown(words) == []


def test_an_option_that_does_not_exist_is_noticed():
    assert unknown(["vieta", "fit", "a.csv", "--sure", "--level=0.9", "-"]) == ["--sure"]
    assert list(parts("vieta simulate a -o - | vieta fit - > b")) == [
        ["vieta", "simulate", "a", "-o", "-"],
        ["vieta", "fit", "-"],
    ]


@pytest.mark.parametrize("name", [name for name in PAGES if "/" in name])
def test_pictures_of_a_page_are_drawn_by_its_code(name):
    drawn = {found for block in blocks(PAGES[name]) for found in re.findall(r'savefig\("([^"]+)"', block.text)}
    shown = set(re.findall(r"^!\[[^\]]+\]\(([^)]+)\)$", PAGES[name].read_text(encoding="utf-8"), flags=re.MULTILINE))
    of_browser = {one for one in shown if name == "howto/page.md" and re.fullmatch(r"page/\w+\.png", one)}
    assert shown <= drawn | of_browser


def test_links_lead_to_pages_that_are_there():
    for path in PAGES.values():
        text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)", text):
            assert (path.parent / target).exists(), f"{path}: {target}"
        assert "http" not in text, path


# --- findings -------------------------------------------------------------------------------------------------------


def test_every_finding_is_listed_by_its_code():
    page = (DOCS / "howto" / "findings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| (.+?) \| .+ \|$", page, flags=re.MULTILINE)
    assert rows == [(code, kind.severity, kind.when) for code, kind in KINDS.items()]


# --- methods --------------------------------------------------------------------------------------------------------


def test_every_method_is_listed_with_its_options():
    page = (DOCS / "api" / "methods.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `(.+?)`\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL))
    assert list(sections) == list(registry.every())
    for name, one in registry.every().items():
        assert one.line in sections[name]
        assert ("Batch and online." in sections[name]) is one.has_engine
        rows = re.findall(r"^\| `(\w+)=` \| (.*?) \| (.+) \|$", sections[name], flags=re.MULTILINE)
        expected = [
            (key, f"`{spelled(key)}`" if info.kind else "", info.help) for key, info in one.Options.infos().items()
        ]
        assert [(key, flag.strip(), text) for key, flag, text in rows] == expected


# --- formulas -------------------------------------------------------------------------------------------------------


def test_formulas_become_mathml(monkeypatch):
    pytest.importorskip("latex2mathml", reason="what builds the pages is installed by `make docs`")
    monkeypatch.syspath_prepend(DOCS / "_ext")
    from mathml import mathml

    assert '<mi>Ψ</mi><mo lspace="0" rspace="0">′</mo>' in mathml(r"\Psi'", "inline")
    assert "<msub><mi>A</mi><mi>d</mi></msub><mo lspace" in mathml("A_d'", "inline")
    assert '<mo form="prefix">−</mo><mn>2</mn>' in mathml("[-2, 5]", "inline")
    assert "<mo>−</mo>" in mathml("a - b", "inline")
    assert "<mi>Cov</mi>" in mathml(r"\operatorname{Cov}(y)", "inline")
    for not_understood in (r"\vietas{x}", r"\begin{aligned} a &= b \end{aligned}"):
        with pytest.raises(ValueError, match=r"no MathML for .* Write it another way"):
            mathml(not_understood, "block")


# --- nothing is fetched ---------------------------------------------------------------------------------------------


def test_addresses_elsewhere_are_found_in_built_pages(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import offline

    (tmp_path / "good.html").write_text('<a href="x.html"><svg xmlns="http://www.w3.org/2000/svg"><img src="a.png">')
    (tmp_path / "good.css").write_text("a { background: url(a.png); } /* https://example.org */")
    assert offline.addresses(tmp_path) == []
    bad = [
        '<script src="https://example.org/a.js"></script>',
        '<link rel="stylesheet" href="//example.org/a.css">',
        "<style>@import 'https://example.org/a.css';</style>",
        '<img style="background: url(http://example.org/a.png)">',
        '<a href="https://example.org">out</a>',
    ]
    for number, text in enumerate(bad):
        (tmp_path / f"{number}.html").write_text(text)
    (tmp_path / "bad.css").write_text('@font-face { src: url("https://example.org/f.woff2"); }')
    found = offline.addresses(tmp_path)
    assert [line.split(":")[0] for line in found] == [*(f"{n}.html" for n in range(5)), "bad.css"]
