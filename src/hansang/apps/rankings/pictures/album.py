"""Pictures that were drawn, kept until another day is finished."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock

from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.design import Board, SnapshotDay
from hansang.apps.rankings.pictures.fonts import Fonts
from hansang.apps.rankings.pictures.replies import draw_board, draw_comparison, draw_profile
from hansang.apps.rankings.pictures.share_card import draw_card
from hansang.apps.rankings.service import Rankings
from hansang.parts.words import Language

MOST_KEPT = 200
"""A picture has about 50 KB."""
FIRST_SHOWN = 10


class Album:
    """Draws one picture at a time, each once for a finished day."""

    def __init__(self, rankings: Rankings, font: Sequence[str] = ()) -> None:
        self._rankings, self._font, self._lock = rankings, font, Lock()
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()

    @cached_property
    def fonts(self) -> Fonts:
        return Fonts(self._font)

    def version(self, uuid: str, board: Board, language: Language) -> tuple[SnapshotDay, str]:
        """The newest finished day, and a text that changes exactly when the card of a player may."""
        self._rankings.cards.expect_shown(uuid)
        day = self._rankings.cards.newest()
        return day, f"{day.day}.{day.revision}-{board}-{language}"

    def card(self, uuid: str, board: Board, language: Language, day: SnapshotDay) -> bytes:
        """The card of a player, to be shared."""
        self._rankings.cards.expect_shown(uuid)

        def draw() -> bytes:
            return draw_card(self._rankings.cards.get(uuid, board, day), language, self.fonts)

        return self._once(("card", uuid, board, language, *_of(day)), draw)

    def profile(self, card: SharedCard, language: Language) -> bytes:
        """A player, for the bot."""
        key = ("profile", card.uuid, card.board, language, *_of(card.day))
        return self._once(key, lambda: draw_profile(card, language, self.fonts))

    def comparison(self, cards: Sequence[SharedCard], language: Language) -> bytes:
        """Players side by side, for the bot."""
        key = ("compared", *(each.uuid for each in cards), cards[0].board, language, *_of(cards[0].day))
        return self._once(key, lambda: draw_comparison(cards, language, self.fonts))

    def board(self, board: Board, language: Language) -> bytes:
        """The first of the official board, for the bot."""
        return self._rankings.days.revisions.settled(lambda: self._board(board, language))

    def _board(self, board: Board, language: Language) -> bytes:
        hidden, day = self._rankings.privacy.hidden(), self._rankings.cards.newest()
        rows = self._rankings.reading.official(board, day.day)[:FIRST_SHOWN]
        marked = [(row, row.uuid in hidden) for row in rows]
        key = ("board", board, language, *_of(day), tuple(is_hidden for _, is_hidden in marked))
        return self._once(key, lambda: draw_board(board, day, marked, language, self.fonts))

    def _once(self, key: tuple[object, ...], draw: Callable[[], bytes]) -> bytes:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = draw()
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return found


def _of(day: SnapshotDay) -> tuple[object, ...]:
    return day.day, day.revision
