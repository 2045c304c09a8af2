"""What the surfaces know of an application: its names, its tables, its sample."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any, BinaryIO

from hansang.clock import Clock
from hansang.design import Database, Entity, Table
from hansang.parts.jobs import Job, JobResult
from hansang.parts.words import Words

Progress = Callable[[int], object]
"""Told how many items were written since the last time."""

Fill = Callable[[Database, datetime, Progress], None]
Jobs = Callable[[Database, Clock], tuple[Job, ...]]


@dataclass(frozen=True, slots=True)
class ObjectArrived:
    """An object that was put into a bucket; the first folder of its key names the application."""

    bucket: str
    key: str
    version: str
    """Other content has another one."""
    modified_at: datetime
    open: Callable[[], AbstractContextManager[BinaryIO]]
    """The content, read as it comes."""
    stop: Event
    """Set when the time is nearly up; what goes on later is told by an error."""

    @property
    def address(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


OnObject = Callable[[Database, Clock, ObjectArrived], JobResult]


@dataclass(frozen=True, slots=True)
class CountAlarm:
    """A number in the results of jobs and loads that somebody should hear of when it is not zero."""

    count: str
    about: str


@dataclass(frozen=True, slots=True)
class Application:
    """One design made into software, as it is plugged into the shell."""

    name: str
    title: Words
    summary: Words
    icon: str
    """The name of a lucide icon."""
    tables: tuple[type[Table], ...]
    write_once: frozenset[type[Entity]] = frozenset()
    """Entities whose first write is kept for ever; nobody replaces or deletes them."""
    guarded: frozenset[type[Entity]] = frozenset()
    """Entities that only whoever may administer the application sees, such as credentials."""
    jobs: Jobs | None = None
    """Makes the jobs that the server does for it."""
    on_object: OnObject | None = None
    """Takes an object that arrives in its folder of a bucket; safe to be done twice."""
    alarms: tuple[CountAlarm, ...] = ()
    fill: Fill | None = None
    """Writes believable sample data, as of a moment, into empty tables."""

    @property
    def entities(self) -> dict[str, type[Entity]]:
        """The kinds of items, by name, in the order of the design."""
        return {shape.cls.__name__: _entity(shape.cls) for table in self.tables for shape in table.shapes}

    @property
    def views(self) -> dict[str, type[Any]]:
        """What the indexes hold, by name."""
        return {shape.cls.__name__: shape.cls for table in self.tables for shape in table.views}


def _entity(cls: type[Any]) -> type[Entity]:
    assert issubclass(cls, Entity)
    return cls
