"""Colours and words of pictures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from hansang.apps.rankings.design import Board
from hansang.apps.rankings.pictures.fonts import Fonts
from hansang.parts.words import Language, Words


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme: those of the console."""

    ground: str
    raised: str
    line: str
    gap: str
    zone: str
    ink: str
    soft: str
    faint: str
    accent: str
    weak: str
    good: str
    bad: str
    series: tuple[str, ...]


LIGHT = Palette(
    ground="#ffffff",
    raised="#f7f8fa",
    line="#e7e9ee",
    gap="#eef0f4",
    zone="#ecf1ff",
    ink="#13161c",
    soft="#454d5c",
    faint="#646c7c",
    accent="#3261ea",
    weak="#d9e4ff",
    good="#0c7a5c",
    bad="#c6342b",
    series=("#3b6cf4", "#f0645a", "#12a594", "#f2a93b", "#8b6cf0"),
)
DARK = Palette(
    ground="#15191f",
    raised="#1b2028",
    line="#363e4b",
    gap="#232a34",
    zone="#1a2545",
    ink="#eff2f7",
    soft="#b9c1cf",
    faint="#939cad",
    accent="#7396ff",
    weak="#243352",
    good="#4cd3a5",
    bad="#ff8d84",
    series=("#6f95ff", "#ff8379", "#2fc4b2", "#f3b557", "#a78bfa"),
)

BOARD_NAMES: dict[Board, Words] = {"level": Words("레벨", "Level"), "power": Words("전투력", "Power")}
OFFICIAL = Words("공식 순위", "official rank")
COMPUTED = Words("계산 순위", "computed rank")
FORMER = Words("예전 이름", "formerly")
DAY_CHANGE = Words("하루 변동", "Day")
TOP = Words("상위", "Top")
GROWTH = Words("30일 성장", "30 days")
LAST_DAYS = Words("최근 30일 순위", "Rank, last 30 days")
INSIDE = Words("공식 100위 안", "official top 100")
BEST = Words("최고 순위", "Best rank")
BRAND = Words("한상 유저랭킹", "Hansang Rankings")
NEW = "NEW"


def rank_text(rank: int, language: Language) -> str:
    """A rank, always whole."""
    return f"{rank:,}위" if language == "ko" else f"#{rank:,}"


def day_text(day: date, language: Language) -> str:
    if language == "ko":
        return f"{day.year}년 {day.month}월 {day.day}일 기준"
    return f"As of {day:%B} {day.day}, {day.year}"


def count_text(count: int, language: Language) -> str:
    return f"{count:,}명" if language == "ko" else f"{count:,} players"


def top_text(top: Fraction) -> str:
    """A part of the players, rounded up to two places: nobody is in the first 0.00 %."""
    hundredths = -(-top * 100 // 1)
    return f"{int(hundredths) / 100:.2f}%"


def name_text(name: str, uuid: str, fonts: Fonts) -> str:
    """A name as it can be written: without what has no shape, and by the id where the font has no letters for it."""
    printable = "".join(each for each in name if each.isprintable()).strip()
    return printable if printable and fonts.can_write(printable) else f"Player {uuid[-8:]}"
