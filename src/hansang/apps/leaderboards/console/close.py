"""Closing a week: a dry run that changes nothing, then final; and its rewards, each delivered once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import AREA, boards_of, on_board, page, recorded_of, week_in
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.topics import board_topic
from hansang.apps.leaderboards.work import BoardWeek, Tier
from hansang.errors import Conflict, InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_ON_A_PAGE = 50
_COUNTED = 5000
"""Up to so many rewards their deliveries are counted by tier."""
_FEWEST_ROWS = 4
_FIRST_TIERS = (Tier(name="1", rank=1), Tier(name="10", rank=10), Tier(name="100", rank=100))
_A_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TierRow:
    """A line of the form of tiers, as it was typed."""

    name: str
    by: str
    number: str


@dataclass(frozen=True, slots=True)
class DeliveryCount:
    """How many rewards of a tier there are, and how many of them are delivered."""

    tier: str
    rewards: int
    delivered: int


def show(visit: Visit, status: int = 200, errors: Mapping[str, str] | None = None) -> Response:
    """The dry run of a week that is open, or the rewards of one that is final."""
    boards, week = boards_of(visit), closing_week(visit)
    found = boards.weeks.find(week)
    shared: dict[str, Any] = {
        "week": week,
        "before": visit.link(week=f"{week.start - _A_WEEK}", cursor=None),
        "after": visit.link(week=f"{week.start + _A_WEEK}", cursor=None)
        if week < boards.weeks.current
        else None,
        "errors": errors or {},
        "live": [board_topic(week, boards.board)],
    }
    if found is not None and found.state == "final":
        return page(visit, "final.html", status, **shared | _final(visit, boards, week, found))
    return page(visit, "close.html", status, **shared | _open(visit, boards, week, found))


def closing_week(visit: Visit) -> Week:
    """The week of the address; without one, the last that has ended."""
    if visit.query("week"):
        return week_in(visit)
    current = boards_of(visit).weeks.current
    return Week(current.start - _A_WEEK, current.end - _A_WEEK)


# ── before ────────────────────────────────────────────────────────────────────────────────────────


def _open(visit: Visit, boards: Leaderboards, week: Week, begun: BoardWeek | None) -> dict[str, Any]:
    is_asked = visit.request.method == "POST" or visit.query("run") != ""
    typed = rows_of(visit.every if visit.request.method == "POST" else visit.request.query_params.getlist)
    wrong, rehearsal = "", None
    if begun is not None:
        typed = [_row(each) for each in begun.tiers]
    elif not is_asked:
        typed = [_row(each) for each in _last_tiers(boards)]
    if is_asked:
        try:
            rehearsal = boards.closing.rehearse(week, tiers_of(typed))
        except InvalidInput as fault:
            wrong = visit.worded(str(fault), fault.code, fault.values)
    blank = [TierRow("", "rank", "")] * max(1, _FEWEST_ROWS - len(typed))
    return {
        "begun": begun,
        "rows": [*typed, *blank],
        "tiers": typed,
        "wrong": wrong,
        "rehearsal": rehearsal,
        "counts": {each.name: each for each in rehearsal.tiers} if rehearsal else {},
        "backlog": boards.fan_outs.backlog(),
        "is_over": boards.weeks.now >= boards.weeks.grace_ends_at(week),
        "ends_at": boards.weeks.grace_ends_at(week),
    }


def _last_tiers(boards: Leaderboards) -> list[Tier] | tuple[Tier, ...]:
    """The tiers of the week that was closed last, to begin with."""
    last = next(iter(boards.weeks.page(1)), None)
    return _FIRST_TIERS if last is None else last.tiers


def _row(tier: Tier) -> TierRow:
    is_rank = tier.rank is not None
    return TierRow(tier.name, "rank" if is_rank else "percent", str(tier.rank if is_rank else tier.percent))


def rows_of(every: Callable[[str], list[str]]) -> list[TierRow]:
    """The lines of the form that say something."""
    typed = zip(every("tier"), every("by"), every("number"), strict=False)
    rows = (TierRow(name.strip(), by, number.replace(",", "").strip()) for name, by, number in typed)
    return [each for each in rows if each.name or each.number]


def tiers_of(rows: list[TierRow]) -> list[Tier]:
    """The tiers of a form, or InvalidInput."""
    return [_tier(each) for each in rows]


def _tier(row: TierRow) -> Tier:
    number = int(row.number) if row.number.isascii() and row.number.isdigit() and len(row.number) < 10 else 0
    most = 100 if row.by == "percent" else 10**9
    if not 1 <= len(row.name) <= 40 or not 1 <= number <= most:
        raise InvalidInput(
            "The tier {name} needs a name of its own, and either a rank or a percent.",
            "tiers",
            code="leaderboards.tier",
            values={"name": row.name[:40]},
        )
    if row.by == "percent":
        return Tier(name=row.name, percent=number)
    return Tier(name=row.name, rank=number)


def close(visit: Visit) -> Response:
    """Make a week final; its first day has to be typed, and what is left open to be ticked."""
    boards, week = boards_of(visit), closing_week(visit)
    tiers = tiers_of(rows_of(visit.every))
    suspects = boards.closing.rehearse(week, tiers).suspects
    errors = {}
    if visit.given("confirm") != str(week.start):
        errors["confirm"] = visit.t("leaderboards.close.type_it", day=week.start)
    if suspects and not visit.given("anyway"):
        errors["anyway"] = visit.t("leaderboards.close.tick_it")
    if errors:
        return show(visit, 422, errors)
    recorded_of(visit).close(week, tiers)
    return visit.go(on_board(visit, "/leaderboards/close", week=week.start), "leaderboards.close.closed_now")


# ── after ─────────────────────────────────────────────────────────────────────────────────────────


def _final(visit: Visit, boards: Leaderboards, week: Week, final: BoardWeek) -> dict[str, Any]:
    rewards = boards.closing.rewards(week, _ON_A_PAGE, visit.query("cursor") or None)
    counts = _deliveries(boards, week, final)
    return {
        "final": final,
        "rewards": rewards,
        "counts": counts,
        "delivered": None if counts is None else sum(each.delivered for each in counts),
        "unreadable": visit.named(rewards.unreadable),
    }


def _deliveries(boards: Leaderboards, week: Week, final: BoardWeek) -> list[DeliveryCount] | None:
    """How far each tier is; None of a week with too many rewards to count them for a page."""
    if final.rewards > _COUNTED:
        return None
    rewards = list(boards.closing.each_reward(week))
    all_of = Counter(each.tier for each in rewards)
    delivered = Counter(each.tier for each in rewards if each.delivered_at is not None)
    return [DeliveryCount(each.name, all_of[each.name], delivered[each.name]) for each in final.tiers]


def deliver(visit: Visit) -> Response:
    """Mark a reward as delivered, once."""
    boards = boards_of(visit)
    week, place, receipt = (
        boards.weeks.named(visit.param("week")),
        visit.param("place"),
        visit.given("receipt"),
    )
    back = on_board(visit, "/leaderboards/close", week=week.start)
    if not (place.isascii() and place.isdigit() and len(place) < 10) or not 1 <= len(receipt) <= 200:
        raise InvalidInput(
            "Write the receipt of the delivery, in 1 to 200 characters.",
            "receipt",
            code="leaderboards.receipt",
        )
    try:
        done = recorded_of(visit).deliver(week, int(place), receipt)
    except Conflict:
        return visit.go(back, "leaderboards.close.delivered_before")
    return visit.go(back, "leaderboards.close.delivered_now", name=done.name)


PAGES = (
    PageRoute("/leaderboards/close", show, allowed(AREA, "admin")),
    PageRoute("/leaderboards/close", close, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/close/{week}/deliver/{place}", deliver, allowed(AREA, "admin"), "POST"),
)
