"""What the kit knows of an application: the descriptor by which every one is plugged in, ours and anybody's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event
from typing import Any, BinaryIO

from hansang.apps.dotted import resolved
from hansang.clock import Clock
from hansang.design import Database, Entity, Table
from hansang.errors import DesignError
from hansang.parts.account_changes import OnAccount
from hansang.parts.editing import Undo
from hansang.parts.jobs import Job, JobResult
from hansang.parts.permissions import Principal
from hansang.parts.today import TodayHook
from hansang.parts.words import Words
from hansang.parts.write_rules import ANYONE, Check, WriteRule

Progress = Callable[[int], object]
"""Told how many items were written since the last time."""

Fill = Callable[[Database, datetime, Progress], None]
Jobs = Callable[[Database, Clock, Any], tuple[Job, ...]]
"""Makes jobs, given the settings of the application, or None if it has none."""

Undoing = Callable[[Database, Clock, Any], Undo]
"""Makes what takes changes back, given the settings of the application, or None if it has none."""

AtStart = Callable[[Database, Any], Sequence[str]]
"""Given the settings; a SettingsError keeps the server from starting."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")


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
class SiteHost:
    """A host at which there is the site of an application and nothing else."""

    name: str
    home: str
    """Where the site is on the server: `/site`."""
    beside: tuple[str, ...] = ()
    """Further addresses that its pages load from."""


@dataclass(frozen=True, slots=True)
class Application:
    """One design made into software, as it is plugged into the shell.

    What speaks HTTP, HTML or argv is given as a dotted name, `package.module:NAME`, and is imported when it is
    served: whoever reviews a design imports no web framework.
    """

    name: str
    """The first part of its addresses and commands, and the area of its rights."""
    title: Words
    summary: Words
    icon: str
    """The name of a lucide icon."""
    tables: tuple[type[Table], ...]
    short: Words | None = None
    """Its title where there is little room."""
    writes: Mapping[type[Entity], WriteRule] = field(default_factory=dict)
    """Who writes which entity; what is not named here is written by anyone with the role."""
    checks: Mapping[type[Entity], Check] = field(default_factory=dict)
    """What looks at a write by hand before it happens, by the entity."""
    undoing: Undoing | None = None
    """Takes back changes of what the application alone writes, with all that followed from them."""
    guarded: frozenset[type[Entity]] = frozenset()
    """Entities that only whoever may administer the application sees, such as credentials."""
    copies: Callable[[Any], tuple[str, ...]] | None = None
    """Says, given the settings, which names stand in front of further copies of its tables."""
    copies_about: str = ""
    """The key of its words, with a place for `{copy}`, that say on the data pages of a copy how that one is meant."""
    at_start: AtStart | None = None
    """Looks at its settings and data before it is served, and says what whoever starts it should know."""
    settings: type[Any] | None = None
    """A frozen dataclass of its settings; each has a default and is read from a variable such as HANSANG_NEWS_FETCH_AT."""
    public: Callable[[Any], bool] | None = None
    """Says, given the settings, whether everyone may read what its pages and routes mark as readable."""
    public_topics: tuple[str, ...] = ()
    """How the topics begin that everyone may listen to, as long as everyone may read the application."""
    hears: Callable[[Database, Principal, str], bool] | None = None
    """Says whether somebody who may read the application may listen to a topic of it; everyone may, without it."""
    jobs: Jobs | None = None
    """Makes the jobs that the server does for it."""
    on_object: OnObject | None = None
    """Takes an object that arrives in its folder of a bucket; safe to be done twice."""
    on_account: OnAccount | None = None
    """Is told of accounts whose rights were changed, after that was done; safe to be done twice."""
    alarms: tuple[CountAlarm, ...] = ()
    fill: Fill | None = None
    """Writes believable sample data, as of a moment, into empty tables."""
    fill_of: Callable[[Any], Fill] | None = None
    """Makes what writes them, given the settings; instead of `fill`, where samples follow the settings."""
    today: TodayHook | None = None
    """Reads what the home page shows of it, in few reads."""
    api: str | None = None
    """Its routes beyond those of its design: the dotted name of classes made with the shell and the gate."""
    pages: str | None = None
    """The dotted name of its `Pages`; beside their module lie `templates/`, `words.toml`, styles and scripts."""
    commands: str | None = None
    """The dotted name of its group of commands."""
    site_host: Callable[[Any], SiteHost | None] | None = None
    """Of its settings: the host that its site has for itself, if it has one."""
    uploads: Mapping[str, int] = field(default_factory=dict)
    """Addresses of its API that take larger bodies than others, read as they come; with how many bytes."""
    words: str | None = None
    """The package whose `words.toml` says what its tables, entities and patterns mean."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DesignError(
                f"{self.name!r} is not a valid name of an application. Use up to 40 small letters, digits, _ and -."
            )

        names = [shape.cls.__name__ for table in self.tables for shape in table.shapes]
        twice = sorted({each for each in names if names.count(each) > 1})
        if twice:
            raise DesignError(
                f"The application {self.name} has two entities called {', '.join(twice)}. Rename one of each."
            )

    @property
    def entities(self) -> dict[str, type[Entity]]:
        """The kinds of items, by name, in the order of the design."""
        return {shape.cls.__name__: _entity(shape.cls) for table in self.tables for shape in table.shapes}

    @property
    def views(self) -> dict[str, type[Any]]:
        """What the indexes hold, by name."""
        return {shape.cls.__name__: shape.cls for table in self.tables for shape in table.views}

    def write_rule(self, kind: type[Any]) -> WriteRule:
        """Who writes an entity."""
        return self.writes.get(kind, ANYONE)

    def load(self, part: str) -> Any:
        """What the dotted name of a part stands for, such as `pages`; None when there is no such part."""
        dotted: str | None = getattr(self, part)
        return None if dotted is None else resolved(dotted, f"The application {self.name} has its {part} at")


def _entity(cls: type[Any]) -> type[Entity]:
    assert issubclass(cls, Entity)
    return cls
