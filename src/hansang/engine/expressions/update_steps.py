"""What the actions of an update do to an item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hansang.engine import numbers
from hansang.engine.expressions.paths import container, get
from hansang.engine.expressions.tree import AttributePath, FunctionCall, Operand, Path, Ref, Sum, UpdateAction
from hansang.engine.faults import invalid
from hansang.engine.values import Item, Value, copied, difference, kind, union

Values = Mapping[str, Value]


def applied(actions: Sequence[UpdateAction], roots: Sequence[str], item: Item, values: Values) -> Item:
    """The item with these actions done; every operand is read from the item as it was before."""
    changed = dict(item)
    for root in roots:
        if root in changed:
            changed[root] = copied(changed[root])
    steps = [(action, _prepared(action, item, values)) for action in actions]
    for action, value in sorted(steps, key=_removals_last) if len(steps) > 1 else steps:
        _STEPS[action.clause](changed, action.path, value)
    return changed


# ── evaluation ────────────────────────────────────────────────────────────────────────────────────


def _prepared(action: UpdateAction, item: Item, values: Values) -> Value | None:
    """What the action writes, as far as it can be told from the item before the update."""
    if action.operand is None:
        return None
    operand = _evaluated(action.operand, item, values)
    if action.clause == "ADD":
        return _added(get(item, action.path), operand)
    if action.clause == "DELETE":
        return _reduced(get(item, action.path), operand)
    return operand


def _evaluated(operand: Operand, item: Item, values: Values) -> Value:
    while isinstance(operand, FunctionCall) and operand.name == "if_not_exists":
        operand = operand.operands[_missing(operand.operands[0], item)]
    if isinstance(operand, Ref):
        return values[operand.name]
    if isinstance(operand, AttributePath):
        value = get(item, operand.path)
        if value is None:
            raise invalid("The provided expression refers to an attribute that does not exist in the item")
        return value
    if isinstance(operand, Sum):
        return _summed(operand, item, values)
    return _appended(*(_evaluated(part, item, values) for part in operand.operands))


def _missing(operand: Operand, item: Item) -> bool:
    assert isinstance(operand, AttributePath)
    return get(item, operand.path) is None


def _summed(operand: Sum, item: Item, values: Values) -> Value:
    left, right = (_evaluated(side, item, values).get("N") for side in (operand.left, operand.right))
    if left is None or right is None:
        raise _wrong_operand()
    return {"N": (numbers.add if operand.sign == "+" else numbers.subtract)(left, right)}


def _appended(left: Value, right: Value) -> Value:
    if "L" not in left or "L" not in right:
        raise _wrong_operand()
    return {"L": [*left["L"], *right["L"]]}


def _added(current: Value | None, operand: Value) -> Value:
    if current is None:
        return operand
    tag = kind(operand)
    if tag not in current:
        raise _wrong_operand()
    if tag == "N":
        return {"N": numbers.add(current["N"], operand["N"])}
    return union(tag, current[tag], operand[tag])


def _reduced(current: Value | None, operand: Value) -> Value | None:
    if current is None:
        return None
    tag = kind(operand)
    if tag not in current:
        raise _wrong_operand()
    return difference(tag, current[tag], operand[tag])


def _wrong_operand() -> Exception:
    return invalid("An operand in the update expression has an incorrect data type")


# ── the change ────────────────────────────────────────────────────────────────────────────────────


def _removals_last(step: tuple[UpdateAction, Value | None]) -> tuple[int, int]:
    """Elements leave a list from its end, so that the others keep their places until all are gone."""
    action, value = step
    last = action.path[-1]
    if value is None and isinstance(last, int):
        return 2, -last
    # List elements written past the end are appended in the order of their indexes.
    return (1, last) if isinstance(last, int) else (0, 0)


def _set(item: Item, path: Path, value: Value | None) -> None:
    assert value is not None
    place = _place(item, path)
    last: Any = path[-1]
    if isinstance(place, dict) or last < len(place):
        place[last] = copied(value)
    else:
        place.append(copied(value))


def _remove(item: Item, path: Path, value: Value | None) -> None:
    place = _place(item, path)
    last: Any = path[-1]
    if isinstance(place, dict):
        place.pop(last, None)
    elif last < len(place):
        del place[last]


def _reduce(item: Item, path: Path, value: Value | None) -> None:
    if value is not None:
        _set(item, path, value)
    else:
        _remove(item, path, None)


def _place(item: Item, path: Path) -> Any:
    place = container(item, path)
    if place is None:
        raise invalid("The document path provided in the update expression is invalid for update")
    return place


_STEPS: dict[str, Callable[[Item, Path, Value | None], None]] = {
    "SET": _set,
    "REMOVE": _remove,
    "ADD": _set,
    "DELETE": _reduce,
}
