"""An expression as tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<alias>\#[A-Za-z0-9_]+)
  | (?P<value>:[A-Za-z0-9_]+)
  | (?P<word>[A-Za-z][A-Za-z0-9_]*)
  | (?P<index>[0-9]+)
  | (?P<symbol><>|<=|>=|[=<>()\[\].,+-])
  | (?P<strange>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


END = "end"


def tokens(text: str) -> list[Token]:
    """The tokens of an expression, closed by one of kind `end`."""
    found = [
        Token(match.lastgroup or "", match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "space"
    ]
    return [*found, Token(END, "<EOF>", len(text), len(text))]
