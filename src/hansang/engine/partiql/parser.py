"""The grammar of statements. A statement is read once, and kept."""

from __future__ import annotations

from functools import lru_cache

from hansang.engine.expressions.parser import clash
from hansang.engine.expressions.paths import nested
from hansang.engine.expressions.tree import (
    AttributePath,
    FunctionCall,
    Operand,
    Path,
    Ref,
    Sum,
    UpdateAction,
    operands,
)
from hansang.engine.expressions.updates import ParsedUpdate
from hansang.engine.faults import invalid
from hansang.engine.partiql.conditions import ConditionGrammar
from hansang.engine.partiql.lexer import END, malformed, place
from hansang.engine.partiql.projections import LeafProjection
from hansang.engine.partiql.statements import Statement

_LONGEST_KEPT = 1024
"""Characters of the statements that are kept; with as many of them, the longest take some 80 MB."""


def parse(text: str) -> Statement:
    """The statement that the text is."""
    return _kept(text) if len(text) <= _LONGEST_KEPT else _read(text)


def _read(text: str) -> Statement:
    grammar = StatementGrammar(text)
    statement = grammar.statement()
    grammar.symbol(";")
    if grammar.token.kind != END:
        raise grammar.unexpected()
    return statement


_kept = lru_cache(maxsize=1024)(_read)


class StatementGrammar(ConditionGrammar):
    """`SELECT`, `INSERT`, `UPDATE`, `DELETE`, and `EXISTS` around a `SELECT`."""

    def statement(self) -> Statement:
        if self.word("SELECT"):
            return self._select("SELECT")
        if self.word("INSERT"):
            return self._insert()
        if self.word("UPDATE"):
            return self._update()
        if self.word("DELETE"):
            return self._delete()
        if self.word("EXISTS"):
            return self._exists()
        raise malformed("Expected data manipulation")

    def _select(self, verb: str) -> Statement:
        projection = None if self.symbol("*") else self._projection()
        self.expect_word("FROM")
        table, index = self._target()
        where = self.condition() if self.word("WHERE") else None
        order = self._order()
        return Statement(verb, table, index, where, projection, order, values=self.values, slots=self.slots)

    def _projection(self) -> LeafProjection:
        paths = [self._column()]
        while self.symbol(","):
            paths.append(self._column())
        return LeafProjection.of(paths)

    def _column(self) -> Path:
        token = self.token
        if token.kind == "word" and self.behind.text == "(":
            raise invalid(f"Unexpected path component at {place(self.text, token.start)}:{len(token.text)}")
        return self.path()

    def _target(self) -> tuple[str, str | None]:
        """A table, or one of its indexes."""
        parts = [self.name()]
        while self.symbol("."):
            parts.append(self.name())
        if len(parts) > 2:
            raise invalid("A path may contain at most 2 components in the FROM clause")
        if not all(parts):
            raise invalid("Path component cannot be an empty string")
        return parts[0], parts[1] if len(parts) > 1 else None

    def _order(self) -> tuple[tuple[str, bool], ...]:
        if not self.word("ORDER"):
            return ()
        self.expect_word("BY")
        found: list[tuple[str, bool]] = []
        while not found or self.symbol(","):
            name = self.name()
            backward = self.word("DESC")
            if not backward:
                self.word("ASC")
            found.append((name, backward))
        return tuple(found)

    def _insert(self) -> Statement:
        self.expect_word("INTO")
        table, index = self._target()
        self.expect_word("VALUE")
        item = self.literal()
        if not isinstance(item, dict) or "M" not in item:
            raise malformed("Expected a map of attributes behind VALUE")
        return Statement("INSERT", table, index, item=item, slots=self.slots)

    def _update(self) -> Statement:
        table, index = self._target()
        actions: list[UpdateAction] = []
        while True:
            if self.word("SET"):
                actions.append(self._set())
                while self.symbol(","):
                    actions.append(self._set())
            elif self.word("REMOVE"):
                actions.append(UpdateAction("REMOVE", self.path(), None))
                while self.symbol(","):
                    actions.append(UpdateAction("REMOVE", self.path(), None))
            else:
                break
        if not actions:
            raise self.unexpected()
        return self._write("UPDATE", table, index, _parsed_update(tuple(actions)))

    def _set(self) -> UpdateAction:
        path = self.path()
        self.expect("=")
        if self.token.kind == "word" and self.token.text.lower() in ("set_add", "set_delete"):
            return self._set_change(path)
        return UpdateAction("SET", path, self._amount())

    def _set_change(self, path: Path) -> UpdateAction:
        """`tags = set_add(tags, <<'a'>>)`: what is added to is what is set."""
        function = self.take().text.lower()
        self.expect("(")
        own = self.path()
        self.expect(",")
        operand = self.value_operand()
        self.expect(")")
        if own != path:
            raise invalid(f"The first operand of {function} must be the attribute that is set")
        return UpdateAction("ADD" if function == "set_add" else "DELETE", path, operand)

    def _amount(self) -> Operand:
        left = self._summand()
        sign = self.token.text
        if self.symbol("+") or self.symbol("-"):
            return Sum(sign, left, self._summand())
        return left

    def _summand(self) -> Operand:
        token = self.token
        if token.kind == "word" and self.behind.text == "(":
            function = self.take().text.lower()
            if function not in ("list_append", "if_not_exists"):
                raise invalid(f"Unsupported function: {token.text}")
            self.deeper()
            self.expect("(")
            left = self._summand()
            self.expect(",")
            right = self._summand()
            self.expect(")")
            self.shallower()
            return FunctionCall(function, (left, right))
        return self.plain_operand()

    def _delete(self) -> Statement:
        self.expect_word("FROM")
        table, index = self._target()
        return self._write("DELETE", table, index, None)

    def _write(self, verb: str, table: str, index: str | None, update: ParsedUpdate | None) -> Statement:
        where = self.condition() if self.word("WHERE") else None
        return Statement(
            verb,
            table,
            index,
            where,
            update=update,
            returning=self._returning(),
            values=self.values,
            slots=self.slots,
        )

    def _returning(self) -> str | None:
        if not self.word("RETURNING"):
            return None
        which = next((word for word in ("ALL", "MODIFIED") if self.word(word)), None)
        when = next((word for word in ("OLD", "NEW") if self.word(word)), None)
        if which is None or when is None:
            raise self.unexpected()
        self.expect("*")
        return f"{which} {when}"

    def _exists(self) -> Statement:
        self.expect("(")
        self.expect_word("SELECT")
        statement = self._select("EXISTS")
        self.expect(")")
        return statement


def _parsed_update(actions: tuple[UpdateAction, ...]) -> ParsedUpdate:
    found = [part for action in actions if action.operand is not None for part in operands(action.operand)]
    refs = dict.fromkeys(part.name for part in found if isinstance(part, Ref))
    paths = [action.path for action in actions] + [p.path for p in found if isinstance(p, AttributePath)]
    roots = dict.fromkeys(str(action.path[0]) for action in actions)
    fault = clash([action.path for action in actions])
    return ParsedUpdate(actions, frozenset(), tuple(refs), tuple(roots), nested(paths), fault, 0)
