"""The code that a study depends on, as a fingerprint that comments, docstrings and layout do not change.

It is that of the modules that measure and of all modules of this project that they import, wherever in them the import stands.
A package's `__init__` counts where something is imported from it. Modules that are found by listing a folder are not seen: a
study names those that it uses. What runs the studies does not count: it measures nothing.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MACHINERY = "studies.running"
PLACES = {"vieta": "src/vieta", "studies": "studies", "tests": "tests"}


def fingerprint(names: Iterable[str], root: Path = ROOT) -> str:
    """Sixteen hexadecimal digits."""
    digests = (f"{name} {_parsed(path)[0]}" for name, path in sorted(closure(names, root).items()))
    return _digest("\n".join(digests))


def closure(names: Iterable[str], root: Path = ROOT) -> dict[str, Path]:
    """The modules by name, and those that they import."""
    found: dict[str, Path] = {}
    left = [one for name in names for one in _expanded(name, root)]
    while left:
        name = left.pop()
        path = _path(name, root)
        if path is None:
            raise ModuleNotFoundError(name)
        if name not in found and not name.startswith(MACHINERY):
            found[name] = path
            left += [module for base, part in _parsed(path)[1] for module in _module(base, part, root)]
    return found


def _expanded(name: str, root: Path) -> Iterator[str]:
    """A module, or all modules of a package."""
    if not name.endswith(".*"):
        yield name
        return
    place = root / PLACES[name.removesuffix(".*")]
    for path in place.rglob("*.py"):
        parts = path.relative_to(place).with_suffix("").parts
        yield ".".join([name.removesuffix(".*"), *(part for part in parts if part != "__init__")])


def _path(name: str, root: Path) -> Path | None:
    """The file of a module of this project."""
    first, *rest = name.split(".")
    if first not in PLACES:
        return None
    place = (root / PLACES[first]).joinpath(*rest)
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


def _module(base: str, part: str, root: Path) -> list[str]:
    """What `from base import part` imports: a module of that name, or something of the module `base`."""
    return [name for name in (f"{base}.{part}", base) if _path(name, root) is not None][:1]


def _parsed(path: Path) -> tuple[str, frozenset[tuple[str, str]]]:
    """The digest of a file, and what it imports as pairs (module, name)."""
    status = path.stat()
    return _parsed_once(path, status.st_mtime_ns, status.st_size)


@cache
def _parsed_once(path: Path, *_: int) -> tuple[str, frozenset[tuple[str, str]]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return _digest(_plain(tree)), frozenset(_imports(tree))


def _plain(node: Any) -> str:
    """A tree as a text, the same in all versions of Python: without docstrings, places and fields that are empty."""
    if isinstance(node, list):
        return f"[{','.join(_plain(one) for one in node if not _is_text(one))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.JoinedStr):
        node = ast.JoinedStr([one for one in node.values if not _is_nothing(one)])
    fields = ((name, value) for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"{type(node).__name__}({','.join(f'{name}={_plain(value)}' for name, value in fields)})"


def _is_text(node: Any) -> bool:
    """A statement that is nothing but a text, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_nothing(node: Any) -> bool:
    """An empty text, as it stands at the end of some formatted texts in Python 3.12."""
    return isinstance(node, ast.Constant) and node.value == ""


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        yield from ((base, part) for base, _, part in (alias.name.rpartition(".") for alias in node.names))
    elif isinstance(node, ast.ImportFrom) and node.module is not None:
        yield from ((node.module, alias.name) for alias in node.names)
    for child in ast.iter_child_nodes(node):
        yield from _imports(child)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
