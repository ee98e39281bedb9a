"""Files that workers read themselves: a file is a block, which stays with the worker that read it."""

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from vieta.engines.dask_engine import RETRIES, passes_over, require_same_versions
from vieta.errors import BadFileError
from vieta.sets import Data

if TYPE_CHECKING:
    from vieta.files.reader import Reader
    from vieta.files.source import Progress
    from vieta.sums import Passes


class Found(NamedTuple):
    """What is to be known about a file that a worker has read: its shape, and how many sets were used, left out, and of which size."""

    like: Data
    n_sets: int
    dropped: Counter[str]
    sizes: Counter[int]


def passes_of_files(reader: "Reader", client: Any, progress: "Progress") -> "Passes":
    """Passes over the sets of the files, each of which is read once, whole, by a worker of the client.

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
    size = client.submit(_found, first, pure=False).result().like.n_systems
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
    reader.note(
        sum(one.n_sets for one in found),
        sum((one.dropped for one in found), Counter()),
        sum((one.sizes for one in found), Counter()),
    )
    like = next(one.like for one in found if one.n_sets)
    return passes_over(
        like, [client.submit(_data, one, pure=False) for one in read], [one.n_sets for one in found], client
    )


def _noted(future: Any, size: int, progress: "Progress") -> Found:
    found: Found = future.result()
    progress(size)
    return found


def _read(reader: "Reader") -> tuple[Data, Counter[str], Counter[int]]:
    """The sets of a file, where it is read."""
    block = reader.part()
    return block.data, block.dropped, block.sizes


def _found(read: tuple[Data, Counter[str], Counter[int]]) -> Found:
    data, dropped, sizes = read
    return Found(data.part(0, 0), len(data), dropped, sizes)


def _data(read: tuple[Data, Counter[str], Counter[int]]) -> Data:
    return read[0]
