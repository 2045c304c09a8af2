"""Items that their entities cannot read, as whoever asks is told of them: which, why, and where to repair them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hansang.blueprint.explorer.flaws import Flaw, flaws
from hansang.blueprint.explorer.key_texts import key_text
from hansang.design import Unreadable
from hansang.design.shape import Item, Shape
from hansang.design.visibility import has_secret, visible
from hansang.errors import UnexpectedItem
from hansang.parts.permissions import PLATFORM, Action, Principal, Role
from hansang.parts.platform import Platform
from hansang.surfaces.addresses import item_path
from hansang.surfaces.guards import Guard
from hansang.surfaces.shell import Shell


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item that cannot be read, as it is told to somebody."""

    table: str
    kind: str
    """What it should be."""
    key: Item
    item: Item | None
    """What is seen of the item; of the platform's table, and of what keeps secrets, nothing but the key is told."""
    reason: str
    flaws: list[Flaw]
    path: str | None
    """The page of the console on which it is shown and repaired, if there is one."""

    @property
    def texts(self) -> list[str]:
        """The parts of its key, for people."""
        return [key_text(value) for value in self.key.values()]


class Naming:
    """Names items that cannot be read to whoever asks."""

    def __init__(self, shell: Shell, principal: Principal | None) -> None:
        self.shell, self.principal = shell, principal

    def each(self, found: Iterable[Unreadable]) -> list[NamedItem]:
        """Every item once, without those of a kind that whoever asks is not shown."""
        once = {(each.table, tuple(map(key_text, each.key.values()))): each for each in found}
        return [named for each in once.values() if (named := self.one(each)) is not None]

    def one(self, bad: Unreadable) -> NamedItem | None:
        """One item; None if whoever asks is not shown its kind."""
        application = next((each for each in self.shell.applications if bad.table in each.tables), None)
        shape: Shape = bad.kind.__shape__
        path, item = None, None
        if application is not None:
            if not self._may(application.name, "read"):
                return None
            guard = Guard.of(application, self._role(application.name))
            if guard.hides(bad.table, bad.item):
                return None
            path = item_path(application, bad.table, bad.key)
            item = None if has_secret(shape) else visible(bad.table, bad.item, guard.role)
        return NamedItem(
            table=self.shell.database.name(bad.table),
            kind=shape.cls.__name__,
            key=bad.key,
            item=item,
            reason=_without_values(bad) if item is None else bad.reason,
            flaws=_meant(shape, bad),
            path=path,
        )

    def of_fault(self, fault: UnexpectedItem) -> list[NamedItem]:
        """The item that an error is about, if it is found where whoever asks may read."""
        if fault.kind is None or fault.item is None:
            return []
        table = fault.kind.__shape__.table
        if table is Platform and not self._may(PLATFORM, "read"):
            return []
        key = {name: fault.item[name] for name in table.key_attributes()}
        stored = self.shell.database.find_item(table, key) or dict(fault.item)
        return self.each([Unreadable(table, fault.kind, key, stored, str(fault), fault.attribute)])

    def _role(self, area: str) -> Role | None:
        return None if self.principal is None else self.principal.role(area)

    def _may(self, area: str, action: Action) -> bool:
        return self.principal is not None and self.principal.may(area, action)


def _without_values(bad: Unreadable) -> str:
    """Why an item cannot be read, when none of its values may be told."""
    shape: Any = bad.kind.__shape__
    return f"The item {shape.shown(bad.key)} cannot be read as a {shape.cls.__name__}."


def _meant(shape: Shape, bad: Unreadable) -> list[Flaw]:
    """The flaws of what was found; an index may hold a part, so only what the reason names is missing."""
    return [
        each
        for each in flaws(shape, bad.item)
        if each.code not in ("missing", "type") or each.attribute == bad.attribute
    ]
