"""Condition and filter expressions: parsed once, then asked of items."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hansang.engine.expressions.parser import (
    Parser,
    misused,
    needs_path,
    undefined,
    unknown,
    wrong_count,
    wrong_type,
)
from hansang.engine.expressions.paths import getter, nested
from hansang.engine.expressions.tree import (
    Attribute,
    Between,
    Call,
    Compare,
    Condition,
    In,
    Junction,
    Leaf,
    Not,
    Operand,
    Path,
    Ref,
    operands,
    parts,
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
_UPDATE_FUNCTIONS = ("if_not_exists", "list_append")
_MOST_OPERANDS = 100


@dataclass(frozen=True, slots=True)
class Clause:
    """One leaf of a condition, with what can be said against it before the values are known."""

    leaf: Leaf
    met: tuple[tuple[str, str], ...]
    """The values, and the names that are not defined, in the order of the text."""
    faults: tuple[str, ...]

    def check(self, label: str, values: Values) -> None:
        for what, text in self.met:
            if what == "name" or text not in values:
                raise invalid(f"Invalid {label}: {undefined(what, text)}")
        for fault in self.faults:
            raise invalid(f"Invalid {label}: {fault}")
        _check(label, self.leaf, values)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A condition, what it refers to, and the test that it is."""

    label: str
    tree: Condition
    test: Test
    clauses: tuple[Clause, ...]
    names: frozenset[str]
    refs: tuple[str, ...]
    paths: tuple[Path, ...]
    nested: frozenset[str]
    """The attributes that are looked into."""

    def check(self, values: Values) -> None:
        """Refuse what is wrong with the condition and its values, whatever the items are."""
        for clause in self.clauses:
            clause.check(self.label, values)


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> Parsed:
    parser = ConditionParser(label, text, dict(names))
    tree = parser.condition()
    parser.finish()
    found = [operand for clause in parser.clauses for operand in operands(clause.leaf)]
    refs = dict.fromkeys(operand.name for operand in found if isinstance(operand, Ref))
    paths = tuple(operand.path for operand in found if isinstance(operand, Attribute))
    # A clause that is faulty is never tested: it is refused when the values are checked.
    faulty = any(clause.faults for clause in parser.clauses)
    test = _never if faulty else compiled(tree)
    names_used = frozenset(parser.used_names)
    return Parsed(label, tree, test, tuple(parser.clauses), names_used, tuple(refs), paths, nested(paths))


def _never(item: Item, values: Values) -> bool:
    return False


_WEIGHTS = {"OR": 1, "AND": 2, "NOT": 3}


class ConditionParser(Parser):
    """`a = :v AND (NOT contains(b, :w) OR size(c) < :n)`."""

    order = ("parentheses", "function", "misuse", "reserved")
    goes_on = True
    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})

    def __init__(self, label: str, text: str, names: Mapping[str, str]) -> None:
        super().__init__(label, text, names)
        self.clauses: list[Clause] = []
        self._met: list[tuple[str, str]] = []
        self._partners = self._matched()
        self._group = (-1, -1)
        """Where the last bracket closed was opened, and where it was closed."""

    # ── conditions joined ─────────────────────────────────────────────────────────────────────────

    def condition(self) -> Condition:
        done: list[Condition] = []
        waiting: list[tuple[str, int]] = []
        while True:
            self._opened(waiting)
            done.append(self._leaf())
            while self._closed_bracket(done, waiting):
                pass
            word = self._joining()
            if word is None:
                break
            self._reduce(done, waiting, _WEIGHTS[word])
            waiting.append((word, self._position))
        if any(word == "(" for word, _ in waiting):
            self.refuse()
        self._reduce(done, waiting, 0)
        return done[0]

    def _opened(self, waiting: list[tuple[str, int]]) -> None:
        """Take the negations and the brackets before a leaf."""
        while True:
            if self.word("NOT"):
                self.operator()
                waiting.append(("NOT", self._position))
            elif self.token.text == "(" and not self._brackets_operand():
                waiting.append(("(", self._position))
                self.take()
            else:
                return

    def _closed_bracket(self, done: list[Condition], waiting: list[tuple[str, int]]) -> bool:
        if self.token.text != ")" or not any(word == "(" for word, _ in waiting):
            return False
        self._reduce(done, waiting, 0)
        _, opened = waiting.pop()
        if self._group == (opened + 1, self._position - 1):
            self.fault("parentheses", "The expression has redundant parentheses;")
        self._group = (opened, self._position)
        self.take()
        return True

    def _joining(self) -> str | None:
        word = next((word for word in ("AND", "OR") if self.word(word)), None)
        if word is not None:
            self.operator()
        return word

    @staticmethod
    def _reduce(done: list[Condition], waiting: list[tuple[str, int]], weight: int) -> None:
        """Join what binds more strongly than what comes next."""
        while waiting and waiting[-1][0] != "(" and _WEIGHTS[waiting[-1][0]] >= weight:
            word, _ = waiting.pop()
            right = done.pop()
            done.append(Not(right) if word == "NOT" else Junction(word, done.pop(), right))

    def _matched(self) -> dict[int, int]:
        """For every opening bracket the closing one."""
        partners, opened = {}, []
        for position, token in enumerate(self._tokens):
            if token.text == "(":
                opened.append(position)
            elif token.text == ")" and opened:
                partners[opened.pop()] = position
        return partners

    def _brackets_operand(self) -> bool:
        """Whether the bracket here holds an operand: `(a) = :v`."""
        closing = self._partners.get(self._position)
        if closing is None:
            return False
        behind = self._tokens[closing + 1]
        return behind.text in _COMPARATORS or behind.text.upper() in ("BETWEEN", "IN")

    # ── leaves ────────────────────────────────────────────────────────────────────────────────────

    def met(self, kind: str, text: str) -> None:
        self._met.append((kind, text))

    def _leaf(self) -> Leaf:
        self._met = []
        self.faults.pop("operand", None)
        self.faults.pop("distinct", None)
        self.faults.pop("path", None)
        leaf = self._predicate()
        faults = [self.faults.pop(kind) for kind in ("path", "operand", "distinct") if kind in self.faults]
        self.clauses.append(Clause(leaf, tuple(self._met), tuple(faults)))
        return leaf

    def _predicate(self) -> Leaf:
        subject = self.operand()
        sign = self.token.text
        if self.token.kind == "symbol" and sign in _COMPARATORS:
            self.take()
            self.operator()
            return self._compare(sign, self._valued(subject), self._valued(self.operand()))
        if self.word("BETWEEN"):
            return self._between(subject)
        if self.word("IN"):
            return self._in(subject)
        if not isinstance(subject, Call):
            self.refuse()
        return self._alone(subject)

    def _compare(self, sign: str, left: Operand, right: Operand) -> Compare:
        if isinstance(left, Attribute) and left == right:
            self.fault("distinct", _distinct(sign, left.path))
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
        # The subject counts as an operand too.
        if len(choices) + 1 > _MOST_OPERANDS:
            self.fault("operand", wrong_count("IN", len(choices) + 1))
        return In(self._valued(subject), tuple(choices))

    def called(self, call: Call, inside: str) -> None:
        if call.name in _UPDATE_FUNCTIONS:
            self.fault("misuse", misused(call.name))
        elif call.name not in _PREDICATES and call.name != "size":
            self.fault("function", unknown(call.name))
        elif len(call.operands) != _PREDICATES.get(call.name, 1):
            self.fault("operand", wrong_count(call.name, len(call.operands)))
        if inside and call.name in _PREDICATES:
            self.fault("misuse", misused(call.name))

    def _valued(self, node: Operand) -> Operand:
        """Only `size` may stand where a value is wanted."""
        if isinstance(node, Call) and node.name in _PREDICATES:
            self.fault("misuse", misused(node.name))
        return node

    def _alone(self, call: Call) -> Call:
        if call.name == "size":
            self.fault("misuse", misused(call.name))
        elif len(call.operands) == 2 and call.operands[0] == call.operands[1]:
            first = call.operands[0]
            if isinstance(first, Attribute):
                self.fault("distinct", _distinct(call.name, first.path))
        return call


def _distinct(name: str, path: Path) -> str:
    return (
        "The first operand must be distinct from the remaining operands for this operator "
        f"or function; operator: {name}, first operand: {shown(path)}"
    )


# ── the types of the request's values ─────────────────────────────────────────────────────────────

_SIZED = frozenset(TYPES) - {"N", "BOOL", "NULL"}
_BEGINNING = frozenset("SB")


def _check(label: str, leaf: Leaf, values: Values) -> None:
    for operand in parts(leaf):
        _check_size(label, operand, values)
    if isinstance(leaf, Compare) and leaf.sign in _ORDERINGS:
        _expect_all(label, leaf.sign, (leaf.left, leaf.right), values, SCALARS)
    elif isinstance(leaf, Between):
        _expect_all(label, "BETWEEN", (leaf.subject, leaf.low, leaf.high), values, SCALARS)
        if isinstance(leaf.low, Ref) and isinstance(leaf.high, Ref):
            _check_bounds(label, values[leaf.low.name], values[leaf.high.name])
    elif isinstance(leaf, Call):
        _check_call(label, leaf, values)


def _check_call(label: str, call: Call, values: Values) -> None:
    if call.name in ("attribute_exists", "attribute_not_exists"):
        if not isinstance(call.operands[0], Attribute):
            raise invalid(f"Invalid {label}: {needs_path(call.name)}")
    elif call.name == "begins_with":
        _expect_all(label, call.name, call.operands, values, _BEGINNING)
    elif call.name == "attribute_type":
        _check_type_name(label, call, values)


def _check_type_name(label: str, call: Call, values: Values) -> None:
    wanted = call.operands[1]
    if isinstance(wanted, Attribute):
        raise invalid(f"Invalid {label}: {wrong_type(call.name, '{' + ','.join(TYPES) + '}')}")
    _expect_all(label, call.name, (wanted,), values, frozenset("S"))
    assert isinstance(wanted, Ref)
    if values[wanted.name]["S"] not in TYPES:
        raise invalid(
            f"Invalid {label}: Invalid attribute type name found; "
            f"type: {values[wanted.name]['S']}, valid types: {{{','.join(TYPES)}}}"
        )


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


def _check_size(label: str, operand: Operand, values: Values) -> None:
    if isinstance(operand, Call):
        _expect_all(label, "size", operand.operands, values, _SIZED)


def _expect_all(
    label: str, name: str, nodes: tuple[Operand, ...], values: Values, allowed: frozenset[str]
) -> None:
    for operand in nodes:
        tag = _known_type(operand, values)
        if tag is not None and tag not in allowed:
            raise invalid(f"Invalid {label}: {wrong_type(name, tag)}")


def _known_type(operand: Operand, values: Values) -> str | None:
    """The type of an operand, as far as it is known without an item: `size` is a number."""
    if isinstance(operand, Ref):
        return kind(values[operand.name])
    return "N" if isinstance(operand, Call) else None


# ── the test ──────────────────────────────────────────────────────────────────────────────────────


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
        elif isinstance(node, Junction):
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

    junction: Junction

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
