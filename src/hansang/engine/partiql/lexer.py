"""A statement as tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hansang.engine.faults import invalid
from hansang.errors import WireError

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*)
  | (?P<text>'(?:[^']|'')*')
  | (?P<name>"(?:[^"]|"")*")
  | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<slot>\?)
  | (?P<symbol><<|>>|<>|!=|<=|>=|[=<>()\[\]{}.,:*+;-])
  | (?P<strange>.)
    """,
    re.VERBOSE | re.DOTALL,
)
END = "end"


@dataclass(frozen=True, slots=True)
class StatementToken:
    """One token, and where it begins."""

    kind: str
    text: str
    start: int

    @property
    def content(self) -> str:
        """What stands in the quotes of a text or of a name."""
        quote = self.text[0]
        return self.text[1:-1].replace(quote * 2, quote)


def malformed(detail: str) -> WireError:
    return invalid(f"Statement wasn't well formed, can't be processed: {detail}")


def tokens(text: str) -> list[StatementToken]:
    """The tokens of a statement, closed by one of kind `end`."""
    text.encode()  # What is no Unicode is refused before it is kept or answered.
    found = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind == "strange":
            raise malformed(f"Unexpected character {match[0]!r} at {place(text, match.start())}")
        if kind != "space":
            found.append(StatementToken(kind, match[0], match.start()))
    return [*found, StatementToken(END, "the end", len(text))]


def place(text: str, start: int) -> str:
    """The line and the column, both from one."""
    line = text.count("\n", 0, start) + 1
    return f"{line}:{start - (text.rfind(chr(10), 0, start) + 1) + 1}"
