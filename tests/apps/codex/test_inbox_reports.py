"""The inbox in numbers."""

from __future__ import annotations

from datetime import timedelta
from zoneinfo import ZoneInfo

from hansang.apps.codex.design import ContactInquiry, InquiryStatus, InquiryStep
from hansang.apps.codex.inbox_reports import WEEKS, inbox_report
from tests.apps.codex.site import NOON

SEOUL = ZoneInfo("Asia/Seoul")


def inquiry(
    number: int, status: InquiryStatus, age: timedelta, first: timedelta | None = None
) -> ContactInquiry:
    at = NOON - age
    steps = [InquiryStep(at=at, status="new")]
    if first is not None:
        steps.append(InquiryStep(at=at + first, status="in_progress"))
    return ContactInquiry(
        id=f"inq{number}",
        name="n",
        email="n@mail.example",
        company="",
        title="",
        referral="",
        subject="s",
        message="m",
        status=status,
        history=steps,
        created_at=at,
        updated_at=at,
    )


def test_the_inbox_is_counted() -> None:
    hour, day = timedelta(hours=1), timedelta(days=1)
    found = [
        inquiry(1, "new", hour),
        inquiry(2, "new", 3 * hour),
        inquiry(3, "in_progress", 2 * day, 4 * hour),
        inquiry(4, "done", 8 * day, 2 * hour),
        inquiry(5, "done", 40 * day, 10 * hour),
        inquiry(6, "spam", hour, hour),
        inquiry(7, "done", 400 * day, hour),
    ]
    report = inbox_report(found, NOON, SEOUL)
    assert (report.new, report.oldest, report.in_progress, report.late) == (2, NOON - 3 * hour, 1, 1)
    assert (report.first_answer, report.first_answer_before) == (3 * hour, 10 * hour)
    assert (len(report.weeks), sum(count for _, count in report.weeks)) == (WEEKS, 5)
    assert report.weeks[-1][0].isoformat() == "2025-11-10"


def test_an_empty_inbox_has_no_figures() -> None:
    report = inbox_report([], NOON, SEOUL)
    assert (report.new, report.oldest, report.first_answer) == (0, None, None)
