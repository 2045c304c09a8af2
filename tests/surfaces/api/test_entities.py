"""Entities over HTTP: by their key, with their tag, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from hansang.apps.codex.design import Category, CategoryKey, Post
from hansang.apps.leaderboards.design import WeeklyBest
from hansang.design.requests import shape_of
from hansang.surfaces.api.app import create_api
from hansang.surfaces.shell import Shell
from tests.blueprint.designs import EXAMPLES
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock, new_key, opened
from tests.surfaces.shops import APPLICATION

PATH = "/api/codex/entities/Category"
CATEGORY = {
    "id": "c001",
    "title": "공지",
    "desc": "회사 소식",
    "created_at": "2026-11-01T09:00:00Z",
    "updated_at": "2026-11-01T09:00:00Z",
}
NEWS: dict[str, Any] = {
    "pk": "h#0011223344556677",
    "source": "yf_latest",
    "title": "A title",
    "url": "https://news.example/a",
    "tickers": ["ABC"],
    "uploaded_at_utc_iso": "2026-11-01T09:00:00Z",
    "uploaded_at_utc_ms": 1_793_523_600_000,
    "uploaded_at_est_iso": "2026-11-01T04:00:00-05:00",
    "uploaded_at_kst_iso": "2026-11-01T18:00:00+09:00",
    "dt_utc": "2026-11-01",
    "dt_est": "2026-11-01",
    "dt_kst": "2026-11-01",
    "tz_est_abbr": "EST",
    "tz_est_is_dst": False,
}

AT = datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest.fixture
def place(owner: Caller) -> str:
    """The address of a category that was created."""
    made = owner.post(PATH, CATEGORY)
    assert made.status_code == 201
    return str(made.headers["location"])


def tag(caller: Caller, place: str) -> str:
    return str(caller.get(place).headers["etag"])


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def test_what_was_created_can_be_read_at_its_location(owner: Caller, place: str) -> None:
    assert place == "/api/codex/entities/Category?id=c001"
    assert owner.get(place).json() == CATEGORY


def test_what_is_not_there_is_not_found(owner: Caller) -> None:
    answer = owner.get(PATH, params={"id": "c404"})
    assert (answer.status_code, answer.json()["detail"]) == (404, "Category id=c404 not found.")


def test_who_has_it_already_gets_no_body(owner: Caller, place: str) -> None:
    same = owner.get(place, headers={"If-None-Match": f'"other", W/{tag(owner, place)}'})
    assert (same.status_code, same.content) == (304, b"")
    assert owner.get(place, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_key_in_hangul_finds_its_way(owner: Caller) -> None:
    made = owner.post("/api/codex/entities/Category", CATEGORY | {"id": "외식 · 카페"})
    assert owner.get(made.headers["location"]).json()["id"] == "외식 · 카페"


@pytest.mark.parametrize("served", [("leaderboards",)])
def test_a_number_in_a_key_is_digits_in_the_address(owner: Caller, shell: Shell) -> None:
    start, end = date(2026, 10, 30), date(2026, 11, 5)
    shell.database.put(WeeklyBest(id=7, start=start, end=end, name="수달", top_score=42))
    found = owner.get("/api/leaderboards/entities/WeeklyBest?id=7&start=2026-10-30&end=2026-11-05")
    assert found.json()["top_score"] == 42


@pytest.mark.parametrize("served", [("assets",)])
def test_an_entity_without_key_fields_has_one_address(owner: Caller) -> None:
    codes = {"codes": {"투자용": ["주거래"]}, "group_order": ["투자용"]}
    made = owner.post("/api/assets/entities/AccountCodes", codes)
    assert made.headers["location"] == "/api/assets/entities/AccountCodes"
    assert owner.get(made.headers["location"]).json()["codes"] == {"투자용": ["주거래"]}


# ── creating ──────────────────────────────────────────────────────────────────────────────────────


def test_what_exists_is_not_created_again(owner: Caller, place: str) -> None:
    answer = owner.post(PATH, CATEGORY | {"title": "다른 제목"})
    assert (answer.status_code, answer.json()["code"]) == (409, "already-exists")
    assert owner.get(place).json()["title"] == "공지"


def test_a_field_that_is_not_there_is_refused(owner: Caller) -> None:
    answer = owner.post(PATH, CATEGORY | {"titel": "공지"})
    assert [each["path"] for each in answer.json()["errors"]] == ["titel"]


def test_a_moment_without_a_zone_is_refused(owner: Caller) -> None:
    answer = owner.post(PATH, CATEGORY | {"created_at": "2026-11-01T09:00:00"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-request")
    [error] = answer.json()["errors"]
    assert (error["path"], "time zone" in error["message"]) == ("created_at", True)


@pytest.mark.parametrize(("field", "value"), [("created_at", 0), ("id", 7)])
def test_a_value_of_another_type_is_not_guessed_at(owner: Caller, field: str, value: object) -> None:
    answer = owner.post(PATH, CATEGORY | {field: value})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, field)


def test_true_is_no_number(owner: Caller) -> None:
    answer = owner.post("/api/news/entities/NewsDay", {"day": "2026-11-15", "dead": True})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "dead")


def test_moments_are_answered_as_they_are_stored(owner: Caller) -> None:
    made = owner.post(PATH, CATEGORY | {"created_at": "2026-11-01T18:00:00+09:00"})
    assert made.json()["created_at"] == "2026-11-01T09:00:00Z"


def test_a_moment_finer_than_what_is_stored_is_refused_and_not_cut(owner: Caller) -> None:
    refused = owner.post(PATH, CATEGORY | {"created_at": "2026-11-01T09:00:00.123Z"})
    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (422, "created_at")


def test_what_is_too_large_is_refused(owner: Caller) -> None:
    answer = owner.post(PATH, CATEGORY | {"desc": "가" * 140_000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_open_contents_come_back_to_the_digit(owner: Caller, shell: Shell) -> None:
    contents = {"a": [1, Decimal("2.50"), {"b": None}], "c": 123456789012345678901234567890}
    stamps: dict[str, Any] = {"created_at": AT, "updated_at": AT}
    shell.database.put(
        Post(category_id="c1", id="p1", author_id="u1", title="t", contents=contents, **stamps)
    )
    read = owner.get("/api/codex/entities/Post?category_id=c1&id=p1")
    assert '"contents":{"a":[1,2.5,{"b":null}],"c":123456789012345678901234567890}' in read.text


# ── once ──────────────────────────────────────────────────────────────────────────────────────────


def test_under_one_idempotency_key_there_is_one(owner: Caller) -> None:
    again = {"Idempotency-Key": "order 66"}
    first, second = (owner.post(PATH, CATEGORY, headers=again) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert first.headers["etag"] == second.headers["etag"]
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"


def test_an_idempotency_key_is_for_one_request(owner: Caller) -> None:
    again = {"Idempotency-Key": "order 66"}
    owner.post(PATH, CATEGORY, headers=again)
    answer = owner.post(PATH, CATEGORY | {"id": "c002"}, headers=again)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency-key-used")


def test_a_refused_request_can_be_mended_under_its_idempotency_key(owner: Caller, place: str) -> None:
    again = {"Idempotency-Key": "order 66"}
    assert owner.post(PATH, CATEGORY, headers=again).status_code == 409
    assert owner.post(PATH, CATEGORY | {"id": "c002"}, headers=again).status_code == 201


def test_keys_of_different_callers_do_not_meet(owner: Caller, with_scopes: Any) -> None:
    again = {"Idempotency-Key": "order 66"}
    owner.post(PATH, CATEGORY, headers=again)
    other = with_scopes("codex:write").post(PATH, CATEGORY | {"id": "c002"}, headers=again)
    assert other.status_code == 201


def test_of_many_at_once_one_creates(owner: Caller, shell: Shell) -> None:
    with ThreadPoolExecutor(8) as threads:
        sent = [threads.submit(owner.post, PATH, CATEGORY) for _ in range(8)]
    assert sorted(each.result().status_code for each in sent) == [201] + [409] * 7
    assert len(list(shell.history.page("codex"))) == 1


# ── replacing and deleting ────────────────────────────────────────────────────────────────────────


def test_who_has_seen_it_may_replace_it(owner: Caller, place: str) -> None:
    seen = tag(owner, place)
    answer = owner.put(place, CATEGORY | {"title": "새 제목"}, headers={"If-Match": seen})
    assert (answer.status_code, answer.json()["title"]) == (200, "새 제목")
    assert answer.headers["etag"] == tag(owner, place) != seen


def test_replacing_and_deleting_need_the_tag(owner: Caller, place: str) -> None:
    assert owner.put(place, CATEGORY).status_code == 428
    assert owner.delete(place).status_code == 428


def test_what_was_changed_meanwhile_stays(owner: Caller, place: str) -> None:
    seen = tag(owner, place)
    owner.put(place, CATEGORY | {"title": "먼저"}, headers={"If-Match": seen})
    late = owner.put(place, CATEGORY | {"title": "나중"}, headers={"If-Match": seen})
    assert (late.status_code, late.json()["code"]) == (412, "changed-meanwhile")
    assert owner.delete(place, headers={"If-Match": seen}).status_code == 412
    assert owner.get(place).json()["title"] == "먼저"


def test_a_weak_tag_is_no_ground_for_writing(owner: Caller, place: str) -> None:
    assert owner.delete(place, headers={"If-Match": f"W/{tag(owner, place)}"}).status_code == 412


def test_a_star_stands_for_whatever_is_there(owner: Caller, place: str) -> None:
    assert owner.delete(place, headers={"If-Match": "*"}).status_code == 204
    assert owner.delete(place, headers={"If-Match": "*"}).status_code == 404


def test_the_key_of_the_body_is_the_one_of_the_address(owner: Caller, place: str) -> None:
    answer = owner.put(place, CATEGORY | {"id": "c002"}, headers={"If-Match": "*"})
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "id")


def test_what_a_design_does_not_know_survives_a_replacement(owner: Caller, place: str, shell: Shell) -> None:
    key = CategoryKey(id="c001")
    found = shell.editing.find_item(Category.__shape__.table, shape_of(key).key(key.__dict__))  # type: ignore[union-attr]
    assert found is not None
    table = shape_of(key).table
    shell.database.call(
        "PutItem", {"TableName": table.name, "Item": found[0] | {"legacy": {"S": "x"}}}, "test"
    )
    owner.put(place, CATEGORY | {"title": "새 제목"}, headers={"If-Match": "*"})
    kept = shell.editing.find_item(table, found[0])
    assert kept is not None
    assert kept[0]["legacy"] == {"S": "x"}


def test_every_change_is_kept_with_who_made_it(owner: Caller, place: str, clock: SetClock) -> None:
    clock.advance(1)
    answer = owner.delete(place, headers={"If-Match": "*"})
    change = owner.get(f"/api/platform/changes/{answer.headers['x-change-id']}").json()
    assert (change["area"], change["kind"], change["verb"]) == ("codex", "Category", "delete")
    assert change["actor"]["kind"] == "key"
    assert change["before"]["title"] == {"S": "공지"}
    assert change["after"] is None


# ── kept for ever ─────────────────────────────────────────────────────────────────────────────────


def test_what_is_immutable_is_created_and_then_kept_for_ever(clock: SetClock) -> None:
    with opened(clock, applications=(APPLICATION,)) as shell:
        owner = Caller(create_api(shell), new_key(shell, "*:admin"))
        order = EXAMPLES[1].model_dump(mode="json")
        made = owner.post("/api/shop/entities/Order", order)
        assert made.status_code == 201
        for answer in (
            owner.put(made.headers["location"], order, headers={"If-Match": "*"}),
            owner.delete(made.headers["location"], headers={"If-Match": "*"}),
        ):
            assert (answer.status_code, answer.json()["code"]) == (403, "kept-for-ever")
        assert owner.get(made.headers["location"]).json() == made.json()
