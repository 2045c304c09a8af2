"""Everything that the surfaces work with, put together once at start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hansang.apps.application import Application, SiteHost
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import NotFound
from hansang.parts.audit import AuditLog
from hansang.parts.editing import Editing
from hansang.parts.exports import Exports
from hansang.parts.history import History
from hansang.parts.jobs import JobRunner
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.receipts import Receipts
from hansang.parts.sandbox import Sandbox
from hansang.parts.topics import Topics, area_of
from hansang.parts.usage import Usage
from hansang.settings import ServerSettings
from hansang.surfaces.identity import Identity

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shell:
    """The running product without its surfaces."""

    settings: ServerSettings
    clock: Clock
    database: Database
    platform: Application
    """What knows people and keys, plugged in like every application."""
    applications: tuple[Application, ...]
    identity: Identity
    history: History
    audit: AuditLog
    editing: Editing
    receipts: Receipts
    usage: Usage
    jobs: JobRunner
    exports: Exports
    topics: Topics
    sandbox: Sandbox
    """Where what strangers wrote is read."""
    started_at: float
    chosen: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the applications that have some, by name."""
    wal_bytes: Callable[[], int | None] = field(default=lambda: None)
    """The size of the data file's write-ahead log, if there is a data file."""

    made: dict[str, Any] = field(default_factory=dict)
    """What applications have made `once`, by their names."""

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What an application makes once for all its routes and pages, such as what it keeps in memory."""
        if name not in self.made:
            self.made.setdefault(name, make())
        found: T = self.made[name]
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the applications."""
        return tuple(each.name for each in self.applications)

    @property
    def plugged(self) -> tuple[Application, ...]:
        """The platform and the applications: all that brings routes, pages and words."""
        return self.platform, *self.applications

    def is_public(self, name: str) -> bool:
        """Whether everyone may read what an application marks as readable, signed in or not."""
        found = next((each.public for each in self.applications if each.name == name), None)
        return found is not None and found(self.chosen.get(name))

    @property
    def site_hosts(self) -> list[SiteHost]:
        """The hosts that sites of applications have for themselves."""
        asked = [each.site_host(self.chosen.get(each.name)) for each in self.applications if each.site_host]
        return [each for each in asked if each is not None]

    def is_public_topic(self, topic: str) -> bool:
        """Whether everyone may listen to a topic, signed in or not."""
        name = area_of(topic)
        found = next((each.public_topics for each in self.applications if each.name == name), ())
        return topic.startswith(found) and self.is_public(name)

    def may_listen(self, principal: Principal, topic: str) -> bool:
        """Whether somebody may hear of a topic: who may read an application, unless it says otherwise."""
        area = area_of(topic)
        hears = next((each.hears for each in self.applications if each.name == area), None)
        return principal.may(area, "read") and (hears is None or hears(self.database, principal, topic))

    def tells_of(self, area: str) -> bool:
        """Whether lists of all changes have those of an area: the platform's and those of applications.

        Others are what an application keeps apart, and tells by itself to whom it may.
        """
        return area == PLATFORM or area in self.names

    def application(self, name: str) -> Application:
        """The application of this name, or NotFound."""
        for each in self.applications:
            if each.name == name:
                return each
        raise NotFound(
            "Application {name} not found. There are {known}.",
            code="surfaces.no-application",
            values={"name": name, "known": ", ".join(self.names)},
        )
