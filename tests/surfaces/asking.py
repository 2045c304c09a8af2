"""A client of an application in the same process and thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from anyio import to_thread
from httpx2 import BaseTransport, ByteStream, Client, Request, Response
from starlette.types import ASGIApp, Message

ADDRESS = "http://testserver"

T = TypeVar("T")


class LastingLoop:
    """A loop for all requests of a process, one after another: its threads wait for the next one.

    With a loop for each of them, making it and its threads takes three quarters of the time of a plain request.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # AnyIO ends its threads with the task that the loop was started with, so that task lasts.
        self._root = self._loop.create_task(_for_ever())
        self._first = self._loop.create_task(self._start_thread())
        with suppress(RuntimeError):  # It is stopped before the task is done.
            self._loop.run_until_complete(self._root)

    async def _start_thread(self) -> None:
        await to_thread.run_sync(int)
        self._loop.stop()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work returns; whatever else it has begun ends with it."""
        task = self._loop.create_task(work)
        task.add_done_callback(lambda _: self._loop.stop())
        try:
            while not task.done():
                self._loop.run_forever()
        except SystemExit:
            if task.done():
                task.exception()  # It is raised here: nobody has to be told of it later, in the midst of another test.
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()  # What the task has told the loop at its end is over.
            self._cancel(asyncio.all_tasks(self._loop) - {self._root})
            raise
        self._cancel(asyncio.all_tasks(self._loop) - {self._root})
        return task.result()

    def _cancel(self, tasks: set[asyncio.Task[Any]]) -> None:
        for each in tasks:
            each.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks))

    def close(self) -> None:
        self._cancel(asyncio.all_tasks(self._loop))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


async def _for_ever() -> None:
    await asyncio.Event().wait()


_lasting: list[LastingLoop] = []


def run(work: Coroutine[Any, Any, T]) -> T:
    """What the work returns: of the main thread in the loop that lasts, of others in one of their own."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(work)
    if not _lasting:
        _lasting.append(LastingLoop())
    return _lasting[0].run(work)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Begins it before any test: whatever a test that fails has opened is closed after it."""
    _lasting.append(LastingLoop())


def pytest_unconfigure() -> None:
    """Ends the threads that wait, for which Python would wait in turn."""
    while _lasting:
        _lasting.pop().close()


class Asking(BaseTransport):
    """Asks an application for its answer; what it raises is raised, or else answered with 500."""

    def __init__(self, app: ASGIApp, *, raises: bool = True, client: str = "testclient") -> None:
        self._app, self._raises, self._client = app, raises, client

    def handle_request(self, request: Request) -> Response:
        return run(self._answer(request))

    async def _answer(self, request: Request) -> Response:
        answer = _Answer(request)
        try:
            await self._app(self._scope(request), answer.receive, answer.send)
        except Exception:
            if self._raises:
                raise
        else:
            assert answer.whole.is_set(), "The application has not answered to the end."
        body = b"" if request.method == "HEAD" else b"".join(answer.body)
        return Response(answer.status, headers=answer.headers, stream=ByteStream(body))

    def _scope(self, request: Request) -> dict[str, Any]:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "server": (request.url.host, request.url.port),
            "client": (self._client, 50_000),
            "root_path": "",
        }


class _Answer:
    """What an application reads of a request and says to it."""

    def __init__(self, request: Request) -> None:
        self._request, self._is_read = request, False
        self.whole = asyncio.Event()
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body: list[bytes] = []

    async def receive(self) -> Message:
        if self._is_read:
            await self.whole.wait()
            return {"type": "http.disconnect"}
        self._is_read = True
        return {"type": "http.request", "body": self._request.read(), "more_body": False}

    async def send(self, message: Message) -> None:
        assert not self.whole.is_set()
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], message.get("headers", [])
        else:
            self.body.append(message.get("body", b""))
            if not message.get("more_body", False):
                self.whole.set()


def client_of(app: ASGIApp, headers: Mapping[str, str], *, raises: bool = True) -> Client:
    """Somebody who keeps cookies and goes nowhere by himself."""
    return Client(transport=Asking(app, raises=raises), base_url=ADDRESS, headers=headers, trust_env=False)
