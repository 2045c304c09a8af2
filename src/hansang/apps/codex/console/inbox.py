"""The inbox: what visitors ask, who answers, and how far it is; personal data, so for administrators alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import quote

from starlette.responses import Response

from hansang.apps.codex.console.forms import refused_words
from hansang.apps.codex.console.links import codex_of, edited_by, page, settings_of, user_choices
from hansang.apps.codex.console.site_contact import REFERRALS
from hansang.apps.codex.design import ContactInquiry, InquiryStatus
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.inbox_reports import InboxReport, inbox_report, is_late
from hansang.apps.codex.inquiries import NEXT
from hansang.design.normalize import normalize_nfc
from hansang.errors import Conflict, InvalidInput, NotAllowed
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

INBOX = "/codex/inquiries"
VIEWS: dict[str, tuple[InquiryStatus, ...]] = {
    "todo": ("new", "in_progress"),
    "done": ("done",),
    "spam": ("spam",),
}
_MOST = 5_000
_SHOWN = 100
_LONGEST_ANSWER = 10_000


def show(visit: Visit) -> Response:
    """The inbox without a message opened; on a desk, the first one is."""
    return _shown(visit, "")


def show_one(visit: Visit) -> Response:
    """One message in the inbox."""
    return _shown(visit, visit.param("id"))


def _shown(visit: Visit, inquiry_id: str, status: int = 200, error: str = "", typed: str = "") -> Response:
    codex, now = codex_of(visit), datetime.fromtimestamp(visit.shell.clock(), UTC)
    every = codex.inquiries.page(_MOST).items
    view = visit.query("view") if visit.query("view") in VIEWS else "todo"
    listed = [each for each in every if each.status in VIEWS[view] and _fits(each, visit.query("q"))]
    wanted = inquiry_id or (listed[0].id if listed else "")
    found = codex.inquiries.get(wanted) if wanted else None
    opened = None if found is None else found[0]
    report = inbox_report(every, now, visit.formats.zone)
    context: dict[str, Any] = {
        "is_opened": bool(inquiry_id),
        "report": report,
        "weeks": _chart(visit, report),
        "listed": listed[:_SHOWN],
        "view": view,
        "views": {name: sum(each.status in statuses for each in every) for name, statuses in VIEWS.items()},
        "opened": opened,
        "tag": "" if found is None else found[1],
        "steps": sorted({opened.status, *NEXT[opened.status]}, key=list(NEXT).index) if opened else [],
        "users": user_choices(codex),
        "names": codex.reading.author_names(each.assignee_id for each in every),
        "is_late": lambda each: is_late(each, now),
        "others": sum(each.email.casefold() == opened.email.casefold() for each in every) - 1
        if opened
        else 0,
        "has_mail": bool(settings_of(visit).mail),
        "error": error,
        "typed": typed,
        "inquiry_path": inquiry_path,
        "referrals": REFERRALS,
        "q": visit.query("q")[:100],
    }
    return page(visit, "inbox.html", status, **context)


def inquiry_path(inquiry_id: str, rest: str = "") -> str:
    """The page of an inquiry."""
    return f"{INBOX}/{quote(inquiry_id, safe='')}{rest}"


def _fits(each: ContactInquiry, text: str) -> bool:
    said = normalize_nfc(f"{each.name} {each.subject} {each.message} {each.email}").casefold()
    return all(word in said for word in normalize_nfc(text[:100]).casefold().split())


def _chart(visit: Visit, report: InboxReport) -> dict[str, Any]:
    return {
        "type": "bars",
        "labels": [visit.formats.tick(week) for week, _ in report.weeks],
        "full": [visit.t("codex.inbox.week_of", day=visit.formats.day(week)) for week, _ in report.weeks],
        "head": visit.t("codex.inbox.week"),
        "series": [
            {
                "key": "inquiries",
                "name": visit.t("codex.tab.inquiries"),
                "color": "blue",
                "kind": "bar",
                "values": [count for _, count in report.weeks],
            }
        ],
    }


# ── what is done with one ─────────────────────────────────────────────────────────────────────────


def change(visit: Visit) -> Response:
    """The status, the assignee and the memo."""
    codex, inquiry_id = codex_of(visit), visit.param("id")
    seen, _ = codex.inquiries.get(inquiry_id)
    status = visit.given("status")
    given = codex.inquiries.type.document(seen) | {
        "status": status if status in NEXT else seen.status,
        "assigneeId": visit.given("assignee_id") or None,
        "memo": visit.given("memo") or None,
    }
    return _done(
        visit,
        inquiry_id,
        "codex.inbox.saved",
        lambda tag: codex.inquiries.replace(inquiry_id, given, tag, edited_by(visit)),
    )


def step(visit: Visit) -> Response:
    """One step further with one click."""
    codex, inquiry_id = codex_of(visit), visit.param("id")
    wanted = next((each for each in NEXT if each == visit.given("status")), "in_progress")
    return _done(
        visit,
        inquiry_id,
        "codex.inbox.saved",
        lambda tag: codex.inquiries.set_status(
            inquiry_id, cast(InquiryStatus, wanted), tag, edited_by(visit)
        ),
    )


def answer(visit: Visit) -> Response:
    """Answer a visitor by mail, and if wanted be done with it."""
    codex, inquiry_id, text = codex_of(visit), visit.param("id"), visit.given("text")[:_LONGEST_ANSWER]
    if not text:
        return _shown(visit, inquiry_id, 422, visit.t("codex.inbox.empty_answer"))
    try:
        edit = codex.inquiries.answer(inquiry_id, text, visit.given("tag"), edited_by(visit))
    except (Conflict, InvalidInput, NotAllowed) as refused:
        return _shown(visit, inquiry_id, 409, refused_words(visit, refused), text)
    if visit.given("done"):
        codex.inquiries.set_status(inquiry_id, "done", edit.etag, edited_by(visit))
    return visit.go(inquiry_path(inquiry_id), "codex.inbox.answered")


def erase(visit: Visit) -> Response:
    """Erase an inquiry on request; whoever does it types the name of the sender."""
    codex, inquiry_id = codex_of(visit), visit.param("id")
    seen, _ = codex.inquiries.get(inquiry_id)
    if visit.given("name") != seen.name:
        return visit.go(inquiry_path(inquiry_id), "codex.inbox.other_name")
    codex.inquiries.delete(inquiry_id, visit.given("tag"), edited_by(visit))
    return visit.go(INBOX, "codex.inbox.erased")


def _done(visit: Visit, inquiry_id: str, said: str, work: Any) -> Response:
    try:
        work(visit.given("tag"))
    except (Conflict, InvalidInput, NotAllowed) as refused:
        return _shown(visit, inquiry_id, 409, refused_words(visit, refused))
    return visit.go(inquiry_path(inquiry_id), said)


_ADMIN = allowed(AREA, "admin")
PAGES = (
    PageRoute(INBOX, show, _ADMIN),
    PageRoute(f"{INBOX}/{{id}}", show_one, _ADMIN),
    PageRoute(f"{INBOX}/{{id}}", change, _ADMIN, "POST"),
    PageRoute(f"{INBOX}/{{id}}/step", step, _ADMIN, "POST"),
    PageRoute(f"{INBOX}/{{id}}/answer", answer, _ADMIN, "POST"),
    PageRoute(f"{INBOX}/{{id}}/erase", erase, _ADMIN, "POST"),
)
