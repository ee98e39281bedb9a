"""Signs of life on standard error, on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def reading(total: int) -> Iterator[Callable[[int], None]]:
    """A bar over `total` bytes to read; when they are read, what follows is the estimation."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=total)

        def advance(count: int) -> None:
            bar.advance(task, count)
            if bar.tasks[task].completed >= total:
                bar.update(task, description="estimating (compiles on first use)")

        yield advance
