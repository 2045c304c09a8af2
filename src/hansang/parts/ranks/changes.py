"""Changes of a live board: pending ones, written with the score, and the buffer in which a root keeps some."""

from __future__ import annotations

import secrets
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from struct import Struct
from typing import Any

from hansang.parts.ranks.nodes import ID_LENGTH, width_of
from hansang.parts.ranks.storage import shard_of
from hansang.parts.ranks.table import RankChange

Deltas = Counter[int]
"""By how many rows the count of a score differs from what the leaves say."""

MOST_SHARDS = 256
_HEADER = Struct(">BI16s")
_DELTA = 8


def rank_change(
    tree: str,
    before: int | None,
    after: int | None,
    *,
    shards: int = 1,
    row: str | None = None,
    chance: Callable[[int], bytes] = secrets.token_bytes,
) -> RankChange:
    """The change of one row's score, to be created in the transaction that writes the score.

    The transaction has to see to it that the score was still `before`. None stands for a row that is not on the board.
    `row` says whose score it is, for what hears of the changes that are folded.
    """
    given = chance(ID_LENGTH)
    shard = given[0] % shards
    return RankChange(
        tree=shard_of(tree, shard),
        change=(bytes([shard]) + given[1:]).hex(),
        before=before,
        after=after,
        row=row,
    )


def change_shard(ident: bytes) -> int:
    """In which shard a change was written."""
    return ident[0]


def summed(items: Iterable[Mapping[str, Any]]) -> Deltas:
    """What some changes, as they are stored, do to the counts of scores."""
    deltas = Deltas()
    for item in items:
        if "F" in item:
            deltas[int(item["F"]["N"])] -= 1
        if "G" in item:
            deltas[int(item["G"]["N"])] += 1
    return deltas


def packed(deltas: Deltas) -> bytes:
    """Deltas as a root keeps them; those that are zero are left out."""
    found = sorted(((score, count) for score, count in deltas.items() if count), reverse=True)
    if not found:
        return b""
    first = found[0][0]
    width = width_of(first - found[-1][0])
    header = _HEADER.pack(width, len(found), first.to_bytes(16, signed=True))
    return header + b"".join(
        (first - score).to_bytes(width) + count.to_bytes(_DELTA, signed=True) for score, count in found
    )


def unpacked(blob: bytes) -> Deltas:
    """The deltas that a root keeps."""
    if not blob:
        return Deltas()
    width, size, highest = _HEADER.unpack_from(blob)
    first, step = int.from_bytes(highest, signed=True), width + _DELTA
    starts = range(_HEADER.size, _HEADER.size + size * step, step)
    return Deltas(
        {
            first - int.from_bytes(blob[at : at + width]): int.from_bytes(
                blob[at + width : at + step], signed=True
            )
            for at in starts
        }
    )


class DeltaSums:
    """Deltas in the order of their scores, the highest first, with what those above each come to."""

    def __init__(self, deltas: Deltas) -> None:
        self.deltas = {score: count for score, count in deltas.items() if count}
        self.scores = sorted(self.deltas, reverse=True)
        self._above = [0, *accumulate(self.deltas[score] for score in self.scores)]

    def above(self, score: int) -> int:
        """What the deltas of higher scores come to."""
        return self._above[bisect_left(self.scores, -score, key=lambda each: -each)]

    def up_to(self, place: int) -> int:
        """What the deltas come to, up to and with the one at a place."""
        return self._above[place + 1]

    @property
    def total(self) -> int:
        return self._above[-1]
