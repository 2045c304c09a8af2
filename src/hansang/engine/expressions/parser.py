"""The grammar of expressions: what the condition, update and projection parsers share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from hansang.engine.expressions.lexer import END, Token, tokens
from hansang.engine.expressions.reserved import is_reserved
from hansang.engine.expressions.tree import AttributePath, FunctionCall, Operand, Path, Ref, shown
from hansang.engine.faults import invalid
from hansang.errors import WireError

LONGEST = 4096
_MOST_OPERATORS = 300
DEEPEST_PATH = 32


class Parser:
    """Reads one expression, without recursion, so that no nesting can exhaust the stack.

    Faults of syntax are raised at once. Of the other faults DynamoDB names the first of the first
    kind, so they are kept until all is read; each parser knows the order of its kinds.
    """

    order: tuple[str, ...] = ("reserved", "name", "path")
    goes_on = False
    """Whether a path in brackets may go on behind them."""
    keywords: frozenset[str] = frozenset()
    """Words that are part of the grammar, and so can be no name in it."""

    def __init__(self, label: str, text: str, names: Mapping[str, str]) -> None:
        self.label, self.text, self.names = label, text, names
        self.used_names: set[str] = set()
        self.faults: dict[str, str] = {}
        self._operators = 0
        self._position = 0
        self._tokens = self._read()

    def _read(self) -> list[Token]:
        if not self.text.strip():
            raise self.error("The expression can not be empty;")
        size = len(self.text.encode())
        if size > LONGEST:
            raise self.error(
                f"Expression size has exceeded the maximum allowed size; expression size: {size}"
            )
        return tokens(self.text)

    # ── faults ────────────────────────────────────────────────────────────────────────────────────

    def error(self, message: str) -> WireError:
        return invalid(f"Invalid {self.label}: {message}")

    def fault(self, kind: str, message: str) -> None:
        self.faults.setdefault(kind, message)

    def raise_faults(self) -> None:
        for kind in self.order:
            if kind in self.faults:
                raise self.error(self.faults[kind])

    def refuse(self) -> NoReturn:
        """The expression is wrong at the present token."""
        at, token = self._position, self.token
        before = self._tokens[at - 1] if at else token
        behind = self._tokens[min(at + 1, len(self._tokens) - 1)]
        end = behind.end if behind.kind != END else token.end
        near = self.text[before.start : end]
        raise self.error(f'Syntax error; token: "{token.text}", near: "{near}"')

    def operator(self) -> None:
        self._operators += 1
        if self._operators > _MOST_OPERATORS:
            raise self.error(f"The expression contains too many operators; operator count: {self._operators}")

    # ── tokens ────────────────────────────────────────────────────────────────────────────────────

    @property
    def token(self) -> Token:
        return self._tokens[self._position]

    def take(self) -> Token:
        token = self.token
        self._position += token.kind != END
        return token

    def symbol(self, text: str) -> bool:
        """Take this symbol if it comes next."""
        if self.token.kind == "symbol" and self.token.text == text:
            self._position += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.symbol(text):
            self.refuse()

    def word(self, text: str) -> bool:
        """Take this keyword if it comes next."""
        if self.token.kind == "word" and self.token.text.upper() == text:
            self._position += 1
            return True
        return False

    def _opens_call(self) -> bool:
        behind = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
        return self.token.kind == "word" and behind.text == "("

    def finish(self) -> None:
        if self.token.kind != END:
            self.refuse()
        self.raise_faults()

    # ── operands ──────────────────────────────────────────────────────────────────────────────────

    def operand(self) -> Operand:
        """A value, a path or a function; in brackets, if the expression likes."""
        opened: list[tuple[str, list[Operand]]] = []
        while True:
            if self._opens_call():
                opened.append((self.take().text, []))
                self.expect("(")
                continue
            if self.symbol("("):
                opened.append(("", []))
                continue
            node = self._closed(self._plain(), opened)
            if node is not None:
                return node

    def _plain(self) -> Operand:
        if self.token.kind == "value":
            token = self.take()
            self.met("value", token.text)
            return Ref(token.text)
        return AttributePath(self.path())

    def _closed(self, node: Operand, opened: list[tuple[str, list[Operand]]]) -> Operand | None:
        """Close the functions and brackets that end here; None when a function goes on."""
        brackets = 0
        while opened:
            name, operands = opened[-1]
            operands.append(node)
            if name and self.symbol(","):
                return None
            self.expect(")")
            opened.pop()
            if self.goes_on and not name and isinstance(node, AttributePath):
                node = AttributePath(self._continued(list(node.path)))
            brackets = 0 if name else brackets + 1
            if brackets > 1:
                self.fault("parentheses", "The expression has redundant parentheses;")
            if name:
                node = FunctionCall(name, tuple(operands))
                self.called(node, inside=opened[-1][0] if opened else "")
        return node

    def met(self, kind: str, text: str) -> None:
        """A name that is not defined, or a value, was met; for parsers that care about the order."""

    def called(self, call: FunctionCall, inside: str) -> None:
        """A function was read whole, inside another or not; for parsers that have functions."""

    def path(self) -> Path:
        return self._continued([self._name()])

    def _continued(self, parts: list[str | int]) -> Path:
        while True:
            if self.symbol("."):
                parts.append(self._name())
            elif self.symbol("["):
                parts.append(self._index())
                self.expect("]")
            else:
                break
        if len(parts) > DEEPEST_PATH:
            self.fault("path", f"The document path has too many nesting levels; nesting levels: {len(parts)}")
        return tuple(parts)

    def _name(self) -> str:
        token = self.token
        if token.kind == "word":
            if token.text.upper() in self.keywords:
                self.refuse()
            self.take()
            if is_reserved(token.text):
                self.fault(
                    "reserved", f"Attribute name is a reserved keyword; reserved keyword: {token.text}"
                )
            return token.text
        if token.kind != "alias":
            self.refuse()
        self.take()
        self.used_names.add(token.text)
        if token.text not in self.names:
            self.met("name", token.text)
        return self.names.get(token.text, token.text)

    def _index(self) -> int:
        if self.token.kind != "index":
            self.refuse()
        token = self.take()
        if len(token.text.lstrip("0")) > 9:
            raise self.error("List index is not within the allowable range; index: [" + token.text + "]")
        return int(token.text)


# ── rules that need no values ─────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Crossing:
    """A place in the documents that paths lead to or through, by the numbers of the first to do so."""

    end: int | None = None
    ways: dict[type, int] = field(default_factory=dict)
    """The first path that goes on by name, and the first that goes on by position."""
    parts: dict[str | int, _Crossing] = field(default_factory=dict)


def clash(paths: list[Path]) -> str | None:
    """Two paths may not touch the same place, nor one place as a map and as a list."""
    root, conflict = _Crossing(), None
    for number, path in enumerate(paths):
        here, touched, turned = root, [], []
        for part in path:
            touched += [] if here.end is None else [here.end]
            turned += [first for way, first in here.ways.items() if way is not type(part)]
            here.ways.setdefault(type(part), number)
            here = here.parts.setdefault(part, _Crossing())
        touched += [*here.ways.values(), *([] if here.end is None else [here.end])]
        if touched:
            return _clash("overlap", paths[min(touched)], path)
        if turned and conflict is None:
            conflict = _clash("conflict", paths[min(turned)], path)
        here.end = number
    return conflict


def undefined(kind: str, text: str) -> str:
    """The fault of a name or a value that the request does not define."""
    if kind == "name":
        place = "the document path"
        return f"An expression attribute name used in {place} is not defined; attribute name: {text}"
    return f"An expression attribute value used in expression is not defined; attribute value: {text}"


def wrong_count(name: str, count: int) -> str:
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {name}, number of operands: {count}"
    )


def needs_path(name: str) -> str:
    return f"Operator or function requires a document path; operator or function: {name}"


def wrong_type(name: str, kind: str) -> str:
    return (
        f"Incorrect operand type for operator or function; operator or function: {name}, operand type: {kind}"
    )


def misused(name: str) -> str:
    return f"The function is not allowed to be used this way in an expression; function: {name}"


def unknown(name: str) -> str:
    return f"Invalid function name; function: {name}"


def _clash(verb: str, first: Path, second: Path) -> str:
    return (
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {shown(first)}, path two: {shown(second)}"
    )
