"""The days for those who run the rankings: what is being imported, every day of a month, importing, rolling back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from starlette.datastructures import UploadFile
from starlette.responses import Response

from hansang.apps.rankings.background import day_topic, start
from hansang.apps.rankings.console.links import AREA, day_in, one_revision, page, rankings_of, shown
from hansang.apps.rankings.design import BOARDS, DayRejectedKey, RejectedRow, SnapshotDay
from hansang.apps.rankings.inputs import form_by_name
from hansang.apps.rankings.profiles import Candidate
from hansang.apps.rankings.reports import Mismatch
from hansang.apps.rankings.sent_days import SentDay
from hansang.apps.rankings.service import Rankings
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound, Overloaded
from hansang.parts.history import with_line
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

PATH = "/rankings/days"
TONES = {"running": "c-blue", "finishing": "c-blue", "finished": "good", "failed": "bad", "removing": "warn"}
STEPS = ("writing", "level", "power", "ended")
_MOST_MISMATCHES = 8
_MOST_ROWS = 50
_MOST_RESOLVED = 20
_STALLED_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class DayRow:
    """A day of the list, whether there is anything of it or not."""

    day: date
    found: SnapshotDay | None
    sent: SentDay | None
    seconds: int | None
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Going:
    """An import on its way, or one that was left."""

    sent: SentDay
    found: SnapshotDay | None
    step: str
    rows: int
    read: int
    rate: int
    left_rows: int
    why: str
    is_stalled: bool
    """Whether nobody has told of it for a while: its process was ended, and another has not taken it yet."""

    @property
    def percent(self) -> float:
        return 100.0 if self.step in ("level", "power") else 100 * self.read / max(1, self.sent.length)

    @property
    def seconds_left(self) -> int | None:
        return self.left_rows // self.rate if self.rate and self.left_rows else None


@one_revision
def show(visit: Visit) -> Response:
    """The page of days."""
    return _shown(visit)


def _shown(visit: Visit, status: int = 200, errors: Mapping[str, str] | None = None) -> Response:
    rankings, found = rankings_of(visit), shown(visit)
    month = _month(visit, rankings.days.today)
    sent = rankings.sent.every()
    rows = _rows(rankings, month, sent)
    going = _going(visit, rankings, sent)
    chosen = _chosen(visit, rankings)
    rejected = _rejected(visit, chosen)
    file = None if chosen is None else sent.get(chosen.day)
    resolvable = file is not None and file.state in ("done", "left")
    context: dict[str, Any] = {
        "rows": rows,
        "tones": TONES,
        "steps": STEPS,
        "going": going,
        "month": month,
        "month_before": visit.link(month=f"{month - timedelta(days=1):%Y-%m}"),
        "month_after": _month_after(visit, month, rankings.days.today),
        "today": rankings.days.today,
        "chosen": chosen,
        "mismatches": [] if chosen is None else _mismatches(rankings, chosen),
        "most_mismatches": _MOST_MISMATCHES,
        "rejected": rejected,
        "candidates": _candidates(rankings, rejected) if resolvable else {},
        "meant": lambda candidates: [(each.profile.uuid, _meant(visit, each)) for each in candidates],
        "why": lambda row: visit.worded(row.why, row.code, row.values),
        "may_roll_back": visit.may(AREA, "admin"),
        "rolling": _rolling(visit, rankings, errors),
        "errors": errors or {},
        "given": visit.given,
        "largest": visit.shell.settings.largest_body,
        "live": [day_topic(each.sent.day) for each in going if each.sent.state != "left"],
    }
    return page(visit, "days.html", found, status, **context)


# ── what there is ─────────────────────────────────────────────────────────────────────────────────


def _month(visit: Visit, today: date) -> date:
    asked = day_in(f"{visit.query('month')}-01")
    first = today.replace(day=1)
    return asked if asked is not None and asked <= first else first


def _month_after(visit: Visit, month: date, today: date) -> str | None:
    return visit.link(month=f"{month + timedelta(days=31):%Y-%m}") if month < today.replace(day=1) else None


def _rows(rankings: Rankings, month: date, sent: Mapping[date, SentDay]) -> list[DayRow]:
    """Every day of a month up to today, the newest first; days before the first one of all are left out."""
    last = min(rankings.days.today, (month + timedelta(days=31)).replace(day=1) - timedelta(days=1))
    known = rankings.days.between(month, max(last, month + timedelta(days=30)))
    inside = {day: each for day, each in known.items() if (day.year, day.month) == (month.year, month.month)}
    files = {day: each for day, each in sent.items() if (day.year, day.month) == (month.year, month.month)}
    since = month if rankings.days.has_before(month) else min([*inside, *files], default=last)
    newest = max([last, *inside, *files])
    days = [newest - timedelta(days=each) for each in range((newest - since).days + 1)]
    return [DayRow(day, inside.get(day), files.get(day), _seconds(inside.get(day))) for day in days]


def _seconds(day: SnapshotDay | None) -> int | None:
    if day is None or day.finished_at is None:
        return None
    return int((day.finished_at - day.started_at).total_seconds())


def _going(visit: Visit, rankings: Rankings, sent: Mapping[date, SentDay]) -> list[Going]:
    return [
        _gone(visit, rankings, each)
        for each in sorted(sent.values(), key=lambda each: each.day, reverse=True)
        if each.state in ("waiting", "importing", "left")
    ]


def _gone(visit: Visit, rankings: Rankings, sent: SentDay) -> Going:
    """How far an import has come, by what it published last; without that, by the rows that are written."""
    message = visit.shell.topics.find(day_topic(sent.day)) if sent.state == "importing" else None
    told: Mapping[str, Any] = message or {}
    found = rankings.days.find(sent.day)
    rows = int(told.get("rows", 0)) or (found.players if found is not None else 0)
    read, length = int(told.get("read", 0)), max(1, sent.length)
    left = rows * (length - read) // read if read else 0
    why = visit.worded(sent.why, sent.code, sent.values) if sent.why else ""
    step = str(told.get("step", "writing"))
    heard = max(float(told.get("at", 0)), sent.sent_at.timestamp())
    is_stalled = sent.state == "importing" and visit.shell.clock() - heard > _STALLED_SECONDS
    return Going(sent, found, step, rows, read, int(told.get("rate", 0)), left, why, is_stalled)


def _chosen(visit: Visit, rankings: Rankings) -> SnapshotDay | None:
    """The day whose details are shown: the one that is asked for, else the newest finished one."""
    try:
        return rankings.days.or_newest(day_in(visit.query("date")))
    except NotFound:
        return None


def _mismatches(rankings: Rankings, day: SnapshotDay) -> list[tuple[str, Mismatch]]:
    return [(board, each) for board in BOARDS for each in rankings.reports.mismatches(board, day)]


def _rejected(visit: Visit, day: SnapshotDay | None) -> list[RejectedRow]:
    kept = None if day is None else visit.shell.database.find(DayRejectedKey(day=day.day))
    return [] if kept is None else kept.rows[:_MOST_ROWS]


def _candidates(rankings: Rankings, rows: list[RejectedRow]) -> dict[int, list[Candidate]]:
    """Who may be meant by the rows whose name several players have, by the number of the row."""
    found: dict[int, list[Candidate]] = {}
    for row in rows:
        if row.code == "rankings.row-ambiguous" and len(found) < _MOST_RESOLVED:
            found[row.line] = rankings.profiles.lookup(row.name)
    return found


def _meant(visit: Visit, candidate: Candidate) -> str:
    """What tells a player from others of the same name: the spelling, the level, the last day, the end of the uuid."""
    profile, last = candidate.profile, candidate.last_day
    level = visit.t("rankings.level_of", level=f"{profile.current_level:,}")
    seen = visit.t("rankings.never") if last is None else visit.formats.short_day(last)
    return f"{profile.name} · {level} · {seen} · …{profile.uuid[-6:]}"


# ── importing ─────────────────────────────────────────────────────────────────────────────────────


def send(visit: Visit) -> Response:
    """Take a file of a day in; it is imported in the background."""
    day, file = day_in(visit.given("date")), visit.form.get("file")
    if day is None:
        return _shown(visit, 422, {"date": visit.t("rankings.days.wrong_date")})
    if not isinstance(file, UploadFile) or not file.size:
        return _shown(visit, 422, {"file": visit.t("rankings.days.no_file")})
    name = file.filename or ""
    again = bool(visit.given("again"))
    try:
        rankings_of(visit).sent.accept(
            day,
            file.file,
            name=name,
            form=form_by_name(name),
            again=again,
            beside=_noted(visit, day, "import", {"file": name}),
        )
    except (InvalidInput, Conflict, Overloaded) as error:
        return _shown(visit, 422, {"file": _said(visit, error)})
    start(visit.shell.jobs)
    return visit.go(PATH, "rankings.days.accepted", day=visit.formats.short_day(day))


def _said(visit: Visit, error: HansangError) -> str:
    return visit.worded(str(error), error.code, error.values)


def stop(visit: Visit) -> Response:
    """Ask to leave an import where it is."""
    day = _day(visit)
    rankings_of(visit).sent.stop(day, _noted(visit, day, "stop"))
    return visit.go(PATH, "rankings.days.stopping")


def resume(visit: Visit) -> Response:
    """Go on with an import that was left, or import the file that is kept again from its first row on."""
    day, again = _day(visit), bool(visit.given("again"))
    beside = _noted(visit, day, "reopen" if again else "resume")
    rankings_of(visit).sent.resume(day, again=again, beside=beside)
    start(visit.shell.jobs)
    return visit.go(PATH, "rankings.days.accepted", day=visit.formats.short_day(day))


def resolve(visit: Visit) -> Response:
    """Say who is meant by rows without a uuid; the day is imported again with them."""
    day, rankings = _day(visit), rankings_of(visit)
    kept = visit.shell.database.find(DayRejectedKey(day=day))
    choices = {}
    for line, candidates in _candidates(rankings, [] if kept is None else kept.rows).items():
        wanted = visit.given(f"line-{line}")
        if wanted in {each.profile.uuid for each in candidates}:
            choices[line] = wanted
    if not choices:
        return visit.go(f"{PATH}?date={day}", "rankings.days.none_chosen")
    told = {str(line): uuid for line, uuid in choices.items()}
    rankings.sent.resolve(day, choices, beside=_noted(visit, day, "resolve", told))
    start(visit.shell.jobs)
    return visit.go(PATH, "rankings.days.accepted", day=visit.formats.short_day(day))


# ── rolling back ──────────────────────────────────────────────────────────────────────────────────


def _rolling(visit: Visit, rankings: Rankings, errors: Mapping[str, str] | None) -> dict[str, Any] | None:
    """What would become of a day that is to be rolled back: it, and the day that readers would see."""
    refused = str(visit.request.path_params.get("date", "")) if errors else ""
    asked = day_in(refused or visit.query("roll-back"))
    found = None if asked is None else rankings.days.find(asked)
    if found is None or not visit.may(AREA, "admin"):
        return None
    newest = shown(visit)
    is_newest = newest is not None and newest.day.day == found.day
    before = rankings.days.before(found)
    return {
        "day": found,
        "is_newest": is_newest,
        "next": before if is_newest else None if newest is None else newest.day,
        "file": rankings.sent.find(found.day),
    }


def roll_back(visit: Visit) -> Response:
    """Take a day back, if its date was typed and a reason is given; it goes to the history."""
    day, reason = _day(visit), visit.given("reason")[:500]
    errors = {}
    if not reason:
        errors["reason"] = visit.t("rankings.days.no_reason")
    if visit.given("typed") != f"{day}":
        errors["typed"] = visit.t("rankings.days.not_typed", day=f"{day}")
    if errors:
        return _shown(visit, 422, errors)
    rankings_of(visit).finisher.begin_roll_back(day, _noted(visit, day, "roll-back", {"reason": reason}))
    start(visit.shell.jobs)
    return visit.go(PATH, "rankings.days.rolled_back", day=visit.formats.short_day(day))


def _day(visit: Visit) -> date:
    found = day_in(visit.param("date"))
    if found is None:
        raise InvalidInput("A day looks like 2026-11-15.", "date", code="rankings.not-a-day")
    return found


def _noted(visit: Visit, day: date, verb: str, told: Mapping[str, object] | None = None) -> Beside[Any]:
    """The line of history that is written beside the work."""
    line = visit.shell.history.line(
        visit.actor, AREA, "SnapshotDay", f"{day}", verb, after=told, request_id=visit.request_id
    )
    return with_line(line, alone)


PAGES = (
    PageRoute(PATH, show, allowed(AREA, "write")),
    PageRoute(PATH, send, allowed(AREA, "write"), "POST", files=1),
    PageRoute(f"{PATH}/{{date}}/stop", stop, allowed(AREA, "write"), "POST"),
    PageRoute(f"{PATH}/{{date}}/resume", resume, allowed(AREA, "write"), "POST"),
    PageRoute(f"{PATH}/{{date}}/resolve", resolve, allowed(AREA, "write"), "POST"),
    PageRoute(f"{PATH}/{{date}}/roll-back", roll_back, allowed(AREA, "admin"), "POST"),
)
