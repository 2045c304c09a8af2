"""The history of changes."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import chain

import pytest

from hansang.design import Database, Unreadable
from hansang.errors import InvalidCursor, NotFound, UnexpectedItem
from hansang.parts.history import (
    LARGEST_IMAGE,
    Actor,
    Change,
    History,
    image,
    key_of,
    subject_of,
)
from hansang.parts.platform import Platform
from tests.checked.shop import Shop
from tests.parts.conftest import SetClock
from tests.parts.faults import losing
from tests.spoiling import put_item, spoil

DAY = 86_400
ACTOR = Actor("person", "seoyeon", "윤서연")


@pytest.fixture
def history(database: Database, clock: SetClock) -> History:
    return History(database, clock)


def recorded(history: History, name: str, area: str = "platform") -> Change:
    return history.record(ACTOR, area, "Person", f"people/{name}", "create", after={"name": name})


def names(changes: list[Change]) -> list[str]:
    return [change.subject.removeprefix("people/") for change in changes]


def pages(history: History, limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    cursor = None
    while True:
        page = history.page(limit=limit, cursor=cursor)
        assert page.offset == sum(len(each) for each in found)
        found.append(names(page.items))
        cursor = page.cursor
        if cursor is None:
            return found


# ── keeping ───────────────────────────────────────────────────────────────────────────────────────


def test_a_change_says_who_did_what_when_and_to_what(history: History, clock: SetClock) -> None:
    change = history.record(
        ACTOR,
        "platform",
        "Person",
        "people/minji",
        "disable",
        before={"disabled": False},
        after={"disabled": True},
        request_id="r1",
    )
    assert history.get(change.id) == change
    assert change.actor == ACTOR
    assert change.moment == datetime.fromtimestamp(clock.now, UTC)
    assert (change.before, change.after) == ({"disabled": {"BOOL": False}}, {"disabled": {"BOOL": True}})
    assert (change.area, change.kind, change.verb, change.request_id) == (
        "platform",
        "Person",
        "disable",
        "r1",
    )


def test_a_change_that_is_not_one_of_an_item_is_not_undoable(history: History) -> None:
    assert not recorded(history, "minji").is_undoable


def test_a_lost_answer_does_not_make_a_second_change(database: Database, clock: SetClock) -> None:
    history = History(losing(database, 0.5), clock)
    for number in range(5):
        recorded(history, f"p{number}")
    assert len(History(database, clock).page(limit=100)) == 5


@pytest.mark.parametrize("strange", ["", "x", "zz-zz", "0" * 26, "f" * 26, "#", "0643045 1c40007378824c1e2f"])
def test_what_is_no_id_of_a_change_is_not_found(history: History, strange: str) -> None:
    recorded(history, "minji")
    with pytest.raises(NotFound, match="not found"):
        history.get(strange)


def test_an_item_that_is_too_large_leaves_its_digest_and_its_size() -> None:
    large = image({"text": {"S": "가" * LARGEST_IMAGE}})
    small = image({"text": {"S": "가"}})
    assert large is not None
    assert small is not None
    assert (large.item, large.size > 3 * LARGEST_IMAGE, len(large.digest)) == (None, True, 64)
    assert small.item == {"text": {"S": "가"}}


def test_a_change_of_two_large_sides_still_fits(history: History) -> None:
    text = "x" * (LARGEST_IMAGE - 100)
    change = history.record(
        ACTOR, "platform", "Page", "pages/1", "replace", before={"a": text}, after={"a": text}
    )
    assert history.get(change.id).before == {"a": {"S": text}}


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def test_nothing_changed_is_an_empty_page(history: History) -> None:
    assert pages(history, 5) == [[]]


def test_changes_come_newest_first_across_months(history: History, clock: SetClock) -> None:
    for number in range(25):
        clock.advance(3 * DAY)
        recorded(history, f"p{number:02}")
    expected = [f"p{number:02}" for number in reversed(range(25))]
    for limit in (1, 4, 7, 24, 25, 100):
        found = pages(history, limit)
        assert list(chain(*found)) == expected
        assert all(len(page) == limit for page in found[:-1])
    assert names(list(history.each())) == expected


def test_months_without_changes_are_passed_over(history: History, clock: SetClock) -> None:
    recorded(history, "old")
    clock.advance(400 * DAY)
    recorded(history, "new")
    assert pages(history, 1)[:2] == [["new"], ["old"]]
    assert pages(history, 9) == [["new", "old"]]


def test_a_page_that_ends_with_its_month_goes_on_in_the_one_before(history: History, clock: SetClock) -> None:
    recorded(history, "a")
    clock.advance(40 * DAY)
    recorded(history, "b")
    page = history.page(limit=1)
    assert names(page.items) == ["b"]
    assert names(history.page(limit=1, cursor=page.cursor).items) == ["a"]


def test_changes_of_the_same_moment_are_all_there(history: History) -> None:
    for number in range(10):
        recorded(history, f"p{number}")
    assert sorted(chain(*pages(history, 3))) == [f"p{number}" for number in range(10)]


def test_a_forged_cursor_is_refused(history: History, clock: SetClock) -> None:
    for number in range(4):
        recorded(history, f"p{number}")
        clock.advance(20 * DAY)
    cursor = history.page(limit=1).cursor
    assert cursor is not None
    month = key_of(history.page(limit=4).items[-1].id).month
    for forged in ("", "x", month, month + cursor[7:], cursor[:-1], "9999-12" + cursor[7:]):
        with pytest.raises(InvalidCursor):
            history.page(limit=1, cursor=forged)


def test_an_area_has_its_own_pages(history: History, clock: SetClock) -> None:
    for number in range(9):
        clock.advance(10 * DAY)
        recorded(history, f"p{number}", "news" if number % 3 == 0 else "platform")
    page = history.page("news", limit=2)
    rest = history.page("news", limit=2, cursor=page.cursor)
    assert names(page.items + rest.items) == ["p6", "p3", "p0"]
    assert names(list(history.each("news"))) == ["p6", "p3", "p0"]
    assert history.page("codex").items == []


def test_the_changes_of_one_subject_come_newest_first(history: History, clock: SetClock) -> None:
    for verb in ("create", "disable", "enable"):
        clock.advance(DAY)
        history.record(ACTOR, "platform", "Person", "people/minji", verb)
    recorded(history, "another")
    assert [each.verb for each in history.of_subject("people/minji")] == ["enable", "disable", "create"]


def test_a_subject_is_the_text_of_a_key() -> None:
    assert subject_of(Shop, {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "METADATA"}}) == (
        "Shop/CUSTOMER#c1/METADATA"
    )


def test_long_keys_have_subjects_of_their_own_too() -> None:
    keys = [{"PK": {"S": "가" * 600}, "SK": {"S": f"{'나' * 300}{number}"}} for number in range(3)]
    subjects = {subject_of(Shop, key) for key in keys}
    assert len(subjects) == 3
    assert all(len(subject.encode()) <= 1024 for subject in subjects)


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────


def test_a_change_that_cannot_be_read_is_named_beside_the_others(
    history: History, database: Database, clock: SetClock
) -> None:
    for name in ("first", "bad", "last"):
        clock.advance(1)
        change = recorded(history, name)
        if name == "bad":
            spoil(database, key_of(change.id), verb=None)
    for page in (history.page(), history.page("platform"), history.page(limit=1)):
        assert names(page.items) == ["last", "first"][: len(page)]
    [bad] = history.page().unreadable
    assert (bad.kind, "has no attribute verb" in bad.reason) == (Change, True)


def test_every_change_is_read_when_somebody_is_told_of_the_bad_ones(
    history: History, database: Database
) -> None:
    recorded(history, "good")
    spoil(database, key_of(recorded(history, "bad").id), verb=None)
    for area in (None, "platform"):
        with pytest.raises(UnexpectedItem):
            list(history.each(area))
        told: list[Unreadable] = []
        assert names(list(history.each(area, unreadable=told.append))) == ["good"]
        assert [each.kind for each in told] == [Change]


def test_a_month_that_cannot_be_read_is_named_and_hides_no_other(
    history: History, database: Database
) -> None:
    recorded(history, "good")
    put_item(database, Platform, {"PK": {"S": "CHANGES"}, "SK": {"S": "MONTH#1999-01"}})
    page = history.page()
    assert (names(page.items), len(page.unreadable)) == (["good"], 1)
