"""Editing: the one way in which single items of a design are changed by hand, each change with its trace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hansang.design import Database, Entity, Key, Table
from hansang.design.kinds import is_of, recognised
from hansang.design.requests import shape_of
from hansang.design.seen import entity_of
from hansang.design.shape import Item
from hansang.errors import AlreadyExists, Conflict, NotAllowed, NotFound, UnexpectedItem
from hansang.parts import drafts
from hansang.parts.etags import digest, etag
from hansang.parts.hand_writes import HandWrites, have_same_key
from hansang.parts.history import Actor, Change, History, image, subject_of
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry
from hansang.parts.undoing import changed_since, mark_undone, undoable
from hansang.parts.write_rules import Check, WriteRule

E = TypeVar("E", bound=Entity)
S = TypeVar("S")

Undo = Callable[[Change, Actor, str | None, Beside[Change]], Change]
"""Takes a change back for whoever asks, with the id of the request, and writes what is beside it; the new change."""


@dataclass(frozen=True, slots=True)
class Edit(Generic[S]):
    """What an edit has led to: the entity or the item, its tag, and the trace, if anything is different now."""

    subject: S
    etag: str
    change: Change | None


class Editing:
    """Creates, replaces, deletes and undoes; the item and its change are written together or not at all.

    A lost answer does no harm: a transaction carries the id of its change as its token, so it is sent again
    and happens once. What is `beside` an edit is written in its transaction; an edit that changes nothing has none.
    """

    def __init__(
        self,
        database: Database,
        history: History,
        *,
        areas: Mapping[type[Table], str],
        rules: Mapping[type[Entity], WriteRule] | None = None,
        checks: Mapping[type[Entity], Check] | None = None,
        undoing: Mapping[str, Undo] | None = None,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`areas` are the applications by table; `rules` say who writes an entity, and `checks` look at each write.

        `undoing` are the applications that take back themselves what they alone write, by name.
        """
        self._undoing = dict(undoing or {})
        self._database, self._history, self._sleep = database, history, sleep
        self._areas = dict(areas)
        self._hand_writes = HandWrites(database, areas.keys(), rules or {}, checks or {})

    # ── entities ──────────────────────────────────────────────────────────────────────────────────

    def find(self, kind: type[E], key_values: Mapping[str, Any]) -> tuple[E, str] | None:
        """The entity with these key fields and its tag, or None."""
        shape = _shape(kind)
        found = self.find_item(shape.table, shape.key(key_values))
        if found is None or not is_of(shape, found[0]):
            return None
        return shape.decode(found[0]), found[1]

    def etag(self, entity: Entity) -> str:
        """The tag of an entity as it is stored."""
        return etag(shape_of(entity).encode(entity))

    def create(
        self, entity: E, actor: Actor, request_id: str | None = None, beside: Beside[Edit[E]] = alone
    ) -> Edit[E]:
        """Store an entity that is not there yet, or AlreadyExists."""
        shape = shape_of(entity)
        item = self._stamped(shape.table, None, shape.encode(entity))
        edit = self._write(shape.table, None, item, actor, request_id, _typed(shape, beside))
        return _read_back(shape, edit)

    def replace(
        self,
        entity: E,
        seen_etag: str,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[E]] = alone,
    ) -> Edit[E]:
        """Store an entity in place of the one with this tag; what its design does not know stays as it is."""
        shape = shape_of(entity)
        item = shape.encode(entity)
        seen = self._seen(shape.table, item, seen_etag)
        item = {**drafts.strange_attributes(shape.table, seen), **item}
        edit = self._replace(shape.table, seen, item, actor, request_id, _typed(shape, beside))
        return _read_back(shape, edit)

    def delete(
        self,
        key: Key[E],
        seen_etag: str,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[E]] = alone,
    ) -> Edit[E]:
        """Delete the entity with this tag, and return what it was."""
        shape = shape_of(key)
        seen = self._seen(shape.table, shape.key(key.__dict__), seen_etag)
        edit = self._write(shape.table, seen, None, actor, request_id, _typed(shape, beside))
        return _read_back(shape, edit)

    # ── items ─────────────────────────────────────────────────────────────────────────────────────

    def find_item(self, table: type[Table], key: Item) -> tuple[Item, str] | None:
        """The item with this key as it is stored and its tag, or None."""
        item = self._database.find_item(table, {name: key[name] for name in table.key_attributes()})
        return None if item is None else (item, etag(item))

    def create_item(
        self,
        table: type[Table],
        item: Mapping[str, Any],
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Store an item that an entity of the table recognises, in that entity's form."""
        found = self._stamped(table, None, drafts.encoded(table, item, kept={}))
        return self._write(table, None, found, actor, request_id, beside)

    def replace_item(
        self,
        table: type[Table],
        item: Mapping[str, Any],
        seen_etag: str,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Store an item in place of the one with this tag."""
        drafts.expect_key(table, item)
        seen = self._seen(table, dict(item), seen_etag)
        found = drafts.encoded(table, item, kept=drafts.strange_attributes(table, seen))
        return self._replace(table, seen, found, actor, request_id, beside)

    def repair_item(
        self,
        table: type[Table],
        key: Item,
        item: Mapping[str, Any],
        seen_etag: str,
        actor: Actor,
        request_id: str | None = None,
    ) -> Edit[Item]:
        """Store an item in place of the one with this tag, which no entity can read; with another key it moves.

        What is kept for ever, and what the application alone writes, can be repaired too, where it is: it was
        never written as it has to be.
        """
        drafts.expect_key(table, key)
        seen = self._seen(table, key, seen_etag)
        if isinstance(entity_of(table, seen), Entity):
            raise NotAllowed(
                "{subject} can be read. Edit it instead of repairing it.",
                code="parts.readable",
                values={"subject": subject_of(table, key)},
            )
        self._hand_writes.expect_edited(table)
        found = self._stamped(table, seen, drafts.encoded(table, item, kept=seen))
        self._hand_writes.expect_repairable(table, seen, found)
        return self._sent(table, seen, found, self._draft(table, seen, found, actor, request_id, None))

    def mend_item(
        self,
        table: type[Table],
        seen: Item,
        item: Item,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Store an item in place of the one that was seen; whoever calls has asked the rules."""
        self._hand_writes.expect_edited(table)
        return self._sent(table, seen, item, self._draft(table, seen, item, actor, request_id, None), beside)

    def delete_item(
        self,
        table: type[Table],
        key: Item,
        seen_etag: str,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Delete the item with this tag, and return what it was."""
        drafts.expect_key(table, key)
        seen = self._seen(table, key, seen_etag)
        return self._write(table, seen, None, actor, request_id, beside)

    def rehearse_item(self, table: type[Table], before: Item | None, after: Item | None) -> Item | None:
        """What a change of an item would store, refused as the change itself would be; nothing is written."""
        stored = None
        if after is not None:
            found = drafts.encoded(table, after, kept=drafts.strange_attributes(table, before))
            if before is not None and _is_same(table, before, found):
                return before
            stored = self._stamped(table, before, found)
        self._hand_writes.expect_writable(table, before, stored)
        return stored

    # ── undoing ───────────────────────────────────────────────────────────────────────────────────

    def undo(
        self, change_id: str, actor: Actor, request_id: str | None = None, beside: Beside[Change] = alone
    ) -> Change:
        """Put the item back as it was before a change, if nobody has changed it since; this too can be undone."""
        change = self._history.get(change_id)
        if change.area in self._undoing and self._is_of_application(change):
            return self._undoing[change.area](change, actor, request_id, beside)
        table, key = undoable(self._areas, change)
        seen = self._database.find_item(table, key)
        if (None if seen is None else digest(seen)) != (change.after_image and change.after_image.digest):
            raise changed_since(None if seen is None else entity_of(table, seen))
        try:
            before = None if change.before is None else self._stamped(table, seen, change.before)
            self._hand_writes.expect_writable(table, seen, before)
            undoing = self._draft(table, seen, before, actor, request_id, change)
            self._sent(table, seen, before, undoing, lambda written, edit: beside(written, undoing))
        except (AlreadyExists, NotFound) as other:
            raise changed_since() from other
        return undoing

    def _is_of_application(self, change: Change) -> bool:
        """Whether the application alone writes what was changed, or the change is not one of an item."""
        return change.key is None or self._hand_writes.is_of_application(change.kind)

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def _seen(self, table: type[Table], key: Item, seen_etag: str) -> Item:
        """The item as it is now, if that is how the caller has seen it."""
        found = self.find_item(table, key)
        if found is None:
            raise NotFound(
                "Item {subject} not found. It may have been deleted.",
                code="parts.no-item",
                values={"subject": subject_of(table, key)},
            )
        item, tag = found
        if tag != seen_etag:
            raise Conflict(
                "{subject} has changed since it was read. Read it again and decide again.",
                entity_of(table, item),
                code="parts.changed",
                values={"subject": subject_of(table, key)},
            )
        return item

    def _replace(
        self,
        table: type[Table],
        seen: Item,
        item: Item,
        actor: Actor,
        request_id: str | None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Store the item; when there is no difference, nothing is written."""
        if _is_same(table, seen, item):
            return Edit(seen, etag(seen), None)
        return self._write(table, seen, self._stamped(table, seen, item), actor, request_id, beside)

    def _stamped(self, table: type[Table], seen: Item | None, item: Item) -> Item:
        """The item with what the database keeps up: its version raised, and the time of this write."""
        shape = recognised(table.shapes, item)
        if shape is None or not _kept_up(table, item):
            return item
        slot, version = shape.version, 0
        if slot is not None and seen is not None and slot.attribute in seen:
            with suppress(KeyError, ValueError, TypeError):
                version = int(slot.codec.decode(seen[slot.attribute]))
        try:
            entity = self._database.stamped(shape.decode(item), version + 1)
        except UnexpectedItem:
            return item
        return {**item, **shape.encode(entity)}

    def _write(
        self,
        table: type[Table],
        before: Item | None,
        after: Item | None,
        actor: Actor,
        request_id: str | None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        self._hand_writes.expect_writable(table, before, after)
        change = self._draft(table, before, after, actor, request_id, None)
        return self._sent(table, before, after, change, beside)

    def _sent(
        self,
        table: type[Table],
        before: Item | None,
        after: Item | None,
        change: Change,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Send the items and the change together; a lost answer does no harm."""
        item = after or before or {}
        edit = Edit(item, etag(item), change)
        moves = before is not None and after is not None and not have_same_key(table, before, after)

        def send() -> None:
            name = f"{change.kind or change.table}.{change.verb}"
            with self._database.transaction(change.id, name) as transaction:
                beside(transaction, edit)
                if before is not None and (after is None or moves):
                    transaction.delete_item(table, before)
                if after is not None:
                    transaction.put_item(table, after, None if moves else before)
                transaction.create(change)
                mark_undone(transaction, change)

        retry(send, self._sleep)
        return edit

    def _draft(
        self,
        table: type[Table],
        before: Item | None,
        after: Item | None,
        actor: Actor,
        request_id: str | None,
        undoes: Change | None,
    ) -> Change:
        item = after or before or {}
        shape = recognised(table.shapes, item) or (before and recognised(table.shapes, before)) or None
        return self._history.draft(
            actor,
            area=self._areas[table],
            table=table.name,
            kind="" if shape is None else shape.cls.__name__,
            subject=subject_of(table, item),
            key={name: item[name] for name in table.key_attributes()},
            verb=_verb(before, after) if undoes is None else "undo",
            before_image=image(before),
            after_image=image(after),
            request_id=request_id,
            undoes=None if undoes is None else undoes.id,
        )


def _read_back(shape: Any, edit: Edit[Item]) -> Edit[Any]:
    """An edit of an item as one of its entity."""
    return Edit(shape.decode(edit.subject), edit.etag, edit.change)


def _typed(shape: Any, beside: Beside[Edit[Any]]) -> Beside[Edit[Item]]:
    """What is written beside the edit of an entity, of the edit of its item."""
    if beside is alone:
        return alone
    return lambda transaction, edit: beside(transaction, _read_back(shape, edit))


def _is_same(table: type[Table], seen: Item, item: Item) -> bool:
    """Whether two items differ in nothing but what the database keeps up."""
    kept_up = {name: seen[name] for name in _kept_up(table, item) if name in seen}
    return digest(seen) == digest({**item, **kept_up})


def _kept_up(table: type[Table], item: Item) -> list[str]:
    """The attributes of an item that the database keeps up by itself."""
    shape = recognised(table.shapes, item)
    if shape is None:
        return []
    slots = [*shape.touched, *([shape.version] if shape.version is not None else [])]
    return [each.attribute for each in slots if each.attribute is not None]


def _verb(before: Item | None, after: Item | None) -> str:
    if after is None:
        return "delete"
    return "create" if before is None else "replace"


def _shape(kind: type[Entity]) -> Any:
    return kind.__shape__
