"""Facts about an installation, and what is made of them."""

import json
from importlib import metadata
from pathlib import Path

from vieta import installation
from vieta.cache_directory import Place
from vieta.installation import cache_facts, cache_findings, facts, findings, requirements


def test_the_facts_are_ready_for_json_and_name_every_package():
    known = json.loads(json.dumps(facts()))
    assert {"numpy", "scipy", "numba", "llvmlite", "click", "rich", "polars", "matplotlib"} <= set(known["packages"])
    assert known["packages"]["numpy"] == metadata.version("numpy")
    assert known["extras"]["app"] == []
    assert known["cores"] >= 1
    assert Path(known["temporary"]).is_dir()


def test_kernels_of_every_room_are_known():
    known = installation.kernel_facts()
    assert known["known"] == known["compiled"] + len(known["missing"])
    names = [name.split(".")[1] for name in installation.known_kernels() if name.startswith("vieta.")]
    assert {"weighted", "likelihood", "coefficients", "symmetric", "files", "paper"} <= set(names)


def test_requirements_by_extra():
    listed = ["numpy>=2.0", "scipy", 'click>=8.1; extra == "app"', "furo>=1; python_version > '3' and extra == 'docs'"]
    assert requirements(listed) == {"": ["numpy", "scipy"], "app": ["click"], "docs": ["furo"]}


def test_a_package_that_is_not_installed_has_no_version():
    assert installation.version("no-such-package-at-all") is None
    assert installation.missing(["numpy", "no-such-package-at-all"]) == ["no-such-package-at-all"]


def test_a_tree_that_is_not_installed_has_facts_too(monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", absent)
    monkeypatch.setattr(installation, "kernel_facts", lambda: {"known": 0, "compiled": 0, "missing": []})
    assert facts()["extras"] == {}


def test_a_place_that_does_not_stay_is_a_finding(tmp_path):
    assert cache_findings(Place("user", tmp_path)) == []
    assert [one.code for one in cache_findings(Place("temporary", tmp_path))] == ["kernels-temporary"]
    assert [one.code for one in cache_findings(None)] == ["kernels-not-kept"]


def test_the_size_of_the_cache(tmp_path):
    (tmp_path / "kernel").write_bytes(b"12345")
    told = cache_facts(Place("user", tmp_path))
    assert (told["files"], told["bytes"], told["path"]) == (1, 5, str(tmp_path))
    assert cache_facts(None)["path"] is None


def test_every_trouble_is_found(monkeypatch):
    monkeypatch.setattr(installation, "chosen", lambda: None)
    known = {
        "packages": {"polars": None},
        "kernels": {"known": 2, "compiled": 1, "missing": ["x"]},
        "temporary": None,
        "encoding": {"stdout": "ANSI_X3.4-1968"},
    }
    assert [one.code for one in findings(known)] == [
        "kernels-not-kept",
        "packages-missing",
        "kernels-not-compiled",
        "no-temporary-folder",
        "narrow-encoding",
    ]
