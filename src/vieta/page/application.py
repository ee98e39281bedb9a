"""The application: what is asked of the page and what it answers. The work itself is done by tasks in workers."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from vieta.errors import InputError, VietaError
from vieta.page.broadcast import Broadcast
from vieta.page.rejoin import Rejoin
from vieta.page.uploads import SILENCE, Uploads, too_large, unless_silent
from vieta.page.workers import Job, Worker
from vieta.wording import PYTHON, Audience

MOST_ASKED = 64 * 1024  # bytes of what is asked of a task
KINDS = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "woff2": "font/woff2",
}
NAME = re.compile(r"[a-zA-Z][\w-]*(\.[\w-]+)*\.(html|js|css|svg|woff2)")  # of a file of the page
VENDORED = ("uplot", "inter")  # folders of other people's work, each with its licence
READY = "ready"  # the task that makes a worker ready for others
SLOW = ("fit", "report", "audit", "decision")  # tasks that are watched and can be cancelled; others are waited for
ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"  # for pages that are written to be kept

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(slots=True)
class Page:
    """All that the application has.

    Attributes
    ----------
    uploads : Uploads
    slow, quick : Worker
        For work that may take long, and for what answers at once.
    runs : tuple of Worker
        For runs that are shown as they go on; what is asked of one that still leaves another run goes to the next.
    live : Broadcast or None
        Events of a stream, if one is watched.
    about : dict
        What the page shows of itself, ready for JSON.
    demo : callable, optional
        Name and content of records to try it on.
    audience : Audience
        Whom messages are written for.
    rejoin : Rejoin or None
        How tabs come back when the page is started again, if they can.
    """

    uploads: Uploads
    slow: Worker
    quick: Worker
    live: Broadcast | None = None
    about: dict[str, Any] = field(default_factory=dict)
    demo: Callable[[], tuple[str, bytes]] | None = None
    audience: Audience = PYTHON
    rejoin: Rejoin | None = None
    runs: tuple[Worker, ...] = ()


def application(page: Page) -> Starlette:
    """The application, without the gate before it."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        close(page)

    def at(path: str, answer: Callable[[Page, Request], Coroutine[Any, Any, Response]], method: str = "GET") -> Route:
        async def handler(request: Request) -> Response:
            try:
                return await answer(page, request)
            except VietaError as error:
                status = {
                    "page-too-large": 413,
                    "page-no-file": 404,
                    "page-no-job": 404,
                    "page-silence": 408,
                    "page-busy": 429,
                }.get(error.code, 422)
                return JSONResponse({"trouble": error.say(page.audience)}, status)
            except ClientDisconnect:
                return PlainTextResponse("400: what was sent did not arrive.\n", 400)

        return Route(path, handler, methods=[method])

    routes = [
        at("/", _index),
        at("/static/{name}", _static),
        at("/api/about", _about),
        at("/api/files", _receive, "POST"),
        at("/api/demo", _demo, "POST"),
        at("/api/tasks/{task}", _ask, "POST"),
        at("/api/parts/{task}", _parts, "POST"),
        at("/api/jobs/{key}", _job),
        at("/api/jobs/{key}/cancel", _cancel, "POST"),
        at("/api/jobs/{key}/page", _kept_page),
        at("/api/live", _live),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def close(page: Page) -> None:
    """End the work and remove what was dropped."""
    if page.live is not None:
        page.live.close()
    page.slow.close()
    page.quick.close()
    for worker in page.runs:
        worker.close()
    page.uploads.clear()


async def _index(page: Page, request: Request) -> Response:
    return _file("index.html")


async def _static(page: Page, request: Request) -> Response:
    return _file(request.path_params["name"])


def _file(name: str) -> Response:
    """A file of the page itself, by its name alone."""
    content = _content(name) if NAME.fullmatch(name) else None
    if content is None:
        return PlainTextResponse("404: there is no such thing here.\n", 404)
    kind = KINDS[name.rpartition(".")[2]]
    return Response(content, media_type=kind if kind.startswith("font/") else f"{kind}; charset=utf-8")


@lru_cache(maxsize=64)
def _content(name: str) -> bytes | None:
    """What a file of the page holds, None if there is none of that name."""
    static = files("vieta.page") / "static"
    found = (folder / name for folder in (static, *(static / one for one in VENDORED)))
    return next((one.read_bytes() for one in found if one.is_file()), None)


async def _about(page: Page, request: Request) -> Response:
    """What the page says of itself; once it has been opened, what answers its sliders gets ready."""
    _make_ready(page.quick)
    known = [_described(page, key) for key in page.uploads.places]
    return JSONResponse(
        page.about
        | {"files": known, "live": page.live is not None, "most_bytes": page.uploads.most_bytes}
        | ({} if page.rejoin is None else {"key": page.rejoin.key.hex()})
    )


def _make_ready(worker: Worker) -> None:
    """Let a worker that has done nothing yet load what its tasks need."""
    if not worker.jobs:
        worker.start(READY, {})


def _described(page: Page, key: str) -> dict[str, Any]:
    place = page.uploads.place(key)
    return {"file": key, "name": place.name, "size": place.size, "dropped": place.dropped}


async def _receive(page: Page, request: Request) -> Response:
    """A file that is dropped: its bytes are the body, its name is in the query."""
    stated = request.headers.get("content-length", "0")
    if not stated.isdecimal() or int(stated) > page.uploads.most_bytes:
        raise too_large(page.uploads.most_bytes)
    key = await page.uploads.receive(request.query_params.get("name", ""), request.stream())
    return JSONResponse(_described(page, key))


async def _demo(page: Page, request: Request) -> Response:
    if page.demo is None:
        return PlainTextResponse("404: there is no such thing here.\n", 404)
    name, content = page.demo()
    known = next((key for key, place in page.uploads.places.items() if place.dropped and place.name == name), None)
    return JSONResponse(_described(page, known or page.uploads.take_in(name, content)))


async def _ask(page: Page, request: Request) -> Response:
    """Begin a task: one that takes long is answered with its job, another with what it gives."""
    task = request.path_params["task"]
    job = await _begun(page, page.slow if task in SLOW else page.quick, request)
    if job is None:
        return PlainTextResponse("404: there is no such task.\n", 404)
    if task not in SLOW:
        await asyncio.to_thread(job.finished.wait)
        return _answer(job)
    return JSONResponse(_without_page(job))


async def _parts(page: Page, request: Request) -> Response:
    """Begin a run, and give parts of its result as they come, one a line; it ends with whoever listens."""
    worker = min(page.runs, key=lambda one: one.is_busy)
    job = await _begun(page, worker, request)
    if job is None:
        return PlainTextResponse("404: there is no such task.\n", 404)
    for other in page.runs:
        _make_ready(other)

    async def lines() -> AsyncIterator[bytes]:
        seen = 0
        try:
            while found := await asyncio.to_thread(job.more, seen):
                seen += len(found)
                yield b"".join(json.dumps({"part": part}).encode() + b"\n" for part in found)
            yield json.dumps({"status": job.status, "trouble": job.trouble}).encode() + b"\n"
        finally:
            worker.leave(job.key)

    return StreamingResponse(lines(), media_type="application/x-ndjson")


async def _begun(page: Page, worker: Worker, request: Request) -> Job | None:
    """The job that does what is asked; None if the worker has no such task."""
    task, asked = request.path_params["task"], await _asked(request)
    if task not in worker.tasks:
        return None
    folder, asked = None, asked | {"name": ""}  # files are asked for by their keys, never by a path
    if "file" in asked:
        place = page.uploads.place(str(asked["file"]))
        folder, asked = place.folder, asked | {"name": place.name}
    return worker.start(task, asked, folder)


async def _asked(request: Request) -> dict[str, Any]:
    body = b""
    async for piece in unless_silent(request.stream(), SILENCE):
        body += piece
        if len(body) > MOST_ASKED:
            raise InputError("page-asked-too-much", "too much was asked at once.")
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise InputError("page-not-asked", "what was asked is not a JSON object.")
    return asked


def _answer(job: Job) -> Response:
    return JSONResponse(job.to_dict(), 200 if job.status == "done" else 422)


async def _job(page: Page, request: Request) -> Response:
    return JSONResponse(_without_page(page.slow.job(request.path_params["key"])))


def _without_page(job: Job) -> dict[str, Any]:
    """How a job stands; a page to keep is fetched on its own."""
    state = job.to_dict()
    if state.get("result") is not None:
        state["result"] = {name: value for name, value in state["result"].items() if name != "page"}
    return state


async def _cancel(page: Page, request: Request) -> Response:
    key = request.path_params["key"]
    await asyncio.to_thread(page.slow.cancel, key)
    return JSONResponse(_without_page(page.slow.job(key)))


async def _kept_page(page: Page, request: Request) -> Response:
    """The page to keep that a job has written."""
    result = page.slow.job(request.path_params["key"]).result or {}
    if "page" not in result:
        return PlainTextResponse("404: there is no page.\n", 404)
    headers = {"Content-Disposition": "attachment", "Content-Security-Policy": ALONE}
    return Response(
        result["page"].encode(errors="backslashreplace"), media_type="text/html; charset=utf-8", headers=headers
    )


async def _live(page: Page, request: Request) -> Response:
    if page.live is None:
        return PlainTextResponse("404: nothing is watched.\n", 404)
    latest = request.headers.get("last-event-id", "0")
    events = page.live.listen(int(latest) if latest.isdecimal() and len(latest) < 16 else 0)
    return StreamingResponse(events, media_type="text/event-stream")
