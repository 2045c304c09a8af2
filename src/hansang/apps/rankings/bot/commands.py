"""The slash commands, as Discord wants them registered."""

from __future__ import annotations

from typing import Any

from hansang.apps.rankings.histories import MOST_COMPARED
from hansang.apps.rankings.pictures.palette import BOARD_NAMES
from hansang.parts.words import Words

RANKING, PROFILE, COMPARE, SEARCH = "랭킹", "프로필", "비교", "검색"
BOARD, PLAYER, NAME = "기준", "유저", "이름"

_TEXT = 3
"""The type of an option that is a text."""


def player_option(number: int) -> str:
    """The name of the option for one of several players, from 1."""
    return f"{PLAYER}{number}"


def _localized(words: Words) -> dict[str, str]:
    """Texts for those who do not use Discord in Korean."""
    return {"en-US": words.en, "en-GB": words.en}


def _option(name: str, named: str, about: Words, *, required: bool = False, **more: Any) -> dict[str, Any]:
    return {
        "type": _TEXT,
        "name": name,
        "name_localizations": {"en-US": named, "en-GB": named},
        "description": about.ko,
        "description_localizations": _localized(about),
        "required": required,
        **more,
    }


def _command(name: str, named: str, about: Words, *options: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": 1,
        "name": name,
        "name_localizations": {"en-US": named, "en-GB": named},
        "description": about.ko,
        "description_localizations": _localized(about),
        "options": list(options),
    }


_BY_BOARD = _option(
    BOARD,
    "board",
    Words("무엇으로 순위를 매기는지", "What the ranking is by"),
    choices=[
        {"name": words.ko, "name_localizations": _localized(words), "value": board}
        for board, words in reversed(BOARD_NAMES.items())
    ],
)


def _player(name: str, named: str, *, required: bool) -> dict[str, Any]:
    about = Words("이름이나 초성", "A name, or its initials in Hangul")
    return _option(name, named, about, required=required, autocomplete=True)


COMMANDS: list[dict[str, Any]] = [
    _command(
        RANKING, "ranking", Words("공식 순위의 첫 열 명", "The first ten of the official ranking"), _BY_BOARD
    ),
    _command(
        PROFILE,
        "profile",
        Words("한 유저의 순위와 최근 30일", "A player's rank, and the last 30 days"),
        _player(PLAYER, "player", required=True),
        _BY_BOARD,
    ),
    _command(
        COMPARE,
        "compare",
        Words("여러 유저의 최근 30일을 나란히", "The last 30 days of several players"),
        *(
            _player(player_option(number), f"player{number}", required=number <= 2)
            for number in range(1, MOST_COMPARED + 1)
        ),
        _BY_BOARD,
    ),
    _command(
        SEARCH,
        "search",
        Words("이름의 일부나 초성으로 찾기", "Find players by a part of a name"),
        _option(NAME, "name", Words("이름의 일부나 초성", "A part of a name, or initials"), required=True),
    ),
]
