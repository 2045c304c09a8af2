"""Players: what they are called, and how they are found by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hansang.apps.leaderboards.design import LARGEST_ID, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.fan_out import fan_out_of
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.weeks import Weeks, unknown_player
from hansang.apps.leaderboards.work import (
    LONGEST_NAME,
    BoardPlayer,
    BoardPlayerKey,
    HeldBest,
    HeldBestKey,
    Hiding,
    HidingKey,
    PlayerNameEntry,
    PlayerNameEntryKey,
)
from hansang.design import Database, attr
from hansang.design.normalize import normalize_nfc
from hansang.errors import Conflict, InvalidInput, NotFound
from hansang.parts.hangul import initials, lowered
from hansang.parts.receipts import Beside, alone

MOST_FOUND = 100


class Players:
    """Cards of players, and the index of their names, which is ours and outside the document's tables."""

    def __init__(self, database: Database, weeks: Weeks, topics: BoardTopics = UNHEARD) -> None:
        self._database, self._weeks, self._topics = database, weeks, topics

    def find(self, player: int) -> BoardPlayer | None:
        return self._database.find(BoardPlayerKey(id=player), consistent=True)

    def get(self, player: int) -> BoardPlayer:
        """A player, or NotFound."""
        found = self.find(player)
        if found is None:
            raise unknown_player(player)
        return found

    def expect(self, players: Iterable[int]) -> None:
        """Refuse all of them when there are some whom nobody knows, with their ids."""
        unknown = [each for each in players if each > LARGEST_ID or self.find(each) is None]
        if len(unknown) == 1:
            raise unknown_player(unknown[0])
        if unknown:
            raise NotFound(
                "Players {ids} not found. Nothing was changed.",
                code="leaderboards.no-players",
                values={"ids": ", ".join(map(str, unknown))},
            )

    def several(self, players: Iterable[int]) -> list[BoardPlayer]:
        """The cards of those who have one."""
        return self._database.batch_get(BoardPlayerKey(id=each) for each in players)

    def search(self, text: str, limit: int = 20) -> list[BoardPlayer]:
        """Players whose name begins so, in any case, or whose Hangul initials do."""
        wanted = lowered(text.strip())
        if not wanted:
            return []
        entries = self._database.each(PlayerNameEntry.beginning(wanted[0], wanted), min(limit, MOST_FOUND))
        keys = dict.fromkeys(BoardPlayerKey(id=each.id) for each in entries)
        return self._database.batch_get(keys)

    def rename(self, player: int, name: str, *, beside: Beside[BoardPlayer] = alone) -> BoardPlayer:
        """Call a player otherwise from now on: in this week and on friends' boards; past weeks stay (X2-16)."""
        name = checked_name(name)
        seen, week = self.get(player), self._weeks.current
        renamed = seen.model_copy(update={"name": name})
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        row = self._database.find(key, consistent=True)
        held_key = HeldBestKey(id=player, start=week.start)
        held = self._database.find(held_key, consistent=True) if seen.is_hidden else None
        with self._database.transaction(name="BoardPlayer.rename") as transaction:
            beside(transaction, renamed)
            transaction.update(
                BoardPlayerKey(id=player),
                attr(BoardPlayer.name).set(name),
                when=BoardPlayer.name == seen.name,
            )
            if row is not None:
                transaction.update(key, attr(WeeklyBest.name).set(name))
                transaction.put(fan_out_of(player, week, self._weeks.now))
            if held is not None:
                transaction.update(held_key, attr(HeldBest.name).set(name))
            if seen.is_hidden:
                transaction.update(HidingKey(id=player), attr(Hiding.name).set(name))
            for entry in entries_of(player, name):
                transaction.put(entry)
            kept = {(each.initial, each.text) for each in entries_of(player, name)}
            for entry in entries_of(player, seen.name):
                if (entry.initial, entry.text) not in kept:
                    transaction.delete(PlayerNameEntryKey(initial=entry.initial, text=entry.text, id=player))
        self._topics.player(week, player)
        return renamed

    def follow(self, player: int, name: str) -> None:
        """Rename a player whose game sends another name; whoever is not known yet gets a card with the first score."""
        card = self.find(player)
        if card is not None and card.name != name:
            try:
                self.rename(player, name)
            except (Conflict, NotFound):
                return  # Another play of the same player was quicker; the next one comes with the name again.


def checked_name(name: str) -> str:
    """A name as it is stored, or InvalidInput."""
    found = normalize_nfc(" ".join(name.split()))
    if not 1 <= len(found) <= LONGEST_NAME or not found.isprintable():
        raise InvalidInput(
            "A name has 1 to {most} characters, and none that cannot be seen, such as control characters.",
            "name",
            code="leaderboards.name",
            values={"most": LONGEST_NAME},
        )
    return found


def check_score(score: int, highest: int) -> None:
    """Refuse a score that the game cannot give."""
    values = {"score": f"{score:,}", "most": f"{highest:,}"}
    if score < 0:
        raise InvalidInput(
            "{score} is below zero. Write a score from 0 to {most}.",
            "score",
            code="leaderboards.score-too-low",
            values=values,
        )
    if score > highest:
        raise InvalidInput(
            "{score} is more than the game can give. Write a score from 0 to {most}.",
            "score",
            code="leaderboards.score-too-high",
            values=values,
        )


def entries_of(player: int, name: str) -> Iterator[PlayerNameEntry]:
    """The ways to find a player of this name."""
    whole = lowered(name)
    for text in dict.fromkeys((whole, initials(whole))):
        yield PlayerNameEntry(initial=text[0], text=text, id=player, name=name)
