"""Short ways to ask what an expression means, and what DynamoDB says of a faulty one."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.expressions.binding import bind
from hansang.engine.values import Item, Value
from hansang.errors import WireError

Names = dict[str, str]
Values = dict[str, Value]


def parameters(values: Values | None = None, names: Names | None = None) -> dict[str, Any]:
    """The names and values of a request; what is None is left out."""
    found = {"ExpressionAttributeValues": values, "ExpressionAttributeNames": names}
    return {name: given for name, given in found.items() if given is not None}


def holds(text: str, item: Item, values: Values | None = None, names: Names | None = None) -> bool:
    """Whether a condition is true of an item."""
    request = {"ConditionExpression": text, **parameters(values, names)}
    return bind(request, "ConditionExpression").holds(item)


def fault(label: str, text: str, values: Values | None = None, names: Names | None = None) -> str:
    """What is wrong with an expression, whatever table it is asked of."""
    with pytest.raises(WireError) as caught:
        bind({label: text, **parameters(values, names)}, label)
    assert caught.value.code == "ValidationException"
    return caught.value.message or ""


def refusal(engine: Engine, operation: str, request: dict[str, Any]) -> str:
    """The message with which a request is refused as invalid."""
    with pytest.raises(WireError) as caught:
        engine.call(operation, request)
    assert caught.value.code == "ValidationException"
    return caught.value.message or ""


def updated(text: str, item: Item, values: Values | None = None, names: Names | None = None) -> Item:
    """An item after an update."""
    bound = bind({"UpdateExpression": text, **parameters(values, names)}, "UpdateExpression")
    assert bound.update is not None
    return bound.update.apply(item, bound.values)


def picked(text: str, item: Item, names: Names | None = None) -> Item:
    """What a projection takes of an item."""
    bound = bind({"ProjectionExpression": text, **parameters(None, names)}, "ProjectionExpression")
    assert bound.projection is not None
    return bound.projection.pick(item)
