"""The verbs that every type has: find, page, create, replace, delete, each write with its line of history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from hansang.apps.codex.design import CorpInfo, FMWebApp
from hansang.apps.codex.pipeline import Given, Pipeline
from hansang.apps.codex.registry import REGISTRY, EntityType, Registry
from hansang.clock import Clock
from hansang.design import Database, Entity, Page
from hansang.errors import Conflict, NotFound
from hansang.parts.editing import Edit, Editing
from hansang.parts.history import Actor, History
from hansang.parts.receipts import Beside, alone

E = TypeVar("E", bound=Entity)

AREA = "codex"
ANY_TAG = "*"
"""Stands for whatever the tag is by now."""


@dataclass(frozen=True, slots=True)
class EditedBy:
    """Who writes, in which request, and what is written in the same transaction."""

    actor: Actor
    request_id: str | None = None
    beside: Beside[Any] = field(default=alone)


class Desk:
    """What all verbs work with."""

    def __init__(self, database: Database, clock: Clock, registry: Registry = REGISTRY) -> None:
        self.database, self.clock = database, clock
        self.pipeline = Pipeline(database, clock, registry)
        self.history = History(database, clock)
        # The verbs keep the rules themselves; those of writing by hand stand in the shell's own editing.
        self.editing = Editing(database, self.history, areas={FMWebApp: AREA})


class Entities(Generic[E]):
    """The verbs of one type."""

    def __init__(self, desk: Desk, entity_type: EntityType) -> None:
        self.desk, self.type = desk, entity_type

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def find(self, entity_id: str) -> tuple[E, str] | None:
        """An entity and its tag, read from the table itself, or None."""
        key = {} if self.type.is_single else {"id": entity_id}
        found: tuple[Any, str] | None = self.desk.editing.find(self.type.kind, key)
        return found

    def get(self, entity_id: str) -> tuple[E, str]:
        """An entity and its tag, or NotFound."""
        found = self.find(entity_id)
        if found is None:
            raise no_such(self.type.name, entity_id)
        return found

    def page(self, limit: int = 20, cursor: str | None = None) -> Page[E]:
        """All of the type, the newest first; ties in the order of their ids (X4-15)."""
        kind: Any = self.type.kind
        found = self.desk.database.page(kind.latest(), limit, cursor)
        return Page(newest_first(found.items), found.cursor, found.offset, found.unreadable)

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def create(self, given: Given, by: EditedBy) -> Edit[E]:
        """Store a new one, or AlreadyExists."""
        made: Any = self.desk.pipeline.made(self.type, given)
        return self.desk.editing.create(made, by.actor, by.request_id, by.beside)

    def replace(self, entity_id: str, given: Given, tag: str, by: EditedBy) -> Edit[E]:
        """Store it in place of the one with this tag; Conflict carries the one that is there."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        changed: Any = self.desk.pipeline.changed(self.type, seen, given)
        return self.desk.editing.replace(changed, found, by.actor, by.request_id, by.beside)

    def delete(self, entity_id: str, tag: str, by: EditedBy) -> Edit[E]:
        """Delete the one with this tag."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        return self.desk.editing.delete(key_of(seen), found, by.actor, by.request_id, by.beside)


class Company(Entities[CorpInfo]):
    """The one item of the company, which is stored whether or not it is there."""

    def page(self, limit: int = 20, cursor: str | None = None) -> Page[CorpInfo]:
        """The company, if it is there."""
        found = self.find("")
        return Page([] if found is None else [found[0]], None, 0)

    def store(self, given: Given, tag: str | None, by: EditedBy) -> Edit[CorpInfo]:
        """Store the company: in place of the one with this tag, or the first time without one."""
        if self.find("") is None:
            return self.create(given, by)
        if tag is None:
            raise Conflict(
                "The company information is there already. Read it, and give its tag in If-Match.",
                self.get("")[0],
                code="codex.corp-there",
            )
        return self.replace("", given, tag, by)


def expect_tag(seen: Entity, found: str, tag: str) -> None:
    """Refuse to write over what somebody else has written since it was read (X4-34)."""
    if tag not in (found, ANY_TAG):
        raise Conflict(
            "Somebody has changed it since you read it. Compare both versions, and save again.",
            seen,
            code="codex.changed-meanwhile",
        )


def no_such(name: str, entity_id: str) -> NotFound:
    return NotFound("{type} {id} not found.", code="codex.not-found", values={"type": name, "id": entity_id})


def key_of(entity: Any) -> Any:
    """The key of an entity, as its own class."""
    kind = type(entity)
    base = next(each for each in kind.__mro__ if each.__dict__.get("__entity__") is kind)
    names = kind.__shape__.key_fields
    return base(**{name: getattr(entity, name) for name in names})


def newest_first(entities: list[E]) -> list[E]:
    """By time, and those of one second by their ids, the newest first."""

    def place(each: Any) -> tuple[Any, str]:
        return each.created_at, each.id

    return sorted(entities, key=place, reverse=True)
