"""Live pages: what is published to topics, as server-sent events; and the same state for whoever polls."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from contextvars import Context
from hashlib import sha256
from typing import Any

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hansang.errors import HansangError
from hansang.parts.topics import TopicMessage, Topics

MOST_STREAMS = 1000
"""How many streams a worker has open at a time."""
MOST_OF_ONE = 10
"""How many of them one person or key has."""
HEARTBEAT = 15.0
"""After how many seconds a stream says that it is alive, and looks whether its listener may still listen."""
POLL = 1.0
"""How many seconds lie between two looks at what other processes have published."""
RETRY_MS = 3000
"""After how many milliseconds a browser comes back."""
EVENT_STREAM = "text/event-stream"
STOPPING = "stopping"
"""Where a server that is about to stop says so, in the state of every request."""

_HEADERS = {
    "content-type": f"{EVENT_STREAM}; charset=utf-8",
    "cache-control": "no-store, no-transform",
    # nginx would otherwise keep events back until it has a page of them.
    "x-accel-buffering": "no",
}

_log = logging.getLogger("hansang.http")


class Listener:
    """One stream: what it listens to, and what it was told already."""

    def __init__(self, who: str, topics: Iterable[str]) -> None:
        self.who, self.topics = who, tuple(dict.fromkeys(topics))
        self.wake = asyncio.Event()
        self._told: dict[str, str] = {}

    def resume(self, newest: Mapping[str, TopicMessage], last_id: str) -> None:
        """Go on after the event that the browser had last, if nothing has come since."""
        versions = versions_of(newest, self.topics)
        if last_id == tag(versions):
            self._told = versions

    def events(self, newest: Mapping[str, TopicMessage]) -> Iterator[bytes]:
        """What it was not told yet."""
        for topic, version in versions_of(newest, self.topics).items():
            if self._told.get(topic) != version:
                self._told[topic] = version
                yield _event(tag(self._told), newest[topic])


def versions_of(newest: Mapping[str, TopicMessage], topics: Iterable[str]) -> dict[str, str]:
    """The version of each of these topics that has a message."""
    return {topic: newest[topic].version for topic in topics if topic in newest}


def tag(versions: Mapping[str, str]) -> str:
    """A short text that is the same exactly when all messages are."""
    return sha256(orjson.dumps(dict(versions), option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def shown(message: TopicMessage) -> dict[str, object]:
    """A message as listeners get it."""
    return {"topic": message.topic, "version": message.version, "message": message.message}


def _event(event_id: str, message: TopicMessage) -> bytes:
    return b"id: %b\ndata: %b\n\n" % (event_id.encode(), orjson.dumps(shown(message)))


class Streams:
    """The streams of this worker. However many there are, one look a second serves them all.

    It is used on the loop of the server alone; messages of this process reach it from other threads.
    """

    def __init__(
        self,
        topics: Topics,
        *,
        most: int = MOST_STREAMS,
        most_of_one: int = MOST_OF_ONE,
        heartbeat: float = HEARTBEAT,
        poll: float = POLL,
    ) -> None:
        self.topics, self.heartbeat = topics, heartbeat
        self._most, self._most_of_one, self._poll = most, most_of_one, poll
        self._listeners: set[Listener] = set()
        self._wanted: Counter[str] = Counter()
        self._told: dict[str, TopicMessage] = {}
        self._watching: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.newest: dict[str, TopicMessage] = {}
        """Of the topics that somebody listens to."""

    def enter(self, listener: Listener) -> bool:
        """Take a slot for a stream; False if there is none left."""
        own = sum(each.who == listener.who for each in self._listeners)
        if len(self._listeners) >= self._most or own >= self._most_of_one:
            return False
        self._listeners.add(listener)
        self._wanted.update(listener.topics)
        if self._watching is None or self._watching.done():
            self._loop = asyncio.get_running_loop()
            # It serves all listeners, so it is not a part of the request of the first one.
            self._watching = self._loop.create_task(self._watch(), context=Context())
            self.topics.listen(self._hear)
        return True

    def leave(self, listener: Listener) -> None:
        """Free the slot of a stream, and forget what nobody listens to any more."""
        self._listeners.discard(listener)
        self._wanted.subtract(listener.topics)
        self._wanted += Counter()
        self.newest = {topic: each for topic, each in self.newest.items() if topic in self._wanted}
        if not self._listeners and self._watching is not None:
            self.topics.unlisten(self._hear)
            self._watching.cancel()
            self._watching = None

    async def look(self, topics: Iterable[str]) -> None:
        """Read the newest messages of these topics, and wake whoever was not told."""
        self._told = {}
        found = await run_in_threadpool(self.topics.newest, tuple(topics))
        # What this process has published meanwhile is newer than what was read.
        self._take([*(found | self._told).values()])

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._poll)
            try:
                await self.look(self._wanted)
            except HansangError as fault:
                _log.warning("The topics that are listened to cannot be read: %s", fault)

    def _hear(self, message: TopicMessage) -> None:
        """Take a message of this process, in whichever thread it was published."""
        assert self._loop is not None
        with suppress(RuntimeError):  # The loop has ended, and with it all streams.
            self._loop.call_soon_threadsafe(self._take_own, message)

    def _take_own(self, message: TopicMessage) -> None:
        if message.topic in self._wanted:
            self._told[message.topic] = message
            self._take([message])

    def _take(self, messages: Iterable[TopicMessage]) -> None:
        fresh = {each.topic: each for each in messages if each.topic in self._wanted and self._is_new(each)}
        self.newest |= fresh
        for listener in self._listeners:
            if not fresh.keys().isdisjoint(listener.topics):
                listener.wake.set()

    def _is_new(self, message: TopicMessage) -> bool:
        known = self.newest.get(message.topic)
        return known is None or known.version != message.version


class EventStream(Response):
    """An answer that goes on until its listener leaves, may no longer listen, or the server stops."""

    def __init__(
        self,
        streams: Streams,
        listener: Listener,
        *,
        last_id: str,
        is_allowed: Callable[[], bool],
        refusal: Response,
    ) -> None:
        """`is_allowed` is asked in a thread; `refusal` is the answer when there are too many streams."""
        super().__init__(headers=_HEADERS)
        del self.headers["content-length"]
        self._streams, self._listener, self._last_id = streams, listener, last_id
        self._is_allowed, self._refusal = is_allowed, refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._streams.enter(self._listener):
            await self._refusal(scope, receive, send)
            return
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                await self._stream(scope, receive, send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._streams.leave(self._listener)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        ends: list[asyncio.Future[Any]] = [asyncio.ensure_future(_left(receive))]
        if (stopping := scope["state"].get(STOPPING)) is not None:
            ends.append(asyncio.ensure_future(stopping.wait()))
        for each in ends:
            each.add_done_callback(lambda _: self._listener.wake.set())
        try:
            await _send(send, b"retry: %d\n\n" % RETRY_MS)
            await self._streams.look(self._listener.topics)
            self._listener.resume(self._streams.newest, self._last_id)
            await self._tell(send, ends)
        except HansangError as fault:
            _log.warning("A stream ended, since the tables could not be read: %s", fault)
        finally:
            for each in ends:
                each.cancel()

    async def _tell(self, send: Send, ends: list[asyncio.Future[Any]]) -> None:
        beat_at = asyncio.get_running_loop().time() + self._streams.heartbeat
        while not any(each.done() for each in ends):
            for event in self._listener.events(self._streams.newest):
                await _send(send, event)
            with suppress(TimeoutError):
                async with asyncio.timeout_at(beat_at):
                    await self._listener.wake.wait()
            if asyncio.get_running_loop().time() >= beat_at:  # However much there is to tell.
                if not await run_in_threadpool(self._is_allowed):
                    return
                await _send(send, b": alive\n\n")
                beat_at = asyncio.get_running_loop().time() + self._streams.heartbeat
            self._listener.wake.clear()


async def _send(send: Send, piece: bytes) -> None:
    await send({"type": "http.response.body", "body": piece, "more_body": True})


async def _left(receive: Receive) -> None:
    """Wait until the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
