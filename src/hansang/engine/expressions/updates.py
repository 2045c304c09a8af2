"""Update expressions: parsed once, then applied to items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from hansang.engine import numbers
from hansang.engine.expressions.parser import (
    Parser,
    misused,
    needs_path,
    undefined,
    unknown,
    wrong_count,
    wrong_type,
)
from hansang.engine.expressions.paths import container, get, nested, picked
from hansang.engine.expressions.tree import Attribute, Call, Operand, Path, Ref, Sum, operands, parts
from hansang.engine.faults import invalid
from hansang.engine.values import SETS, TYPE_NAMES, Item, Value, copied, difference, kind, union

Values = Mapping[str, Value]

_CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")
_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}


@dataclass(frozen=True, slots=True)
class Action:
    """One change: what to do, where, and with what."""

    clause: str
    path: Path
    operand: Operand | None


@dataclass(frozen=True, slots=True)
class Parsed:
    """An update, and what it refers to."""

    actions: tuple[Action, ...]
    names: frozenset[str]
    refs: tuple[str, ...]
    roots: tuple[str, ...]
    """The attributes that are changed, in the order of the text."""
    nested: frozenset[str]
    """The attributes that are looked into."""
    clash: str | None
    """Two actions that touch one place; said after values that are not defined."""

    def check(self, values: Values) -> None:
        """Refuse what is wrong with the actions and their values, whatever the item is."""
        for ref in self.refs:
            if ref not in values:
                raise _invalid(undefined("value", ref))
        if self.clash is not None:
            raise _invalid(self.clash)
        for action in self.actions:
            _check_amount(action, values)
        for action in self.actions:
            if action.clause == "SET" and action.operand is not None:
                _check_operand(action.operand, values)

    def known_types(self, values: Values) -> Iterator[tuple[str, str]]:
        """Attributes that are given a value of a type that is known without the item, and that type."""
        for action in self.actions:
            if len(action.path) > 1 or action.clause == "DELETE":
                continue
            if isinstance(action.operand, Ref):
                yield str(action.path[0]), kind(values[action.operand.name])
            elif isinstance(action.operand, Sum):
                yield str(action.path[0]), "N"

    @property
    def only_removes(self) -> bool:
        return all(action.clause in ("REMOVE", "DELETE") for action in self.actions)

    def apply(self, item: Item, values: Values) -> Item:
        """The item as it is after the update; every operand is read from the item before it."""
        changed = dict(item)
        for root in self.roots:
            if root in changed:
                changed[root] = copied(changed[root])
        steps = [(action, _prepared(action, item, values)) for action in self.actions]
        for action, value in sorted(steps, key=_removals_last) if len(steps) > 1 else steps:
            _STEPS[action.clause](changed, action.path, value)
        return changed


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> Parsed:
    parser = UpdateParser(label, text, dict(names))
    actions = parser.actions()
    found = [
        operand for action in actions if action.operand is not None for operand in operands(action.operand)
    ]
    refs = dict.fromkeys(operand.name for operand in found if isinstance(operand, Ref))
    roots = dict.fromkeys(str(action.path[0]) for action in actions)
    clash = parser.clash([action.path for action in actions])
    paths = [action.path for action in actions] + [o.path for o in found if isinstance(o, Attribute)]
    return Parsed(
        actions,
        frozenset(parser.used_names),
        tuple(refs),
        tuple(roots),
        nested(paths),
        clash[1] if clash else None,
    )


class UpdateParser(Parser):
    """`SET a = b + :n, c[0] = if_not_exists(d, :v) REMOVE e ADD f :n DELETE g :s`."""

    order = ("parentheses", "reserved", "function", "misuse", "section", "name", "path")
    keywords = frozenset(_CLAUSES)

    def actions(self) -> tuple[Action, ...]:
        found: list[Action] = []
        seen: set[str] = set()
        while clause := self._clause():
            if clause in seen:
                self.fault(
                    "section", f'The "{clause}" section can only be used once in an update expression;'
                )
            seen.add(clause)
            found.append(self._action(clause))
            while self.symbol(","):
                found.append(self._action(clause))
        if not found:
            self.refuse()
        self.finish()
        return tuple(found)

    def _clause(self) -> str | None:
        return next((clause for clause in _CLAUSES if self.word(clause)), None)

    def _action(self, clause: str) -> Action:
        self.operator()
        path = self.path()
        if clause == "REMOVE":
            return Action(clause, path, None)
        if clause == "SET":
            self.expect("=")
            return Action(clause, path, self._value())
        if self.token.kind != "value":
            self.refuse()
        return Action(clause, path, Ref(self.take().text))

    def _value(self) -> Operand:
        if self._brackets_sum():
            self.expect("(")
            inner = self._value()
            self.expect(")")
            return inner
        left = self.operand()
        sign = self.token.text
        if self.token.kind == "symbol" and sign in "+-":
            self.take()
            self.operator()
            return Sum(sign, left, self.operand())
        return left

    def _brackets_sum(self) -> bool:
        """Whether the bracket here holds a sum, as in `SET a = (b + :n)`, and not an operand alone."""
        if self.token.text != "(":
            return False
        depth = 0
        for token in self._tokens[self._position :]:
            depth += (token.text == "(") - (token.text == ")")
            if depth == 0:
                return False
            if depth == 1 and token.text in ("+", "-"):
                return True
        return False

    def met(self, kind: str, text: str) -> None:
        if kind == "name":
            self.fault("name", undefined(kind, text))

    def called(self, call: Call, inside: str) -> None:
        if call.name not in _FUNCTIONS:
            self.fault("function", unknown(call.name))
        elif inside == "list_append" == call.name:
            self.fault("misuse", misused(call.name))


# ── the types of the request's values ─────────────────────────────────────────────────────────────


def _invalid(message: str) -> Exception:
    return invalid(f"Invalid UpdateExpression: {message}")


def _check_amount(action: Action, values: Values) -> None:
    """What ADD and DELETE are given."""
    if action.clause == "SET" or not isinstance(action.operand, Ref):
        return
    allowed = SETS if action.clause == "DELETE" else SETS | {"N"}
    tag = kind(values[action.operand.name])
    if tag not in allowed:
        raise _invalid(
            "Incorrect operand type for operator or function; "
            f"operator: {action.clause}, operand type: {TYPE_NAMES[tag]}, "
            f"typeSet: ALLOWED_FOR_{action.clause}_OPERAND"
        )


def _check_operand(operand: Operand, values: Values) -> None:
    if isinstance(operand, Call):
        _check_call(operand)
    for side in parts(operand):
        _check_operand(side, values)
        if isinstance(operand, Sum):
            _expect(operand.sign, side, values, "N")
        elif isinstance(operand, Call) and operand.name == "list_append":
            _expect(operand.name, side, values, "L")


def _check_call(call: Call) -> None:
    if len(call.operands) != _FUNCTIONS[call.name]:
        raise _invalid(wrong_count(call.name, len(call.operands)))
    if call.name == "if_not_exists" and not isinstance(call.operands[0], Attribute):
        raise _invalid(needs_path(call.name))


def _expect(name: str, operand: Operand, values: Values, wanted: str) -> None:
    if isinstance(operand, Ref) and kind(values[operand.name]) != wanted:
        raise _invalid(wrong_type(name, kind(values[operand.name])))


# ── evaluation ────────────────────────────────────────────────────────────────────────────────────


def _prepared(action: Action, item: Item, values: Values) -> Value | None:
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
    if isinstance(operand, Ref):
        return values[operand.name]
    if isinstance(operand, Attribute):
        value = get(item, operand.path)
        if value is None:
            raise invalid("The provided expression refers to an attribute that does not exist in the item")
        return value
    if isinstance(operand, Sum):
        return _summed(operand, item, values)
    if operand.name == "if_not_exists":
        return _evaluated(operand.operands[_missing(operand.operands[0], item)], item, values)
    return _appended(*(_evaluated(part, item, values) for part in operand.operands))


def _missing(operand: Operand, item: Item) -> bool:
    assert isinstance(operand, Attribute)
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


def _removals_last(step: tuple[Action, Value | None]) -> tuple[int, int]:
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


# ── what an update reports ────────────────────────────────────────────────────────────────────────


def touched(update: Parsed, item: Item) -> Item:
    """The parts of an item that the update names: a nested part is returned in its surroundings."""
    return picked(item, tuple(dict.fromkeys(action.path for action in update.actions)))
