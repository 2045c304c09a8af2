"""Key conditions: from an expression to a range of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hansang.engine.expressions.conditions import ParsedCondition
from hansang.engine.expressions.key_parts import Part
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
from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.key_order import after, content_of, escaped, ordered, partition
from hansang.engine.schema import KeyAttribute, KeySchema
from hansang.engine.start_keys import expect_attribute
from hansang.engine.values import Item, Value, kind

_INDEXABLE = frozenset({"=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"})
_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The rows that a key condition asks for: the first key, and the first behind the last."""

    low: bytes
    high: bytes
    partition: bytes
    sort: Part | None


def key_parts(parsed: ParsedCondition, values: Mapping[str, Value]) -> dict[str, Part]:
    """The conditions on key attributes; refuses what could be a condition on no key at all."""
    leaves = _leaves(parsed.tree)
    parts: dict[str, Part] = {}
    for leaf in leaves:
        part = part_of(leaf, values)
        if part.name in parts:
            raise invalid(
                "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
            )
        parts[part.name] = part
    return parts


def key_range(parts: Mapping[str, Part], schema: KeySchema, start: Item | None = None) -> KeyRange:
    """Refuse what is not a condition on this key; otherwise say which rows it means.

    DynamoDB goes along the key, and looks at each attribute first in the start key, then in the
    condition.
    """
    if len(parts) > max(len(schema.attributes), 2):
        raise invalid(
            f"The number of query conditions ({len(parts)}) exceeds the number of key attributes "
            f"defined in the schema ({len(schema.attributes)})"
        )
    hashed = [_hash_value(parts, schema, attribute, start) for attribute in schema.hash]
    sorts = [_sort_part(parts, schema, attribute, start) for attribute in schema.range]
    beginning = partition([content_of(value) for value in hashed])
    _expect_equalities(schema.range, sorts)
    low, high, last = _narrowed(beginning, sorts)
    return KeyRange(low, high, beginning, last)


def _leaves(tree: Condition) -> list[Leaf]:
    """Conditions joined by AND, in the order of the text."""
    found: list[Leaf] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, AndOr):
            if node.word == "OR":
                raise invalid("Invalid operator used in KeyConditionExpression: OR")
            waiting += [node.right, node.left]
        elif isinstance(node, Not):
            raise invalid("Invalid operator used in KeyConditionExpression: NOT")
        else:
            found.append(node)
    return found


def part_of(leaf: Leaf, values: Mapping[str, Value]) -> Part:
    """A leaf as a condition on a key; refused where it could be none."""
    if isinstance(leaf, Compare):
        return _comparison(leaf, values)
    if isinstance(leaf, Between):
        name = _subject(leaf.subject, "BETWEEN")
        return Part(name, "BETWEEN", (_value(leaf.low, values), _value(leaf.high, values)))
    if isinstance(leaf, In):
        raise invalid("Invalid operator used in KeyConditionExpression: IN")
    if leaf.name != "begins_with":
        raise invalid(f"Invalid operator used in KeyConditionExpression: {leaf.name}")
    name = _subject(leaf.operands[0], "begins_with")
    return Part(name, leaf.name, (_value(leaf.operands[1], values),))


def _subject(operand: Operand, sign: str) -> str:
    if isinstance(operand, Ref):
        raise invalid(
            f"Invalid condition in KeyConditionExpression: {sign} operator must have the key attribute "
            "as its first operand"
        )
    return _name(operand)


def _comparison(node: Compare, values: Mapping[str, Value]) -> Part:
    if node.sign == "<>":
        raise invalid("Invalid operator used in KeyConditionExpression: <>")
    if isinstance(node.left, Ref) and isinstance(node.right, AttributePath):
        return Part(_name(node.right), _FLIPPED[node.sign], (_value(node.left, values),))
    return Part(_name(node.left), node.sign, (_value(node.right, values),))


def _name(operand: Operand) -> str:
    if isinstance(operand, FunctionCall):
        raise invalid(
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"
        )
    if not isinstance(operand, AttributePath):
        raise invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
    if len(operand.path) > 1:
        raise invalid(
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
        )
    return str(operand.path[0])


def _value(operand: Operand, values: Mapping[str, Value]) -> Value:
    if isinstance(operand, FunctionCall):
        raise invalid(
            "Invalid KeyConditionExpression: KeyConditionExpressions cannot contain nested operations"
        )
    if not isinstance(operand, Ref):
        raise invalid(
            "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
        )
    return values[operand.name]


def _hash_value(
    parts: Mapping[str, Part], schema: KeySchema, attribute: KeyAttribute, start: Item | None
) -> Value:
    if start is not None:
        expect_attribute(start, attribute)
    if len(parts) > len(schema.attributes):
        raise invalid("Query key condition not supported")
    part = parts.get(attribute.name)
    if part is None:
        raise invalid(f"Query condition missed key schema element: {attribute.name}")
    _expect_type(part, attribute)
    if part.sign != "=":
        raise invalid("Query key condition not supported")
    return part.values[0]


def _sort_part(
    parts: Mapping[str, Part], schema: KeySchema, attribute: KeyAttribute, start: Item | None
) -> Part | None:
    if start is not None:
        expect_attribute(start, attribute)
    part = parts.get(attribute.name)
    if part is not None:
        _expect_type(part, attribute)
    elif any(name not in schema.names for name in parts):
        raise invalid(f"Query condition missed key schema element: {attribute.name}")
    return part


def _expect_type(part: Part, attribute: KeyAttribute) -> None:
    if part.sign not in _INDEXABLE:
        raise invalid("Attempted conditional constraint is not an indexable operation")
    for value in part.values:
        if kind(value) != attribute.kind:
            raise invalid_parameter("Condition parameter type does not match schema type")
        if not value[attribute.kind]:
            what = "string" if attribute.kind == "S" else "binary"
            raise invalid(
                "One or more parameter values are not valid. The AttributeValue for a key attribute "
                f"cannot contain an empty {what} value. Key: {attribute.name}"
            )


def _expect_equalities(attributes: Sequence[KeyAttribute], sorts: Sequence[Part | None]) -> None:
    """Of a sort key of several attributes, all before the last that has a condition are given whole."""
    for later, part in enumerate(sorts):
        for earlier in range(later if part is not None else 0):
            before = sorts[earlier]
            if before is None or before.sign != "=":
                raise invalid(
                    f"RANGE key attributes {attributes[earlier].name} must have equality conditions specified "
                    f"in the query because a condition is present on key attribute {attributes[later].name}"
                )


def _narrowed(start: bytes, sorts: Sequence[Part | None]) -> tuple[bytes, bytes, Part | None]:
    """The range of keys below `start`; only the last sort condition may be anything but an equality."""
    last = None
    for part in sorts:
        if part is None:
            break
        if last is not None:
            start += ordered(*content_of(last.values[0]))
        last = part
    return (start, after(start), None) if last is None else (*_bounds(start, last), last)


def _bounds(start: bytes, part: Part) -> tuple[bytes, bytes]:
    first = part.values[0]
    if part.sign == "begins_with":
        prefix = start + escaped(*content_of(first))
        return prefix, after(prefix)
    value = start + ordered(*content_of(first))
    if part.sign == "BETWEEN":
        return value, after(start + ordered(*content_of(part.values[1])))
    low = {"=": value, ">=": value, ">": after(value)}.get(part.sign, start)
    high = {"=": after(value), "<=": after(value), "<": value}.get(part.sign, after(start))
    return low, high
