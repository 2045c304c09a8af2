"""What the bot answers: a few lines, and a picture."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from urllib.parse import quote

from hansang.apps.rankings.amounts import change_text, score_text
from hansang.apps.rankings.bot.commands import (
    BOARD,
    COMPARE,
    NAME,
    PLAYER,
    PROFILE,
    RANKING,
    SEARCH,
    player_option,
)
from hansang.apps.rankings.bot.interactions import Interaction
from hansang.apps.rankings.cards import SharedCard
from hansang.apps.rankings.design import BOARDS, Board
from hansang.apps.rankings.histories import MOST_COMPARED
from hansang.apps.rankings.pictures import palette as words
from hansang.apps.rankings.pictures.album import FIRST_SHOWN, Album
from hansang.apps.rankings.pictures.palette import BOARD_NAMES, day_text, rank_text
from hansang.apps.rankings.searching import FoundName
from hansang.apps.rankings.service import Rankings
from hansang.errors import NotFound
from hansang.parts.hangul import lowered
from hansang.parts.words import Language, Words

MOST_CHOICES = 25
"""Discord shows no more."""
_MOST_FOUND = 15
_LONGEST_CHOICE = 100
_MARKDOWN = re.compile(r"([\\*_~`|>\[\]()#@:<-])")

UNKNOWN = Words("모르는 명령입니다.", "Unknown command.")
FAILED = Words(
    "답을 만들지 못했습니다. 잠시 뒤 다시 시도하십시오.", "Something went wrong. Try again in a moment."
)
NOBODY = Words("{name} 유저를 찾을 수 없습니다.", "Player {name} not found.")
NO_NAME = Words("찾은 유저가 없습니다.", "No player found.")
WHICH = Words(
    "같은 이름이 여럿입니다. 목록에서 고르십시오.",
    "Several players have this name. Choose one from the list.",
)
NO_DAY = Words("아직 완료된 날이 없습니다.", "No day is finished yet.")

_log = logging.getLogger("hansang.rankings")


@dataclass(frozen=True, slots=True)
class BotAnswer:
    """A message: a title that may be a link, lines, and a picture with the words for whoever cannot see it."""

    title: str
    lines: tuple[str, ...] = ()
    link: str = ""
    picture: bytes | None = None
    alt: str = ""
    is_private: bool = False
    """Whether only whoever asked sees it."""


class Bot:
    """Answers commands from the newest finished day; it finds and names what the pages do, and nothing else."""

    def __init__(self, rankings: Rankings, album: Album, base: str | None) -> None:
        """`base` is where people reach the pages, if that is known."""
        self._rankings, self._album, self._base = rankings, album, base

    def answer(self, asked: Interaction) -> BotAnswer:
        """The answer to a command; what fails is told, and never raised."""
        answers = {
            RANKING: self._ranking,
            PROFILE: self._profile,
            COMPARE: self._compare,
            SEARCH: self._search,
        }
        try:
            if asked.command not in answers:
                return _told(UNKNOWN, asked)
            return self._rankings.days.revisions.settled(lambda: answers[asked.command](asked))
        except NotFound as missing:
            words = NO_DAY if missing.code == "rankings.no-days" else NOBODY
            return _told(words, asked, _plain(str(missing.values.get("uuid", ""))))
        except Exception:
            _log.exception("the command %s of Discord failed", asked.command)
            return _told(FAILED, asked)

    def choices(self, asked: Interaction) -> list[dict[str, str]]:
        """Players whose names fit what is typed, as Discord lists them."""
        found = self._found(asked.focused, MOST_CHOICES) if asked.focused.strip() else []
        return [
            {"name": f"{each.name} · Lv {each.level:,}"[:_LONGEST_CHOICE], "value": each.uuid}
            for each in found
            if len(each.uuid) <= _LONGEST_CHOICE
        ]

    # ── commands ──────────────────────────────────────────────────────────────────────────────────

    def _ranking(self, asked: Interaction) -> BotAnswer:
        board, spoken = _board(asked), asked.language
        day, hidden = self._rankings.cards.newest(), self._rankings.privacy.hidden()
        rows = self._rankings.reading.official(board, day.day)[:FIRST_SHOWN]
        lines = tuple(
            f"**{row.rank}** {'–' if row.uuid in hidden else _plain(row.name)} · {_score(board, row.score, spoken)}"
            for row in rows
        )
        title = (
            f"{BOARD_NAMES[board].text(spoken)} {words.OFFICIAL.text(spoken)} · {day_text(day.day, spoken)}"
        )
        link = "" if self._base is None else f"{self._base}/rankings?board={board}"
        return BotAnswer(title, lines, link, self._album.board(board, spoken), _alt(title, lines))

    def _profile(self, asked: Interaction) -> BotAnswer:
        card = self._card(asked, asked.options.get(PLAYER, ""))
        if card is None:
            return _told(WHICH, asked)
        lines = _facts(card, asked.language)
        picture = self._album.profile(card, asked.language)
        title = _plain(card.name)
        return BotAnswer(title, lines, self._link(card.uuid), picture, _alt(title, lines))

    def _compare(self, asked: Interaction) -> BotAnswer:
        given = [asked.options.get(player_option(number), "") for number in range(1, MOST_COMPARED + 1)]
        cards: dict[str, SharedCard] = {}
        for text in given:
            card = self._card(asked, text) if text else None
            if text and card is None:
                return _told(WHICH, asked)
            if card is not None:
                cards[card.uuid] = card
        if not cards:
            return _told(NO_NAME, asked)
        several = sorted(cards.values(), key=lambda each: each.rank)
        lines = tuple(f"**{rank_text(each.rank, asked.language)}** {_plain(each.name)}" for each in several)
        title = (
            f"{words.LAST_DAYS.text(asked.language)} · {BOARD_NAMES[several[0].board].text(asked.language)}"
        )
        uuids = ",".join(quote(each.uuid, safe="") for each in cards.values())
        link = "" if self._base is None else f"{self._base}/rankings/compare?uuids={uuids}"
        picture = self._album.comparison([*cards.values()], asked.language)
        return BotAnswer(title, lines, link, picture, _alt(title, lines))

    def _search(self, asked: Interaction) -> BotAnswer:
        found = self._found(asked.options.get(NAME, ""), _MOST_FOUND)
        if not found:
            return _told(NO_NAME, asked)
        lines = tuple(f"{self._named(each)} · Lv {each.level:,}" for each in found)
        return BotAnswer(_plain(asked.options.get(NAME, "")), lines, is_private=True)

    # ── players ───────────────────────────────────────────────────────────────────────────────────

    def _card(self, asked: Interaction, text: str) -> SharedCard | None:
        """The card of whom somebody means: a choice of the list is a uuid, else a name; None if several have it."""
        same = [
            each for each in self._found(text, MOST_CHOICES) if lowered(each.name) == lowered(text.strip())
        ]
        if len(same) > 1:
            return None
        uuid = same[0].uuid if same else text.strip()
        try:
            return self._rankings.cards.get(uuid, _board(asked))
        except NotFound as missing:
            if missing.code == "rankings.no-days":
                raise
            raise NotFound(
                "Player {uuid} not found.", code="rankings.no-player", values={"uuid": text}
            ) from missing

    def _found(self, text: str, most: int) -> list[FoundName]:
        hidden = self._rankings.privacy.hidden()
        _, found = self._rankings.search.search(text[:_LONGEST_CHOICE], most + len(hidden))
        return [each for each in found if each.uuid not in hidden][:most]

    def _named(self, found: FoundName) -> str:
        link = self._link(found.uuid)
        return f"[{_plain(found.name)}]({link})" if link else _plain(found.name)

    def _link(self, uuid: str) -> str:
        return "" if self._base is None else f"{self._base}/rankings/players/{quote(uuid, safe='')}"


def _board(asked: Interaction) -> Board:
    return next((each for each in BOARDS if each == asked.options.get(BOARD)), "power")


def _told(text: Words, asked: Interaction, name: str = "") -> BotAnswer:
    """A sentence for whoever asked alone."""
    return BotAnswer(text.text(asked.language).format(name=name), is_private=True)


def _plain(name: str) -> str:
    """A name of somebody else's choosing, so that nothing in it is read as markup or calls anybody."""
    return _MARKDOWN.sub(r"\\\1", "".join(each for each in name if each.isprintable()))


def _score(board: Board, score: int, language: Language) -> str:
    return score_text(score, language) if board == "power" else f"Lv {score:,}"


def _facts(card: SharedCard, language: Language) -> tuple[str, ...]:
    kind = words.OFFICIAL if card.now.is_official else words.COMPUTED
    board = BOARD_NAMES[card.board].text(language)
    grown = "–" if card.grown is None else change_text(card.grown, language)
    return (
        f"{board} {kind.text(language)} **{rank_text(card.rank, language)}** · "
        f"{words.TOP.text(language)} {words.top_text(card.top)}",
        f"{BOARD_NAMES['power'].text(language)} {score_text(card.power, language)} · "
        f"{BOARD_NAMES['level'].text(language)} {card.level:,}",
        f"{words.GROWTH.text(language)} {grown} · {words.BEST.text(language)} {rank_text(card.best, language)}",
        day_text(card.day.day, language),
    )


def _alt(title: str, lines: tuple[str, ...]) -> str:
    return ". ".join((title, *lines)).replace("**", "").replace("\\", "")[:1000]
