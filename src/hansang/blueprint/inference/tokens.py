"""The text of a key, taken apart at its delimiters."""

from __future__ import annotations

import re
from dataclasses import dataclass

# The first one that a key has is its delimiter: those behind it may well be part of a value.
_DELIMITERS = ("#", "|", "::", ", ", ":", "/", "~", "^", ";", ",")
_IN_ADDRESSES = frozenset({"::", ":", "/", ";", ",", "~"})
_MOMENT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?"
_BEGUN = re.compile(r"([A-Z]{2,})([_.-])(?=.*[0-9a-z])(.+)", re.DOTALL)
_SHOUTED = re.compile(r"[A-Z]+(?:[_.-][A-Z]+)*")
_SPOKEN = re.compile(r"[A-Za-z]+(?:[_.-][A-Za-z]+)*")


@dataclass(frozen=True, slots=True)
class SplitKey:
    """The parts of a key, and what stands between them."""

    delimiter: str
    tokens: tuple[str, ...]

    @property
    def layout(self) -> tuple[str, tuple[bool, ...]]:
        """What keys of one form have in common: the delimiter, and which parts are there."""
        return self.delimiter, tuple(bool(token) for token in self.tokens)


def split_key(text: str) -> SplitKey:
    """A key at its delimiter; moments and addresses of pages stay whole."""
    for delimiter in _DELIMITERS:
        if delimiter not in text or ("://" in text and delimiter in _IN_ADDRESSES):
            continue
        tokens = _split_at(text, delimiter)
        if len(tokens) > 1:
            return SplitKey(delimiter, tokens)
    begun = _BEGUN.fullmatch(text)
    return SplitKey(begun[2], (begun[1], begun[3])) if begun else SplitKey("", (text,))


def _split_at(text: str, delimiter: str) -> tuple[str, ...]:
    found, at = [], 0
    for match in re.finditer(f"({_MOMENT})|{re.escape(delimiter)}", text):
        if match[1] is None:
            found.append(text[at : match.start()])
            at = match.end()
    return (*found, text[at:])


def is_shouted(token: str) -> bool:
    """Whether a part is written as constants are: METADATA, LIVING_EXPENSE."""
    return _SHOUTED.fullmatch(token) is not None


def is_spoken(token: str) -> bool:
    """Whether a part is a plain word, which may be a constant too."""
    return _SPOKEN.fullmatch(token) is not None
