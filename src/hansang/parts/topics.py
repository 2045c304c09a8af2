"""Topics: the newest message of what goes on, from whichever process does it to whoever watches.

A topic holds one message, not a log. Whoever comes late, or looks seldom, gets the newest one.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from secrets import token_hex
from time import monotonic
from typing import Annotated, Any, Protocol

import orjson

from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Timestamp
from hansang.errors import HansangError, InvalidInput
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_datetime, to_whole_second

PAUSE = 1.0
"""How many seconds lie between two writes of a topic by one process."""
KEPT = timedelta(minutes=10)
"""How long a message is told after it was published."""
LARGEST_MESSAGE = 4096
"""In bytes of JSON."""
REMEMBERED = 1024
"""Of how many topics a process knows when it wrote them last."""

_TOPIC = re.compile(r"[a-z][a-z0-9_-]{0,39}(\.[A-Za-z0-9_-]{1,80}){1,4}")

log = logging.getLogger("hansang.topics")


class Publish(Protocol):
    """What an application is given to tell how something goes on."""

    def __call__(self, topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Make this the newest message of a topic; the last one is told `at_once`."""


def unheard(topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
    """Publish to nobody."""


class TopicMessageKey(Key["TopicMessage"], pk="TOPIC#{topic}", sk="MESSAGE"):
    """The key of the newest message of a topic."""

    topic: str


class TopicMessage(TopicMessageKey, Entity, table=Platform, type="TopicMessage"):
    """What was published to a topic last."""

    version: str
    """Another one for every message."""
    content: str
    """The message, as JSON."""
    published_at: Timestamp
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @property
    def message(self) -> dict[str, Any]:
        """The message as it was published."""
        found: dict[str, Any] = orjson.loads(self.content)
        return found


Heard = Callable[[TopicMessage], object]
Cancel = Callable[[], object]


class Topics:
    """Publishes to topics, and reads their newest messages; every process on the same tables sees the same.

    A process writes a topic at most once a second, and what comes in between is replaced by what follows it. That
    a message cannot be written is logged, and never the fault of the work that it is about.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        pause: float = PAUSE,
        timer: Callable[[], float] = monotonic,
        later: Callable[[float, Callable[[], None]], Cancel | None] | None = None,
        chance: Callable[[], str] = lambda: token_hex(8),
    ) -> None:
        """`later` calls a function after some seconds, in a thread, unless what it returns is called before."""
        self._database, self._clock, self._chance = database, clock, chance
        self._pause, self._timer, self._later = pause, timer, later or _in_a_thread
        self._written_at: OrderedDict[str, float] = OrderedDict()
        self._waiting: dict[str, str] = {}
        self._timers: dict[str, Cancel | None] = {}
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._listeners: tuple[Heard, ...] = ()

    # ── publishing ────────────────────────────────────────────────────────────────────────────────

    def publish(self, topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Make this the newest message of a topic: now if `at_once` or if none was written lately, else in a moment."""
        content = _content(topic, message)
        with self._lock:
            is_waited_for = topic in self._waiting
            self._waiting[topic] = content
            written_at = self._written_at.get(topic)
            left = 0.0 if written_at is None else self._pause - (self._timer() - written_at)
        if at_once or (left <= 0 and not is_waited_for):
            self._write(topic)
        elif not is_waited_for:
            self._timers[topic] = self._later(left, lambda: self._write(topic))

    def flush(self) -> None:
        """Write what waits."""
        for topic in tuple(self._waiting):
            self._write(topic)

    def _write(self, topic: str) -> None:
        """Write what waits for a topic, unless another thread has; one after another, so that the newest stays."""
        with self._writing:
            with self._lock:
                content = self._waiting.pop(topic, None)
                if (cancel := self._timers.pop(topic, None)) is not None:
                    cancel()
                if content is None:
                    return
                self._note_written(topic)
            try:
                written = self._database.put(self._drafted(topic, content))
            except HansangError as fault:
                log.warning("A message to %s was not published: %s", topic, fault)
                return
        for heard in self._listeners:
            heard(written)

    def _note_written(self, topic: str) -> None:
        self._written_at[topic] = self._timer()
        self._written_at.move_to_end(topic)
        if len(self._written_at) > REMEMBERED:
            self._written_at.popitem(last=False)

    def _drafted(self, topic: str, content: str) -> TopicMessage:
        now = to_whole_second(self._clock())
        return TopicMessage(
            topic=topic, version=self._chance(), content=content, published_at=now, expires_at=now + KEPT
        )

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def newest(self, topics: Iterable[str]) -> dict[str, TopicMessage]:
        """The newest messages of some topics; one of which nobody has told lately is left out."""
        keys = [TopicMessageKey(topic=each) for each in dict.fromkeys(topics)]
        now = to_datetime(self._clock())
        found = self._database.batch_get(keys, consistent=True, unreadable=lambda _: None)
        return {each.topic: each for each in found if each.expires_at > now}

    def find(self, topic: str) -> dict[str, Any] | None:
        """The newest message of a topic, or None if nobody has told any lately."""
        found = self.newest([topic]).get(topic)
        return None if found is None else found.message

    # ── listening in this process ─────────────────────────────────────────────────────────────────

    def listen(self, heard: Heard) -> None:
        """Call a function with every message that this process has written, in the thread that wrote it."""
        with self._lock:
            self._listeners = (*self._listeners, heard)

    def unlisten(self, heard: Heard) -> None:
        """Call it no more."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each != heard)


def is_topic(text: str) -> bool:
    """Whether a text is the name of a topic: an area and what it is about, such as `news.run.20261115T093000Z-1a2b3c`."""
    return _TOPIC.fullmatch(text) is not None


def area_of(topic: str) -> str:
    """The application that a topic belongs to, or the platform."""
    return topic.partition(".")[0]


def _content(topic: str, message: Mapping[str, Any]) -> str:
    if not is_topic(topic):
        raise InvalidInput(f"{topic!r} is not a valid topic. One is news.run.1, for example.", "topic")
    content = orjson.dumps(dict(message))
    if len(content) > LARGEST_MESSAGE:
        raise InvalidInput(
            f"A message has at most {LARGEST_MESSAGE:,} bytes, and this one to {topic} has {len(content):,}. "
            "Publish what has changed, and let its reader ask for the rest.",
            "message",
        )
    return content.decode()


def _in_a_thread(seconds: float, work: Callable[[], None]) -> Cancel:
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    timer.start()
    return timer.cancel
