"""Condition and filter expressions: parsed once, then asked of items."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hansang.engine.expressions.parser import Parser
from hansang.engine.expressions.paths import getter
from hansang.engine.expressions.tree import (
    Attribute,
    Between,
    Call,
    Compare,
    Condition,
    In,
    Junction,
    Not,
    Operand,
    Path,
    Ref,
    operands,
    shown,
)
from hansang.engine.faults import invalid
from hansang.engine.values import SCALARS, TYPES, Item, Value, comparable, equal, kind, length

Values = Mapping[str, Value]
Test = Callable[[Item, Values], bool]
Read = Callable[[Item, Values], Value | None]

_COMPARATORS = ("=", "<>", "<=", ">=", "<", ">")
_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_PREDICATES = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
_MOST_CHOICES = 100


@dataclass(frozen=True, slots=True)
class Parsed:
    """A condition, what it refers to, and the test that it is."""

    label: str
    tree: Condition
    test: Test
    names: frozenset[str]
    refs: tuple[str, ...]
    paths: tuple[Path, ...]

    def check(self, values: Values) -> None:
        """Refuse values of a type that the condition cannot have, whatever the items are."""
        _check(self.label, self.tree, values)


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> Parsed:
    parser = ConditionParser(label, text, dict(names))
    tree = parser.disjunction()
    parser.finish()
    found = list(operands(tree))
    refs = dict.fromkeys(operand.name for operand in found if isinstance(operand, Ref))
    paths = tuple(operand.path for operand in found if isinstance(operand, Attribute))
    return Parsed(label, tree, _compiled(tree), frozenset(parser.used_names), tuple(refs), paths)


class ConditionParser(Parser):
    """`a = :v AND (NOT contains(b, :w) OR size(c) < :n)`."""

    _group = (-1, -1)
    """Where the last bracket closed was opened, and where it was closed."""

    def disjunction(self) -> Condition:
        return self._joined("OR", lambda: self._joined("AND", self._negation))

    def _joined(self, word: str, part: Callable[[], Condition]) -> Condition:
        parts = [part()]
        while self.word(word):
            self.operator()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Junction(word, tuple(parts))

    def _negation(self) -> Condition:
        negations = 0
        while self.word("NOT"):
            self.operator()
            negations += 1
        part = self._primary()
        return Not(part) if negations % 2 else part

    def _primary(self) -> Condition:
        if not self.symbol("("):
            return self._predicate()
        self.deeper()
        opened = self._position
        part = self.disjunction()
        if self._group == (opened + 1, self._position):
            self.fault("parentheses", "The expression has redundant parentheses;")
        self.expect(")")
        self.shallower()
        self._group = (opened, self._position)
        return part

    def _predicate(self) -> Condition:
        subject = self.operand()
        sign = self.token.text
        if self.token.kind == "symbol" and sign in _COMPARATORS:
            self.take()
            self.operator()
            return self._compare(sign, subject, self._valued(self.operand()))
        if self.word("BETWEEN"):
            return self._between(subject)
        if self.word("IN"):
            return self._in(subject)
        if not isinstance(subject, Call):
            self.refuse()
        return self._call(subject)

    def _compare(self, sign: str, left: Operand, right: Operand) -> Compare:
        self._valued(left)
        if isinstance(left, Attribute) and left == right:
            self.fault(
                "distinct",
                "The first operand must be distinct from the remaining operands for this operator "
                f"or function; operator: {sign}, first operand: {shown(left.path)}",
            )
        return Compare(sign, left, right)

    def _between(self, subject: Operand) -> Between:
        self.operator()
        low = self._valued(self.operand())
        if not self.word("AND"):
            self.refuse()
        return Between(self._valued(subject), low, self._valued(self.operand()))

    def _in(self, subject: Operand) -> In:
        self.operator()
        self.expect("(")
        choices = [self._valued(self.operand())]
        while self.symbol(","):
            choices.append(self._valued(self.operand()))
        self.expect(")")
        if len(choices) > _MOST_CHOICES:
            self.fault(
                "operand",
                "Incorrect number of operands for operator or function; "
                f"operator or function: IN, number of operands: {len(choices)}",
            )
        return In(self._valued(subject), tuple(choices))

    def _valued(self, node: Operand) -> Operand:
        """Only `size` may stand where a value is wanted."""
        if isinstance(node, Call):
            if node.name in _PREDICATES:
                self._misused(node)
            elif node.name != "size":
                self._unknown(node)
            else:
                self.count(node, 1)
                self._plain(node)
        return node

    def _call(self, call: Call) -> Call:
        if call.name == "size":
            self._misused(call)
        elif call.name not in _PREDICATES:
            self._unknown(call)
        else:
            self.count(call, _PREDICATES[call.name])
            if call.name in ("attribute_exists", "attribute_not_exists", "attribute_type"):
                self.document_path(call)
            self._plain(call)
            if len(call.operands) == 2 and call.operands[0] == call.operands[1]:
                self._compare(call.name, *call.operands)
        return call

    def _plain(self, call: Call) -> None:
        for operand in call.operands:
            if isinstance(operand, Call):
                self._valued(operand)

    def _misused(self, call: Call) -> None:
        self.fault(
            "misuse",
            f"The function is not allowed to be used this way in an expression; function: {call.name}",
        )

    def _unknown(self, call: Call) -> None:
        self.fault("function", f"Invalid function name; function: {call.name}")


# ── the types of the request's values ─────────────────────────────────────────────────────────────


def _check(label: str, node: Condition | Operand, values: Values) -> None:
    if isinstance(node, Junction):
        for part in node.parts:
            _check(label, part, values)
    elif isinstance(node, Not):
        _check(label, node.part, values)
    elif isinstance(node, Compare):
        _check_compare(label, node, values)
    elif isinstance(node, Between):
        _check_between(label, node, values)
    elif isinstance(node, In):
        for operand in (node.subject, *node.choices):
            _check_size(label, operand, values)
    elif isinstance(node, Call):
        _check_call(label, node, values)


def _check_compare(label: str, node: Compare, values: Values) -> None:
    for operand in (node.left, node.right):
        _check_size(label, operand, values)
        if node.sign in _ORDERINGS:
            _expect(label, node.sign, operand, values, SCALARS)


def _check_between(label: str, node: Between, values: Values) -> None:
    for operand in (node.subject, node.low, node.high):
        _check_size(label, operand, values)
        _expect(label, "BETWEEN", operand, values, SCALARS)
    if isinstance(node.low, Ref) and isinstance(node.high, Ref):
        _check_bounds(label, values[node.low.name], values[node.high.name])


def _check_bounds(label: str, low: Value, high: Value) -> None:
    if kind(low) != kind(high):
        rule = "The BETWEEN operator requires same data type for lower and upper bounds"
    elif comparable(low) > comparable(high):
        rule = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
    else:
        return
    raise invalid(
        f"Invalid {label}: {rule}; lower bound operand: AttributeValue: {_written(low)}, "
        f"upper bound operand: AttributeValue: {_written(high)}"
    )


def _written(value: Value) -> str:
    [(tag, content)] = value.items()
    return f"{{{tag}:{content}}}"


def _check_call(label: str, call: Call, values: Values) -> None:
    for operand in call.operands:
        _check_size(label, operand, values)
    if call.name == "begins_with":
        for operand in call.operands:
            _expect(label, call.name, operand, values, frozenset("SB"))
    elif call.name == "attribute_type":
        _check_type_name(label, call, values)


def _check_type_name(label: str, call: Call, values: Values) -> None:
    wanted = call.operands[1]
    _expect(label, call.name, wanted, values, frozenset("S"))
    if isinstance(wanted, Ref) and values[wanted.name]["S"] not in TYPES:
        raise invalid(
            f"Invalid {label}: Invalid attribute type name found; "
            f"type: {values[wanted.name]['S']}, valid types: {{{','.join(TYPES)}}}"
        )


def _check_size(label: str, operand: Operand, values: Values) -> None:
    if isinstance(operand, Call):
        _expect(label, "size", operand.operands[0], values, frozenset(TYPES) - {"N", "BOOL", "NULL"})


def _expect(label: str, name: str, operand: Operand, values: Values, allowed: frozenset[str]) -> None:
    if isinstance(operand, Ref) and kind(values[operand.name]) not in allowed:
        raise invalid(
            f"Invalid {label}: Incorrect operand type for operator or function; "
            f"operator or function: {name}, operand type: {kind(values[operand.name])}"
        )


# ── the test ──────────────────────────────────────────────────────────────────────────────────────


def _compiled(node: Condition) -> Test:
    if isinstance(node, Junction):
        return _junction(node)
    if isinstance(node, Not):
        part = _compiled(node.part)
        return lambda item, values: not part(item, values)
    if isinstance(node, Compare):
        return _comparison(node)
    if isinstance(node, Between):
        return _between(node)
    if isinstance(node, In):
        return _membership(node)
    return _PREDICATE_TESTS[node.name](*node.operands)


def _junction(node: Junction) -> Test:
    parts = [_compiled(part) for part in node.parts]
    if node.word == "AND":
        return lambda item, values: all(part(item, values) for part in parts)
    return lambda item, values: any(part(item, values) for part in parts)


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
    if isinstance(node, Attribute):
        get = getter(node.path)
        return lambda item, _: get(item)
    assert isinstance(node, Call)
    return _size(_operand(node.operands[0]))


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
