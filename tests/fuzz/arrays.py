"""Odd arrays through the Python interface: fit, the filter, audit, simulate, for every method and random options.

What must hold of each call: no exception but ours, no warning, no more than 20 seconds of work, the caller's arrays unchanged, and a filter
whose update raised in exactly the state that it had before. A case is made by its seed and its number alone.
"""

import array
import hashlib
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

import vieta
from vieta import anonymity
from vieta.errors import VietaError
from vieta.estimators.storage import flatten
from vieta.method import registry

LONGEST = 20.0  # seconds of the processor, whatever else it does
SIZES = (0.0, 1e-320, 1e-200, 1e-90, 1e-8, 1.0, 1.0, 1.0, 1.0, 1e8, 1e60, 1e99, 1e120, 1e300)


class TooLongError(Exception):
    """A case took longer than it may."""


def failures(seed: int, start: int, count: int) -> Iterator[tuple[int, str]]:
    """The cases, of so many, that fail, and what does not hold."""
    for number in range(start, start + count):
        what = one(seed, number)
        if what is not None:
            yield number, what


def one(seed: int, number: int) -> str | None:
    """One case; None if all holds, else what does not."""
    rng = np.random.default_rng([seed, number])
    case = CASES[int(rng.integers(len(CASES)))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            case(rng)
    except TooLongError:
        return f"{case.__name__} took more than {LONGEST:g} s:\n{traceback.format_exc(limit=-4)}"
    except BrokenError as error:
        return f"{case.__name__}: {error}"
    except Exception:
        return f"{case.__name__} raised\n{traceback.format_exc(limit=-6)}"
    return None


class BrokenError(Exception):
    """Something that must hold does not."""


@contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


# --- what is called -------------------------------------------------------------------------------------------------


def batch(rng: Generator) -> None:
    """`vieta.fit`."""
    sets, inputs = _data(rng)
    method = _any_of(rng, list(registry.every()))
    with _unchanged(sets, inputs):
        found = _ours(lambda: vieta.fit(sets, inputs, **_n_systems(rng), method=method, **_options(rng, method)))
    _look_at(found, rng)


def online(rng: Generator) -> None:
    """A filter that is fed, asked, fed again."""
    sets, inputs = _data(rng)
    L, D = _shape(sets, inputs)
    method = _any_of(rng, [name for name, one in registry.every().items() if one.has_engine])
    f = vieta.SymmetricFilter(
        _odd(rng, L, 0.03), _odd(rng, D, 0.03), method=method, **(_options(rng, method) if rng.random() < 0.5 else {})
    )
    for _ in range(int(rng.integers(1, 5))):
        before = _state(f)
        single = rng.random() < 0.3 and hasattr(sets, "__getitem__") and not isinstance(sets, dict)
        with _unchanged(sets, inputs):
            try:
                with _limited():
                    _feed(f, sets, inputs, single)
            except VietaError:
                if _state(f) != before:
                    raise BrokenError("an update that raised changed the filter") from None
        _look_at(_ours(f.estimate), rng)
        if rng.random() < 0.4:
            sets, inputs = _data(rng, like=(L, D))


def _feed(f: vieta.SymmetricFilter, sets: Any, inputs: Any, single: bool) -> None:
    if single:
        try:
            y, psi = sets[0], None if inputs is None else inputs[0]
        except Exception:  # nothing to take one from
            return
        f.update(y, psi)
    else:
        f.partial_fit(sets, inputs)


def audited(rng: Generator) -> None:
    """`vieta.anonymity.audit`."""
    sets, inputs = _data(rng, systems=5)
    options = {"draws": 50, "seed": 1}
    if rng.random() < 0.3:
        options["noise"] = _value(rng)
    if rng.random() < 0.2:
        options["added"] = _value(rng)
    with _unchanged(sets, inputs):
        found = _ours(lambda: anonymity.audit(sets, inputs, **options))
    if found is not None:
        found.summary()
        found.to_dict()


def simulated(rng: Generator) -> None:
    """`vieta.simulate` with odd parameters."""
    theta = _array(rng, _any_of(rng, [(3,), (2, 2), (1,), (0,), (), (2, 1, 1)]))
    n = _odd(rng, int(rng.integers(1, 20)), 0.2)
    with _unchanged(theta, None):
        _ours(lambda: vieta.simulate(theta, n, _odd(rng, 1, 0.2)))


CASES = [batch, batch, batch, online, online, online, audited, simulated]


# --- what must hold -------------------------------------------------------------------------------------------------


def _ours(call: Callable[[], Any]) -> Any:
    """What the call returns; None if it raised an error of ours, which must be a sentence."""
    try:
        with _limited():
            return call()
    except VietaError as error:
        text = str(error)
        if not text or len(text) > 2000:
            raise BrokenError(f"an error of {len(text)} characters: {text[:300]}") from None
        return None


def _look_at(found: vieta.Estimate | None, rng: Generator) -> None:
    if found is None:
        return
    if not np.isfinite(found.theta).all():
        raise BrokenError("parameters that are not finite")
    found.to_dict()
    if rng.random() < 0.2:
        found.summary()
        found.conf_int()


def _state(f: vieta.SymmetricFilter) -> bytes:
    """Every bit that the filter holds."""
    if f._state is None:
        return b""
    parts = flatten(f._state)
    return b"".join(name.encode() + np.asarray(part).tobytes() for name, part in sorted(parts.items()))


@contextmanager
def _unchanged(*given: Any) -> Iterator[None]:
    before = [_digest(one) for one in given]
    yield
    if before != [_digest(one) for one in given]:
        raise BrokenError("what the caller gave was changed")


def _digest(given: Any) -> str:
    if isinstance(given, np.ndarray) and given.dtype != object:
        given = np.ma.getdata(given).tobytes()
    elif isinstance(given, memoryview):
        given = given.tobytes()
    return hashlib.sha256(given if isinstance(given, bytes) else repr(given).encode()).hexdigest()


# --- odd things -----------------------------------------------------------------------------------------------------


def _any_of(rng: Generator, items: list[Any]) -> Any:
    return items[int(rng.integers(len(items)))]


def _value(rng: Generator) -> Any:
    """Something that may be given for a number."""
    return _any_of(
        rng,
        [
            True, False, None, -1, 0, 1, 2, 10, 50, 10**400, -0.0, 0.5, 1.5, 1e-300, 1e300, 5e-324, float("nan"), float("inf"),
            "1", "auto", b"1", 1j, Decimal("2"), Fraction(1, 3), np.float32(0.5), np.int8(3), np.array(2.0), np.array([0.1]), np.bool_(True),
            [], [1.0], [0.1, 0.2], [[1.0, 2.0]], [None], object, {"a": 1}, np.ma.masked, np.datetime64("2026-01-01"), np.array([1j]),
        ],
    )  # fmt: skip


def _odd(rng: Generator, usual: Any, share: float) -> Any:
    return _value(rng) if rng.random() < share else usual


def _n_systems(rng: Generator) -> dict[str, Any]:
    return {"n_systems": _value(rng)} if rng.random() < 0.03 else {}


def _options(rng: Generator, method: str) -> dict[str, Any]:
    """Some options of a method, sensible or not."""
    usual = {
        "memory": [2, 20, 1000.0],
        "drift": [1e-6, 1e3],
        "robust": [True, False],
        "transform": ["auto", "elementary", "convolution", "polarized", "tensor", "planar"],
        "step": [1e-6, 1e-2, 10.0],
        "regularization": [1e-9, 1.0],
        "law": ["gaussian", "laplace", "student-t"],
        "noise_var": [1.0, "estimate", 1e-30],
    }
    found = {}
    for name in registry.get(method).Options.infos():
        if rng.random() < 0.3:
            found[name] = _value(rng) if name not in usual or rng.random() < 0.2 else _any_of(rng, usual[name])
    return found


def _shape(sets: Any, inputs: Any) -> tuple[int, int]:
    """L and D, as far as they can be told."""
    try:
        shape, psi = np.shape(sets), np.shape(inputs) if inputs is not None else ()
    except ValueError:
        return 2, 1
    L = shape[1] if len(shape) > 1 and shape[1] else 2
    p = shape[2] if len(shape) > 2 and shape[2] else 1
    return L, (psi[-1] if len(psi) > 1 and psi[-1] else p)


def _data(rng: Generator, systems: int = 0, like: tuple[int, int] | None = None) -> tuple[Any, Any]:
    """Sets and inputs: from a model, or of any shape; then made odd."""
    N = int(_any_of(rng, [0, 1, 1, 2, 3, 5, 20, 130, 200, 300]))
    L = int(_any_of(rng, [1, 2, 2, 3, 4, 5] if systems else [1, 2, 2, 3, 4, 5, 6, 9, 17, 20, 300, 1000]))
    L = L if like is None else like[0]
    p = int(_any_of(rng, [1, 1, 1, 2, 3]))
    if 9 <= L < 100:  # a fit of many such sets takes minutes
        N, p = min(N, 20), 1
    D = p if rng.random() < 0.6 else int(_any_of(rng, [1, 2, 3, 8, 700]))
    D = D if like is None else like[1]
    kind = _any_of(rng, ["none", "numbers", "matrices"]) if p == D else "matrices"
    if N * L * p * D > 2_000_000:
        N = 2
    psi = {
        "none": None,
        "numbers": rng.normal(size=N),
        "matrices": rng.normal(size=(N, p, D)),
    }[kind]
    theta = rng.normal(size=(L, D)) * _any_of(rng, [0.0, 1.0, 5.0])
    matrices = (
        np.broadcast_to(np.eye(p, D), (N, p, D))
        if psi is None
        else psi
        if kind == "matrices"
        else psi[:, None, None] * np.eye(p)
    )
    sets = np.einsum("npd,ld->nlp", matrices, theta) + _any_of(rng, [0.0, 0.1, 1.0]) * rng.normal(size=(N, L, p))
    sets = sets[:, :, 0] if p == 1 and rng.random() < 0.8 else sets
    if kind == "matrices" and p == 1 and rng.random() < 0.5:
        psi = psi[:, 0]
    return _oddly(rng, sets), None if psi is None else _oddly(rng, psi)


def _array(rng: Generator, shape: tuple[int, ...]) -> Any:
    return _oddly(rng, np.asarray(rng.normal(size=shape)))


def _oddly(rng: Generator, numbers: np.ndarray) -> Any:
    """The numbers with other sizes, some of them replaced, in another container; mostly as they are."""
    if rng.random() < 0.3:
        numbers = np.asarray(numbers * _any_of(rng, list(SIZES)))
    if numbers.size and rng.random() < 0.25:
        numbers = np.array(numbers)
        where = rng.random(numbers.shape) < _any_of(rng, [0.01, 0.3, 1.0])
        numbers[where] = _any_of(rng, [0.0, np.nan, np.inf, -np.inf, 1e308, -1e120, 1e-310, 1.0, 1e50])
    if numbers.ndim > 1 and rng.random() < 0.08:
        numbers = numbers.copy()
        numbers[..., 0] = _any_of(rng, [0.0, 1.0, 1e-200])
    return _any_of(rng, CONTAINERS)(numbers) if rng.random() < 0.4 else numbers


def _read_only(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    a.flags.writeable = False
    return a


def _cast(kind: Any) -> Callable[[np.ndarray], np.ndarray]:
    def cast(a: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return a.astype(kind)

    return cast


def _unaligned(a: np.ndarray) -> np.ndarray:
    packed = np.zeros(a.shape, dtype=[("flag", "i1"), ("y", "f8")])
    packed["y"] = a
    return packed["y"]


def _polars(a: np.ndarray) -> Any:
    import polars

    return polars.DataFrame(a) if a.ndim == 2 and a.size else polars.Series(a.ravel())


CONTAINERS: list[Callable[[np.ndarray], Any]] = [
    lambda a: a.tolist(),
    lambda a: tuple(a.tolist()) if a.ndim else a,
    _read_only,
    np.asfortranarray,
    np.flip,
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a,
    _unaligned,
    _cast(">f8"),
    _cast(np.float16),
    _cast(np.float32),
    _cast(np.longdouble),
    _cast(np.int64),
    _cast(bool),
    _cast(complex),
    _cast(object),
    _cast(str),
    _cast("M8[s]"),
    lambda a: np.ma.array(a, mask=False),
    lambda a: np.ma.masked_greater(a, 1.0),
    lambda a: memoryview(np.ascontiguousarray(a)),
    lambda a: array.array("d", a.ravel()),
    lambda a: a.ravel()[:1].reshape(()) if a.size else a,
    lambda a: a[None],
    lambda a: a[..., None],
    lambda a: a[None][:0],
    lambda a: (row for row in a) if a.ndim else a,
    lambda a: [row.tolist()[:-1] if k % 3 else row.tolist() for k, row in enumerate(a)] if a.ndim > 1 else a,
    lambda a: [Decimal(repr(float(x))) for x in a.ravel()[:50]],
    lambda a: [[Fraction(1, 3), 10**400], [1, 2]],
    lambda a: [None, *a.ravel()[:3].tolist()],
    lambda a: dict(enumerate(a.ravel()[:3].tolist())),
    lambda a: "text",
    lambda a: None,
    _polars,
]
