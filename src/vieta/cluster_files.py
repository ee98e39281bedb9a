"""Files that workers read themselves: a file is a block, which stays with the worker that read it."""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from vieta.engines.dask_clients import require_same_versions
from vieta.engines.dask_runner import RETRIES, Refusal, passes_over, refusing, result_of
from vieta.errors import BadFileError
from vieta.files.straddle import Ends, Join, ends_of, joins, sizes_of
from vieta.sets import Data, in_canonical_order

if TYPE_CHECKING:
    from vieta.files.assemble import Block
    from vieta.files.reader import Reader
    from vieta.files.source import Progress
    from vieta.sums import Passes


class Found(NamedTuple):
    """What is to be known about a file that a worker has read: L, how many sets were left out, and its ends."""

    n_systems: int
    dropped: Counter[str]
    ends: Ends


def passes_of_files(
    reader: "Reader",
    client: Any,
    progress: "Progress",
    report: Callable[[float], object] | None = None,
    *,
    ascending: bool = False,
) -> "Passes":
    """Passes over the sets of the files, each of which is read once, whole, by a worker of the client.

    Where the order of readings means nothing, sets are put in `ascending` order here, so that workers need not hold both.
    `progress` gets the bytes that were read, and `report` the share that is done of every pass after that.
    The layout is that of the first files' first rows, which are read here. What a worker refuses, it names by file and row.
    """
    if reader.layout.counts_sets:
        raise BadFileError(
            "cluster-order",
            "an input depends on the order of the sets over all files, and workers read files each on their own. Name a column that tells the "
            "time with {option.time}, or read the files here.",
        )
    require_same_versions(client)
    first = client.submit(_read, reader.of_one(0), pure=False, retries=RETRIES)
    size = result_of(client.submit(_found, first, pure=False)).n_systems
    rest = [
        client.submit(_read, reader.of_one(i, size), pure=False, retries=RETRIES) for i in range(1, len(reader.sources))
    ]
    read = [first, *rest]
    told = [client.submit(_found, one, pure=False) for one in read]
    try:
        found = [_noted(one, source.size, progress) for one, source in zip(told, reader.sources, strict=True)]
    except BaseException:
        client.cancel(read)
        raise
    ends = [one.ends for one in found]
    changes = joins(ends, reader.layout) if reader.on_bad_set == "error" else [Join()] * len(read)
    blocks = [
        client.submit(_data, one, change, ascending, pure=False) for one, change in zip(read, changes, strict=True)
    ]
    counts = [one.n_sets - change.without_first for one, change in zip(ends, changes, strict=True)]
    reader.note(sum(counts), sum((one.dropped for one in found), Counter()), sizes_of(ends, changes))
    first_used = next(block for block, n in zip(blocks, counts, strict=True) if n)
    like = result_of(client.submit(_shape, first_used, pure=False))
    return passes_over(like, blocks, counts, client, report)


def _noted(future: Any, size: int, progress: "Progress") -> Found:
    found: Found = result_of(future)
    progress(size)
    return found


def _read(reader: "Reader") -> "Block | Refusal":
    """The sets of a file, where it is read."""
    return refusing(reader.part)


def _found(read: "Block | Refusal") -> Found | Refusal:
    return read if isinstance(read, Refusal) else Found(read.data.n_systems, read.dropped, ends_of(read))


def _data(read: "Block", change: Join, ascending: bool) -> Data:
    data = change.of(read.data)
    return in_canonical_order(data) if ascending else data


def _shape(data: Data) -> Data:
    return data.part(0, 0)
