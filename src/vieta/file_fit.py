"""From a reader of files or frames to an estimate: which method suits, names of parameters, and the place of a set that is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vieta.errors import BadFileError, IncompleteSetsError, InputError

if TYPE_CHECKING:
    from vieta.estimators import Estimate
    from vieta.files.layout import Layout
    from vieta.files.reader import Reader
    from vieta.sums import Passes

AUTO = "auto"  # the number of systems that is left to the method


def fitted(passes: "Passes", systems: int | str | None, method: str | None, options: dict[str, Any]) -> "Estimate":
    """The estimate; where no method was named, by one that suits the sets, if it was said how many systems there are, or to count them."""
    from vieta.estimators.batch import fit_passes, left_open
    from vieta.method import registry

    if systems == AUTO:
        chosen = method or registry.default(incomplete=True, options=options)
        return fit_passes(left_open(passes), method=chosen, options=options)
    unsaid = method is None and systems is None and options.get("family") in (None, "number")
    return fit_passes(passes, method=method, options=options, complete=unsaid)


def about(source: "Reader", estimate: "Estimate", offset: str | None = None) -> "Estimate":
    """The estimate with the names of its parameters, of which the column `offset` is none, and what is to be known about how sets were read."""
    L, D = estimate.theta.shape
    names = names_without(parameter_names(source.layout, D), offset)
    found = (*source.findings(L), *estimate.findings)
    return replace(estimate, findings=found, names=() if names[0] == "1" else tuple(names))


def parameter_names(layout: "Layout", dim: int) -> list[str]:
    """Columns that the parameters belong to, where there is one for each; otherwise numbers."""
    if dim > 1 and layout.reading_dim == 1:
        return list(layout.regressors)
    if dim > 1 and layout.kind == "long" and len(layout.inputs) <= 1:
        return list(layout.values)
    return [str(j + 1) for j in range(dim)]


def names_without(names: list[str], offset: str | None) -> list[str]:
    """Names of parameters without that of the offset.

    >>> names_without(["1", "price", "easiness"], "easiness")
    ['1', 'price']
    """
    return [name for name in names if name != offset] if len(names) > 1 else names


@contextmanager
def placed(reader: "Reader") -> Iterator[None]:
    """Name the place in the files of a set that an estimator refuses by its number, and say so if sets were left out before."""
    from vieta.answers import families
    from vieta.files.reasons import WORDS

    try:
        yield
    except InputError as error:
        if "index" not in error.facts:
            if not reader.dropped:
                raise
            left = ", ".join(f"{count:,} for {WORDS.get(code, code)}" for code, count in reader.dropped.items())
            raise BadFileError.wrap(error, "{cause} Before that, sets were left out: {left}.", left=left) from None
        if isinstance(error, IncompleteSetsError) and "needed" in error.facts:
            raise reader.explain(error, advised=error.facts.get("method") not in families.every()) from None
        raise BadFileError.wrap(error, "{place}: {cause}", place=reader.place(error.facts["index"])) from None
