"""What everyone may read without signing in: how often, and what of it a cache may keep."""

from __future__ import annotations

from hashlib import sha256
from math import ceil

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

GUEST_WAIT = "guest_wait"
"""Where the frame says, in the state of a request, how long its address has to wait as a guest."""
SECONDS = 60
"""For how long a shared cache answers without asking again."""

_TELLING = ("authorization", "cookie", "x-part")
"""A request with one of these may get an answer that is not the one for everyone."""
_VARY = "Accept-Language, Authorization, Cookie, X-Part"


def expect_unhurried(request: Request) -> None:
    """Refuse a guest who asks too often; guests are counted apart from whoever has signed in or has a key."""
    take = request.scope.get("state", {}).get(GUEST_WAIT)
    wait = 0.0 if take is None else take()
    if wait:
        raise HTTPException(429, headers={"Retry-After": str(ceil(wait))})


def for_everyone(request: Request, response: Response) -> Response:
    """The answer to a guest: tagged, and kept by shared caches if nothing in it is for one browser alone.

    What is answered to whoever has signed in never comes here, so no shared cache ever has it.
    """
    if response.status_code not in (200, 304):
        return response
    is_shared = not any(name in request.headers for name in _TELLING) and "set-cookie" not in response.headers
    response.headers["Cache-Control"] = f"public, max-age={SECONDS}" if is_shared else "private, no-cache"
    response.headers["Vary"] = _VARY
    body = getattr(response, "body", None)  # What is streamed has none, and no tag.
    if response.status_code == 200 and "etag" not in response.headers and body is not None:
        response.headers["ETag"] = f'"{sha256(body).hexdigest()[:20]}"'
        if is_tagged(request, response.headers["ETag"]):
            return not_modified(response)
    return response


def is_tagged(request: Request, tag: str) -> bool:
    """Whether a browser or a cache has the answer with this tag already."""
    known = request.headers.get("if-none-match", "")
    return tag in (each.strip().removeprefix("W/") for each in known.split(","))


def not_modified(response: Response) -> Response:
    """The same answer to whoever has it already: its headers alone."""
    kept = {
        name: value
        for name, value in response.headers.items()
        if name not in ("content-length", "content-type")
    }
    return Response(status_code=304, headers=kept)
