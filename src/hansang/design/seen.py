"""The condition that an item is still exactly as somebody has seen it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hansang.design.expressions import Condition, ExpressionWriter
from hansang.design.kinds import recognised
from hansang.design.shape import Item
from hansang.design.table import Table
from hansang.errors import TooLarge, UnexpectedItem

_MOST_TESTS = 150


@dataclass(frozen=True, slots=True, eq=False)
class AsSeen(Condition):
    """Every attribute is as it was, and none of those that the design knows has come to it."""

    table: type[Table]
    item: Item

    def write(self, writer: ExpressionWriter) -> str:
        keys = self.table.key_attributes()
        tests = [f"attribute_exists({writer.name(self.table.pk)})"]
        tests += [
            f"{writer.name(name)} = {writer.value(value)}"
            for name, value in self.item.items()
            if name not in keys
        ]
        tests += [f"attribute_not_exists({writer.name(name)})" for name in self._absent()]
        if len(tests) > _MOST_TESTS:
            raise TooLarge(
                "The item has {count} attributes, and DynamoDB compares {most} at most at once. Write "
                "it through its application.",
                code="design.many-attributes",
                values={"count": len(self.item), "most": _MOST_TESTS},
            )
        return " AND ".join(tests)

    def _absent(self) -> Iterable[str]:
        shape = recognised(self.table.shapes, self.item)
        return () if shape is None else sorted(shape.attributes - self.item.keys())


def entity_of(table: type[Table], item: Item) -> object:
    """The entity of an item, or the item itself where no entity of the table fits it."""
    shape = recognised(table.shapes, item)
    try:
        return item if shape is None else shape.decode(item)
    except UnexpectedItem:
        return item
