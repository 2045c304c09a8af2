"""A server with the live routes of the console, and whoever listens to it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from starlette.applications import Starlette

from hansang.parts.topics import Topics
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import Frame
from hansang.surfaces.http.live import Streams
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved, url_of
from hansang.surfaces.shell import Shell
from tests.surfaces.shells import new_key

RUN = "news.run.1"
Events = Iterator[str]


@dataclass
class Live:
    """A server with the routes of the console, and what a test asks of it."""

    shell: Shell
    streams: Streams
    server: HttpServer
    url: str
    thread: threading.Thread

    def headers(self, *scopes: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {new_key(self.shell, *scopes)}"}

    def get(self, path: str, headers: dict[str, str]) -> httpx2.Response:
        return httpx2.get(self.url + path, headers=headers, timeout=60)

    @contextmanager
    def listening(self, headers: dict[str, str], *topics: str) -> Iterator[Events]:
        asked = "&".join(f"topic={each}" for each in topics or (RUN,))
        with (
            httpx2.Client(timeout=60) as client,
            client.stream("GET", f"{self.url}/live?{asked}", headers=headers) as answer,
        ):
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
            yield blocks(answer)

    def publish(self, topic: str = RUN, **message: Any) -> None:
        self.shell.topics.publish(topic, message, at_once=True)

    @property
    def count(self) -> int:
        return len(self.streams._listeners)


def blocks(answer: httpx2.Response) -> Events:
    """What comes, one event or comment at a time."""
    waiting = ""
    for text in answer.iter_text():
        waiting += text
        while "\n\n" in waiting:
            block, _, waiting = waiting.partition("\n\n")
            yield block


def next_message(events: Events) -> dict[str, Any]:
    """The next event that is a message, and its id."""
    for block in events:
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if "data" in fields:
            return {"id": fields["id"], **json.loads(fields["data"])}
    raise AssertionError("the stream has ended")


def eventually(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def served(shell: Shell, rendering: Rendering, topics: Topics, **limits: Any) -> Iterator[Live]:
    """A server whose streams have other limits than those of a real one."""
    streams = Streams(topics, **{"poll": 0.02, "heartbeat": 60.0} | limits)
    routes, _ = create_console(shell, rendering, streams)
    listener = bound(resolved("127.0.0.1", 0)[0])
    server = HttpServer(Frame(Starlette(routes=routes), shell), grace=20)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Live(shell, streams, server, url_of(listener), thread)
    finally:
        server.should_exit = True
        thread.join()
