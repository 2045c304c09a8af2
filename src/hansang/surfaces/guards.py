"""What of an application's data is not for everybody who may read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hansang.apps.application import Application
from hansang.design import Entity, Table
from hansang.design.kinds import is_of
from hansang.design.shape import Item, Shape
from hansang.design.visibility import hidden_fields, sees_all, visible
from hansang.errors import NotAllowed
from hansang.parts.permissions import Role


@dataclass(frozen=True, slots=True)
class Guard:
    """The kinds of items that whoever looks is not shown."""

    hidden: frozenset[type[Entity]]
    role: Role | None
    """What whoever looks is to the application: decides what is seen of an item."""

    @classmethod
    def of(cls, application: Application, role: Role | None) -> Guard:
        """Guarded entities are shown to owners of the application alone."""
        return cls(frozenset() if role == "owner" else application.guarded, role)

    def hides(self, table: type[Table], item: Item) -> bool:
        """Whether an item, or its entry in an index, is of a kind that is not shown."""
        return any(
            shape.cls in self.hidden and (is_of(shape, item) or shape.matches_key(item))
            for shape in table.shapes
        )

    def shown(self, table: type[Table], items: Iterable[Item]) -> list[Item]:
        """The items without those that are not shown."""
        return [item for item in items if not self.hides(table, item)]

    def seen(self, table: type[Table], item: Item) -> Item | None:
        """What is shown of an item; None if nothing is."""
        return None if self.hides(table, item) else visible(table, item, self.role)

    def sees_all_of(self, table: type[Table]) -> bool:
        """Whether whoever looks sees all that anybody sees of a table."""
        return all(shape.cls not in self.hidden and sees_all(shape, self.role) for shape in table.shapes)

    def expect_item_shown(self, table: type[Table], item: Item) -> None:
        """Refuse an item of a kind that is not shown, or with the key of one."""
        self.expect_shown(shape for shape in table.shapes if is_of(shape, item) or shape.matches_key(item))

    def expect_seen_whole(self, shape: Shape) -> None:
        """Refuse to replace what is not seen whole: who writes it anew would have to guess the rest."""
        if not sees_all(shape, self.role):
            names = ", ".join(sorted(hidden_fields(shape, self.role)))
            raise NotAllowed(
                f"A {shape.cls.__name__} has personal data that you do not see ({names}), so you cannot replace it. "
                "Ask an owner of the application."
            )

    def expect_shown(self, shapes: Iterable[Shape]) -> None:
        """Refuse what would show or write one of these kinds."""
        for shape in shapes:
            if shape.cls in self.hidden:
                raise NotAllowed(
                    "A {kind} is only for owners of its application.",
                    code="surfaces.guarded",
                    values={"kind": shape.cls.__name__},
                )
