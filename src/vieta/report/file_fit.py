"""An Estimate from files: all sets at once, or batch by batch in bounded memory."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.coefficients import coefficient_sums
from vieta.coefficients.choice import choose_design
from vieta.estimators import Estimate, SymmetricFilter, Trajectory, fit
from vieta.estimators.build import build
from vieta.estimators.names import FILTERS
from vieta.files.assemble import Block
from vieta.files.reader import Reader
from vieta.files.source import Progress
from vieta.options import BELONGS, require_belongs
from vieta.sets import Data, as_data

IN_PIECES = (*FILTERS, "least-squares")
POINTS = 400  # of a path, where the number of sets is known
POINTS_A_BATCH = 20
BEGINNINGS = 12  # of the sets, that are fitted on their own until a filter starts
FEWEST = 10  # sets in them


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """The estimate along the sets.

    Attributes
    ----------
    index : (n,)
        After so many sets.
    theta : (n, L, D)
    began : int
        Sets after which the filter began. Up to there, what the method "efficient" makes of all sets so far.
    """

    index: Integers
    theta: Floats
    began: int


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came out of some files.

    Attributes
    ----------
    estimate : Estimate
    dropped : Counter
        Sets left out, by reason.
    sets, inputs
        The sets that were used, all of them or, read in pieces, those of the last full batch: to look at.
    path : Path or None
        The estimate along the sets, if it was asked for and there is one.
    """

    estimate: Estimate
    dropped: Counter[str]
    sets: Floats
    inputs: Floats | None
    path: Path | None


def estimate_files(
    reader: Reader, method: str, options: dict[str, Any], *, with_path: bool, progress: Progress
) -> Outcome:
    """The estimate of `method` with its options from the sets of a reader."""
    _require_options(method, options, reader.stream)
    if not reader.stream:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(_load_kernels, method)  # while the files are read
            batch = reader.all(progress)
        return _at_once(batch, method, options, with_path)
    if method == "least-squares":
        return _least_squares(reader, progress)
    return _filtered(reader, method, options, with_path, progress)


def _load_kernels(method: str) -> None:
    """Have the compiled code of least squares in memory; that of other methods takes long if it is not on disk yet."""
    if method == "least-squares":
        fit(np.arange(12.0).reshape(6, 2), np.arange(1.0, 7.0), method=method)


def _require_options(method: str, options: dict[str, Any], stream: bool) -> None:
    if stream and method not in IN_PIECES:
        raise ValueError(
            f"method {method!r} needs all sets at once. To read files in pieces, use one of: {', '.join(IN_PIECES)}."
        )
    if method in BELONGS:
        require_belongs(method, set(options))
    elif options:
        raise ValueError(f"method {method!r} has no options; {', '.join(options)} came.")


def _at_once(batch: Block, method: str, options: dict[str, Any], with_path: bool) -> Outcome:
    if method == "efficient" and {"memory", "drift"} & set(options):  # old sets count for less: a filter
        estimate = _filter(batch, method, options).partial_fit(batch.data.sets, batch.data.inputs).estimate()
    else:
        estimate = fit(batch.data.sets, batch.data.inputs, method=method, **options)
    path = running_path(batch, method, options) if with_path else None
    return Outcome(estimate, batch.dropped, *_shown(batch.data), path)


def running_path(batch: Block, method: str, options: dict[str, Any]) -> Path | None:
    """The estimate along the sets; None where there is none."""
    running = _filter(batch, filter_of(method), options if method in FILTERS else {})
    try:
        found = running.trace(batch.data.sets, batch.data.inputs, every=max(1, len(batch.data.sets) // POINTS))
    except (ValueError, ArithmeticError):
        return None
    return _whole_path(batch, [found], "robust" in options)


def _whole_path(first: Block, parts: list[Trajectory], robust: bool) -> Path | None:
    """A path from the parts that a filter gave, with what comes before it starts, as far as the first batch has it."""
    index, theta = (np.concatenate([getattr(part, name) for part in parts]) for name in ("index", "theta"))
    known = np.isfinite(theta).all(axis=(1, 2))
    began = int(index[known][0]) if known.any() else int(index[-1])
    if known.all():
        return Path(index, theta, 0)
    early = _beginnings(first, began if known.any() else began + 1, robust)
    index = np.concatenate([np.array([n for n, _ in early], dtype=np.int64), index[known]])
    if len(index) < 2:
        return None
    return Path(index, np.array([*(rows for _, rows in early), *theta[known]]), began)


def _beginnings(batch: Block, before: int, robust: bool) -> list[tuple[int, Floats]]:
    """After how many sets, and the estimate from them: beginnings of a batch, each a little longer than the one before."""
    last = min(before - 1, len(batch.data.sets))
    found = []
    for n in np.unique(np.geomspace(min(FEWEST, last), last, BEGINNINGS).astype(np.int64)) if last > 0 else []:
        inputs = batch.data.inputs[:n]
        try:
            found.append((int(n), fit(batch.data.sets[:n], inputs, robust=robust).theta))
        except (ValueError, ArithmeticError):  # too few to tell anything
            continue
    return found


def filter_of(method: str) -> str:
    """The filter that goes with a method: its own, or the one that comes nearest."""
    if method in FILTERS:
        return method
    return "rls" if method == "least-squares" else "efficient"


def _filter(batch: Block, method: str, options: dict[str, Any]) -> SymmetricFilter:
    data = as_data(batch.data.sets[:1], batch.data.inputs[:1])
    return SymmetricFilter(data.n_systems, data.dim, method=method, **options)


def _filtered(reader: Reader, method: str, options: dict[str, Any], with_path: bool, progress: Progress) -> Outcome:
    running: SymmetricFilter | None = None
    dropped, paths, first, last = Counter[str](), list[Trajectory](), None, None
    for batch in reader.blocks(progress):
        dropped.update(batch.dropped)
        if not len(batch.data.sets):
            continue
        running, first, last = running or _filter(batch, method, options), first or batch, _full(last, batch)
        if with_path:
            paths.append(
                running.trace(batch.data.sets, batch.data.inputs, every=-(-len(batch.data.sets) // POINTS_A_BATCH))
            )
        else:
            running.partial_fit(batch.data.sets, batch.data.inputs)
    assert running is not None
    assert first is not None
    assert last is not None
    path = _whole_path(first, paths, "robust" in options) if paths else None
    return Outcome(running.estimate(), dropped, *_shown(last.data), path)


def _least_squares(reader: Reader, progress: Progress) -> Outcome:
    """Least squares from two readings of the files."""
    first = next(batch for batch in reader.blocks() if len(batch.data.sets))
    design = choose_design("auto", _data(first))
    dropped, count, last = Counter[str](), 0, first

    def read() -> Iterator[tuple[Floats, Floats]]:
        nonlocal dropped, count, last
        dropped, count = Counter(), 0
        for batch in reader.blocks(progress):
            dropped.update(batch.dropped)
            if len(batch.data.sets):
                data, last = _data(batch), _full(last, batch)
                count += len(data.sets)
                yield data.sets, data.inputs

    with np.errstate(over="ignore", invalid="ignore"):
        solution = coefficient_sums.fit_pieces(design, read)
    estimate = build(
        design,
        solution.coefficients,
        solution.noise,
        lambda _: solution.covariance,
        method="least-squares",
        n_sets=count,
    )
    return Outcome(estimate, dropped, *_shown(last.data), None)


def _full(last: Block | None, batch: Block) -> Block:
    """The later of two batches, unless it is a small rest."""
    return batch if last is None or 2 * len(batch.data.sets) >= len(last.data.sets) else last


def _shown(data: Data) -> tuple[Floats, Floats]:
    """Sets (N, L) and inputs (N, D), where readings are numbers."""
    if data.reading_dim > 1:
        return data.sets, data.inputs
    return data.sets[:, :, 0], data.inputs if data.inputs.ndim == 1 else data.inputs[:, 0]


def _data(batch: Block) -> Data:
    return batch.data
