"""Threads for the work of requests, and requests that take too long or that nobody waits for."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from hansang.errors import Overloaded, RequestStopped
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.http.threads import WorkThreads, in_thread
from hansang.surfaces.shell import Shell
from tests.surfaces.http.framing import serving

LONG = 60.0
LIMIT = 2
"""Seconds in which a thread begins its work for sure, and which a test can wait."""


def test_too_many_that_wait_are_refused_at_once_and_the_others_have_their_turn() -> None:
    free = Event()

    async def scenario() -> list[bool]:
        threads = WorkThreads(most=1, waiting=1)
        running = asyncio.ensure_future(threads.run(free.wait, LONG))
        waiting = asyncio.ensure_future(threads.run(free.wait, LONG))
        await asyncio.sleep(0)
        with pytest.raises(Overloaded) as refused:
            await threads.run(free.wait, LONG)
        assert refused.value.retry_after > 0
        assert not running.done()
        free.set()
        return [await running, await waiting, await threads.run(free.wait, LONG)]

    assert asyncio.run(scenario()) == [True, True, True]


def test_whoever_gives_up_leaves_a_thread_that_counts_until_it_has_ended() -> None:
    begun, free, never = Event(), Event(), Event()

    def work() -> None:
        begun.set()
        free.wait(LONG)

    async def scenario() -> None:
        threads = WorkThreads(most=1, waiting=1)
        running = asyncio.ensure_future(threads.run(work))
        await asyncio.to_thread(begun.wait, LONG)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(threads.run(never.set), 0.05)
        free.set()
        assert await threads.run(lambda: "ran") == "ran"

    asyncio.run(scenario())
    assert not never.is_set()


def threaded(path: str, work: Callable[[Request], Response], method: str) -> Route:
    async def endpoint(request: Request) -> Response:
        return await in_thread(work, method, request)

    return Route(path, endpoint, methods=[method])


class Work:
    """An application whose requests walk through a table, or hang, until they are let go."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self.begun, self.ended, self.free = Event(), Event(), Event()

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                threaded("/walk", self.walk, "GET"),
                threaded("/hang", self.hang, "GET"),
                threaded("/write", self.write, "POST"),
                Route("/file", self.file, methods=["GET"]),
            ]
        )

    def walk(self, _: Request) -> Response:
        """Read until somebody says that it is enough."""
        try:
            while not self.free.is_set():
                self._shell.database.backend.call("ListTables", {})
                self.begun.set()
        except RequestStopped:
            self.ended.set()
            raise
        return PlainTextResponse("walked")

    def hang(self, _: Request) -> Response:
        self.begun.set()
        self.free.wait(LONG)
        return PlainTextResponse("hung")

    def write(self, _: Request) -> Response:
        self.begun.set()
        self.free.wait(LONG)
        self._shell.database.backend.call("ListTables", {})
        self.ended.set()
        return PlainTextResponse("written")

    async def file(self, _: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            yield b"first"
            self.begun.set()
            self.free.wait(LONG)
            try:
                self._shell.database.backend.call("ListTables", {})
            except RequestStopped:
                self.ended.set()
                raise
            yield b"second"

        return StreamingResponse(pieces())


@contextmanager
def working(shell: Shell, seconds: int) -> Iterator[tuple[Work, httpx2.Client]]:
    limited = replace(shell, settings=replace(shell.settings, time_limit=seconds))
    work = Work(limited)
    with (
        serving(Frame(work.app(), limited)) as url,
        httpx2.Client(base_url=url, timeout=LONG) as client,
    ):
        try:
            yield work, client
        finally:
            work.free.set()


def test_a_request_that_reads_too_long_is_told_so_and_its_work_ends(shell: Shell) -> None:
    with working(shell, LIMIT) as (work, client):
        answer = client.get("/walk")
        assert (answer.status_code, answer.json()["code"]) == (503, "request-stopped")
        assert work.ended.wait(LONG)


def test_a_request_whose_thread_hangs_is_answered_while_it_still_hangs(shell: Shell) -> None:
    with working(shell, LIMIT) as (work, client):
        answer = client.get("/hang")
        assert (answer.status_code, answer.json()["code"]) == (503, "request-stopped")
        assert work.begun.is_set()
        assert not work.free.is_set()


def test_the_work_for_a_client_that_has_left_ends_at_its_next_step(
    shell: Shell, caplog: pytest.LogCaptureFixture
) -> None:
    with working(shell, 3600) as (work, client):
        leave(client.base_url, b"GET /walk", work.begun)
        assert work.ended.wait(LONG)
    assert [each.message for each in caplog.records if each.levelno >= logging.WARNING] == []


def test_a_file_whose_client_has_left_is_read_no_further(shell: Shell) -> None:
    with working(shell, 3600) as (work, client):
        leave(client.base_url, b"GET /file", work.begun)
        until_left(client)
        work.free.set()
        assert work.ended.wait(LONG)


def test_what_changes_something_is_finished_whoever_has_left(shell: Shell) -> None:
    with working(shell, 1) as (work, client):
        leave(client.base_url, b"POST /write", work.begun)
        until_left(client)
        work.free.set()
        assert work.ended.wait(LONG)


def leave(url: httpx2.URL, line: bytes, begun: Event) -> None:
    """Send a request and go away when it is being worked on."""
    with socket.create_connection((url.host, url.port or 0), timeout=LONG) as connection:
        connection.sendall(line + b" HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n")
        assert begun.wait(LONG)


def until_left(client: httpx2.Client) -> None:
    """Return when the server has surely seen that a connection was closed before this one was asked."""
    for _ in range(3):
        assert client.get("/health/live").status_code == 200
