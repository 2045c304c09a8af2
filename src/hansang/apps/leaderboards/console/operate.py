"""For operators: what was refused, what is unlikely, who is hidden; hiding, restoring, and correcting a score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from starlette.responses import Response

from hansang.apps.leaderboards.console.links import (
    AREA,
    boards_of,
    on_board,
    page,
    player_in,
    player_path,
    recorded_of,
    week_in,
)
from hansang.apps.leaderboards.console.writes import CEILING, writes_chart, writes_of
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.topics import board_topic
from hansang.apps.leaderboards.undoing import board_and_subject, is_undoable
from hansang.apps.leaderboards.weeks import unknown_player
from hansang.apps.leaderboards.work import (
    REASONS,
    BoardPlayer,
    HideReason,
    RefusedPlay,
    Suspect,
    SuspectState,
)
from hansang.errors import Conflict, InvalidInput, NotFound
from hansang.parts.history import Change
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_MOST_SHOWN = 50
_MOST_REFUSED = 500
_MOST_EXPLAINED = 10
_MOST_PLAYS = 9
_MOST_CHANGES = 6
_LOOKED_THROUGH = 60
_MOST_HIDDEN = 100
_PERIODS: dict[str, timedelta | None] = {
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "ever": None,
}
_WHY_NOT_UNDONE = {
    "leaderboards.hide-over": "hiding_over",
    "leaderboards.not-latest": "not_latest",
}


def show(visit: Visit) -> Response:
    """Whether all is well, and what somebody should look at."""
    boards, week = boards_of(visit), week_in(visit)
    refused, writes = _refused(visit), writes_of(visit)
    suspects = [each for each in boards.database.each(Suspect.of_week(week.start)) if each.state == "open"]
    context: dict[str, Any] = {
        "week": week,
        "is_current": week == boards.weeks.current,
        "writes": writes,
        "writes_chart": writes_chart(visit, writes),
        "is_written": any(value for _, value in writes),
        "ceiling": CEILING,
        "refused": refused[:_MOST_SHOWN],
        "refused_count": len(refused),
        "is_refused_whole": len(refused) < _MOST_REFUSED,
        "reasons": Counter(each.reason for each in refused).most_common(),
        "reason_name": lambda code: _refusal_name(visit, code),
        "reason_text": lambda each: visit.worded(each.reason, each.reason, each.values),
        "suspects": [_evidence(visit, each) for each in suspects[:_MOST_EXPLAINED]],
        "suspects_count": len(suspects),
        "hidden": boards.operating.hidden(_MOST_SHOWN, visit.query("cursor") or None),
        "backlog": boards.fan_outs.backlog(),
        "changes": list(islice(_changes(visit), _MOST_CHANGES)),
        "hide_reasons": _reasons(visit),
        "periods": _periods(visit),
        "labels": visit.labels(AREA),
        "live": [board_topic(week, boards.board)],
    }
    return page(visit, "operate.html", **context)


def _refused(visit: Visit) -> list[RefusedPlay]:
    """What was refused today and yesterday, the newest first."""
    database, today = boards_of(visit).database, datetime.fromtimestamp(visit.shell.clock(), UTC).date()
    days = (today, today - timedelta(days=1))
    return list(
        islice((each for day in days for each in database.each(RefusedPlay.of_day(day))), _MOST_REFUSED)
    )


def _refusal_name(visit: Visit, code: str) -> str:
    """What a reason is called in few words; one without such words, by its code."""
    key = f"leaderboards.refusal.{code.partition('.')[2]}"
    return visit.console.wording.find(key, visit.language) or code


def _evidence(visit: Visit, suspect: Suspect) -> dict[str, Any]:
    """A suspicious record, with what speaks against it and what for it."""
    boards = boards_of(visit)
    week = Week.starting(suspect.start)
    pace = boards.settings.points_a_second
    found: list[tuple[bool, str]] = []
    if suspect.before is not None:
        times = f"{suspect.score / max(1, suspect.before):.1f}"
        text = visit.t("leaderboards.evidence.jump", times=times, before=f"{suspect.before:,}")
        found.append((suspect.why != "jump", text))
    if suspect.seconds is not None:
        text = visit.t(
            "leaderboards.evidence.pace",
            seconds=suspect.seconds,
            points=f"{suspect.score // max(1, suspect.seconds):,}",
            most=f"{pace:,}",
        )
        found.append((suspect.why != "pace", text))
        found.append((True, visit.t("leaderboards.evidence.token")))
    scores = boards.reading.scores(suspect.id, 1)
    plays = [each for score in scores if score.week == week for each in score.plays][-_MOST_PLAYS:]
    rank = boards.reading.rank(week, suspect.id)
    return {"suspect": suspect, "evidence": found, "plays": plays, "rank": rank.rank}


def _changes(visit: Visit) -> Iterator[dict[str, Any]]:
    """What was done on this board among the last changes of all of them."""
    for each in visit.shell.history.page(AREA, _LOOKED_THROUGH):
        board, subject = board_and_subject(each.subject)
        if board == boards_of(visit).board:
            yield _change(visit, each, subject)


def _change(visit: Visit, change: Change, subject: str) -> dict[str, Any]:
    """What was done lately, and whether it can be undone here."""
    verb = change.verb.removeprefix("undo-")
    said = visit.t(f"leaderboards.verb.{verb}")
    if verb != change.verb:
        said = visit.t("leaderboards.verb.undone", verb=said)
    return {
        "change": change,
        "said": said,
        "who": visit.actor_name(change.actor),
        "player": player_in(subject) if change.kind == "BoardPlayer" else None,
        "is_undoable": is_undoable(change),
    }


def ask(visit: Visit) -> Response:
    """What can be done to a player, with what will come of it."""
    boards, card = boards_of(visit), _card(visit)
    week = week_in(visit)
    rank = boards.reading.rank(week, card.id)
    context: dict[str, Any] = {
        "player": card,
        "week": week,
        "rank": rank,
        "reasons": _reasons(visit),
        "periods": _periods(visit),
        "below": max(0, rank.of - (rank.rank or rank.of) - rank.equal + 1),
    }
    return page(visit, "hide.html", **context)


def hide(visit: Visit) -> Response:
    """Take a player off the boards."""
    card = _card(visit)
    _hide(visit, [card.id])
    return visit.go(on_board(visit, "/leaderboards/operate"), "leaderboards.hidden_now")


def hide_many(visit: Visit) -> Response:
    """Take several players off the boards, for one reason; their ids come in any number of lines."""
    typed = visit.given("players").replace(",", " ").split()
    players = [player_in(each) for each in dict.fromkeys(typed)]
    known = [each for each in players if each is not None]
    if not 1 <= len(known) == len(players) <= _MOST_HIDDEN:
        raise InvalidInput(
            "Write the ids of 1 to {most} players, with spaces between them.",
            "players",
            code="leaderboards.hide-many",
            values={"most": _MOST_HIDDEN},
        )
    _hide(visit, known)
    return visit.go(on_board(visit, "/leaderboards/operate"), "leaderboards.hidden_many", count=len(known))


def _hide(visit: Visit, players: list[int]) -> None:
    reason: HideReason | None = next((each for each in REASONS if each == visit.given("reason")), None)
    if reason is None or visit.given("period") not in _PERIODS:
        raise InvalidInput("Choose a reason and a period.", "reason", code="leaderboards.hide-choice")
    lasting = _PERIODS[visit.given("period")]
    until = None if lasting is None else datetime.fromtimestamp(visit.shell.clock(), UTC) + lasting
    recorded_of(visit).hide_many(players, reason, visit.given("note")[:500], until)
    for player in players:
        _judge(visit, player, "hidden")


def judge(visit: Visit) -> Response:
    """Say that a suspicious record is all right."""
    card = _card(visit)
    recorded_of(visit).judge(week_in(visit), card.id, "cleared", visit.given("note")[:500])
    return visit.go(on_board(visit, "/leaderboards/operate"), "leaderboards.cleared_now", name=card.name)


def _judge(visit: Visit, player: int, state: SuspectState) -> None:
    """Note what came of a suspicious record, if there is one."""
    with suppress(NotFound):
        recorded_of(visit).judge(week_in(visit), player, state)


def undo(visit: Visit) -> Response:
    """Undo what an operator did, once."""
    try:
        recorded_of(visit).undo(visit.param("change"))
    except Conflict as reason:
        said = _WHY_NOT_UNDONE.get(str(reason.code), "not_undone")
        return visit.go(on_board(visit, "/leaderboards/operate"), f"leaderboards.{said}")
    return visit.go(on_board(visit, "/leaderboards/operate"), "leaderboards.undone_now")


def restore(visit: Visit) -> Response:
    """Put a hidden player back on the boards."""
    card = _card(visit)
    recorded_of(visit).restore(card.id)
    return visit.go(player_path(visit, card.id), "leaderboards.restored_now")


def correct(visit: Visit) -> Response:
    """Give a player another best of a week, with a note."""
    card, week = _card(visit), week_in(visit)
    typed, note = visit.given("score").replace(",", "").strip(), visit.given("note").strip()[:500]
    if not (typed.isascii() and typed.isdigit() and len(typed) < 16) or not note:
        raise InvalidInput(
            "Write the score as a whole number, and why it is another one.",
            "score",
            code="leaderboards.correct-how",
        )
    recorded_of(visit).correct(card.id, week, int(typed), note)
    _judge(visit, card.id, "corrected")
    return visit.go(player_path(visit, card.id), "leaderboards.corrected_now")


def _reasons(visit: Visit) -> list[tuple[str, str]]:
    return [(each, visit.labels(AREA).choice("BoardPlayer", "hide_reason", each)) for each in REASONS]


def _periods(visit: Visit) -> list[tuple[str, str]]:
    return [(each, visit.t(f"leaderboards.period.{each}")) for each in _PERIODS]


def _card(visit: Visit) -> BoardPlayer:
    number = player_in(visit.param("id"))
    if number is None:
        raise unknown_player(0)
    return boards_of(visit).players.get(number)


PAGES = (
    PageRoute("/leaderboards/operate", show, allowed(AREA, "admin")),
    PageRoute("/leaderboards/operate/hide", hide_many, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/operate/undo/{change}", undo, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/judge", judge, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/operate", ask, allowed(AREA, "admin")),
    PageRoute("/leaderboards/players/{id}/hide", hide, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/restore", restore, allowed(AREA, "admin"), "POST"),
    PageRoute("/leaderboards/players/{id}/correct", correct, allowed(AREA, "admin"), "POST"),
)
