"""Facts about an installation: versions, extras, compiled kernels, the machine; and what to know of them, as findings."""

import locale
import os
import platform
import re
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import vieta
from vieta.cache_directory import GIVEN, PACKAGE, Place, chosen, readable
from vieta.compiled import known_kernels
from vieta.findings import Finding, finding

COMMAND = "app"  # the extra that the command needs
COMPILER = "llvmlite"  # what numba compiles with
REQUIREMENT = re.compile(r"^([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"](\w+)['\"])?")


def facts() -> dict[str, Any]:
    """All facts, ready for JSON."""
    needed = requirements(_listed())
    return {
        "vieta": vieta.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: version(name) for name in [*needed[""], COMPILER, *needed.get(COMMAND, ())]},
        "extras": {extra: missing(names) for extra, names in needed.items() if extra},
        "cache": cache_facts(chosen()),
        "kernels": kernel_facts(),
        "cores": _cores(),
        "terminal": {"stdout": _is_terminal(sys.stdout), "stderr": _is_terminal(sys.stderr)},
        "encoding": {"stdout": getattr(sys.stdout, "encoding", None), "locale": locale.getencoding()},
        "temporary": _temporary(),
    }


def findings(known: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What to know of these facts."""
    found = cache_findings(chosen())
    absent = [name for name, number in known["packages"].items() if number is None]
    if absent:
        found.append(finding("packages-missing", packages=", ".join(absent), requirement=f"vieta[{COMMAND}]"))
    kernels = known["kernels"]
    if kernels["missing"]:
        found.append(finding("kernels-not-compiled", missing=len(kernels["missing"]), known=kernels["known"]))
    if known["temporary"] is None:
        found.append(finding("no-temporary-folder"))
    encoding = known["encoding"]["stdout"]
    if encoding is not None and encoding.lower().replace("-", "") != "utf8":
        found.append(finding("narrow-encoding", encoding=encoding))
    return tuple(found)


def cache_findings(place: Place | None) -> list[Finding]:
    """Whether kernels are kept where they stay."""
    if place is None:
        return [finding("kernels-not-kept", variable=GIVEN)]
    if place.kind == "temporary":
        return [finding("kernels-temporary", path=place.path, variable=GIVEN)]
    return []


def cache_facts(place: Place | None) -> dict[str, Any]:
    """Where kernels are kept, and how much that is."""
    sizes = [] if place is None else [path.stat().st_size for path in place.path.iterdir()]
    return {
        "kind": None if place is None else place.kind,
        "path": None if place is None else str(place.path),
        "files": len(sizes),
        "bytes": sum(sizes),
        "also_read": [str(path) for path in readable() if place is None or path != place.path],
    }


def kernel_facts() -> dict[str, Any]:
    """How many kernels there are and how many of them are compiled, for some kind of data at least; the names of the others."""
    from vieta.kernel_cache import KernelCache

    for path in PACKAGE.rglob("*.py"):
        if "from vieta.compiled import" in path.read_text(encoding="utf-8"):
            import_module(".".join(["vieta", *path.relative_to(PACKAGE).with_suffix("").parts]))
    kernels = {name: one for name, one in known_kernels().items() if name.startswith("vieta.")}
    absent = sorted(name for name, function in kernels.items() if not KernelCache(function).kept())
    return {"known": len(kernels), "compiled": len(kernels) - len(absent), "missing": absent}


def requirements(listed: list[str]) -> dict[str, list[str]]:
    """The packages that are needed by extra, those that are always needed under the empty name.

    >>> requirements(["numpy>=2", 'click>=8.1; extra == "app"'])
    {'': ['numpy'], 'app': ['click']}
    """
    needed: dict[str, list[str]] = {"": []}
    for line in listed:
        found = REQUIREMENT.match(line)
        if found is not None:
            needed.setdefault(found[2] or "", []).append(found[1])
    return needed


def _listed() -> list[str]:
    """What the installed package says it needs; nothing if it runs from a folder without being installed."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.requires("vieta") or []
    return []


def missing(names: list[str]) -> list[str]:
    """Those packages that are not installed."""
    return [name for name in names if version(name) is None]


def version(name: str) -> str | None:
    """The version of a package that is installed."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())


def _temporary() -> str | None:
    """The folder for temporary files."""
    with suppress(OSError):
        return str(Path(tempfile.gettempdir()))
    return None
