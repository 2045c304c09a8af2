"""Callers of the API: one request after another, in the process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from httpx2 import Client, Response
from starlette.types import ASGIApp

from tests.surfaces.asking import Asking

ADDRESS = "http://hansang.test"


class Caller:
    """Someone with a key, with a session, or with neither."""

    def __init__(
        self, app: ASGIApp, key: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self._client = Client(transport=Asking(app, client="127.0.0.1"), base_url=ADDRESS, trust_env=False)
        self.headers = {"Accept-Language": "en", **(headers or {})}
        if key is not None:
            self.headers["Authorization"] = f"Bearer {key}"

    def send(self, method: str, path: str, **given: Any) -> Response:
        """Send one request and wait for its answer."""
        given["headers"] = self.headers | dict(given.get("headers") or {})
        answer = self._client.request(method, path, **given)
        self._client.cookies.clear()  # It keeps none: a session is given to it.
        return answer

    def get(self, path: str, **given: Any) -> Response:
        return self.send("GET", path, **given)

    def post(self, path: str, json: Any = None, **given: Any) -> Response:
        return self.send("POST", path, json=json, **given)

    def put(self, path: str, json: Any = None, **given: Any) -> Response:
        return self.send("PUT", path, json=json, **given)

    def delete(self, path: str, **given: Any) -> Response:
        return self.send("DELETE", path, **given)
