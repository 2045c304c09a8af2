"""Conditions as tests: compiled once, then asked of items."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.engine.expressions.paths import getter
from hansang.engine.expressions.tree import (
    AndOr,
    AttributePath,
    Between,
    Compare,
    Condition,
    FunctionCall,
    In,
    Leaf,
    Not,
    Operand,
    Ref,
)
from hansang.engine.values import SCALARS, Item, Value, comparable, equal, kind, length

Values = Mapping[str, Value]
Test = Callable[[Item, Values], bool]
Read = Callable[[Item, Values], Value | None]

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compiled(tree: Condition) -> Test:
    """The test that a condition is.

    Conditions that are made of others become a list of steps, each a test and where to go on when
    it is true and when it is false; so the depth of the nesting does not matter.
    """
    if isinstance(tree, Leaf):
        return _leaf_test(tree)
    return _runner(_steps(tree))


_TRUE, _FALSE = -1, -2

Steps = list[tuple[Test, int, int]]


def _steps(tree: Condition) -> Steps:
    """Steps laid from the last to the first, so that every place to go on to is known already."""
    reversed_steps: Steps = []
    waiting: list[tuple[Condition | _Left, int, int]] = [(tree, _TRUE, _FALSE)]
    while waiting:
        node, on_true, on_false = waiting.pop()
        if isinstance(node, Not):
            waiting.append((node.part, on_false, on_true))
        elif isinstance(node, AndOr):
            # The right side is laid first; the left side then goes on to where that begins.
            waiting.append((_Left(node), on_true, on_false))
            waiting.append((node.right, on_true, on_false))
        elif isinstance(node, _Left):
            begin = len(reversed_steps) - 1
            waiting.append((node.junction.left, *node.exits(begin, on_true, on_false)))
        else:
            reversed_steps.append((_leaf_test(node), on_true, on_false))
    return reversed_steps


@dataclass(frozen=True, slots=True)
class _Left:
    """The left side of a junction whose right side is laid."""

    junction: AndOr

    def exits(self, right: int, on_true: int, on_false: int) -> tuple[int, int]:
        return (right, on_false) if self.junction.word == "AND" else (on_true, right)


def _runner(steps: Steps) -> Test:
    first = len(steps) - 1

    def test(item: Item, values: Values) -> bool:
        place = first
        while place >= 0:
            step, on_true, on_false = steps[place]
            place = on_true if step(item, values) else on_false
        return place == _TRUE

    return test


def _leaf_test(leaf: Leaf) -> Test:
    if isinstance(leaf, Compare):
        return _comparison(leaf)
    if isinstance(leaf, Between):
        return _between(leaf)
    if isinstance(leaf, In):
        return _membership(leaf)
    return _PREDICATE_TESTS[leaf.name](*leaf.operands)


def _comparison(node: Compare) -> Test:
    left, right = _operand(node.left), _operand(node.right)
    if node.sign == "=":
        return lambda item, values: _same(left(item, values), right(item, values))
    if node.sign == "<>":
        return lambda item, values: not _same(left(item, values), right(item, values))
    ordering = _ORDERINGS[node.sign]
    return lambda item, values: _ordered(ordering, left(item, values), right(item, values))


def _same(left: Value | None, right: Value | None) -> bool:
    return left is not None and right is not None and equal(left, right)


def _ordered(ordering: Callable[[Any, Any], bool], left: Value | None, right: Value | None) -> bool:
    if left is None or right is None or (tag := kind(left)) != kind(right) or tag not in SCALARS:
        return False
    return ordering(comparable(left), comparable(right))


def _between(node: Between) -> Test:
    subject, low, high = map(_operand, (node.subject, node.low, node.high))

    def test(item: Item, values: Values) -> bool:
        value = subject(item, values)
        return _ordered(operator.ge, value, low(item, values)) and _ordered(
            operator.le, value, high(item, values)
        )

    return test


def _membership(node: In) -> Test:
    subject, choices = _operand(node.subject), [_operand(choice) for choice in node.choices]

    def test(item: Item, values: Values) -> bool:
        value = subject(item, values)
        return any(_same(value, choice(item, values)) for choice in choices)

    return test


def _operand(node: Operand) -> Read:
    if isinstance(node, Ref):
        name = node.name
        return lambda _, values: values[name]
    if isinstance(node, AttributePath):
        get = getter(node.path)
        return lambda item, _: get(item)
    assert isinstance(node, FunctionCall)
    inner = node.operands[0]
    # The size of a size is refused when the values are checked, so it need not be followed down.
    return _absent if isinstance(inner, FunctionCall) else _size(_operand(inner))


def _absent(item: Item, values: Values) -> None:
    return None


def _size(read: Read) -> Read:
    def size(item: Item, values: Values) -> Value | None:
        value = read(item, values)
        found = None if value is None else length(value)
        return None if found is None else {"N": str(found)}

    return size


def _exists(subject: Operand) -> Test:
    read = _operand(subject)
    return lambda item, values: read(item, values) is not None


def _not_exists(subject: Operand) -> Test:
    read = _operand(subject)
    return lambda item, values: read(item, values) is None


def _has_type(subject: Operand, wanted: Operand) -> Test:
    read, type_name = _operand(subject), _operand(wanted)

    def test(item: Item, values: Values) -> bool:
        value, name = read(item, values), type_name(item, values)
        return value is not None and name is not None and name.get("S") in value

    return test


def _begins(subject: Operand, wanted: Operand) -> Test:
    read, prefix = _operand(subject), _operand(wanted)

    def test(item: Item, values: Values) -> bool:
        value, start = read(item, values), prefix(item, values)
        if value is None or start is None or kind(value) != kind(start) or kind(value) not in "SB":
            return False
        return bool(comparable(value).startswith(comparable(start)))

    return test


def _contains(subject: Operand, wanted: Operand) -> Test:
    read, member = _operand(subject), _operand(wanted)

    def test(item: Item, values: Values) -> bool:
        value, sought = read(item, values), member(item, values)
        return value is not None and sought is not None and _holds(value, sought)

    return test


def _holds(value: Value, sought: Value) -> bool:
    [(tag, content)] = value.items()
    wanted = kind(sought)
    if tag == "L":
        return any(equal(member, sought) for member in content)
    if tag in ("SS", "NS", "BS"):
        return tag[0] == wanted and sought[wanted] in content
    return tag == wanted and tag in "SB" and comparable(sought) in comparable(value)


_PREDICATE_TESTS: dict[str, Callable[..., Test]] = {
    "attribute_exists": _exists,
    "attribute_not_exists": _not_exists,
    "attribute_type": _has_type,
    "begins_with": _begins,
    "contains": _contains,
}
