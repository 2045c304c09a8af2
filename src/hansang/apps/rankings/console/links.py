"""What the pages of the rankings share: the day and the board of a visit, pinned players, and the ways between pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial, wraps
from itertools import groupby
from typing import Any, Concatenate, ParamSpec
from urllib.parse import quote, urlencode

from starlette.responses import Response

from hansang.apps.rankings.amounts import change_text, score_text
from hansang.apps.rankings.design import BOARDS, Board, SnapshotDay
from hansang.apps.rankings.histories import MOST_COMPARED
from hansang.apps.rankings.rules import SEOUL
from hansang.apps.rankings.service import Rankings
from hansang.apps.rankings.settings import RankingsSettings
from hansang.errors import NotFound
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import tabs
from hansang.surfaces.http.cookies import Cookie

P = ParamSpec("P")

AREA = "rankings"
MOST_PINNED = 5
_MOST_NAMED = 6
"""How many days a sentence names."""
_YEAR = 365 * 24 * 60 * 60
PINS = Cookie("hansang_pins", _YEAR)
"""The players that this browser has pinned, the last one first."""
BASKET = Cookie("hansang_compared", _YEAR)
"""The players that were compared last, to whom another one is added."""
_UUID = re.compile(r"[0-9A-Za-z_.:-]{1,64}").fullmatch


@dataclass(frozen=True, slots=True)
class Shown:
    """The day and the board that a page shows; `asked` is a day that is not there."""

    day: SnapshotDay
    board: Board
    asked: date | None = None


def rankings_of(visit: Visit) -> Rankings:
    """The application on the database of the server, with what it keeps in memory."""
    shell = visit.shell
    settings: RankingsSettings = shell.chosen.get(AREA) or RankingsSettings()
    return shell.once(AREA, lambda: Rankings(shell.database, shell.clock, pace=settings.pace or None))


def one_revision(
    answer: Callable[Concatenate[Visit, P], Response],
) -> Callable[Concatenate[Visit, P], Response]:
    """Answer a visit with one revision of each day that the page shows."""

    @wraps(answer)
    def asked(visit: Visit, /, *args: P.args, **kwargs: P.kwargs) -> Response:
        return rankings_of(visit).days.revisions.settled(lambda: answer(visit, *args, **kwargs))

    return asked


def shown(visit: Visit) -> Shown | None:
    """The finished day that a visit asks for, or the newest; None while there is none at all."""
    days, asked = rankings_of(visit).days, day_in(visit.query("date"))
    try:
        found = days.or_newest(asked)
    except NotFound:
        return None
    return Shown(found, board_in(visit), asked if asked and found.day != asked else None)


def board_in(visit: Visit) -> Board:
    """The board of the address; by power unless it says otherwise."""
    return next((each for each in BOARDS if each == visit.query("board")), "power")


def day_in(text: str) -> date | None:
    """A day as addresses and forms have it."""
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def page(visit: Visit, template: str, found: Shown | None, status: int = 200, **context: Any) -> Response:
    """A page of the rankings, with what all of them need; without a finished day, the page that says so."""
    rankings = rankings_of(visit)
    context = {
        "tabs": tabs(visit, AREA),
        "may_write": visit.may(AREA, "write"),
        "shown": found,
        "day": None if found is None else found.day,
        "board": board_in(visit),
        "under_way": rankings.days.under_way(),
        "player_path": player_path,
        "asked": visit.query,
        "pinned": pinned(visit),
        "hidden": rankings.privacy.hidden(),
        "seoul": lambda moment: f"{moment.astimezone(SEOUL):%H:%M}",
        "score": lambda value: score_text(value, visit.language),
        "change": lambda value: change_text(value, visit.language),
        "ranked": partial(rank_text, visit),
        "compare_path": partial(compare_with, visit),
        "compare_start": compare_with(visit, ""),
        "named_days": partial(day_list, visit),
    } | context
    if found is not None:
        context |= _beside(visit, rankings, found)
    return visit.page(f"rankings/{template}", status, **context)


def empty(visit: Visit) -> Response:
    """What stands in place of every page that needs a finished day."""
    return page(visit, "no_days.html", None)


def _beside(visit: Visit, rankings: Rankings, found: Shown) -> dict[str, str | None]:
    before, after = rankings.days.before(found.day), rankings.days.after(found.day.day)
    return {
        "day_before": None if before is None else visit.link(date=f"{before.day}"),
        "day_after": None if after is None else visit.link(date=f"{after.day}"),
    }


def rank_text(visit: Visit, rank: int) -> str:
    """A rank as people say it: whole, with commas."""
    return visit.t("rankings.rank_of", rank=f"{rank:,}")


def day_list(visit: Visit, days: Sequence[date]) -> str:
    """Days by their names, those of a month together: 10월 9일·10일, 11월 10일. Many are cut short."""
    named = days if len(days) <= _MOST_NAMED else days[: _MOST_NAMED - 1]
    if visit.language == "en":
        text = ", ".join(visit.formats.short_day(day) for day in named)
    else:
        months = groupby(named, key=lambda day: (day.year, day.month))
        text = ", ".join(
            f"{month}월 " + "·".join(f"{day.day}일" for day in each) for (_, month), each in months
        )
    return (
        text
        if len(named) == len(days)
        else visit.t("rankings.and_more", days=text, count=len(days) - len(named))
    )


# ── ways ──────────────────────────────────────────────────────────────────────────────────────────


def player_path(uuid: str, **asked: str) -> str:
    """The page of a player."""
    path = f"/rankings/players/{quote(uuid, safe='')}"
    return f"{path}?{urlencode(asked)}" if asked else path


def compare_path(uuids: Iterable[str], **asked: str) -> str:
    """The comparison of some players; its address is all that it knows."""
    return f"/rankings/compare?{urlencode({'uuids': ','.join(uuids), **asked}, safe=',')}"


def compare_with(visit: Visit, uuid: str) -> str:
    """The last comparison with one player more: in the first free slot, else in the last one."""
    return compare_path(with_player(slots_in(BASKET.of(visit.request)), uuid))


def slots_in(text: str | None) -> list[str]:
    """The slots of a comparison; an empty one keeps the colours of the others as they are."""
    slots = [each if _UUID(each) else "" for each in (text or "").split(",")[:MOST_COMPARED]]
    firsts = [each if each not in slots[:place] else "" for place, each in enumerate(slots)]
    while firsts and not firsts[-1]:
        firsts.pop()
    return firsts


def with_player(slots: Sequence[str], uuid: str) -> list[str]:
    """Slots with one player more, who has one already, gets the first free one, or else the last."""
    if uuid and uuid in slots:
        return [*slots]
    if "" in slots:
        place = slots.index("")
        return [*slots[:place], uuid, *slots[place + 1 :]]
    return [*slots[: MOST_COMPARED - 1], uuid]


def pinned(visit: Visit) -> list[str]:
    """The players that this browser has pinned, the last one first."""
    return uuids_in(PINS.of(visit.request))[:MOST_PINNED]


def uuids_in(text: str | None) -> list[str]:
    """The players of an address or a cookie, each once; what is no id is left out."""
    return list(dict.fromkeys(each for each in (text or "").split(",") if _UUID(each)))
