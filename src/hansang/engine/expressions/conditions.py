"""Condition and filter expressions: parsed once, then asked of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hansang.engine.expressions.condition_tests import Test, Values, compiled
from hansang.engine.expressions.condition_types import check_types
from hansang.engine.expressions.parser import Parser, misused, undefined, unknown, wrong_count
from hansang.engine.expressions.paths import nested
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
    Path,
    Ref,
    operands,
    shown,
)
from hansang.engine.faults import invalid
from hansang.engine.values import Item

_COMPARATORS = ("=", "<>", "<=", ">=", "<", ">")
_PREDICATES = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
_UPDATE_FUNCTIONS = ("if_not_exists", "list_append")
_MOST_CHOICES = 100


@dataclass(frozen=True, slots=True)
class CheckedLeaf:
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
        check_types(label, self.leaf, values)


@dataclass(frozen=True, slots=True)
class ParsedCondition:
    """A condition, what it refers to, and the test that it is."""

    label: str
    tree: Condition
    test: Test
    clauses: tuple[CheckedLeaf, ...]
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
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> ParsedCondition:
    parser = ConditionParser(label, text, dict(names))
    tree = parser.condition()
    parser.finish()
    found = [operand for clause in parser.clauses for operand in operands(clause.leaf)]
    refs = dict.fromkeys(operand.name for operand in found if isinstance(operand, Ref))
    paths = tuple(operand.path for operand in found if isinstance(operand, AttributePath))
    # A clause that is faulty is never tested: it is refused when the values are checked.
    faulty = any(clause.faults for clause in parser.clauses)
    test = _never if faulty else compiled(tree)
    names_used = frozenset(parser.used_names)
    return ParsedCondition(
        label, tree, test, tuple(parser.clauses), names_used, tuple(refs), paths, nested(paths)
    )


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
        self.clauses: list[CheckedLeaf] = []
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
            done.append(Not(right) if word == "NOT" else AndOr(word, done.pop(), right))

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
        self.clauses.append(CheckedLeaf(leaf, tuple(self._met), tuple(faults)))
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
        if not isinstance(subject, FunctionCall):
            self.refuse()
        return self._alone(subject)

    def _compare(self, sign: str, left: Operand, right: Operand) -> Compare:
        if isinstance(left, AttributePath) and left == right:
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
        if len(choices) > _MOST_CHOICES:
            self.fault(
                "operand",
                f"The IN operator is provided with too many operands; number of operands: {len(choices)}",
            )
        return In(self._valued(subject), tuple(choices))

    def called(self, call: FunctionCall, inside: str) -> None:
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
        if isinstance(node, FunctionCall) and node.name in _PREDICATES:
            self.fault("misuse", misused(node.name))
        return node

    def _alone(self, call: FunctionCall) -> FunctionCall:
        if call.name == "size":
            self.fault("misuse", misused(call.name))
        elif len(call.operands) == 2:
            first, second = call.operands
            if isinstance(first, AttributePath) and first == second:
                self.fault("distinct", _distinct(call.name, first.path))
        return call


def _distinct(name: str, path: Path) -> str:
    return (
        "The first operand must be distinct from the remaining operands for this operator "
        f"or function; operator: {name}, first operand: {shown(path)}"
    )
