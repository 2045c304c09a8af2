"""The expressions of one request, bound to its names and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.engine.expressions import conditions, legacy, projections, updates
from hansang.engine.expressions.key_parts import Part
from hansang.engine.expressions.legacy import LEGACY
from hansang.engine.faults import invalid
from hansang.engine.values import TOO_DEEP, Item, Value, accept, readable
from hansang.errors import WireError

_NAME = re.compile(r"#[A-Za-z0-9_]+").fullmatch
_REF = re.compile(r":[A-Za-z0-9_]+").fullmatch
_LARGEST_NAME = 65535

# The order in which a message names the expressions that older parameters may not stand beside.
_NAMED = (
    "ProjectionExpression",
    "FilterExpression",
    "KeyConditionExpression",
    "UpdateExpression",
    "ConditionExpression",
)


@dataclass(slots=True)
class BoundExpressions:
    """What a request's expressions mean, with the request's values in normal form."""

    values: Mapping[str, Value]
    condition: conditions.ParsedCondition | None = None
    filter: conditions.ParsedCondition | None = None
    key_condition: conditions.ParsedCondition | None = None
    update: updates.ParsedUpdate | None = None
    projection: projections.ParsedProjection | None = None
    nested: frozenset[str] = frozenset()
    """The attributes that the expressions look into."""
    keys: Mapping[str, Part] | None = None
    """The conditions on the key, where they did not come as an expression."""

    def holds(self, item: Item | None) -> bool:
        """Whether the condition, if there is one, is true of the stored item."""
        return self.condition is None or self.condition.test(item or {}, self.values)


_PARSERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "UpdateExpression": ("update", updates.parse),
    "FilterExpression": ("filter", conditions.parse),
    "ConditionExpression": ("condition", conditions.parse),
    "KeyConditionExpression": ("key_condition", conditions.parse),
    "ProjectionExpression": ("projection", projections.parse),
}
_NOTHING: Mapping[str, Any] = {}
_SPEAKING = frozenset({*_PARSERS, *LEGACY, "ExpressionAttributeNames", "ExpressionAttributeValues"})


def bind(request: Mapping[str, Any], *labels: str) -> BoundExpressions:
    """Parse the expressions that the request has under these labels."""
    if _SPEAKING.isdisjoint(request):
        return BoundExpressions(_NOTHING)
    present = expressions(request, *labels)
    bound = BoundExpressions(_NOTHING) if LEGACY.isdisjoint(request) else _translated(request, labels)
    if not present:
        return bound
    names = request.get("ExpressionAttributeNames")
    given = request.get("ExpressionAttributeValues")
    if names is not None:
        _check_names(names)
    if given is not None:
        bound.values = _accepted(given)
    parsed = [_parse(bound, label, request[label], names) for label in present]
    _refuse_unused(parsed, names or _NOTHING, given or _NOTHING)
    return bound


def expressions(request: Mapping[str, Any], *labels: str) -> list[str]:
    """Under which of these labels the request has expressions; refused with what does not go with them."""
    present = [label for label in labels if request.get(label) is not None]
    if not LEGACY.isdisjoint(request):
        older = [name for name in legacy.served(labels) if request.get(name) is not None]
        refuse_mixed(older, present)
        legacy.check_operator(request, older)
    if not present:
        _refuse_alone(request, labels)
    return present


def _parse(bound: BoundExpressions, label: str, text: str, names: Mapping[str, str] | None) -> Any:
    slot, parse = _PARSERS[label]
    parsed = parse(label, text, tuple(names.items()) if names else ())
    parsed.check(bound.values)
    bound.nested |= parsed.nested
    setattr(bound, slot, parsed)
    return parsed


def _translated(request: Mapping[str, Any], labels: tuple[str, ...]) -> BoundExpressions:
    """What the older parameters of the request mean."""
    values: dict[str, Value] = {}
    bound = BoundExpressions(values)
    given = {name for name in legacy.served(labels) if request.get(name)}
    for label in given & {"QueryFilter", "ScanFilter"}:
        bound.filter = legacy.condition(label, request, values)
    if "AttributesToGet" in given:
        bound.projection = legacy.projection(request["AttributesToGet"])
    if "AttributeUpdates" in given:
        bound.update = legacy.update(request["AttributeUpdates"], values)
    if "Expected" in given:
        bound.condition = legacy.condition("Expected", request, values)
    if "KeyConditionExpression" in labels and request.get("KeyConditions") is not None:
        bound.keys = legacy.key_parts(request["KeyConditions"])
    return bound


def refuse_mixed(older: list[str], present: list[str]) -> None:
    """Refuse parameters of the older form beside expressions; only KeyConditions goes with a filter."""
    if "KeyConditionExpression" not in present:
        older = [name for name in older if name != "KeyConditions"]
    if older and present:
        raise invalid(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(older)}}} "
            f"Expression parameters: {{{', '.join(sorted(present, key=_NAMED.index))}}}"
        )


def _refuse_alone(request: Mapping[str, Any], labels: tuple[str, ...]) -> None:
    if request.get("ExpressionAttributeNames") is not None:
        raise invalid("ExpressionAttributeNames can only be specified when using expressions")
    if request.get("ExpressionAttributeValues") is not None:
        speaking = sorted(
            (label for label in labels if label != "ProjectionExpression"), key=list(_PARSERS).index
        )
        verb = "is" if len(speaking) == 1 else "are"
        raise invalid(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(speaking)} {verb} null"
        )


def _check_names(names: Mapping[str, str]) -> None:
    if not names:
        raise invalid("ExpressionAttributeNames must not be empty")
    for alias, name in names.items():
        if not _NAME(alias):
            raise invalid(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{alias}"')
        if not 0 < len(name) <= _LARGEST_NAME:
            raise invalid(
                f"ExpressionAttributeNames contains invalid value: Empty attribute name for key {alias}"
            )


def _accepted(given: Mapping[str, Any]) -> Mapping[str, Value]:
    if not given:
        raise invalid("ExpressionAttributeValues must not be empty")
    for ref in given:
        if not _REF(ref):
            raise invalid(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{ref}"')
    accepted = {}
    for ref, value in given.items():
        try:
            accepted[ref] = accept(value)[0]
        except WireError as fault:
            readable(value)
            if fault.message == TOO_DEEP:
                raise
            raise invalid(
                f"ExpressionAttributeValues contains invalid value: {fault.message} for key {ref}"
            ) from fault
    return accepted


def _refuse_unused(parsed: list[Any], names: Mapping[str, str], given: Mapping[str, Any]) -> None:
    if len(parsed) == 1:
        used_names, used_refs = parsed[0].names, parsed[0].refs
    else:
        used_names = frozenset().union(*(each.names for each in parsed))
        used_refs = {ref for each in parsed for ref in each.refs}
    if len(used_names) < len(names):
        _refuse("Names", names, used_names)
    if len(used_refs) < len(given):
        _refuse("Values", given, used_refs)


def _refuse(what: str, given: Mapping[str, Any], used: Any) -> None:
    unused = ", ".join(key for key in given if key not in used)
    raise invalid(f"Value provided in ExpressionAttribute{what} unused in expressions: keys: {{{unused}}}")
