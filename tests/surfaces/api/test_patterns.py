"""Access patterns over HTTP: parameters, pages, costs, kinds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from hansang.apps.assets.design import Income, Totals
from hansang.apps.codex.design import Category, CategoryKey, Credentials
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.service import News
from hansang.apps.rankings.design import Snapshot
from hansang.surfaces.shell import Shell
from tests.spoiling import put_item, spoil
from tests.surfaces.api.callers import Caller
from tests.surfaces.api.conftest import With

TOP = "/api/rankings/patterns/OfficialLevelRow.top"
DAY = date(2026, 11, 1)
MOMENT = datetime(2026, 11, 1, 9, tzinfo=UTC)


def snapshot(rank: int) -> Snapshot:
    return Snapshot(
        uuid=f"u{rank:03}",
        day=DAY,
        name=f"유저{rank}",
        level=500 - rank,
        power=10**30 + rank,
        level_rank=rank,
    )


@pytest.fixture(scope="module")
def ranked(standing_shell: Shell) -> None:
    """Thirty players with an official rank."""
    standing_shell.database.batch_write(snapshot(rank) for rank in range(1, 31))


@pytest.mark.usefixtures("ranked")
def test_a_page_has_its_items_and_what_they_cost(reader: Caller) -> None:
    page = reader.get(TOP, params={"day": "2026-11-01", "limit": 2}).json()
    assert page["items"][0] == {
        "uuid": "u001",
        "day": "2026-11-01",
        "name": "유저1",
        "level": 499,
        "level_rank": 1,
    }
    assert (len(page["items"]), page["offset"]) == (2, 0)
    assert page["cost"] == {"read_units": 0.5, "write_units": 0.0, "is_partial": False}


@pytest.mark.usefixtures("ranked")
def test_cursors_lead_through_all_pages(reader: Caller) -> None:
    seen: list[int] = []
    cursor: str | None = ""
    while cursor is not None:
        asked = {"day": "2026-11-01", "limit": "7"} | ({"cursor": cursor} if cursor else {})
        page = reader.get(TOP, params=asked).json()
        assert page["offset"] == len(seen)
        seen += [each["level_rank"] for each in page["items"]]
        cursor = page["cursor"]
    assert seen == [*range(1, 31)]


@pytest.mark.usefixtures("ranked")
def test_without_a_limit_twenty_come(reader: Caller) -> None:
    assert len(reader.get(TOP, params={"day": "2026-11-01"}).json()["items"]) == 20


@pytest.mark.usefixtures("ranked")
def test_the_cursor_of_another_question_is_refused(reader: Caller) -> None:
    cursor = reader.get(TOP, params={"day": "2026-11-01", "limit": 2}).json()["cursor"]
    answer = reader.get(TOP, params={"day": "2026-11-02", "cursor": cursor})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-cursor")


@pytest.mark.usefixtures("ranked")
def test_numbers_beyond_64_bits_arrive_whole(reader: Caller) -> None:
    answer = reader.get("/api/rankings/patterns/Snapshot.history", params={"uuid": "u007"})
    assert f'"power":{10**30 + 7}' in answer.text


@pytest.mark.parametrize(
    ("given", "path", "code"),
    [
        ({}, "day", "missing"),
        ({"day": "yesterday"}, "day", "date_from_datetime_parsing"),
        ({"day": "2026-11-01", "limit": "0"}, "limit", "greater_than_equal"),
        ({"day": "2026-11-01", "limit": "1001"}, "limit", "less_than_equal"),
        ({"day": "2026-11-01", "format": "xml"}, "format", "literal_error"),
        ({"day": "2026-11-01", "dya": "2026-11-02"}, "dya", "extra_forbidden"),
    ],
)
def test_a_wrong_parameter_is_named(reader: Caller, given: dict[str, str], path: str, code: str) -> None:
    answer = reader.get(TOP, params=given)
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert (error["place"], error["path"], error["code"]) == ("query", path, code)


def test_a_wrong_parameter_is_told_in_korean(reader: Caller) -> None:
    [error] = reader.get(TOP, params={"lang": "ko"}).json()["errors"]
    assert error["message"] == "값을 입력하십시오."


@pytest.mark.parametrize(
    ("path", "example"),
    [("assets/patterns/Income.of_month", "2025.01"), ("news/patterns/Run.of_month", "2026-11")],
)
def test_a_month_that_a_form_would_refuse_is_refused_with_an_example(
    reader: Caller, path: str, example: str
) -> None:
    answer = reader.get(f"/api/{path}", params={"month": "10월", "lang": "ko"})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert (error["place"], error["path"], error["label"]) == ("query", "month", "월")
    assert error["message"] == f"{example}처럼 입력하십시오."
    assert answer.json()["detail"] == f"월: {example}처럼 입력하십시오."
    english = reader.get(f"/api/{path}", params={"month": "10월", "lang": "en"}).json()
    assert english["detail"] == f"Month: Enter it like this: {example}."


def test_what_cannot_stand_in_a_key_is_refused(reader: Caller) -> None:
    answer = reader.get("/api/assets/patterns/Income.of_person", params={"month": "2026.11", "name": "a#b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
    answer = reader.get("/api/codex/patterns/Post.in_category", params={"category_id": "a#b"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-key")


def test_a_range_that_ends_before_it_begins_is_refused(reader: Caller) -> None:
    between = {"day": "2026-11-01", "low": "9", "high": "1"}
    answer = reader.get("/api/rankings/patterns/LevelRow.between", params=between)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")
    assert "Give the smaller first" in answer.json()["detail"]


def test_a_number_that_no_key_can_hold_is_refused(reader: Caller) -> None:
    answer = reader.get("/api/leaderboards/patterns/WeeklyBest.recent", params={"player_id": "9" * 60})
    assert answer.status_code in (400, 422)


def test_of_several_kinds_each_says_which_it_is(reader: Caller, standing_shell: Shell) -> None:
    standing_shell.database.create(
        Income(
            year_month="2026.11",
            name="서연",
            income_type="급여",
            amount=3_000_000,
            created_at=MOMENT,
            updated_at=MOMENT,
        )
    )
    sums = dict.fromkeys(("total_income", "total_expense", "total_savings", "total_investment"), 1)
    standing_shell.database.create(
        Totals(
            year_month="2026.11",
            **sums,
            total_short_savings=0,
            net_asset=-3,
            created_at=MOMENT,
            updated_at=MOMENT,
        )
    )
    page = reader.get("/api/assets/patterns/Totals.with_everything", params={"month": "2026.11"}).json()
    assert {each["kind"]: each.get("amount") for each in page["items"]} == {
        "Income": 3_000_000,
        "Totals": None,
    }


def test_the_meter_counts_what_patterns_cost(reader: Caller, standing_shell: Shell) -> None:
    reader.get("/api/rankings/patterns/PowerRow.ranking", params={"day": "2020-01-01"})
    [used] = [each for each in standing_shell.usage.snapshot() if each.pattern == "PowerRow.ranking"]
    assert (used.app, used.requests, used.read_units) == ("rankings", 1, 0.5)


# ── what cannot be read ───────────────────────────────────────────────────────────────────────────

LATEST = "/api/codex/patterns/Category.latest"


def category(number: int) -> Category:
    return Category(id=f"c{number:04}", title="제목", desc="", created_at=MOMENT, updated_at=MOMENT)


def test_a_page_without_a_bad_item_says_so(owner: Caller) -> None:
    assert owner.get(LATEST).json()["unreadable"] == []


def test_an_item_that_cannot_be_read_is_named_beside_the_others(owner: Caller, shell: Shell) -> None:
    for number in (1, 2):
        shell.database.create(category(number))
    spoil(shell.database, CategoryKey(id="c0001"), CreatedAt={"S": "2026-01-01T00:00:00.123Z"})
    page = owner.get(LATEST).json()
    assert [each["id"] for each in page["items"]] == ["c0002"]
    [bad] = page["unreadable"]
    assert (bad["table"], bad["kind"]) == ("FMWebAppTable", "Category")
    assert bad["key"] == {"PK": {"S": "CATEGORY#c0001"}, "SK": {"S": "METADATA"}}
    assert "2026-01-01T00:00:00.123Z" in bad["reason"]
    assert bad["address"] == "/data/codex/tables/FMWebAppTable/item?pk=CATEGORY%23c0001&sk=METADATA"


@pytest.mark.parametrize("served", [("leaderboards",)])
def test_a_key_that_cannot_be_read_is_named_too(owner: Caller, shell: Shell) -> None:
    item = {
        "Id": {"N": "100"},
        "Week": {"S": "2014-05-09,2014-05-15"},
        "Name": {"S": "John"},
        "TopScore": {"N": "1500"},
    }
    put_item(shell.database, UsersLeaderboard, item)
    page = owner.get("/api/leaderboards/patterns/WeeklyBest.recent", params={"player_id": 100}).json()
    assert (page["items"], page["unreadable"][0]["key"]["Week"]) == ([], item["Week"])


def test_a_bad_item_with_a_guarded_key_is_told_to_owners_alone(
    owner: Caller, with_scopes: Callable[..., Caller], shell: Shell
) -> None:
    shape: Any = Credentials.__shape__
    key = shape.key({"user_id": "minsu"})
    item = {**key, "Type": {"S": "Category"}, "CreatedAt": {"S": "2026-01-01T00:00:00Z"}}
    put_item(shell.database, shape.table, item)
    assert len(owner.get(LATEST).json()["unreadable"]) == 1
    assert with_scopes("codex:read").get(LATEST).json()["unreadable"] == []


def test_what_somebody_searches_for_is_not_told_to_others(with_scopes: With, shell: Shell) -> None:
    News(shell.database, shell.clock).searches.save("minji", text="a secret merger")
    answer = with_scopes("news:write").get(
        "/api/news/patterns/SavedSearch.of_person", params={"person": "minji"}
    )
    assert len(answer.json()["items"]) == 1
    assert "secret merger" not in answer.text
