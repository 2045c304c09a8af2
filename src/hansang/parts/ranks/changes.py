"""Changes of a live board: pending ones, written with the score, and the buffer in which a root keeps some."""

from __future__ import annotations

import secrets
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, pairwise
from operator import sub
from struct import Struct
from typing import Any

from hansang.parts.ranks.change_names import change_name
from hansang.parts.ranks.nodes import joined, split_up, width_of
from hansang.parts.ranks.storage import shard_of
from hansang.parts.ranks.table import RankChange

Deltas = Counter[int]
"""By how many rows the count of a score differs from what the leaves say."""

MOST_SHARDS = 256
_GAPS = 0
"""What deltas begin with. Older ones begin with a width, which is never 0."""
_HEADER = Struct(">BBBI16s")
_OFFSETS, _DELTA = Struct(">BI16s"), 8


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
    shard, name = change_name(shards, chance)
    return RankChange(tree=shard_of(tree, shard), change=name, before=before, after=after, row=row)


def change_request(
    table: str,
    tree: str,
    before: int | None,
    after: int | None,
    *,
    shards: int = 1,
    row: str | None = None,
    chance: Callable[[int], bytes] = secrets.token_bytes,
) -> dict[str, Any]:
    """The request that creates such a change in the table of this name, for whoever writes many of them a second."""
    shard, name = change_name(shards, chance)
    item: dict[str, Any] = {"PK": {"S": f"RANK#{shard_of(tree, shard)}"}, "SK": {"S": f"P#{name}"}}
    if before is not None:
        item["F"] = {"N": str(before)}
    if after is not None:
        item["G"] = {"N": str(after)}
    if row is not None:
        item["I"] = {"S": row}
    return {
        "TableName": table,
        "Item": item,
        "ConditionExpression": "attribute_not_exists(#n0)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        "ExpressionAttributeNames": {"#n0": "PK"},
    }


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
    """Deltas as a root keeps them; those that are zero are left out.

    Scores as how far each is below the one before, counts with their sign in the lowest bit: every reader of a rank
    pays for the bytes.
    """
    found = sorted(((score, count) for score, count in deltas.items() if count), reverse=True)
    if not found:
        return b""
    first = found[0][0]
    gaps = [before - after for (before, _), (after, _) in pairwise(found)]
    counts = [count * 2 if count > 0 else -count * 2 - 1 for _, count in found]
    gap_width, count_width = width_of(max(gaps, default=0)), width_of(max(counts))
    header = _HEADER.pack(_GAPS, gap_width, count_width, len(found), first.to_bytes(16, signed=True))
    return header + joined(gaps, gap_width) + joined(counts, count_width)


def unpacked(blob: bytes) -> Deltas:
    """The deltas that a root keeps."""
    if not blob:
        return Deltas()
    if blob[0] != _GAPS:
        return _of_offsets(blob)
    _, gap_width, count_width, size, first = _HEADER.unpack_from(blob)
    gaps = split_up(blob, _HEADER.size, gap_width, size - 1)
    counts = split_up(blob, _HEADER.size + gap_width * (size - 1), count_width, size)
    scores = accumulate(gaps, sub, initial=int.from_bytes(first, signed=True))
    return Deltas(
        dict(zip(scores, (-(each + 1 >> 1) if each & 1 else each >> 1 for each in counts), strict=True))
    )


def _of_offsets(blob: bytes) -> Deltas:
    """Deltas as roots were written before: below the first score, and eight bytes for each count."""
    width, size, highest = _OFFSETS.unpack_from(blob)
    first, step = int.from_bytes(highest, signed=True), width + _DELTA
    starts = range(_OFFSETS.size, _OFFSETS.size + size * step, step)
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

    __slots__ = ("_above", "_falling", "deltas", "scores")

    def __init__(self, deltas: Mapping[int, int]) -> None:
        self.deltas = {score: count for score, count in deltas.items() if count}
        self.scores = sorted(self.deltas, reverse=True)
        self._falling = [-score for score in self.scores]
        self._above = [0, *accumulate(map(self.deltas.__getitem__, self.scores))]

    def above(self, score: int) -> int:
        """What the deltas of higher scores come to."""
        return self._above[bisect_left(self._falling, -score)]

    def equal(self, score: int) -> int:
        """What the deltas of a score come to."""
        return self.deltas.get(score, 0)

    def higher(self, score: int) -> list[int]:
        """The changed scores above this one."""
        return self.scores[: bisect_left(self._falling, -score)]

    def up_to(self, place: int) -> int:
        """What the deltas come to, up to and with the one at a place."""
        return self._above[place + 1]

    @property
    def total(self) -> int:
        return self._above[-1]

    def __add__(self, other: DeltaSums) -> DeltaSums:
        together = Deltas(self.deltas)
        together.update(other.deltas)
        return DeltaSums(together)


NO_DELTAS = DeltaSums({})
