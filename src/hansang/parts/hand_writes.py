"""What may be written by hand: the rules and the checks of the applications, asked before each write."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from hansang.design import Database, Entity, Table
from hansang.design.decoding import decode_key
from hansang.design.kinds import is_of, recognised
from hansang.design.shape import Item
from hansang.errors import NotAllowed, UnexpectedItem
from hansang.parts.write_rules import ANYONE, Check, WriteRule


class HandWrites:
    """Refuses what the applications do not let through by hand."""

    def __init__(
        self,
        database: Database,
        tables: Collection[type[Table]],
        rules: Mapping[type[Entity], WriteRule],
        checks: Mapping[type[Entity], Check],
    ) -> None:
        self._database, self._tables = database, frozenset(tables)
        self._rules, self._checks = dict(rules), dict(checks)

    def expect_edited(self, table: type[Table]) -> None:
        """Refuse a table that no application has."""
        if table not in self._tables:
            raise NotAllowed(
                "The table {table} is not edited by hand.",
                code="parts.not-by-hand",
                values={"table": table.name},
            )

    def is_of_application(self, kind: str) -> bool:
        """Whether the application alone writes the entities of this name."""
        return any(rule.by == "application" for each, rule in self._rules.items() if each.__name__ == kind)

    def expect_writable(self, table: type[Table], before: Item | None, after: Item | None) -> None:
        """Refuse what the rules and the checks of the application do not let through by hand."""
        self.expect_edited(table)
        old = None if before is None else _kind(table, before)
        new = None if after is None else _kind(table, after)
        if old is not None:
            self._rule(old).expect_changed(old)
        if after is not None and new is not None and new is not old:
            self._expect_created(table, after)
        alike = _alike(table, before) if before is not None and after is None and old is None else ()
        self._check((old, new, *alike), before, after)

    def expect_repairable(self, table: type[Table], seen: Item, found: Item) -> None:
        """Refuse a repair that makes another thing of an item which is not written by anyone."""
        old, new = _kind(table, seen), _kind(table, found)
        has_moved = not have_same_key(table, seen, found)
        if has_moved or (old is not None and old is not new):
            if old is not None:
                self._rule(old).expect_changed(old)
            self._expect_created(table, found)
        self._check((new,), None, found)

    def _check(
        self,
        kinds: Iterable[type[Entity] | None],
        before: Item | None,
        after: Item | None,
    ) -> None:
        """Let the checks of these kinds look at a write; of what is deleted unread, they see its key."""
        for kind in dict.fromkeys(kinds):
            check = None if kind is None else self._checks.get(kind)
            if kind is None or check is None:
                continue
            old, new = _read(kind, before), _read(kind, after)
            if old is None and before is not None and after is None:
                old = decode_key(_shape(kind), before)
            if old is not None or new is not None:
                check(self._database, old, new)

    def _expect_created(self, table: type[Table], item: Item) -> None:
        kind = _kind(table, item)
        if kind is not None:
            self._rule(kind).expect_new(kind)

    def _rule(self, kind: type[Entity]) -> WriteRule:
        return self._rules.get(kind, ANYONE)


def _kind(table: type[Table], item: Item) -> type[Entity] | None:
    shape = recognised(table.shapes, item)
    return None if shape is None else shape.cls


def _alike(table: type[Table], item: Item) -> list[type[Entity]]:
    """What an item of no kind was probably meant to be, by its key."""
    return [shape.cls for shape in table.shapes if shape.matches_key(item)]


def _read(kind: type[Entity], item: Item | None) -> Entity | None:
    """An item as an entity of this kind; None when it is none, or cannot be read."""
    shape = _shape(kind)
    if item is None or not is_of(shape, item):
        return None
    try:
        found: Entity = shape.decode(item)
    except UnexpectedItem:
        return None
    return found


def _shape(kind: type[Entity]) -> Any:
    return kind.__shape__


def have_same_key(table: type[Table], one: Item, other: Item) -> bool:
    """Whether two items of a table stand in the same place."""
    return all(one[name] == other[name] for name in table.key_attributes())
