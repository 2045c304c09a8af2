"""From a condition to a place: what of it is about the key, and what is left to be tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce

from hansang.engine.expressions.binding import BoundExpressions
from hansang.engine.expressions.condition_tests import compiled
from hansang.engine.expressions.conditions import CheckedLeaf, ParsedCondition
from hansang.engine.expressions.paths import nested
from hansang.engine.expressions.tree import (
    AndOr,
    AttributePath,
    Between,
    Compare,
    Condition,
    In,
    Leaf,
    Not,
    Ref,
    operands,
)
from hansang.engine.partiql.statements import BoundStatement, Statement
from hansang.engine.schema import KeySchema
from hansang.engine.values import Value
from hansang.errors import WireError

_LABEL = "Statement"


@dataclass(frozen=True, slots=True)
class Route:
    """The conditions that lead to rows, by their attributes, and the rest as a test."""

    keys: Mapping[str, Leaf]
    rest: ParsedCondition | None
    every: tuple[CheckedLeaf, ...]
    """All leaves of the statement, whose values are looked at before anything is read."""

    def is_whole(self, key: KeySchema) -> bool:
        """Whether one item is meant: every attribute of the key is given."""
        return len(self.keys) == len(key.attributes) and all(_equality(leaf) for leaf in self.keys.values())

    def fixes(self, name: str) -> bool:
        """Whether an attribute of the key has one value only."""
        return name in self.keys and _equality(self.keys[name])

    def is_keyed(self, key: KeySchema) -> bool:
        return all(attribute.name in self.keys for attribute in key.hash)


def route(statement: Statement, key: KeySchema) -> Route:
    """How the statement gets to its items in a table or an index with this key; worked out once."""
    found: Route | None = statement.routes.get(key)
    if found is None:
        found = statement.routes[key] = _route(statement, key)
    return found


def _route(statement: Statement, key: KeySchema) -> Route:
    parts = _joined(statement.where) if statement.where is not None else []
    keys: dict[str, Leaf] = {}
    for attribute in key.hash:
        leaf = _on(parts, attribute.name, hashed=True)
        if leaf is None:
            keys.clear()
            break
        keys[attribute.name] = leaf
    for attribute in key.range if keys else ():
        leaf = _on(parts, attribute.name, hashed=False)
        if leaf is None:
            break
        keys[attribute.name] = leaf
        if not _equality(leaf):
            break
    taken = {id(leaf) for leaf in keys.values()}
    rest = [part for part in parts if id(part) not in taken]
    leaves = tuple(CheckedLeaf(leaf, (), ()) for part in parts for leaf in _leaves(part))
    return Route(keys, condition(rest), leaves)


def condition(parts: list[Condition], word: str = "AND") -> ParsedCondition | None:
    """Conditions joined, as a test."""
    if not parts:
        return None
    tree = reduce(lambda left, right: AndOr(word, left, right), parts)
    found = [operand for leaf in _leaves(tree) for operand in operands(leaf)]
    paths = tuple(operand.path for operand in found if isinstance(operand, AttributePath))
    return ParsedCondition(_LABEL, tree, compiled(tree), (), frozenset(), (), paths, nested(paths))


def checked(bound: BoundStatement, way: Route) -> BoundExpressions:
    """The expressions that the statement stands for, its values looked at; the condition is still open."""
    statement = bound.statement
    with _unlabelled():
        for leaf in way.every:
            leaf.check(_LABEL, bound.values)
        if statement.update is not None:
            statement.update.check(bound.values)
    found = BoundExpressions(bound.values, update=statement.update, projection=statement.projection)
    for part in (way.rest, statement.update, statement.projection):
        found.nested |= part.nested if part is not None else frozenset()
    return found


@contextmanager
def _unlabelled() -> Iterator[None]:
    """Faults of values are said of a statement without the name of an expression."""
    try:
        yield
    except WireError as fault:
        message = fault.message or ""
        for label in (_LABEL, "UpdateExpression"):
            message = message.removeprefix(f"Invalid {label}: ")
        raise WireError.answered(fault.code, message, fault.fields) from fault


def _joined(tree: Condition) -> list[Condition]:
    """The conditions that all have to hold."""
    found: list[Condition] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, AndOr) and node.word == "AND":
            waiting += [node.right, node.left]
        else:
            found.append(node)
    return found


def _leaves(tree: Condition) -> Iterator[Leaf]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, AndOr):
            waiting += [node.right, node.left]
        elif isinstance(node, Not):
            waiting.append(node.part)
        else:
            yield node


def _on(parts: list[Condition], name: str, *, hashed: bool) -> Leaf | None:
    """The first condition that can be one on this attribute of a key."""
    for part in parts:
        if not isinstance(part, AndOr | Not) and _leads(part, AttributePath((name,)), hashed=hashed):
            return part
    return None


def _leads(leaf: Leaf, own: AttributePath, *, hashed: bool) -> bool:
    if isinstance(leaf, Compare):
        given = isinstance(leaf.right if leaf.left == own else leaf.left, Ref)
        return (
            given and own in (leaf.left, leaf.right) and (leaf.sign == "=" if hashed else leaf.sign != "<>")
        )
    if isinstance(leaf, In):
        return hashed and leaf.subject == own and _all_refs(leaf.choices)
    if isinstance(leaf, Between):
        return not hashed and leaf.subject == own and _all_refs((leaf.low, leaf.high))
    begins = leaf.name == "begins_with" and leaf.operands[0] == own
    return not hashed and begins and _all_refs(leaf.operands[1:])


def _all_refs(nodes: tuple[object, ...]) -> bool:
    return all(isinstance(node, Ref) for node in nodes)


def _equality(leaf: Leaf) -> bool:
    return isinstance(leaf, Compare) and leaf.sign == "="


def value_of(leaf: Leaf, values: Mapping[str, Value]) -> Value:
    """What an equality compares with."""
    assert isinstance(leaf, Compare)
    ref = leaf.right if isinstance(leaf.right, Ref) else leaf.left
    assert isinstance(ref, Ref)
    return values[ref.name]
