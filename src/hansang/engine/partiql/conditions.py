"""What stands behind WHERE: the same tree of conditions that an expression becomes."""

from __future__ import annotations

from hansang.engine.expressions.parser import DEEPEST_PATH
from hansang.engine.expressions.tree import (
    AndOr,
    AttributePath,
    Between,
    Compare,
    Condition,
    FunctionCall,
    In,
    Not,
    Operand,
    Path,
    Ref,
)
from hansang.engine.faults import invalid
from hansang.engine.partiql.lexer import StatementToken, malformed, place, tokens
from hansang.engine.partiql.literals import ParameterSlot, Template
from hansang.errors import WireError

_SIGNS = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_PREDICATES = ("begins_with", "contains", "attribute_type")
_KEYWORDS = frozenset(
    {
        *("SELECT", "FROM", "WHERE", "ORDER", "BY", "INTO", "VALUE", "SET", "REMOVE", "RETURNING"),
        *("AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "NULL", "TRUE", "FALSE"),
    }
)
_DEEPEST = 64
_MOST_CHOICES = 100


class ConditionGrammar:
    """Tokens, paths, values and conditions, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: dict[str, Template] = {}
        self.slots = 0
        self._tokens = tokens(text)
        self._position = 0
        self._depth = 0

    # ── tokens ────────────────────────────────────────────────────────────────────────────────────

    @property
    def token(self) -> StatementToken:
        return self._tokens[self._position]

    @property
    def behind(self) -> StatementToken:
        return self._tokens[min(self._position + 1, len(self._tokens) - 1)]

    def take(self) -> StatementToken:
        token = self.token
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def word(self, text: str) -> bool:
        """Take this keyword if it comes next."""
        if self.token.kind == "word" and self.token.text.upper() == text:
            self.take()
            return True
        return False

    def symbol(self, text: str) -> bool:
        if self.token.kind == "symbol" and self.token.text == text:
            self.take()
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.symbol(text):
            raise self.unexpected()

    def expect_word(self, text: str) -> None:
        if not self.word(text):
            raise self.unexpected()

    def unexpected(self) -> WireError:
        return malformed(f"Unexpected term {self.token.text} at {place(self.text, self.token.start)}")

    def deeper(self) -> None:
        """Go one level down; a statement that goes too far is refused before the stack is at its end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise malformed("The statement is nested too deeply")

    def shallower(self) -> None:
        self._depth -= 1

    # ── names and paths ───────────────────────────────────────────────────────────────────────────

    def name(self) -> str:
        """A name: quoted, or a word that is none of the grammar."""
        if self.token.kind == "name":
            return self.take().content
        if self.token.kind == "word" and self.token.text.upper() not in _KEYWORDS:
            return self.take().text
        raise self.unexpected()

    def path(self) -> Path:
        parts: list[str | int] = [self.name()]
        while True:
            if self.symbol("."):
                parts.append(self.name())
            elif self.symbol("["):
                parts.append(self._step())
                self.expect("]")
            else:
                break
        if "" in parts:
            raise invalid("Path component cannot be an empty string")
        if len(parts) > DEEPEST_PATH:
            raise invalid(f"The document path has too many nesting levels; nesting levels: {len(parts)}")
        return tuple(parts)

    def _step(self) -> str | int:
        if self.token.kind == "text":
            return self.take().content
        if self.token.kind == "number" and self.token.text.isdecimal() and len(self.token.text) < 10:
            return int(self.take().text)
        raise self.unexpected()

    # ── values ────────────────────────────────────────────────────────────────────────────────────

    def literal(self) -> Template:
        """A value that is written out; a parameter in it leaves a place for itself."""
        token = self.token
        if token.kind == "text":
            return {"S": self.take().content}
        if token.kind == "slot":
            self.take()
            self.slots += 1
            return ParameterSlot(self.slots - 1)
        if token.kind == "number" or (token.text in "+-" and self.behind.kind == "number"):
            return {"N": self._number()}
        if token.kind == "word":
            return self._named()
        return self._collection()

    def _number(self) -> str:
        sign = self.take().text if self.token.kind == "symbol" else ""
        return sign.replace("+", "") + self.take().text

    def _named(self) -> Template:
        if self.word("TRUE"):
            return {"BOOL": True}
        if self.word("FALSE"):
            return {"BOOL": False}
        if self.word("NULL"):
            return {"NULL": True}
        raise self.unexpected()

    def _collection(self) -> Template:
        self.deeper()
        found: Template
        if self.symbol("["):
            found = {"L": self._members("]")}
        elif self.symbol("<<"):
            found = {"set": self._members(">>")}
        elif self.symbol("{"):
            found = {"M": self._pairs()}
        else:
            raise self.unexpected()
        self.shallower()
        return found

    def _members(self, end: str) -> list[Template]:
        members: list[Template] = []
        if self.symbol(end):
            return members
        while not members or self.symbol(","):
            members.append(self.literal())
        self.expect(end)
        return members

    def _pairs(self) -> dict[str, Template]:
        pairs: dict[str, Template] = {}
        if self.symbol("}"):
            return pairs
        while not pairs or self.symbol(","):
            if self.token.kind not in ("text", "name"):
                raise self.unexpected()
            name = self.take().content
            self.expect(":")
            if name in pairs:
                raise malformed(f"The attribute {name} is there twice")
            pairs[name] = self.literal()
        self.expect("}")
        return pairs

    def value_operand(self) -> Ref:
        """A value, kept beside the tree under a name of its own."""
        return self._kept(self.literal())

    def _kept(self, template: Template) -> Ref:
        ref = Ref(f":{len(self.values)}")
        self.values[ref.name] = template
        return ref

    # ── conditions ────────────────────────────────────────────────────────────────────────────────

    def condition(self) -> Condition:
        found = self._all()
        while self.word("OR"):
            found = AndOr("OR", found, self._all())
        return found

    def _all(self) -> Condition:
        found = self._negated()
        while self.word("AND"):
            found = AndOr("AND", found, self._negated())
        return found

    def _negated(self) -> Condition:
        negations = 0
        while self.word("NOT"):
            negations += 1
        found = self._group() if self.token.text == "(" else self._predicate()
        return Not(found) if negations % 2 else found

    def _group(self) -> Condition:
        self.deeper()
        self.expect("(")
        found = self.condition()
        self.expect(")")
        self.shallower()
        return found

    def _predicate(self) -> Condition:
        if self.token.kind == "word" and self.behind.text == "(" and not self._is("size"):
            return self._function()
        subject = self._operand()
        sign = self.token.text
        if self.token.kind == "symbol" and sign in _SIGNS:
            self.take()
            return Compare(_SIGNS[sign], subject, self._operand())
        if self.word("IS"):
            return self._state(subject)
        negated = self.word("NOT")
        found = self._range(subject)
        return Not(found) if negated else found

    def _is(self, function: str) -> bool:
        return self.token.text.lower() == function

    def _range(self, subject: Operand) -> Condition:
        if self.word("BETWEEN"):
            low = self._operand()
            self.expect_word("AND")
            return Between(subject, low, self._operand())
        self.expect_word("IN")
        end = "]" if self.symbol("[") else ")"
        if end == ")":
            self.expect("(")
        choices = [self._operand()]
        while self.symbol(","):
            choices.append(self._operand())
        self.expect(end)
        if len(choices) > _MOST_CHOICES:
            raise invalid(
                f"The IN operator is provided with too many operands; number of operands: {len(choices)}"
            )
        return In(subject, tuple(choices))

    def _state(self, subject: Operand) -> Condition:
        """`IS MISSING`, `IS NULL`, and both with NOT."""
        negated = self.word("NOT")
        if not isinstance(subject, AttributePath):
            raise self.unexpected()
        if self.word("MISSING"):
            return FunctionCall("attribute_exists" if negated else "attribute_not_exists", (subject,))
        self.expect_word("NULL")
        found = FunctionCall("attribute_type", (subject, self._kept({"S": "NULL"})))
        return Not(found) if negated else found

    def _function(self) -> Condition:
        name = self.take().text.lower()
        if name not in _PREDICATES:
            raise invalid(f"Unsupported function: {name}")
        self.expect("(")
        left = self._operand()
        self.expect(",")
        right = self._operand()
        self.expect(")")
        return FunctionCall(name, (left, right))

    def _operand(self) -> Operand:
        if self._is("size") and self.behind.text == "(":
            self.take()
            self.expect("(")
            inner = AttributePath(self.path())
            self.expect(")")
            return FunctionCall("size", (inner,))
        return self.plain_operand()

    def plain_operand(self) -> Operand:
        """A path or a value."""
        token = self.token
        is_name = token.kind == "word" and token.text.upper() not in _KEYWORDS
        return AttributePath(self.path()) if is_name or token.kind == "name" else self.value_operand()
