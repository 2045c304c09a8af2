"""Posts through the API: published, drafted, scheduled, moved, deleted and restored."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import FMWebApp, Post, PostLocatorKey
from hansang.apps.codex.service import Codex
from hansang.apps.codex.settings import CodexSettings
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import post
from tests.clauses import clause
from tests.storing import stored
from tests.surfaces.api.callers import Caller
from tests.surfaces.shells import SetClock

PATH = "/api/codex"
GIVEN = {"categoryId": "c001", "authorId": "u001", "title": "새 소식", "contents": "본문 **굵게**"}


def published(writer: Caller, **given: Any) -> Any:
    made = writer.post(f"{PATH}/posts", GIVEN | given)
    assert made.status_code == 201, made.text
    return made


@clause("X4-05", "X4-06", "4-15")
def test_a_post_gets_an_id_that_sorts_by_time_and_is_found_by_it_alone(
    writer: Caller, reader: Caller, clock: SetClock
) -> None:
    ids = []
    for _ in range(3):
        ids.append(published(writer).json()["id"])
        clock.advance(1)
    assert ids == sorted(ids)
    assert {len(each) for each in ids} == {27}
    assert reader.get(f"{PATH}/posts/{ids[0]}").json()["categoryId"] == "c001"


@clause("X4-06")
def test_an_id_that_another_post_has_is_refused(writer: Caller) -> None:
    published(writer, id="p1")
    twice = writer.post(f"{PATH}/posts", GIVEN | {"id": "p1", "categoryId": "c002", "slug": "other"})
    assert twice.status_code == 409


@clause("4-15", "X4-22")
@pytest.mark.parametrize("wrong", [{"categoryId": "c009"}, {"authorId": "u009"}])
def test_a_reference_that_leads_nowhere_is_refused(writer: Caller, wrong: dict[str, str]) -> None:
    answer = writer.post(f"{PATH}/posts", GIVEN | wrong)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, next(iter(wrong)))


@clause("X4-05")
def test_the_posts_of_a_category_come_by_time_whatever_their_ids(shell: Shell, reader: Caller) -> None:
    old = [post(999), post(1000), post(5)]
    uuid = post(7).model_copy(update={"id": "5f0c2a9e-0000"})
    pinned = post(2).model_copy(update={"is_pinned": True})
    shell.database.batch_write([*old, uuid, pinned])
    first = reader.get(f"{PATH}/categories/c001/posts?limit=3").json()
    rest = reader.get(f"{PATH}/categories/c001/posts?limit=3&cursor={first['cursor']}").json()
    ids = [each["id"] for each in (*first["items"], *rest["items"])]
    assert (ids, rest["cursor"]) == (["p002", "p1000", "p999", "5f0c2a9e-0000", "p005"], None)
    assert "contents" not in first["items"][0]


@clause("X4-17", "X4-33", "4-30")
def test_a_list_has_names_and_no_contents_and_a_signed_cursor(writer: Caller, clock: SetClock) -> None:
    for _ in range(3):
        published(writer)
        clock.advance(1)
    page = writer.get(f"{PATH}/posts?limit=2").json()
    assert [(each["author"], each["category"], each["state"]) for each in page["items"]] == [
        ("김대연", "회사 소식", "published")
    ] * 2
    assert "contents" not in page["items"][0]
    assert len(writer.get(f"{PATH}/posts?limit=2&cursor={page['cursor']}").json()["items"]) == 1
    assert writer.get(f"{PATH}/posts?cursor={page['cursor'][:-4]}AAAA").status_code == 400


@clause("X4-20")
def test_moving_a_post_keeps_its_id_its_time_and_its_address(
    shell: Shell, writer: Caller, clock: SetClock
) -> None:
    made = published(writer)
    clock.advance(5)
    path, tag = f"{PATH}/posts/{made.json()['id']}", {"If-Match": made.headers["ETag"]}
    given = {name: value for name, value in made.json().items() if name != "html"}
    moved = writer.put(path, given | {"categoryId": "c002"}, headers=tag)
    assert moved.status_code == 200, moved.text
    kept = ("id", "CreatedAt", "slug", "title")
    assert [moved.json()[each] for each in kept] == [made.json()[each] for each in kept]
    assert writer.get(path).headers["ETag"] == moved.headers["ETag"]
    assert shell.database.all(Post.in_category("c001")) == []
    assert [each.category_id for each in shell.database.all(Post.in_category("c002"))] == ["c002"]
    assert shell.database.get(PostLocatorKey(post_id=made.json()["id"])).category_id == "c002"


@clause("X4-18")
def test_markdown_is_sanitised_and_contents_have_a_limit(writer: Caller) -> None:
    text = "# 제목\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://cdn.example/a.png)"
    html = published(writer, contents=text).json()["html"]
    assert "<h1>제목</h1>" in html
    assert "<script" not in html
    assert 'href="javascript' not in html
    assert '<img src="https://cdn.example/a.png"' in html
    assert published(writer, contents={"a": [1.5]}, contentsFormat="json").json()["contents"] == {"a": [1.5]}
    assert writer.post(f"{PATH}/posts", GIVEN | {"contentsFormat": "json"}).status_code == 422
    assert writer.post(f"{PATH}/posts", GIVEN | {"contents": "가" * 120_000}).status_code == 413


@clause("X4-13")
def test_what_has_expired_is_in_no_list_before_it_is_deleted(writer: Caller, clock: SetClock) -> None:
    published(writer, expiresAt=int(clock()) + 60)
    assert len(writer.get(f"{PATH}/posts").json()["items"]) == 1
    clock.advance(61)
    assert writer.get(f"{PATH}/posts").json()["items"] == []
    assert writer.get(f"{PATH}/categories/c001/posts").json()["items"] == []


# ── addresses ─────────────────────────────────────────────────────────────────────────────────────


@clause("X4-40")
def test_an_address_is_made_of_the_title_and_stays_the_posts_when_it_changes(
    shell: Shell, writer: Caller
) -> None:
    first, second = published(writer), published(writer)
    assert (first.json()["slug"], second.json()["slug"]) == ("새-소식", "새-소식-2")
    given = {name: value for name, value in first.json().items() if name != "html"}
    tag = {"If-Match": first.headers["ETag"]}
    path = f"{PATH}/posts/{first.json()['id']}"
    assert writer.put(path, given | {"slug": "news"}, headers=tag).json()["slug"] == "news"
    taken = writer.post(f"{PATH}/posts", GIVEN | {"slug": "새-소식"})
    assert (taken.status_code, "another post's" in taken.json()["detail"]) == (409, True)
    found = Codex(shell.database, shell.clock).posts.find_by_slug("새-소식")
    assert found is not None
    assert (found.id, found.slug) == (first.json()["id"], "news")


# ── drafts ────────────────────────────────────────────────────────────────────────────────────────


@clause("X4-38")
def test_a_draft_is_in_no_list_until_it_is_published(shell: Shell, writer: Caller, reader: Caller) -> None:
    made = writer.post(f"{PATH}/drafts", {"title": "아직"})
    path = f"{PATH}/drafts/{made.json()['id']}"
    assert made.status_code == 201
    assert not [item for item in stored(shell.database, FMWebApp) if "아직" in str(item) and "Type" in item]
    assert reader.get(f"{PATH}/posts").json()["items"] == []
    assert [reader.get(each).status_code for each in (path, f"{PATH}/posts?state=draft")] == [403, 403]
    unfinished = writer.post(f"{PATH}/posts/{made.json()['id']}/publish")
    assert (unfinished.status_code, unfinished.json()["errors"][0]["path"]) == (422, "categoryId")
    saved = writer.put(path, GIVEN, headers={"If-Match": made.headers["ETag"]})
    assert saved.status_code == 200
    done = writer.post(f"{PATH}/posts/{made.json()['id']}/publish")
    assert (done.json()["title"], done.json()["id"]) == ("새 소식", made.json()["id"])
    assert [each["id"] for each in reader.get(f"{PATH}/posts").json()["items"]] == [made.json()["id"]]
    assert writer.get(path).status_code == 404


@clause("X4-38")
def test_changes_of_a_published_post_wait_beside_it(writer: Caller, reader: Caller) -> None:
    made = published(writer).json()
    writer.put(f"{PATH}/drafts/{made['id']}", GIVEN | {"title": "고친 제목"})
    row = reader.get(f"{PATH}/posts").json()["items"][0]
    assert (row["title"], row["hasDraft"]) == ("새 소식", True)
    done = writer.post(f"{PATH}/posts/{made['id']}/publish").json()
    assert (done["title"], done["CreatedAt"]) == ("고친 제목", made["CreatedAt"])
    [before] = writer.get(f"{PATH}/posts/{made['id']}/revisions").json()["items"]
    whole = writer.get(f"{PATH}/posts/{made['id']}/revisions/{before['revision']}").json()
    assert (whole["title"], whole["contents"]) == ("새 소식", "본문 **굵게**")
    back = writer.post(f"{PATH}/posts/{made['id']}/revisions/{before['revision']}/restore").json()
    assert back["title"] == "새 소식"
    assert reader.get(f"{PATH}/posts/{made['id']}").json()["title"] == "고친 제목"


@clause("X4-38")
def test_a_scheduled_draft_publishes_itself_when_its_time_has_come(
    shell: Shell, writer: Caller, clock: SetClock
) -> None:
    made = writer.post(f"{PATH}/drafts", GIVEN).json()
    path = f"{PATH}/posts/{made['id']}/schedule"
    assert writer.post(path, {"publishAt": "2020-01-01T00:00:00Z"}).status_code == 422
    assert (
        writer.post(path, {"publishAt": "2096-10-02T07:07:40Z"}).json()["publishAt"] == "2096-10-02T07:07:40Z"
    )
    assert len(writer.get(f"{PATH}/posts?state=scheduled").json()["items"]) == 1
    assert APPLICATION.jobs is not None
    job = next(
        each
        for each in APPLICATION.jobs(shell.database, clock, CodexSettings())
        if each.name == "codex-publish"
    )
    run: Any = None
    assert not job.is_wanted()
    clock.advance(61)
    assert job.is_wanted()
    assert job.run(run).counts == {"published": 1, "failed": 0}  # type: ignore[union-attr]
    [row] = writer.get(f"{PATH}/posts").json()["items"]
    assert (row["id"], row["CreatedAt"]) == (made["id"], "2096-10-02T07:07:41Z")


@clause("X4-34", "X4-38")
def test_two_editors_of_one_draft_lose_nothing(writer: Caller) -> None:
    made = writer.post(f"{PATH}/drafts", GIVEN)
    path, tag = f"{PATH}/drafts/{made.json()['id']}", {"If-Match": made.headers["ETag"]}
    first = writer.put(path, GIVEN | {"title": "하나"}, headers=tag)
    late = writer.put(path, GIVEN | {"title": "둘"}, headers=tag)
    assert (first.status_code, late.status_code) == (200, 409)
    assert (late.json()["stored"]["title"], late.json()["sent"]["title"]) == ("하나", "둘")


def test_a_preview_shows_the_draft_to_whoever_has_the_link_until_its_time(
    shell: Shell, writer: Caller, clock: SetClock
) -> None:
    made = writer.post(f"{PATH}/drafts", GIVEN).json()
    token = writer.get(f"{PATH}/drafts/{made['id']}/preview").json()["token"]
    drafts = Codex(shell.database, clock).drafts
    found = drafts.previewed(token)
    assert found is not None
    assert found.id == made["id"]
    clock.advance(7 * 86_400 + 1)
    assert drafts.previewed(token) is None


# ── trash ─────────────────────────────────────────────────────────────────────────────────────────


@clause("X4-39")
def test_a_deleted_post_can_be_restored_for_thirty_days(
    shell: Shell, writer: Caller, clock: SetClock
) -> None:
    made = published(writer)
    post_id, tag = made.json()["id"], {"If-Match": made.headers["ETag"]}
    assert writer.delete(f"{PATH}/posts/{post_id}", headers=tag).status_code == 204
    assert writer.get(f"{PATH}/posts/{post_id}").status_code == 404
    [row] = writer.get(f"{PATH}/posts?state=trashed").json()["items"]
    assert (row["id"], row["state"]) == (post_id, "trashed")
    back = writer.post(f"{PATH}/posts/{post_id}/restore").json()
    assert [back[each] for each in ("id", "CreatedAt", "slug")] == [
        made.json()[each] for each in ("id", "CreatedAt", "slug")
    ]
    tag = {"If-Match": writer.get(f"{PATH}/posts/{post_id}").headers["ETag"]}
    writer.delete(f"{PATH}/posts/{post_id}", headers=tag)
    clock.advance(30 * 86_400)
    assert writer.post(f"{PATH}/posts/{post_id}/restore").status_code == 404
    jobs = APPLICATION.jobs
    assert jobs is not None
    clean = next(each for each in jobs(shell.database, clock, CodexSettings()) if each.name == "codex-clean")
    run: Any = None
    assert clean.run(run).counts["posts"] == 1  # type: ignore[union-attr]
    assert not [item for item in stored(shell.database, FMWebApp) if post_id in str(item)]


def test_a_post_that_is_taken_down_becomes_a_draft(writer: Caller) -> None:
    made = published(writer)
    post_id, tag = made.json()["id"], {"If-Match": made.headers["ETag"]}
    assert writer.post(f"{PATH}/posts/{post_id}/take-down", headers=tag).status_code == 204
    assert writer.get(f"{PATH}/posts/{post_id}").status_code == 404
    assert writer.get(f"{PATH}/drafts/{post_id}").json()["title"] == "새 소식"


# ── searching ─────────────────────────────────────────────────────────────────────────────────────


def test_a_search_finds_every_word_in_titles_first(writer: Caller, reader: Caller, clock: SetClock) -> None:
    published(writer, title="봄 소식", contents="꽃이 핍니다")
    clock.advance(1)
    published(writer, title="여름", contents="봄 이 지나고")
    found = reader.get(f"{PATH}/search?q=봄").json()["items"]
    assert [(each["title"], each["category"]) for each in found] == [
        ("봄 소식", "회사 소식"),
        ("여름", "회사 소식"),
    ]
    assert reader.get(f"{PATH}/search?q=봄 없는말").json()["items"] == []
    first = reader.get(f"{PATH}/search?q=봄&limit=1").json()
    assert (first["looked"], first["until"] is not None) == (2, True)
    rest = reader.get(f"{PATH}/search?q=봄&limit=1&cursor={first['cursor']}").json()
    assert ([each["title"] for each in rest["items"]], rest["cursor"]) == (["여름"], None)
