"""The one common pipeline: whatever is written passes it, whatever its type (4-12).

Read and typed, given its id and its times, then checked: references lead somewhere, and contents are not too long.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from random import Random
from typing import Any

import orjson
from pydantic import BaseModel

from hansang.apps.codex.ids import Ulids
from hansang.apps.codex.registry import REGISTRY, EntityType, Registry
from hansang.clock import Clock
from hansang.design import Database, Entity
from hansang.errors import InvalidInput, TooLarge
from hansang.parts.timestamps import to_whole_second

LONGEST_CONTENTS = 350_000
"""In bytes; an item holds 400 KB (X4-18)."""
Given = BaseModel | Mapping[str, Any]


class Pipeline:
    """Makes entities of what somebody gives."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        registry: Registry = REGISTRY,
        chance: Random | None = None,
    ) -> None:
        self._database, self._clock, self.registry = database, clock, registry
        self._new_ulid = Ulids(clock, chance)

    @property
    def now(self) -> datetime:
        """To the second, as everything is stored."""
        return to_whole_second(self._clock())

    def new_id(self, prefix: str) -> str:
        """An id that sorts by its time (X4-05)."""
        return f"{prefix}{self._new_ulid()}"

    def made(self, entity_type: EntityType, given: Given, **more: Any) -> Entity:
        """A new entity; `more` are fields that the application gives."""
        fields, now = {**entity_type.read(given), **more}, self.now
        if not entity_type.is_single and not fields.get("id"):
            fields["id"] = self.new_id(entity_type.prefix)
        fields["created_at"] = fields.get("created_at") or now
        return self._checked(entity_type, {**_present(fields), "updated_at": now})

    def changed(self, entity_type: EntityType, seen: Any, given: Given, **more: Any) -> Entity:
        """The entity in place of the one that was seen; its id and its first time stay."""
        fields = entity_type.read(given)
        for name in () if entity_type.is_single else ("id",):
            if fields.get(name) not in (None, getattr(seen, name)):
                raise InvalidInput(
                    "The id {given} is not {id}. An id cannot be changed.",
                    entity_type.attribute(name),
                    code="codex.id-fixed",
                    values={"given": fields[name], "id": seen.id},
                )
        if fields.get("created_at") not in (None, seen.created_at):
            raise InvalidInput(
                "CreatedAt cannot be changed. Leave it out, or give it as it is.",
                "CreatedAt",
                code="codex.created-fixed",
            )
        kept = {"created_at": seen.created_at} | ({} if entity_type.is_single else {"id": seen.id})
        return self._checked(entity_type, {**_present({**fields, **more}), **kept, "updated_at": self.now})

    def _checked(self, entity_type: EntityType, fields: Mapping[str, Any]) -> Entity:
        entity = entity_type.entity(fields)
        check_contents(entity)
        self.expect_references(entity_type, entity)
        return entity

    def expect_references(self, entity_type: EntityType, entity: Entity) -> None:
        """Refuse an entity that names another one which is not there."""
        for field, name in entity_type.references.items():
            wanted = getattr(entity, field)
            if wanted is not None and not self.exists(name, wanted):
                raise InvalidInput(
                    "{type} {id} not found. Create it first, or name another.",
                    entity_type.attribute(field),
                    code="codex.no-reference",
                    values={"type": name, "id": wanted},
                )

    def exists(self, name: str, entity_id: str) -> bool:
        """Whether there is an entity of this type and id, read from the table itself (X4-16)."""
        shape = self.registry.get(name).shape
        return self._database.find_item(shape.table, shape.key({"id": entity_id})) is not None


def check_contents(entity: Any) -> None:
    """Refuse contents that are too long, or that are not what their format says (X4-18)."""
    contents, form = getattr(entity, "contents", None), getattr(entity, "contents_format", None)
    if contents is None:
        return
    is_text = isinstance(contents, str)
    if form == "markdown" and not is_text:
        raise InvalidInput("Contents in Markdown have to be a text.", "contents", code="codex.not-a-text")
    if form == "json" and is_text:
        raise InvalidInput(
            "Contents in JSON have to be an object or a list.", "contents", code="codex.not-json"
        )
    size = len(contents.encode() if is_text else orjson.dumps(contents, default=str))
    if size > LONGEST_CONTENTS:
        raise TooLarge(
            "The contents have {size:,} bytes, and may have {most:,}. Shorten them, or attach a file.",
            code="codex.contents-too-long",
            values={"size": size, "most": LONGEST_CONTENTS},
        )


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are given; None stands for what is absent."""
    return {name: value for name, value in fields.items() if value is not None}
