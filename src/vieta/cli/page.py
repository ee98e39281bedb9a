"""`vieta page`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vieta.cli.column_flags import SYSTEMS
from vieta.cli.method_flags import MethodCommand, given_options

if TYPE_CHECKING:
    from vieta.page.broadcast import Broadcast
    from vieta.page.serving import Door
    from vieta.page.stream import Stream

DEMO = "meters.csv.gz"
OFTEN = "0.5"  # seconds between the estimates of a stream
RUNNERS = 2  # processes for runs that are shown as they go on: one that is being left and the next
PATIENCE = 10.0  # seconds for the filter of a page that was killed to end
INNOVATIONS = "12"  # sets whose innovations come with each of them
RUN = "from vieta.page.lifeline import hold; hold(); from vieta.cli import main; main()"  # in another process of the same Python


@click.command(cls=MethodCommand, online=True)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False), metavar="[FILE]...")
@click.option(
    "--watch",
    metavar="COMMAND-OR-PIPE",
    help="Sets to follow live: what a command prints, or a named pipe or a file, one set a line, as for `vieta watch`.",
)
@SYSTEMS
@click.option(
    "--state",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --watch: keep the filter and the place in the input in this file, and go on from it; tabs that are open come back.",
)
@click.option(
    "--resume",
    type=click.Choice(["replay", "continue"]),
    default="replay",
    show_default=True,
    help="With --state: does the input begin anew, or go on where it was?",
)
@click.option("--port", type=click.IntRange(0, 65535), help="Of this machine; the first free one by default.")
@click.option("--no-browser", is_flag=True, help="Print the link, and open no browser.")
def page(files: tuple[str, ...], **given: Any) -> None:
    """Open a page in the browser: fit files, watch a stream, decide about a release, understand the idea.

    The page is served by this machine to this machine alone, and asks no other for anything. The link holds a token that
    opens one browser, once. Files that are dropped on the page stay in a temporary folder until it ends. Ctrl-C ends it.

    --systems, --method and the options of methods are those of the stream; on the page, they are chosen for each file.

    \b
    Examples:
      vieta page
      vieta page records.csv
      vieta page --watch 'vieta simulate example-1 -n 200000 -o -'
      vieta page --watch sets.fifo --state watch.npz --resume continue --no-browser
    """
    from vieta.cli.process import RefusedError, refusing

    if given["state"] is not None and given["watch"] is None:
        raise click.UsageError("--state needs --watch.")
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise RefusedError(
            f"the page needs the package {error.name}: install vieta with its extra, vieta[page]."
        ) from None
    with refusing():
        _serve(files, given)


def _serve(files: tuple[str, ...], given: dict[str, Any]) -> None:
    """Serve until Ctrl-C."""
    from vieta import __version__
    from vieta.answers import families
    from vieta.cli.page_audience import PAGE
    from vieta.cli.page_tasks import quick_tasks, run_tasks, said, tasks
    from vieta.cli.terminal import put
    from vieta.data import STORY, content
    from vieta.method import registry
    from vieta.page.application import Page
    from vieta.page.broadcast import Broadcast
    from vieta.page.rejoin import keep_beside, kept_beside
    from vieta.page.serving import opened, serve
    from vieta.page.uploads import Uploads, remove_left_behind
    from vieta.page.workers import Worker

    remove_left_behind()
    rejoin = None
    if given["state"] is not None:
        _require_free(given["state"])
        rejoin = kept_beside(given["state"])
    door = opened(given["port"], None if rejoin is None else rejoin.port)
    if rejoin is not None:
        keep_beside(given["state"], rejoin, door.port)
    live = None if given["watch"] is None else Broadcast()
    stream = None if live is None else _stream(given, live)
    made = Page(
        uploads=Uploads(),
        slow=Worker(tasks(), said),
        quick=Worker(quick_tasks(), said),
        runs=tuple(Worker(run_tasks(), said) for _ in range(RUNNERS)),
        live=live,
        about={
            "version": __version__,
            "methods": registry.methods(),
            "families": [families.NUMBER, *families.every()],
            "story": STORY,
            "watch": given["watch"],
        },
        demo=lambda: (DEMO, content(DEMO)),
        audience=PAGE,
        rejoin=rejoin,
    )
    for path in files:
        made.uploads.add(path)
    put(f"{door.link}")
    put("This link opens one browser, once. Ctrl-C ends the page.", err=True)
    try:
        serve(made, door, lambda: _begun(door, stream, opens=not given["no_browser"]))
    finally:
        if stream is not None:
            stream.close()


def _require_free(path: Path) -> None:
    """Refuse a state that another process uses; one that is just ending, of a page that was killed, is waited for."""
    import time

    from vieta.errors import BadFileError
    from vieta.live.checkpoint import checkpoint

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with checkpoint(path):
                return
        except BadFileError as error:
            if error.code != "state-in-use" or time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def _begun(door: "Door", stream: "Stream | None", *, opens: bool) -> None:
    if stream is not None:
        stream.start()
    if opens:
        import threading
        import webbrowser

        threading.Timer(0.5, lambda: webbrowser.open(door.link)).start()


def _stream(given: dict[str, Any], live: "Broadcast") -> "Stream":
    """The stream, followed by `vieta watch` in a process of its own."""
    from vieta.page.stream import Stream

    return Stream(given["watch"], [sys.executable, "-c", RUN, *watch_words(given)], live)


def watch_words(given: dict[str, Any]) -> list[str]:
    """The words of `vieta watch` that follow a stream as it was asked for."""
    from vieta.cli.method_flags import option_words

    words = ["watch", "--json", "--seconds", OFTEN, "--innovations", INNOVATIONS]
    words += ["--systems", str(given["systems"])] if given["systems"] is not None else []
    words += ["--method", given["method"]] if given["method"] is not None else []
    words += option_words(given_options(given))
    return words + (["--state", str(given["state"]), "--resume", given["resume"]] if given["state"] is not None else [])
