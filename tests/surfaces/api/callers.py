"""Callers of the API: one request after another, in the process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from httpx2 import ASGITransport, AsyncClient, Response
from starlette.types import ASGIApp

ADDRESS = "http://hansang.test"


class Caller:
    """Someone with a key, with a session, or with neither."""

    def __init__(
        self, app: ASGIApp, key: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self._app = app
        self.headers = {"Accept-Language": "en", **(headers or {})}
        if key is not None:
            self.headers["Authorization"] = f"Bearer {key}"

    def send(self, method: str, path: str, **given: Any) -> Response:
        """Send one request and wait for its answer."""
        given["headers"] = self.headers | dict(given.get("headers") or {})
        return asyncio.run(self._send(method, path, given))

    async def _send(self, method: str, path: str, given: dict[str, Any]) -> Response:
        async with AsyncClient(transport=ASGITransport(self._app), base_url=ADDRESS) as client:
            return await client.request(method, path, **given)

    def get(self, path: str, **given: Any) -> Response:
        return self.send("GET", path, **given)

    def post(self, path: str, json: Any = None, **given: Any) -> Response:
        return self.send("POST", path, json=json, **given)

    def put(self, path: str, json: Any = None, **given: Any) -> Response:
        return self.send("PUT", path, json=json, **given)

    def delete(self, path: str, **given: Any) -> Response:
        return self.send("DELETE", path, **given)
