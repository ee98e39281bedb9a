"""`vieta.fit_frame`: sets in a data frame, long or wide, read as files are."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from vieta.errors import BadFileError, InputError
from vieta.file_fit import AUTO, about, fitted, placed
from vieta.frames import frame_kind
from vieta.options import positive_integer
from vieta.wording import PYTHON

if TYPE_CHECKING:
    from vieta.estimators import Estimate
    from vieta.files.layout import Wishes
    from vieta.files.reader import Reader
    from vieta.sums import Passes

Names = str | Iterable[str] | None  # of one column or several; None leaves it to be recognised
SPELLED = {"input": "inputs", "systems": "n_systems"}  # what files call otherwise
AS_THEY_ARE = "Such sets are taken as they are by {call.fit} if {option.method} is left to it."
PLAIN = ("True", "False", "None")


def _option(name: str, value: str) -> str:
    """An option of `fit_frame`, text in quotes.

    >>> _option("layout", "wide"), _option("systems", "3"), _option("value", "")
    ("layout='wide'", 'n_systems=3', 'value=')
    """
    quoted = value and value not in PLAIN and not value.lstrip("-").replace(".", "").isdigit()
    return PYTHON.option(SPELLED.get(name, name), repr(value) if quoted else value)


FRAME = PYTHON._replace(option=_option, calls={**PYTHON.calls, "fit": "vieta.fit_frame", "arrays": "vieta.fit"})


class FrameError(BadFileError):
    """A frame cannot be read as unlabeled sets: which row or column, why, and what to do."""

    def __str__(self) -> str:
        return self.say(FRAME)


def fit_frame(
    frame: Any,
    *,
    set: Any = None,
    value: Names = None,
    inputs: Names = None,
    layout: Literal["long", "wide"] | None = None,
    category: Names = None,
    intercept: bool | None = None,
    trend: bool = False,
    season: "str | float | Iterable[str | float] | None" = None,
    harmonics: int = 1,
    time: Any = None,
    n_systems: int | None = None,
    offset: Any = None,
    on_bad_set: Literal["error", "drop"] = "error",
    method: str | None = None,
    **options: Any,
) -> "Estimate":
    """Estimate the parameters of L systems from the unlabeled sets in a data frame.

    Long frames have one row a reading: a column that names the set, one or more columns of values, and inputs that repeat within
    the set. Wide frames have one row a set. What is not named is recognised, as in files: by the names of columns and the first
    rows. Numbers may be nullable, and text may be categories, whose first level is the reference. An index of pandas that has a name,
    or holds times, is a column like any other.

    Parameters
    ----------
    frame : DataFrame
        Of pandas or polars. A lazy frame of polars, and a dataset of pyarrow, is read in passes, in bounded memory, if its rows are sorted by
        set, and otherwise collected. Frames of other libraries that speak Arrow are taken too.
    set : column, optional
        Names the set, or its time: sets are in the order of numbers and times, else in that of the rows.
    value, inputs : column or list of columns, optional
        Readings; and inputs: numbers, times (since the first) or text (a category). When values are named, only inputs that are named count.
    layout : "long" or "wide", optional
    category : column or list of columns, optional
        Inputs that are categories although they hold numbers.
    intercept : bool, optional
        Whether a constant stands before the inputs; by default with times, categories, trends and seasons.
    trend : bool
        Whether a straight line in time is among the inputs.
    season : period or list of periods, optional
        Waves as inputs: "year", "quarter", "month", "week", "day", "hour" or "minute", where the time is a date; or a number.
    harmonics : int
        Waves of each season.
    time : column, optional
        Tells the time, for trend and season; by default that of the sets, or else their order.
    n_systems : int, optional
        L. If absent it is the size of the sets, or the number of columns of wide ones; where long sets differ in size it is estimated.
    offset : column, optional
        Known numbers that are added to every system's predictor.
    on_bad_set : "error" or "drop"
        Refuse a set that cannot be used, or leave it out, which a finding reports.
    method, **options
        As in `vieta.fit`.

    Returns
    -------
    Estimate
        Its parameters have the names of the columns; `Estimate.to_frame` gives a frame of the library that came in.

    Examples
    --------
    >>> import polars as pl
    >>> import vieta
    >>> rows = pl.DataFrame({"t": [1, 1, 2, 2, 3, 3, 4, 4], "y": [1.0, 3.1, 2.1, 6.0, 9.0, 3.0, 3.9, 12.0], "x": [1, 1, 2, 2, 3, 3, 4, 4]})
    >>> vieta.fit_frame(rows, set="t", value="y", inputs="x", method="least-squares").theta.round(1).ravel()
    array([1., 3.])
    """
    _require_polars()
    count = None if n_systems is None else positive_integer(n_systems, "n_systems")
    with _speaking():
        from vieta.files.layout import Wishes

        wishes = Wishes(
            layout=layout,
            set=None if set is None else str(set),
            value=_columns(value),
            input=(*_columns(inputs), *_columns(offset)),
            systems=count,
            intercept=intercept,
            category=_columns(category),
            time=None if time is None else str(time),
            trend=trend,
            season=tuple(one if isinstance(one, str) else f"{one:.15g}" for one in _several(season)),
            harmonics=positive_integer(harmonics, "harmonics"),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # what matters of it is said in the findings
            return _fitted(frame, wishes, on_bad_set, method, options, offset)


def _require_polars() -> None:
    if find_spec("polars") is None:
        raise InputError(
            "frames-extra",
            "frames are read by polars, which is not installed: install vieta[frames]; or give arrays to {call.fit}.",
        )


@contextmanager
def _speaking() -> Iterator[None]:
    """Errors of files as errors of frames, which spell options as `fit_frame` does."""
    try:
        yield
    except FrameError:
        raise
    except BadFileError as error:
        raise FrameError.wrap(error, "{cause}") from None


def _several(given: Any) -> tuple[Any, ...]:
    """One thing or several as several.

    >>> _several(None), _several("y"), _several(["y1", "y2"]), _several(12)
    ((), ('y',), ('y1', 'y2'), (12,))
    """
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)


def _columns(given: Any) -> tuple[str, ...]:
    return tuple(map(str, _several(given)))


def _fitted(
    frame: Any,
    wishes: "Wishes",
    on_bad_set: Literal["error", "drop"],
    method: str | None,
    options: dict[str, Any],
    offset: Any,
) -> "Estimate":
    """The estimate; a lazy table is read in passes if its sets are in order, and collected if not."""
    from vieta.files.lazy_source import is_lazy

    for stream in (True, False) if is_lazy(frame) else (False,):
        try:
            reader, passes = _read(frame, wishes, on_bad_set, method, options, stream=stream)
            with placed(reader):
                return _estimated(reader, passes, wishes.systems, method, options, frame_kind(frame), offset)
        except BadFileError as error:
            if not (stream and error.code == "not-sorted"):
                raise
    raise AssertionError  # a table that was collected is read


def _read(
    frame: Any,
    wishes: "Wishes",
    on_bad_set: Literal["error", "drop"],
    method: str | None,
    options: dict[str, Any],
    *,
    stream: bool,
) -> "tuple[Reader, Passes]":
    """The reader of a frame, after a first pass, and its sets."""
    from vieta.answers import families
    from vieta.files.frame_source import source_of
    from vieta.files.lazy_source import lazy_source
    from vieta.files.reader import reader_of
    from vieta.method import registry

    answers, rest = families.of_options(options, method)
    chosen = answers or registry.get(method or registry.default(options=rest))
    registry.options(chosen, rest)  # refused before anything is read
    source = lazy_source(frame) if stream else source_of(frame)
    coded = tuple(name for name in source.coded if name in wishes.input and name not in wishes.category)
    wishes = replace(wishes, category=(*wishes.category, *coded))
    any_size = chosen.takes_incomplete
    reader = reader_of([source], wishes, on_bad_set=on_bad_set, stream=stream, any_size=any_size, advice=AS_THEY_ARE)
    passes = reader.passes()
    if stream:
        for _ in reader.blocks():
            pass
    return reader, passes


def _estimated(
    source: "Reader",
    passes: "Passes",
    count: int | None,
    method: str | None,
    options: dict[str, Any],
    kind: str,
    offset: Any,
) -> "Estimate":
    from vieta.estimators.batch import fit_passes
    from vieta.method import registry
    from vieta.offset_column import split

    name = None if offset is None else str(offset)
    passes = split(passes, source, name)
    takes_any = method is None or registry.get(method).takes_incomplete
    differ = (source.stream and source.on_bad_set == "error" and len(source.sizes) > 1) or not passes.like.is_complete
    if differ and not passes.like.size and not count and takes_any:
        found = fitted(passes, AUTO, method, options)
    else:
        found = fit_passes(passes, method=method, options=options)
    found = about(source, found, name)
    names = tuple(one for one in source.layout.regressors if one != name)
    if not found.names and len(names) == found.theta.shape[1]:
        found = replace(found, names=names)
    return replace(found, frame_kind=kind)
