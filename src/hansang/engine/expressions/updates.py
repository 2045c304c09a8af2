"""Update expressions: parsed once, then applied to items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from hansang.engine import numbers
from hansang.engine.expressions.parser import Parser
from hansang.engine.expressions.paths import container, get
from hansang.engine.expressions.tree import Attribute, Call, Operand, Path, Ref, Sum, operands
from hansang.engine.faults import invalid
from hansang.engine.values import SETS, TYPE_NAMES, Item, Value, difference, kind, union

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

    def check(self, values: Values) -> None:
        """Refuse values of a type that the action cannot have, whatever the item is."""
        for action in self.actions:
            _check(action, values)

    @property
    def roots(self) -> dict[str, None]:
        """The attributes that are changed, in the order of the text."""
        return dict.fromkeys(str(action.path[0]) for action in self.actions)

    @property
    def only_removes(self) -> bool:
        return all(action.clause in ("REMOVE", "DELETE") for action in self.actions)

    def apply(self, item: Item, values: Values) -> Item:
        """The item as it is after the update; every operand is read from the item before it."""
        changed = dict(item)
        for root in self.roots:
            if root in changed:
                changed[root] = deepcopy(changed[root])
        steps = [(action, _prepared(action, item, values)) for action in self.actions]
        for action, value in sorted(steps, key=_removals_last):
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
    return Parsed(actions, frozenset(parser.used_names), tuple(refs))


class UpdateParser(Parser):
    """`SET a = b + :n, c[0] = if_not_exists(d, :v) REMOVE e ADD f :n DELETE g :s`."""

    def actions(self) -> tuple[Action, ...]:
        found: list[Action] = []
        seen: set[str] = set()
        while clause := self._clause():
            if clause in seen:
                raise self.error(f'The "{clause}" section can only be used once in an update expression;')
            seen.add(clause)
            found.append(self._action(clause))
            while self.symbol(","):
                found.append(self._action(clause))
        if not found:
            self.refuse()
        self.finish()
        self.distinct([action.path for action in found])
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
        left = self._term()
        sign = self.token.text
        if self.token.kind == "symbol" and sign in "+-":
            self.take()
            self.operator()
            return Sum(sign, left, self._term())
        return left

    def _term(self) -> Operand:
        if self.symbol("("):
            self.deeper()
            inner = self._value()
            self.expect(")")
            self.shallower()
            return inner
        term = self.operand()
        if isinstance(term, Call):
            self._function(term)
        return term

    def _function(self, call: Call) -> None:
        for operand in call.operands:
            if isinstance(operand, Call):
                self._function(operand)
        if call.name not in _FUNCTIONS:
            self.fault("function", f"Invalid function name; function: {call.name}")
            return
        self.count(call, _FUNCTIONS[call.name])
        if call.name == "if_not_exists":
            self.document_path(call)


# ── the types of the request's values ─────────────────────────────────────────────────────────────


def _check(action: Action, values: Values) -> None:
    if action.clause == "SET" and action.operand is not None:
        _check_operand(action.operand, values)
    elif isinstance(action.operand, Ref):
        allowed = SETS if action.clause == "DELETE" else SETS | {"N"}
        tag = kind(values[action.operand.name])
        if tag not in allowed:
            raise invalid(
                "Invalid UpdateExpression: Incorrect operand type for operator or function; "
                f"operator: {action.clause}, operand type: {TYPE_NAMES[tag]}, "
                f"typeSet: ALLOWED_FOR_{action.clause}_OPERAND"
            )


def _check_operand(operand: Operand, values: Values) -> None:
    if isinstance(operand, Sum):
        for side in (operand.left, operand.right):
            _check_operand(side, values)
            _expect(operand.sign, side, values, "N")
    elif isinstance(operand, Call):
        for side in operand.operands:
            _check_operand(side, values)
            if operand.name == "list_append":
                _expect(operand.name, side, values, "L")


def _expect(name: str, operand: Operand, values: Values, wanted: str) -> None:
    if isinstance(operand, Ref) and kind(values[operand.name]) != wanted:
        raise invalid(
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            f"operator or function: {name}, operand type: {kind(values[operand.name])}"
        )


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
        place[last] = deepcopy(value)
    else:
        place.append(deepcopy(value))


def _remove(item: Item, path: Path, value: Value | None) -> None:
    place = _place(item, path)
    last: Any = path[-1]
    if isinstance(place, dict):
        place.pop(last, None)
    elif last < len(place):
        del place[last]


def _set_or_remove(item: Item, path: Path, value: Value | None) -> None:
    if value is not None:
        _set(item, path, value)
    elif container(item, path) is not None:
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
    "DELETE": _set_or_remove,
}


# ── what an update reports ────────────────────────────────────────────────────────────────────────


def touched(update: Parsed, item: Item) -> Item:
    """The parts of an item that the update names: a nested part is returned in its surroundings."""
    found: Item = {}
    for path in _paths(update):
        value = get(item, path)
        if value is not None:
            _graft(found, path, value)
    return found


def _paths(update: Parsed) -> Iterator[Path]:
    yield from dict.fromkeys(action.path for action in update.actions)


def _graft(found: Item, path: Path, value: Value) -> None:
    place: Any = found
    for part, following in pairwise(path):
        tag = "M" if isinstance(following, str) else "L"
        place = _step(place, part, {tag: {} if tag == "M" else []})[tag]
    _step(place, path[-1], value)


def _step(place: Any, part: str | int, value: Value) -> Any:
    if isinstance(place, list):
        place.append(value)
        return place[-1]
    return place.setdefault(part, value)
