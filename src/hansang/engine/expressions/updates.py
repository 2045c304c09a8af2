"""Update expressions: parsed once, then applied to items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hansang.engine.expressions.parser import (
    Parser,
    clash,
    misused,
    needs_path,
    undefined,
    unknown,
    wrong_count,
    wrong_type,
)
from hansang.engine.expressions.paths import nested, picked
from hansang.engine.expressions.tree import (
    AttributePath,
    FunctionCall,
    Operand,
    Ref,
    Sum,
    UpdateAction,
    operands,
    parts,
)
from hansang.engine.expressions.update_steps import Values, applied
from hansang.engine.faults import invalid
from hansang.engine.values import SETS, TYPE_NAMES, Item, Value, kind

_CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")
OVERHEADS = {"SET": 19, "ADD": 19, "REMOVE": 2, "DELETE": 2}
_FUNCTIONS = {"if_not_exists": 2, "list_append": 2}
_SOME_NUMBER: Value = {"N": "0"}


@dataclass(frozen=True, slots=True)
class ParsedUpdate:
    """An update, and what it refers to."""

    actions: tuple[UpdateAction, ...]
    names: frozenset[str]
    refs: tuple[str, ...]
    roots: tuple[str, ...]
    """The attributes that are changed, in the order of the text."""
    nested: frozenset[str]
    """The attributes that are looked into."""
    clash: str | None
    """Two actions that touch one place; said after values that are not defined."""
    overhead: int
    """What the actions themselves weigh against the largest item, beside what they write."""

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

    def known(self, values: Values) -> Iterator[tuple[str, Value]]:
        """Attributes that are given a value that is known without the item, or at least its type."""
        for action in self.actions:
            if len(action.path) > 1 or action.clause == "DELETE":
                continue
            if isinstance(action.operand, Ref):
                yield str(action.path[0]), values[action.operand.name]
            elif isinstance(action.operand, Sum):
                yield str(action.path[0]), _SOME_NUMBER

    @property
    def only_removes(self) -> bool:
        return all(action.clause in ("REMOVE", "DELETE") for action in self.actions)

    def apply(self, item: Item, values: Values) -> Item:
        """The item as it is after the update."""
        return applied(self.actions, self.roots, item, values)


@lru_cache(maxsize=4096)
def parse(label: str, text: str, names: tuple[tuple[str, str], ...]) -> ParsedUpdate:
    parser = UpdateParser(label, text, dict(names))
    actions = parser.actions()
    found = [
        operand for action in actions if action.operand is not None for operand in operands(action.operand)
    ]
    refs = dict.fromkeys(operand.name for operand in found if isinstance(operand, Ref))
    roots = dict.fromkeys(str(action.path[0]) for action in actions)
    paths = [action.path for action in actions] + [o.path for o in found if isinstance(o, AttributePath)]
    return ParsedUpdate(
        actions,
        frozenset(parser.used_names),
        tuple(refs),
        tuple(roots),
        nested(paths),
        clash([action.path for action in actions]),
        # DynamoDB counts 3 bytes for an update, and so many for each of its actions (measured).
        3 + sum(OVERHEADS[action.clause] for action in actions),
    )


class UpdateParser(Parser):
    """`SET a = b + :n, c[0] = if_not_exists(d, :v) REMOVE e ADD f :n DELETE g :s`."""

    order = ("parentheses", "reserved", "function", "misuse", "section", "name", "path")
    keywords = frozenset(_CLAUSES)

    def actions(self) -> tuple[UpdateAction, ...]:
        found: list[UpdateAction] = []
        seen: set[str] = set()
        while clause := next((each for each in _CLAUSES if self.word(each)), None):
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

    def _action(self, clause: str) -> UpdateAction:
        self.operator()
        path = self.path()
        if clause == "REMOVE":
            return UpdateAction(clause, path, None)
        if clause == "SET":
            self.expect("=")
            return UpdateAction(clause, path, self._value())
        if self.token.kind != "value":
            self.refuse()
        return UpdateAction(clause, path, Ref(self.take().text))

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

    def called(self, call: FunctionCall, inside: str) -> None:
        if call.name not in _FUNCTIONS:
            self.fault("function", unknown(call.name))
        elif inside == "list_append" == call.name:
            self.fault("misuse", misused(call.name))


# ── the types of the request's values ─────────────────────────────────────────────────────────────


def _invalid(message: str) -> Exception:
    return invalid(f"Invalid UpdateExpression: {message}")


def _check_amount(action: UpdateAction, values: Values) -> None:
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
    if isinstance(operand, FunctionCall):
        _check_call(operand)
    for side in parts(operand):
        _check_operand(side, values)
        if isinstance(operand, Sum):
            _expect(operand.sign, side, values, "N")
        elif isinstance(operand, FunctionCall) and operand.name == "list_append":
            _expect(operand.name, side, values, "L")


def _check_call(call: FunctionCall) -> None:
    if len(call.operands) != _FUNCTIONS[call.name]:
        raise _invalid(wrong_count(call.name, len(call.operands)))
    if call.name == "if_not_exists" and not isinstance(call.operands[0], AttributePath):
        raise _invalid(needs_path(call.name))


def _expect(name: str, operand: Operand, values: Values, wanted: str) -> None:
    if isinstance(operand, Ref) and kind(values[operand.name]) != wanted:
        raise _invalid(wrong_type(name, kind(values[operand.name])))


# ── what an update reports ────────────────────────────────────────────────────────────────────────


def touched(update: ParsedUpdate, item: Item) -> Item:
    """The parts of an item that the update names: a nested part is returned in its surroundings."""
    return picked(item, tuple(dict.fromkeys(action.path for action in update.actions)))
