"""Updates as data: what each action makes of an item, and how it is spelled."""

from __future__ import annotations

import copy
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tests.engine.model_conditions import Path, Placeholders, look
from tests.engine.model_values import SETS, Item, Refused, Unspecified, Value, kind, normal, total


class Operand(Protocol):
    """The right-hand side of a SET."""

    def check(self) -> None: ...

    def value(self, before: Item) -> Value: ...

    def text(self, spell: Placeholders) -> str: ...


@dataclass(frozen=True)
class Literal:
    literal: Value

    def check(self) -> None:
        normal(self.literal)

    def value(self, before: Item) -> Value:
        return normal(self.literal)

    def text(self, spell: Placeholders) -> str:
        return spell.value(self.literal)


@dataclass(frozen=True)
class At:
    """The value at a path of the item as it was."""

    path: Path

    def check(self) -> None:
        """A path is never faulty in itself."""

    def value(self, before: Item) -> Value:
        found = look(before, self.path)
        if found is None:
            raise Refused
        return found

    def text(self, spell: Placeholders) -> str:
        return spell.path(self.path)


@dataclass(frozen=True)
class IfNotExists:
    path: Path
    other: Operand

    def check(self) -> None:
        self.other.check()

    def value(self, before: Item) -> Value:
        found = look(before, self.path)
        return self.other.value(before) if found is None else found

    def text(self, spell: Placeholders) -> str:
        return f"if_not_exists({spell.path(self.path)}, {self.other.text(spell)})"


@dataclass(frozen=True)
class Append:
    left: Operand
    right: Operand

    def check(self) -> None:
        _check_sides(self.left, self.right, "L")

    def value(self, before: Item) -> Value:
        left, right = self.left.value(before), self.right.value(before)
        if (kind(left), kind(right)) != ("L", "L"):
            raise Refused
        return {"L": left["L"] + right["L"]}

    def text(self, spell: Placeholders) -> str:
        return f"list_append({self.left.text(spell)}, {self.right.text(spell)})"


@dataclass(frozen=True)
class Sum:
    left: Operand
    right: Operand
    sign: int = 1

    def check(self) -> None:
        _check_sides(self.left, self.right, "N")

    def value(self, before: Item) -> Value:
        left, right = self.left.value(before), self.right.value(before)
        if (kind(left), kind(right)) != ("N", "N"):
            raise Refused
        return total(left, right, self.sign)

    def text(self, spell: Placeholders) -> str:
        return f"{self.left.text(spell)} {'+' if self.sign > 0 else '-'} {self.right.text(spell)}"


def _check_sides(left: Operand, right: Operand, sort: str) -> None:
    for side in (left, right):
        side.check()
        if isinstance(side, Literal) and kind(side.literal) != sort:
            raise Refused


class Action(Protocol):
    """One action of an update expression."""

    path: Path
    clause: str

    def check(self) -> None: ...

    def apply(self, before: Item, after: Item) -> None: ...

    def text(self, spell: Placeholders) -> str: ...


def _parent(item: Item, path: Path) -> Any:
    """The container that holds the last step of a path; Refused when there is none."""
    step = path[-1]
    if len(path) == 1:
        return item
    found = look(item, path[:-1])
    container = None if found is None else found.get("L" if isinstance(step, int) else "M")
    if container is None:
        raise Refused
    return container


def _place(item: Item, path: Path, value: Value) -> None:
    container, step = _parent(item, path), path[-1]
    if isinstance(step, int) and step >= len(container):
        container.append(value)
    else:
        container[step] = value


def _drop(item: Item, path: Path) -> None:
    container, step = _parent(item, path), path[-1]
    if isinstance(step, int):
        del container[step : step + 1]
    else:
        container.pop(step, None)


@dataclass
class Set:
    path: Path
    operand: Operand
    clause: str = "SET"

    def check(self) -> None:
        self.operand.check()

    def apply(self, before: Item, after: Item) -> None:
        _place(after, self.path, copy.deepcopy(self.operand.value(before)))

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} = {self.operand.text(spell)}"


@dataclass
class Remove:
    path: Path
    clause: str = "REMOVE"

    def check(self) -> None:
        """A path is never faulty in itself."""

    def apply(self, before: Item, after: Item) -> None:
        _drop(after, self.path)

    def text(self, spell: Placeholders) -> str:
        return spell.path(self.path)


@dataclass
class Add:
    path: Path
    value: Value
    clause: str = "ADD"

    def check(self) -> None:
        normal(self.value)
        if kind(self.value) not in ("N", *SETS):
            raise Refused

    def apply(self, before: Item, after: Item) -> None:
        found, more = look(before, self.path), normal(self.value)
        _parent(before, self.path)
        if found is None:
            _place(after, self.path, more)
        elif kind(found) != kind(more):
            raise Refused
        elif kind(more) == "N":
            _place(after, self.path, total(found, more))
        else:
            sort = kind(more)
            _place(after, self.path, {sort: sorted({*found[sort], *more[sort]})})

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} {spell.value(self.value)}"


@dataclass
class Discard:
    """The DELETE clause: members taken out of a set."""

    path: Path
    value: Value
    clause: str = "DELETE"

    def check(self) -> None:
        normal(self.value)
        if kind(self.value) not in SETS:
            raise Refused

    def apply(self, before: Item, after: Item) -> None:
        found, less = look(before, self.path), normal(self.value)
        _parent(before, self.path)
        if found is None:
            return
        if kind(found) != kind(less):
            raise Refused
        rest = sorted({*found[kind(less)]} - {*less[kind(less)]})
        if rest:
            _place(after, self.path, {kind(less): rest})
        else:
            _drop(after, self.path)

    def text(self, spell: Placeholders) -> str:
        return f"{spell.path(self.path)} {spell.value(self.value)}"


def check_actions(actions: Sequence[Action], keys: Container[str | int]) -> None:
    """Refused, when the update is faulty whatever the item."""
    for position, action in enumerate(actions):
        action.check()
        if action.path[0] in keys:
            raise Refused
        for other in actions[:position]:
            _check_apart(action.path, other.path)


def _check_apart(left: Path, right: Path) -> None:
    for one, two in zip(left, right, strict=False):
        if type(one) is not type(two):
            raise Refused
        if one != two:
            return
    raise Refused


def updated(before: Item, actions: Sequence[Action]) -> Item:
    """The item after all actions, each of which sees the item as it was."""
    after = copy.deepcopy(before)
    _check_appends(before, actions)
    for action in sorted(actions, key=_turn):
        action.apply(before, after)
    return after


def _check_appends(before: Item, actions: Sequence[Action]) -> None:
    """Unspecified, when a list grows while another action counts on its places."""
    for action in actions:
        if not isinstance(action.path[-1], int) or isinstance(action, Remove) or look(before, action.path):
            continue
        beside = [other for other in actions if other is not action and other.path[:-1] == action.path[:-1]]
        if beside or isinstance(action, Add):
            raise Unspecified


def _turn(action: Action) -> tuple[bool, int]:
    """Elements go last and from the back, so that every place means what it meant before."""
    step = action.path[-1]
    place = step if isinstance(action, Remove) and isinstance(step, int) else None
    return place is not None, -(place or 0)


def update_text(actions: Sequence[Action], spell: Placeholders) -> str:
    clauses: dict[str, list[str]] = {}
    for action in actions:
        clauses.setdefault(action.clause, []).append(action.text(spell))
    return " ".join(f"{clause} {', '.join(parts)}" for clause, parts in clauses.items())
