"""Stamps: which code and commit a table was made from, and whether the code has changed since.

A stamp is a comment for machines and, below it, a sentence for people. Both stand on the page of a study and wherever else its
figures are shown. The sentence says so when the code has changed: no page claims to be of today when it is not.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from studies.running.sources import ROOT
from studies.running.study import Study
from vieta.atomic import write_whole

STAMP = re.compile(r"<!-- study=(\S+) code=(\S+) commit=(\S+) date=(\S+) runs=(\d+) -->\n.*")
CHANGED = "+"  # ends the name of a commit if there were changes that it does not have
OLDER = "The code has changed since; `make validate` makes it anew."


@dataclass(frozen=True)
class Stamp:
    """From what a table was made."""

    study: str
    fingerprint: str
    commit: str
    date: str
    runs: int

    def text(self, study: Study) -> str:
        """The comment and the sentence; whether the code has changed is looked up now."""
        commit = self.commit.removesuffix(CHANGED)
        changes = ", with changes that were not committed," if self.commit.endswith(CHANGED) else ""
        made = f"Made from commit {commit}{changes} on {self.date}, {self.runs} {study.unit}."
        sentence = made if self.fingerprint == study.fingerprint() else f"{made} {OLDER}"
        comment = f"study={self.study} code={self.fingerprint} commit={self.commit} date={self.date} runs={self.runs}"
        return f"<!-- {comment} -->\n*{sentence}*"


def read(text: str) -> list[Stamp]:
    """The stamps on a page."""
    found = (match.groups() for match in STAMP.finditer(text))
    return [Stamp(study, code, commit, date, int(runs)) for study, code, commit, date, runs in found]


def renewed(text: str, studies: dict[str, Study], new: Stamp | None = None) -> str:
    """A page whose sentences about these studies are true today; with a new stamp in the place of those of its study, if one is given."""

    def renew(found: re.Match[str]) -> str:
        (stamp,) = read(found[0])
        stamp = new if new is not None and new.study == stamp.study else stamp
        return stamp.text(studies[stamp.study]) if stamp.study in studies else found[0]

    return STAMP.sub(renew, text)


def renew_pages(docs: Path, studies: dict[str, Study], new: Stamp | None = None) -> list[Path]:
    """Renew the stamps on all pages and in the README beside them; the pages that have changed."""
    changed = []
    for path in pages(docs):
        before = path.read_text(encoding="utf-8")
        after = renewed(before, studies, new)
        if after != before:
            write_whole(path, after.encode())
            changed.append(path)
    return changed


def pages(docs: Path) -> list[Path]:
    """The pages in docs, and the README beside it."""
    found = [path for path in sorted(docs.rglob("*.md")) if "_build" not in path.parts]
    readme = docs.absolute().parent / "README.md"
    return [*found, *([readme] if readme.exists() else [])]


def commit(root: Path = ROOT) -> str:
    """The short name of the commit; with a mark if the code has changes that are not committed; `unknown` where there is none."""
    try:
        name = _git(root, "rev-parse", "--short=7", "HEAD")
        return name + (CHANGED if _git(root, "status", "--porcelain", "--", "src", "studies", "tests") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()
