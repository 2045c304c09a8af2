"""A client of an application in the same process and thread."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from httpx2 import ASGITransport, BaseTransport, ByteStream, Client, Request, Response
from starlette.types import ASGIApp

ADDRESS = "http://testserver"


class Asking(BaseTransport):
    """Gives each request a loop of its own. Starlette's client gives it a thread too, and takes twice as long."""

    def __init__(self, app: ASGIApp, *, raises: bool) -> None:
        self._app = ASGITransport(app, raise_app_exceptions=raises, client=("testclient", 50_000))

    def handle_request(self, request: Request) -> Response:
        request.read()
        return asyncio.run(self._answer(request))

    async def _answer(self, request: Request) -> Response:
        answer = await self._app.handle_async_request(request)
        body = b"".join([part async for part in answer.aiter_raw()])
        return Response(answer.status_code, headers=answer.headers, stream=ByteStream(body))


def client_of(app: ASGIApp, headers: Mapping[str, str], *, raises: bool = True) -> Client:
    """Somebody who keeps cookies and goes nowhere by himself."""
    return Client(transport=Asking(app, raises=raises), base_url=ADDRESS, headers=headers, trust_env=False)
