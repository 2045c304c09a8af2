"""A small board with an index of its own, whose COUNT query is the oracle of the trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from hansang.backends.base import Backend
from hansang.design import GSI, Attr, Database, Entity, Key, Query, Table, View, attr, pattern
from hansang.parts.ranks.building import Row
from hansang.parts.ranks.changes import rank_change

TREE = "scores"


class Boards(Table, name="Boards"):
    """Players with scores."""

    by_score = GSI("by_score", pk="Board", sk="Score", project=["Name"])


class PlayerScoreKey(Key["PlayerScore"], pk="PLAYER#{number}", sk="SCORE"):
    """The key of a player."""

    number: int


class PlayerScore(PlayerScoreKey, Entity, table=Boards):
    """A player; one who is hidden keeps the score under another name."""

    board: Annotated[str, Attr("Board")] = TREE
    score: Annotated[int | None, Attr("Score")] = None


class ScoreRow(PlayerScoreKey, View, index=Boards.by_score):
    """A row of the board."""

    board: Annotated[str, Attr("Board")]
    score: Annotated[int, Attr("Score")]

    @pattern
    def ranking(cls) -> Query[ScoreRow]:
        """Everyone, the highest score first."""
        return cls.query(ScoreRow.board == TREE).descending()

    @pattern
    def above(cls, score: int) -> Query[ScoreRow]:
        """Whoever has a higher score."""
        return cls.query(ScoreRow.board == TREE, ScoreRow.score > score)

    @pattern
    def equal(cls, score: int) -> Query[ScoreRow]:
        """Whoever has this score."""
        return cls.query(ScoreRow.board == TREE, ScoreRow.score == score)


def rows(db: Database) -> Iterator[Row]:
    """The board as its index has it."""
    return ((each.score, f"PLAYER#{each.number}") for each in db.each(ScoreRow.ranking()))


def set_score(db: Database, number: int, score: int | None, shards: int = 1) -> None:
    """Give a player another score, or none, together with the pending change of the tree."""
    seen = db.find(PlayerScoreKey(number=number), consistent=True)
    before = None if seen is None else seen.score
    if before == score:
        return
    with db.transaction() as transaction:
        if seen is None:
            transaction.create(PlayerScore(number=number, score=score))
        else:
            as_seen = attr(PlayerScore.score).missing() if before is None else PlayerScore.score == before
            transaction.put(PlayerScore(number=number, score=score), when=as_seen)
        transaction.create(rank_change(TREE, before, score, shards=shards))


def recounted(db: Database) -> Counter[int]:
    """How many rows have each score, by the index."""
    return Counter(score for score, _ in rows(db))


class Died(BaseException):
    """The process of a folder was killed."""


class Mortal:
    """A backend whose caller is killed before or after one of its calls; `left` says before which."""

    def __init__(self, backend: Backend, left: int, *, after: bool = False) -> None:
        self._backend, self._left, self._after = backend, left, after

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0 and not self._after:
            raise Died
        response = self._backend.call(operation, request)
        if self._left < 0:
            raise Died
        return response
