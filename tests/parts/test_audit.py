"""The audit log: what is kept, for how long, and how little strangers can write."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from hansang.backends.base import Backend
from hansang.design import Database
from hansang.errors import InvalidCursor, Unavailable
from hansang.parts.audit import EVERYWHERE_ELSE, KEPT, MOST_LINES, AuditEvent, AuditLog
from hansang.parts.history import Actor, History
from tests.parts.conftest import SetClock

ADDRESS = "192.0.2.1"


@pytest.fixture
def audit(database: Database, clock: SetClock) -> AuditLog:
    return AuditLog(database, clock)


class CountingBackend:
    """Counts the calls that go through it."""

    def __init__(self, inner: Backend) -> None:
        self._inner, self.calls = inner, Counter[str]()

    def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
        self.calls[operation] += 1
        return self._inner.call(operation, request)


def test_what_somebody_did_is_one_line_that_goes_by_itself(audit: AuditLog, clock: SetClock) -> None:
    audit.note("sign-in", "person:seoyeon", ADDRESS, "password", "Firefox", "r1")
    [found] = audit.page().items
    assert (found.kind, found.who, found.origin, found.detail) == (
        "sign-in",
        "person:seoyeon",
        ADDRESS,
        "password",
    )
    assert found.moment.timestamp() == pytest.approx(clock.now)
    assert found.expires_at - found.moment > KEPT - timedelta(seconds=1)


def test_lines_come_newest_first_and_a_page_at_a_time(audit: AuditLog, clock: SetClock) -> None:
    for number in range(5):
        audit.note("sign-in", f"person:{number}", ADDRESS, "password")
        clock.advance(20 * 24 * 3600)
    assert [each.who for each in audit.each()] == [f"person:{number}" for number in (4, 3, 2, 1, 0)]
    first = audit.page(2)
    second = audit.page(3, first.cursor)
    assert [each.who for each in (*first, *second)] == [f"person:{number}" for number in (4, 3, 2, 1, 0)]
    with pytest.raises(InvalidCursor):
        audit.page(3, "made up")


def test_refusals_of_an_address_in_a_minute_are_one_line(audit: AuditLog, clock: SetClock) -> None:
    for _ in range(100):
        audit.count("request-refused", ADDRESS, "GET /admin/people")
    audit.count("request-refused", "192.0.2.2", "GET /admin/people")
    audit.flush()
    assert {each.origin: each.count for each in audit.each()} == {ADDRESS: 100, "192.0.2.2": 1}
    clock.advance(60)
    audit.count("request-refused", ADDRESS, "GET /admin/people")
    assert sorted(each.count for each in audit.each()) == [1, 1, 100]


def test_ten_thousand_refusals_are_a_handful_of_writes(database: Database, clock: SetClock) -> None:
    backend = CountingBackend(database.backend)
    audit = AuditLog(Database(backend), clock)  # type: ignore[arg-type]
    for _ in range(10_000):
        audit.count("request-refused", ADDRESS, "GET /admin/people")
    assert sum(backend.calls.values()) <= 15
    [line] = audit.each()
    assert line.count >= 5_000


def test_addresses_without_end_are_not_lines_without_end(audit: AuditLog) -> None:
    for number in range(1_000):
        audit.count("sign-in-refused", f"2001:db8:0:{number:x}::/64", "wrong-password")
    audit.flush()
    lines = list(audit.each())
    assert len(lines) == MOST_LINES + 1
    assert sum(each.count for each in lines) == 1_000
    assert [each.count for each in lines if each.origin == EVERYWHERE_ELSE] == [1_000 - MOST_LINES]


def test_the_rest_of_a_minute_is_written_when_the_next_begins(audit: AuditLog, clock: SetClock) -> None:
    for _ in range(7):
        audit.count("key-refused", ADDRESS, "GET /api")
    assert [each.count for each in audit.each()] == [4]
    clock.advance(61)
    audit.count("key-refused", ADDRESS, "GET /api")
    assert [each.count for each in audit.each()] == [1, 7]


def test_processes_count_in_lines_of_their_own(audit: AuditLog, database: Database, clock: SetClock) -> None:
    for log in (audit, AuditLog(database, clock)):
        log.count("request-refused", ADDRESS, "GET /")
    assert [each.count for each in audit.each()] == [1, 1]


def test_a_line_that_cannot_be_written_stops_nobody(
    clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Failing:
        def call(self, operation: str, request: object) -> dict[str, object]:
            raise Unavailable("the disk is full")

    AuditLog(Database(Failing()), clock).note("sign-in", "person:a", ADDRESS, "password")
    assert "was not written" in caplog.text


def test_administration_is_in_the_log_together_with_its_change(
    audit: AuditLog, database: Database, clock: SetClock
) -> None:
    history = History(database, clock)
    actor = Actor("person", "seoyeon", "윤서연")
    history.record(actor, "platform", "Person", "minjun", "disable", request_id="r2")
    history.record(actor, "news", "Article", "a1", "replace")
    [found] = audit.each()
    assert (found.kind, found.who, found.detail) == (
        "administration",
        "person:seoyeon",
        "Person minjun: disable",
    )
    assert found.request_id == "r2"


def test_a_line_too_long_is_cut(audit: AuditLog) -> None:
    audit.note("sign-in", "person:a", "x" * 5000, "y" * 5000, "z" * 5000)
    [found] = audit.each()
    assert {len(found.origin or ""), len(found.detail), len(found.agent or "")} == {200}
    assert isinstance(found, AuditEvent)
