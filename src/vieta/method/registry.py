"""The methods by name: those of this package, and those of other packages by the entry point `vieta.methods`."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any

from vieta import method as room
from vieta.errors import InputError, MethodError, VietaError
from vieta.method.base import Method
from vieta.sums import Passes
from vieta.wording import OptionNames

GROUP = "vieta.methods"


@cache
def _built_in() -> dict[str, Method]:
    modules = (import_module(f"{room.__name__}.{one.name}") for one in iter_modules(room.__path__))
    found = [module.METHOD for module in modules if hasattr(module, "METHOD")]
    return {one.name: one for one in sorted(found, key=lambda one: (not one.default, one.name))}


@cache
def _installed() -> tuple[dict[str, tuple[Method, str]], dict[str, str]]:
    """Methods of other packages with the package's name, and why some could not be loaded."""
    found: dict[str, tuple[Method, str]] = {}
    broken: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist is not None else point.module
        try:
            one = _loaded(point)
        except Exception as error:  # whatever another package may raise: it must not break the rest
            broken[point.name] = f"{package}: {type(error).__name__}: {error}"
            continue
        if one.name in _built_in() or one.name in found:
            broken[one.name] = f"{package}: there is another method of that name"
        else:
            found[one.name] = (one, package)
    return found, broken


def _loaded(point: EntryPoint) -> Method:
    thing = point.load()
    one = thing() if isinstance(thing, type) else thing
    if not isinstance(one, Method):
        raise InputError("not-a-method", "{what} is not a vieta.method.base.Method", what=point.value)
    return one


def every() -> dict[str, Method]:
    """All methods by name: the default first, those of other packages last."""
    return _built_in() | {name: one for name, (one, _) in _installed()[0].items()}


def broken() -> dict[str, str]:
    """Methods of other packages that could not be loaded, and why."""
    return dict(_installed()[1])


def methods() -> dict[str, str]:
    """The methods by name, with one line each.

    >>> next(iter(methods()))
    'efficient'
    """
    return {name: one.line for name, one in every().items()}


def default(*, incomplete: bool = False, options: Iterable[str] = ()) -> str:
    """The name of the method that is used when none is named: for sets that are incomplete, and for options that only it has, another one."""
    first = next(one for one in _built_in().values() if one.default)
    other = next((one for one in _built_in().values() if one.for_incomplete), first)
    own = set(other.Options.infos()) - set(first.Options.infos())
    return other.name if incomplete or own.intersection(options) else first.name


def for_complete(passes: Passes) -> Method:
    """The method for complete sets at once, where neither a method nor an option is named: one that suits them, or the default."""
    first = get(default())
    return next((one for one in _built_in().values() if one.suits(passes)), first)


def get(name: str) -> Method:
    """The method of that name."""
    if isinstance(name, str) and name in _built_in():
        return _built_in()[name]  # without a look at other packages, which takes time
    known = every()
    if isinstance(name, str) and name in known:
        return known[name]
    reason = broken().get(name) if isinstance(name, str) else None
    if reason is not None:
        raise InputError(
            "broken-method", "method {method!r} could not be loaded: {reason}.", method=name, reason=reason
        )
    raise InputError(
        "unknown-method",
        "method {method!r} is not known. Choose one of: {known}.",
        method=name,
        known=", ".join(known),
    )


def options(method: Method, given: dict[str, Any]) -> Any:
    """The options of a method as its dataclass, from a dictionary; unknown names are refused, values are checked by the method."""
    known = method.Options.infos()
    for name in given:
        if name not in known:
            owners = [repr(other.name) for other in every().values() if name in other.Options.infos()]
            raise InputError(
                "unknown-option",
                "{option." + name + "} {belongs}; method {method!r} takes {known}."
                if name.isidentifier()
                else "{name!r} {belongs}; method {method!r} takes {known}.",
                name=name,
                belongs=f"belongs to {_listed(owners)}" if owners else "is not an option of any method",
                method=method.name,
                known=OptionNames(tuple(sorted(known))),
            )
    return method.Options(**given)


def _listed(names: list[str]) -> str:
    """Names with commas between them, and an "and" before the last."""
    *first, last = sorted(names)
    return f"{', '.join(first)} and {last}" if first else last


def blamed(method: Method) -> AbstractContextManager[None]:
    """Report what a method of another package raises by the method's name; errors of ours pass as they are."""
    ours = type(method).__module__.split(".")[0] == room.__name__.split(".")[0]
    return nullcontext() if ours else _blamed(method)


@contextmanager
def _blamed(method: Method) -> Iterator[None]:
    package = _installed()[0].get(method.name, (method, "unknown"))[1]
    try:
        yield
    except VietaError:
        raise
    except Exception as error:
        raise MethodError(
            "method-failed",
            "method {method!r} of the package {package} failed: {kind}: {reason}",
            method=method.name,
            package=package,
            kind=type(error).__name__,
            reason=str(error),
        ) from error
