"""How two texts differ: by blocks, which are paragraphs, and inside of a block by words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

DiffKind = Literal["same", "changed", "added", "removed"]
MineOrStored = Literal["mine", "stored", "both"]
_BLOCKS = re.compile(r"\n[ \t]*\n\s*")
_WORDS = re.compile(r"\s+|\S+")
LONGEST_COMPARED = 3_000
"""Words of a block that are compared; a longer one is shown as changed as a whole."""


@dataclass(frozen=True, slots=True)
class DiffSpan:
    """Some words of a block, and whether the other text has them at this place."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """A paragraph of both texts, with what is different in it; empty where one of them has none."""

    kind: DiffKind
    before: str
    after: str
    left: tuple[DiffSpan, ...] = ()
    right: tuple[DiffSpan, ...] = ()


def blocks(text: str) -> list[str]:
    """The paragraphs of a text."""
    return [each for each in _BLOCKS.split(text.replace("\r\n", "\n").strip()) if each]


def compare(before: str, after: str) -> list[DiffBlock]:
    """Two texts block by block, in their order."""
    old, new = blocks(before), blocks(after)
    found: list[DiffBlock] = []
    for verb, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if verb == "equal":
            found += [DiffBlock("same", each, each) for each in old[start:end]]
        else:
            found += _changed(old[start:end], new[first:last])
    return found


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffBlock]:
    """Blocks in the place of others, side by side as far as both have some."""
    for place in range(max(len(old), len(new))):
        if place >= len(new):
            yield DiffBlock("removed", old[place], "", (DiffSpan(old[place], True),))
        elif place >= len(old):
            yield DiffBlock("added", "", new[place], (), (DiffSpan(new[place], True),))
        else:
            yield DiffBlock("changed", old[place], new[place], *_words(old[place], new[place]))


def _words(before: str, after: str) -> tuple[tuple[DiffSpan, ...], tuple[DiffSpan, ...]]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(old), len(new)) > LONGEST_COMPARED:
        return (DiffSpan(before, True),), (DiffSpan(after, True),)
    left, right = list[DiffSpan](), list[DiffSpan]()
    for verb, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for side, words in ((left, old[start:end]), (right, new[first:last])):
            if words:
                side.append(DiffSpan("".join(words), verb != "equal"))
    return _joined(left), _joined(right)


def _joined(found: list[DiffSpan]) -> tuple[DiffSpan, ...]:
    """Changed words with nothing but space between them are one place."""
    joined = list[DiffSpan]()
    for number, each in enumerate(found):
        is_between = 0 < number < len(found) - 1 and not each.text.strip()
        is_changed = each.is_changed or is_between
        if joined and joined[-1].is_changed == is_changed:
            joined[-1] = DiffSpan(joined[-1].text + each.text, is_changed)
        else:
            joined.append(DiffSpan(each.text, is_changed))
    return tuple(joined)


def sizes(found: Sequence[DiffBlock]) -> tuple[int, int]:
    """How many characters were added, and how many were removed."""
    added = sum(len(span.text) for each in found for span in each.right if span.is_changed)
    removed = sum(len(span.text) for each in found for span in each.left if span.is_changed)
    return added, removed


def merged(
    stored: str, mine: str, choices: Mapping[int, MineOrStored], joined: Mapping[int, str]
) -> tuple[str, list[int]]:
    """One text of two: what is the same stays, and of each block that differs the chosen one is taken.

    The numbers are those of the blocks for which nothing was chosen; of these the stored one is taken.
    """
    text, open_ones = list[str](), list[int]()
    for number, each in enumerate(compare(stored, mine)):
        choice = choices.get(number)
        if each.kind == "same" or choice == "stored":
            text.append(each.before)
        elif choice == "both":
            text.append(joined.get(number, ""))
        elif choice == "mine":
            text.append(each.after)
        else:
            open_ones.append(number)
            text.append(each.before)
    return "\n\n".join(each for each in text if each.strip()), open_ones
