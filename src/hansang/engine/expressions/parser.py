"""The grammar of expressions: what the condition, update and projection parsers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from hansang.engine.expressions.lexer import END, Token, tokens
from hansang.engine.expressions.reserved import is_reserved
from hansang.engine.expressions.tree import Attribute, Call, Operand, Path, Ref, shown
from hansang.engine.faults import invalid
from hansang.errors import WireError

LONGEST = 4096
_MOST_OPERATORS = 300
_DEEPEST_PATH = 32
_DEEPEST_NESTING = 64

# Of several faults in one expression DynamoDB names the first of the first kind.
_ORDER = ("reserved", "function", "misuse", "parentheses", "name", "path", "operand", "distinct")


class Parser:
    """Reads one expression. Faults of syntax are raised at once, the others when all is read."""

    def __init__(self, label: str, text: str, names: Mapping[str, str]) -> None:
        self.label, self.text, self.names = label, text, names
        self.used_names: set[str] = set()
        self._faults: dict[str, str] = {}
        self._operators = 0
        self._position = 0
        self._nesting = 0
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
        self._faults.setdefault(kind, message)

    def raise_faults(self) -> None:
        for kind in _ORDER:
            if kind in self._faults:
                raise self.error(self._faults[kind])

    def refuse(self, token: Token | None = None) -> NoReturn:
        """The expression is wrong at this token."""
        token = token or self.token
        at = self._tokens.index(token)
        before = self._tokens[at - 1] if at else token
        behind = self._tokens[at + 1] if at + 1 < len(self._tokens) else token
        end = behind.end if behind.kind != END else token.end
        near = self.text[before.start : end]
        raise self.error(f'Syntax error; token: "{token.text}", near: "{near}"')

    def operator(self) -> None:
        self._operators += 1
        if self._operators > _MOST_OPERATORS:
            raise self.error(f"The expression contains too many operators; operator count: {self._operators}")

    def deeper(self) -> None:
        self._nesting += 1
        if self._nesting > _DEEPEST_NESTING:
            raise self.error(f"The expression is nested too deeply; nesting level: {self._nesting}")

    def shallower(self) -> None:
        self._nesting -= 1

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

    def follows(self, text: str) -> bool:
        """Whether this symbol stands behind the next token."""
        behind = self._tokens[min(self._position + 1, len(self._tokens) - 1)]
        return behind.kind == "symbol" and behind.text == text

    def finish(self) -> None:
        if self.token.kind != END:
            self.refuse()
        self.raise_faults()

    # ── operands ──────────────────────────────────────────────────────────────────────────────────

    def operand(self) -> Operand:
        if self.token.kind == "value":
            return Ref(self.take().text)
        if self.token.kind == "word" and self.follows("("):
            return self.call()
        return Attribute(self.path())

    def call(self) -> Call:
        name = self.take().text
        self.operator()
        self.expect("(")
        self.deeper()
        operands = [self.operand()]
        while self.symbol(","):
            operands.append(self.operand())
        self.expect(")")
        self.shallower()
        return Call(name, tuple(operands))

    def path(self) -> Path:
        parts: list[str | int] = [self._name()]
        while True:
            if self.symbol("."):
                parts.append(self._name())
            elif self.symbol("["):
                parts.append(self._index())
                self.expect("]")
            else:
                break
        if len(parts) > _DEEPEST_PATH:
            self.fault(
                "path", f"The document path has too many nesting elements; nesting level: {len(parts)}"
            )
        return tuple(parts)

    def _name(self) -> str:
        token = self.token
        if token.kind == "word":
            self.take()
            if is_reserved(token.text):
                self.fault(
                    "reserved", f"Attribute name is a reserved keyword; reserved keyword: {token.text}"
                )
            return token.text
        if token.kind != "alias":
            self.refuse()
        self.take()
        return self._meant(token.text)

    def _meant(self, alias: str) -> str:
        self.used_names.add(alias)
        if alias not in self.names:
            self.fault(
                "name",
                f"An expression attribute name used in the document path is not defined; attribute name: {alias}",
            )
        return self.names.get(alias, alias)

    def _index(self) -> int:
        if self.token.kind != "index":
            self.refuse()
        token = self.take()
        if len(token.text.lstrip("0")) > 9:
            raise self.error("List index is not within the allowable range; index: [" + token.text + "]")
        return int(token.text)

    # ── rules that need no values ─────────────────────────────────────────────────────────────────

    def distinct(self, paths: list[Path]) -> None:
        """Two paths may not touch the same place, nor one place as a map and as a list."""
        for later, second in enumerate(paths):
            for first in paths[:later]:
                common = _shared(first, second)
                if common == min(len(first), len(second)):
                    raise self._clash("overlap", first, second)
                if common and type(first[common]) is not type(second[common]):
                    raise self._clash("conflict", first, second)

    def _clash(self, verb: str, first: Path, second: Path) -> WireError:
        return self.error(
            f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
            f"path one: {shown(first)}, path two: {shown(second)}"
        )

    def count(self, call: Call, *wanted: int) -> None:
        if len(call.operands) not in wanted:
            self.fault(
                "operand",
                "Incorrect number of operands for operator or function; "
                f"operator or function: {call.name}, number of operands: {len(call.operands)}",
            )

    def document_path(self, call: Call) -> None:
        if not isinstance(call.operands[0], Attribute):
            self.fault(
                "operand",
                f"Operator or function requires a document path; operator or function: {call.name}",
            )


def _shared(first: Path, second: Path) -> int:
    """How many leading parts two paths share."""
    pairs = zip(first, second, strict=False)
    return next((n for n, (ours, theirs) in enumerate(pairs) if ours != theirs), min(len(first), len(second)))
