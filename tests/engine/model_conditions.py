"""Conditions as data: each one knows when it holds and how it is spelled in a request."""

from __future__ import annotations

import base64
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.engine.model_values import ORDERED, SETS, Item, Refused, Value, kind, normal, order, same

Path = tuple[str | int, ...]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass
class Placeholders:
    """The names and values of one request, each under a placeholder."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def name(self, attribute: str) -> str:
        for placeholder, known in self.names.items():
            if known == attribute:
                return placeholder
        placeholder = f"#n{len(self.names)}"
        self.names[placeholder] = attribute
        return placeholder

    def value(self, value: Value) -> str:
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = value
        return placeholder

    def path(self, path: Path) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{self.name(step)}" for step in path)
        return "".join(steps)[1:]

    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.names:
            found["ExpressionAttributeNames"] = self.names
        if self.values:
            found["ExpressionAttributeValues"] = self.values
        return found


def look(item: Item, path: Path) -> Value | None:
    """The value at a path, or None."""
    found: Any = {"M": item}
    for step in path:
        container = found.get("L" if isinstance(step, int) else "M")
        if isinstance(step, int):
            found = container[step] if container is not None and step < len(container) else None
        else:
            found = (container or {}).get(step)
        if found is None:
            return None
    return dict(found)


def roots(condition: Any) -> set[str | int]:
    """The attributes that a condition looks at."""
    if isinstance(condition, Both):
        return roots(condition.left) | roots(condition.right)
    return roots(condition.inner) if isinstance(condition, Not) else {condition.path[0]}


class Condition(Protocol):
    """A condition on an item."""

    def check(self) -> None:
        """Refused, when the condition is faulty whatever the item."""

    def holds(self, item: Item) -> bool: ...

    def text(self, spell: Placeholders) -> str: ...


@dataclass(frozen=True)
class Compare:
    path: Path
    sign: str
    value: Value

    def check(self) -> None:
        normal(self.value)
        if self.sign not in ("=", "<>") and kind(self.value) not in ORDERED:
            raise Refused

    def holds(self, item: Item) -> bool:
        found, wanted = look(item, self.path), normal(self.value)
        if self.sign in ("=", "<>"):
            # A missing attribute equals nothing, and differs from everything.
            return (found is not None and same(found, wanted)) == (self.sign == "=")
        if found is None or kind(found) != kind(wanted):
            return False
        return COMPARISONS[self.sign](order(found), order(wanted))

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} {self.sign} {spell.value(self.value)}"


@dataclass(frozen=True)
class Between:
    path: Path
    low: Value
    high: Value

    def check(self) -> None:
        low, high = normal(self.low), normal(self.high)
        if kind(low) != kind(high) or kind(low) not in ORDERED or order(low) > order(high):
            raise Refused

    def holds(self, item: Item) -> bool:
        return Compare(self.path, ">=", self.low).holds(item) and Compare(self.path, "<=", self.high).holds(
            item
        )

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} BETWEEN {spell.value(self.low)} AND {spell.value(self.high)}"


@dataclass(frozen=True)
class OneOf:
    path: Path
    values: tuple[Value, ...]

    def check(self) -> None:
        for value in self.values:
            normal(value)

    def holds(self, item: Item) -> bool:
        return any(Compare(self.path, "=", value).holds(item) for value in self.values)

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} IN ({', '.join(spell.value(value) for value in self.values)})"


@dataclass(frozen=True)
class Exists:
    path: Path
    wanted: bool = True

    def check(self) -> None:
        """Nothing in it can be faulty."""

    def holds(self, item: Item) -> bool:
        return (look(item, self.path) is not None) == self.wanted

    def text(self, spell: Placeholders) -> str:
        return f"attribute_{'' if self.wanted else 'not_'}exists({spell.path(self.path)})"


@dataclass(frozen=True)
class OfType:
    path: Path
    sort: str

    def check(self) -> None:
        """Only types that exist are drawn."""

    def holds(self, item: Item) -> bool:
        found = look(item, self.path)
        return found is not None and kind(found) == self.sort

    def text(self, spell: Placeholders) -> str:
        return f"attribute_type({spell.path(self.path)}, {spell.value({'S': self.sort})})"


def _raw(value: Value) -> Any:
    return base64.b64decode(value["B"]) if kind(value) == "B" else value[kind(value)]


@dataclass(frozen=True)
class BeginsWith:
    path: Path
    value: Value

    def check(self) -> None:
        if kind(self.value) not in ("S", "B"):
            raise Refused

    def holds(self, item: Item) -> bool:
        found = look(item, self.path)
        return (
            found is not None and kind(found) == kind(self.value) and _raw(found).startswith(_raw(self.value))
        )

    def text(self, spell: Placeholders) -> str:
        return f"begins_with({spell.path(self.path)}, {spell.value(self.value)})"


@dataclass(frozen=True)
class Contains:
    path: Path
    value: Value

    def check(self) -> None:
        normal(self.value)

    def holds(self, item: Item) -> bool:
        found, wanted = look(item, self.path), normal(self.value)
        if found is None:
            return False
        if kind(found) == "L":
            return any(same(element, wanted) for element in found["L"])
        if kind(found) in SETS:
            return kind(found)[0] == kind(wanted) and wanted[kind(wanted)] in found[kind(found)]
        return kind(found) in ("S", "B") and kind(found) == kind(wanted) and _raw(wanted) in _raw(found)

    def text(self, spell: Placeholders) -> str:
        return f"contains({spell.path(self.path)}, {spell.value(self.value)})"


@dataclass(frozen=True)
class Size:
    """Of a collection only, since nobody says what the size of a text is in; and never with `<>`."""

    path: Path
    sign: str
    count: int

    def check(self) -> None:
        """Numbers can always be compared."""

    def holds(self, item: Item) -> bool:
        found = look(item, self.path)
        if found is None or kind(found) not in ("L", "M", *SETS):
            return False
        return COMPARISONS[self.sign](len(found[kind(found)]), self.count)

    def text(self, spell: Placeholders) -> str:
        return f"size({spell.path(self.path)}) {self.sign} {spell.value({'N': str(self.count)})}"


@dataclass(frozen=True)
class Both:
    left: Condition
    right: Condition
    word: str = "AND"

    def check(self) -> None:
        self.left.check()
        self.right.check()

    def holds(self, item: Item) -> bool:
        join = all if self.word == "AND" else any
        return join(side.holds(item) for side in (self.left, self.right))

    def text(self, spell: Placeholders) -> str:
        return f"({self.left.text(spell)} {self.word} {self.right.text(spell)})"


@dataclass(frozen=True)
class Not:
    inner: Condition

    def check(self) -> None:
        self.inner.check()

    def holds(self, item: Item) -> bool:
        return not self.inner.holds(item)

    def text(self, spell: Placeholders) -> str:
        return f"NOT {self.inner.text(spell)}"
