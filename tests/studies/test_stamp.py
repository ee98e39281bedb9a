"""No page claims that its figures are of today when the code behind them has changed."""

import subprocess
from pathlib import Path

import pytest

from studies.running import stamp
from studies.running.stamp import OLDER, Stamp
from studies.running.study import every
from tests.studies.toys import Toy

DOCS = Path(__file__).parents[2] / "docs"
MADE = Stamp("toy", "one", "abc1234", "2026-01-01", 12)


def page(study):
    return f"# Title\n\n{MADE.text(study)}\n\n| table |\n"


@pytest.mark.parametrize("path", stamp.pages(DOCS), ids=lambda path: str(path.relative_to(DOCS.parent)))
def test_every_page_says_whether_its_figures_are_of_this_code(path):
    text = path.read_text(encoding="utf-8")
    assert stamp.renewed(text, every()) == text, "run `python -m studies --stamp`, or `make validate` for new figures"


def test_every_study_that_writes_a_page_has_one_with_its_stamp():
    written = {name for name, study in every().items() if study.title}
    pages = [path for path in stamp.pages(DOCS) if path.parent in {DOCS, DOCS.parent}]
    found = {path.stem: stamp.read(path.read_text(encoding="utf-8")) for path in pages}
    assert {name for name in written if [one.study for one in found.get(name, [])] == [name]} == written
    assert {one.study for stamps in found.values() for one in stamps} == written
    assert found["README"] == found["index"] == found["efficiency"]  # their picture is that of the table


def test_changed_code_is_noticed_and_the_page_then_says_so():
    now = page(Toy())
    assert stamp.renewed(now, {"toy": Toy()}) == now
    changed = stamp.renewed(now, {"toy": Toy("two")})
    assert changed != now
    assert f"*Made from commit abc1234 on 2026-01-01, 12 runs a row. {OLDER}*" in changed
    assert stamp.renewed(changed, {"toy": Toy("three")}) == changed  # said once, it stays true
    assert stamp.renewed(changed, {"toy": Toy()}) == now  # and is taken back if the code is
    assert stamp.read(changed) == stamp.read(now) == [MADE]


def test_pages_are_renewed_and_others_left_alone(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "toy.md").write_text(page(Toy()))
    (docs / "plain.md").write_text("# No figures\n")
    assert stamp.renew_pages(docs, {"toy": Toy()}) == []
    assert stamp.renew_pages(docs, {"toy": Toy("two")}) == [docs / "toy.md"]
    assert OLDER in (docs / "toy.md").read_text()


def test_the_commit_and_whether_there_are_changes(tmp_path):
    def git(*words):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    assert stamp.commit(tmp_path) == "unknown"
    git("init", "-q")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "code.py").write_text("a = 1\n")
    git("add", ".")
    git("commit", "-qm", "Begin")
    name = git("rev-parse", "--short=7", "HEAD")
    (tmp_path / "README.md").write_text("Words.\n")
    assert stamp.commit(tmp_path) == name
    (tmp_path / "src" / "code.py").write_text("a = 2\n")
    assert stamp.commit(tmp_path) == f"{name}+"
    text = Stamp("toy", "one", f"{name}+", "2026-01-01", 12).text(Toy())
    assert f"Made from commit {name}, with changes that were not committed, on 2026-01-01" in text
