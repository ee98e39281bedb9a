"""Who may speak to the page: this machine, under its own name, with the token of the link. Everybody else gets 403.

- The Host header must name the loopback address and the port, so that a foreign name that resolves to it (DNS rebinding) is refused.
- A request that a browser sends for another page says so (Origin, Sec-Fetch-Site) and is refused; what changes something must say where
  it comes from.
- The token of the link opens one session and is then spent. The session is a cookie that scripts cannot read.
- A tab of a page that was here before, with a state that is kept, comes back with its key (`vieta.page.rejoin`).
"""

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vieta.page.rejoin import Rejoin

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
METHODS = ("GET", "HEAD", "POST")
READING = ("GET", "HEAD")
REJOIN = "/api/rejoin"
OWN_SITE = ("same-origin", "none")  # what a browser says of a request of this page, or of an address that was typed
SPENT = (
    "403: this needs the link that `vieta page` printed, and a link opens one browser, once. Start `vieta page` again for a "
    "new one.\n"
)
FOREIGN = "403: this page is for the machine that it runs on, under its own address, and for no other page.\n"


class Gate:
    """The gate before an application that listens on a port of the loopback address."""

    def __init__(self, app: ASGIApp, port: int, token: str, rejoin: Rejoin | None = None) -> None:
        self.app = app
        self.port, self.rejoin = port, rejoin
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"vieta-{port}"
        self.token: str | None = token  # None once it is spent
        self.session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it with 403."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope)(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":  # there is none here
            await send({"type": "websocket.close", "code": 1008})

    def _answer(self, scope: Scope) -> ASGIApp:
        headers, method = Headers(scope=scope), scope["method"]
        if method not in METHODS:
            return PlainTextResponse("405: no such method.\n", 405)
        if not self._is_own(headers, method):
            return PlainTextResponse(FOREIGN, 403)
        token = QueryParams(scope["query_string"]).get("token")
        if (
            self.rejoin is not None and scope["path"] == REJOIN
        ):  # also with a session, which another tab may have got meanwhile
            return self._rejoined(self.rejoin, method, QueryParams(scope["query_string"]))
        if self._has_session(headers):
            return self.app if token is None else RedirectResponse("/", 303)
        if token is not None and scope["path"] == "/" and method == "GET" and self._spends(token):
            return self._opened(RedirectResponse("/", 303))
        return PlainTextResponse(SPENT, 403)

    def _rejoined(self, rejoin: Rejoin, method: str, given: QueryParams) -> Response:
        """A nonce for a tab that wants to come back, then a session for its proof."""
        if method in READING:
            return JSONResponse({"nonce": rejoin.nonce()})
        if rejoin.accepts(self.port, given.get("nonce", ""), given.get("proof", "")):
            return self._opened(JSONResponse({}))
        return PlainTextResponse(SPENT, 403)

    def _is_own(self, headers: Headers, method: str) -> bool:
        """Whether a request is for this address, and comes from this page or from nowhere."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return False
        if headers.get("sec-fetch-site", "none") not in OWN_SITE:
            return False
        if not origins:
            return method in READING
        return origins == [f"http://{hosts[0].lower()}"]

    def _has_session(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.cookie)
        return found is not None and _same(found.value, self.session)

    def _spends(self, token: str) -> bool:
        """Whether the token is right; it is good for one time."""
        if self.token is None or not _same(token, self.token):
            return False
        self.token = None
        return True

    def _opened(self, answer: Response) -> Response:
        answer.set_cookie(self.cookie, self.session, httponly=True, samesite="strict", path="/")
        return answer


def _same(given: str, right: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode(errors="replace"), right.encode())


def _with_headers(send: Send) -> Send:
    """Answers with the headers that bind the browser; one that an answer has of its own stays."""

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return wrapped
