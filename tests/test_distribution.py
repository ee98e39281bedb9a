"""The wheel holds the package and nothing else, the source distribution all that its tests need; both can be installed and run."""

import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import vieta

ROOT = Path(__file__).parents[1]
SOURCE = Path(vieta.__file__).parent
VERSION = "Programming Language :: Python :: "


def call(*words, **options):
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with both distributions."""
    folder = tmp_path_factory.mktemp("dist")
    call("-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", folder, cwd=ROOT)
    return folder


def test_the_wheel_is_the_package(built):
    (wheel,) = built.glob("*.whl")
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    tree = [path for path in SOURCE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sorted(names) == sorted(f"vieta/{path.relative_to(SOURCE).as_posix()}" for path in tree)


def test_the_source_distribution_has_what_the_tests_need(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("src/vieta", "tests", "studies", "benchmarks", "docs", "stubs"):
        wanted = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*") if _is_kept(path)}
        assert wanted <= names, folder
    assert {"pyproject.toml", "Makefile", "constraints.txt", "README.md", "CONTRIBUTING.md", "LICENSE"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith("docs/_build")]


def _is_kept(path):
    return path.is_file() and not {"__pycache__", "_build", ".benchmarks"} & set(path.parts)


@pytest.mark.parametrize("kind", ["*.whl", pytest.param("*.tar.gz", marks=pytest.mark.slow)])
def test_it_can_be_installed_and_run(built, tmp_path, kind):
    (distribution,) = built.glob(kind)
    quietly = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index"]
    call("-m", "pip", "install", *quietly, "--target", tmp_path / "site", distribution)
    env = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def command(*words):
        return call("-c", "from vieta.cli import main; main()", *words, env=env, cwd=tmp_path)

    assert command("--version") == f"vieta, version {vieta.__version__}\n"
    told = json.loads(command("doctor", "--json"))
    assert told["cache"]["path"].startswith(str(tmp_path / "cache"))
    command("simulate", "example-1", "-n", "100", "-o", "records.csv")
    fitted = json.loads(command("fit", "records.csv", "--method", "least-squares", "--json"))
    assert len(fitted["theta"]) == 3


def test_the_demonstration_installs_what_it_needs_and_no_more(tmp_path):
    words = ["make", "--dry-run", "demo", f"VENV={tmp_path / 'new'}"]
    steps = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert "-e '.[app]'" in steps
    assert "dev" not in steps.replace("/dev/null", "")


def test_every_python_that_is_declared_is_tested():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [line.removeprefix(VERSION) for line in project["classifiers"] if line.startswith(VERSION)]
    assert f"\nPYTHONS ?= {' '.join(f'python{version}' for version in declared)}\n" in text
    assert project["requires-python"] == f">={declared[0]},<3.{int(declared[-1].removeprefix('3.')) + 1}"
