"""Posts in the console: the list, the editor, two editors at once, the history and the trash."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest

from hansang.apps.codex.console.listing import ListAsked, post_list
from tests.apps.codex.console.newsroom import BY, Newsroom, whole
from tests.surfaces.console.browsers import Browser, Page

TYPED: dict[str, Any] = {"category_id": "c001", "author_id": "u001", "slug": ""}


@pytest.fixture
def editor(newsroom: Newsroom) -> Browser:
    return newsroom.browser()


def draft_of(newsroom: Newsroom, title: str, contents: str = "Words.") -> str:
    given = {"title": title, "contents": contents, "categoryId": "c001", "authorId": "u001"}
    return newsroom.codex.drafts.create(given, BY).subject.id


def tag_of(page: Page) -> str:
    return page.all("input", name="tag")[0]["value"] or ""


# ── the list ──────────────────────────────────────────────────────────────────────────────────────


def test_the_list_shows_states_authors_and_categories(newsroom: Newsroom) -> None:
    newsroom.publish("On the site")
    draft_of(newsroom, "Not on the site")
    page = newsroom.sees("/codex")
    for words in ("On the site", "Not on the site", "Published", "Draft", "김대연"):
        assert words in page.shown
    korean = newsroom.sees("/codex", language="ko").shown
    assert ("고친 초안" in korean, "snake_case" in korean) == (True, False)


def test_the_list_is_filtered_and_counted(newsroom: Newsroom) -> None:
    post_id = newsroom.publish("Zebra", categoryId="c002")
    newsroom.codex.drafts.save(post_id, {"title": "Zebra 2", "contents": "x"}, None, BY)
    found = post_list(newsroom.codex, ListAsked(text="zebra"))
    assert [(row.title, row.has_draft) for row in found.rows] == [("Zebra", True)]
    assert found.counts["edited"] >= 1
    assert [row.id for row in post_list(newsroom.codex, ListAsked(state="edited", text="zebra")).rows] == [
        post_id
    ]
    assert post_list(newsroom.codex, ListAsked(category_id="c001", text="zebra")).rows == []
    assert post_list(newsroom.codex, ListAsked(author_id="u002", text="zebra")).rows == []
    assert "No post fits" in newsroom.sees("/codex?q=nothing-of-the-kind").shown


def test_a_scheduled_post_is_a_state_of_its_own(newsroom: Newsroom) -> None:
    post_id = draft_of(newsroom, "In two days")
    newsroom.codex.drafts.schedule(post_id, newsroom.codex.desk.pipeline.now + timedelta(days=2), BY)
    rows = post_list(newsroom.codex, ListAsked(state="scheduled")).rows
    assert post_id in [row.id for row in rows]
    assert "Public in 2 days" in newsroom.sees("/codex?state=scheduled").shown


def test_a_deleted_post_comes_back_from_the_trash(newsroom: Newsroom, editor: Browser) -> None:
    post_id = newsroom.publish("Thrown away")
    editor.get("/codex")
    assert editor.send(f"/codex/posts/{post_id}/trash").status == 303
    assert "Thrown away" in newsroom.sees("/codex?state=trashed").shown
    editor.get("/codex")
    editor.send(f"/codex/posts/{post_id}/restore")
    assert newsroom.codex.posts.find(post_id) is not None


def test_whoever_only_reads_has_no_buttons(newsroom: Newsroom) -> None:
    post_id = newsroom.publish("To be read")
    page = newsroom.sees("/codex", "viewer")
    assert [each for each in page.actions if each.startswith("/codex")] == []
    assert "/codex/posts/new" not in page.links
    assert "disabled" in newsroom.sees(f"/codex/posts/{post_id}", "viewer").text
    assert newsroom.browser("viewer").get("/codex/posts/new").status == 403


def test_whoever_only_reads_sees_nothing_that_is_not_published(newsroom: Newsroom) -> None:
    draft = draft_of(newsroom, "Wombat merger")
    shown = newsroom.publish("Wombat news")
    newsroom.codex.drafts.save(shown, {"title": "Wombat takeover"}, None, BY)
    viewer, leaks = newsroom.browser("viewer"), list[str]()
    for path in (
        "/codex",
        "/codex?q=wombat",
        "/codex?state=draft",
        "/codex?state=edited",
        "/search?q=wombat",
    ):
        page = viewer.get(path).text
        leaks += [f"{path} {each}" for each in ("Wombat merger", "Wombat takeover", draft) if each in page]
    assert leaks == []
    assert viewer.get(f"/codex/posts/{draft}").status == 404
    page = newsroom.sees(f"/codex/posts/{shown}", "viewer").text
    assert ("Wombat news" in page, "Wombat takeover" in page, "/site/preview/" in page) == (
        True,
        False,
        False,
    )
    assert "Wombat merger" in newsroom.sees("/search?q=wombat").shown


def test_a_stale_cursor_shows_the_newest_posts(newsroom: Newsroom, editor: Browser) -> None:
    found = editor.get("/codex?q=a&before=forged")
    assert (found.status, found.response.headers["location"]) == (303, "/codex?q=a")


# ── the editor ────────────────────────────────────────────────────────────────────────────────────


def test_a_post_is_written_saved_and_published(newsroom: Newsroom, editor: Browser) -> None:
    whole(editor.get("/codex/posts/new"))
    saved = editor.send("/codex/posts/new", title="First words", contents="Hello, **site**.", **TYPED)
    post_id = saved.location.rpartition("/")[2]
    assert newsroom.codex.posts.find(post_id) is None
    page = whole(editor.get(saved.location))
    assert "<strong>site</strong>" in page.text
    assert "/site/preview/" in page.text
    editor.send(f"/codex/posts/{post_id}/publish", tag=tag_of(page), when="now")
    assert newsroom.codex.posts.get(post_id)[0].slug == "first-words"
    assert "First words" in newsroom.guest().get("/site/posts/first-words").shown


def test_a_draft_saves_itself_and_the_page_goes_on_with_the_new_tag(
    newsroom: Newsroom, editor: Browser
) -> None:
    page = editor.get("/codex/posts/new")
    form = {"csrf": page.csrf, "title": "By itself", "contents": "a", **TYPED}
    first = editor.client.post("/codex/posts/new", data=form, headers={"X-Autosave": "1"}).json()
    answer = editor.client.post(
        f"{first['href']}/save",
        data={**form, "contents": "ab", "tag": first["tag"]},
        headers={"X-Autosave": "1"},
    ).json()
    draft, tag = newsroom.codex.drafts.get(first["id"])
    assert (draft.contents, tag) == ("ab", answer["tag"])
    late = editor.client.post(
        f"{first['href']}/save", data={**form, "tag": first["tag"]}, headers={"X-Autosave": "1"}
    )
    assert (late.status_code, late.json()) == (409, {"conflict": True})


def test_edits_of_a_published_post_wait_beside_it(newsroom: Newsroom, editor: Browser) -> None:
    post_id = newsroom.publish("Public", "As it is.", isPinned=True)
    editor.get(f"/codex/posts/{post_id}")
    editor.send(f"/codex/posts/{post_id}/save", title="Public", contents="As it will be.", tag="", **TYPED)
    assert newsroom.codex.posts.get(post_id)[0].contents == "As it is."
    page = whole(editor.get(f"/codex/posts/{post_id}"))
    assert "Edited draft" in page.shown
    editor.send(f"/codex/posts/{post_id}/discard", tag=tag_of(page))
    assert newsroom.codex.drafts.find(post_id) is None


def test_a_draft_becomes_public_at_a_time(newsroom: Newsroom, editor: Browser) -> None:
    post_id = draft_of(newsroom, "Later")
    editor.get(f"/codex/posts/{post_id}")
    editor.send(f"/codex/posts/{post_id}/publish", when="later", publish_at="2999-01-01T09:00")
    assert newsroom.codex.drafts.get(post_id)[0].publish_at is not None
    page = whole(editor.get(f"/codex/posts/{post_id}"))
    assert "Public at" in page.shown
    editor.send(f"/codex/posts/{post_id}/unschedule")
    assert newsroom.codex.drafts.get(post_id)[0].publish_at is None


def test_what_stands_in_the_way_of_publishing_is_said(newsroom: Newsroom, editor: Browser) -> None:
    post_id = newsroom.codex.drafts.create({"title": "No category", "contents": "x"}, BY).subject.id
    page = editor.get(f"/codex/posts/{post_id}")
    editor.send(f"/codex/posts/{post_id}/publish", tag=tag_of(page), when="now")
    assert "has no categoryId yet" in editor.follow().shown
    editor.send(f"/codex/posts/{post_id}/publish", when="later", publish_at="soon")
    assert "Give the day and the time" in editor.follow().shown


def test_the_preview_is_made_and_sanitised_on_the_server(newsroom: Newsroom, editor: Browser) -> None:
    page = editor.get("/codex/posts/new")
    text = "**bold** <script>alert(1)</script> [x](javascript:alert(1))"
    answer = editor.client.post("/codex/posts/preview", data={"csrf": page.csrf, "contents": text})
    assert "<strong>bold</strong>" in answer.text
    assert "<script" not in answer.text
    assert 'href="javascript' not in answer.text


def test_contents_in_json_are_not_edited_as_text_and_stay(newsroom: Newsroom, editor: Browser) -> None:
    post_id = newsroom.publish("Numbers", {"a": [1, 2]})
    page = whole(editor.get(f"/codex/posts/{post_id}"))
    assert "The contents are JSON" in page.shown
    editor.send(f"/codex/posts/{post_id}/save", title="Numbers 2", tag="", **TYPED)
    draft, _ = newsroom.codex.drafts.get(post_id)
    assert (draft.title, draft.contents) == ("Numbers 2", {"a": [1, 2]})


# ── two editors ───────────────────────────────────────────────────────────────────────────────────


def test_two_editors_within_one_second_lose_nothing(newsroom: Newsroom, editor: Browser) -> None:
    post_id = draft_of(newsroom, "Both", "Same.\n\nOld.")
    seen = tag_of(editor.get(f"/codex/posts/{post_id}"))
    given = {"title": "Theirs", "contents": "Same.\n\nTheirs.", "categoryId": "c001", "authorId": "u001"}
    newsroom.codex.drafts.save(post_id, given, seen, BY)
    page = editor.send(
        f"/codex/posts/{post_id}/save", title="Mine", contents="Same.\n\nMine.", tag=seen, **TYPED
    )
    assert (page.status, page.faults, page.doubled_ids) == (409, [], [])
    for words in ("Theirs", "Mine", "Two people edited this post"):
        assert words in page.shown
    fields = {"title": "Mine", "contents": "Same.\n\nMine.", "tag": tag_of(page), **TYPED}
    assert editor.send(f"/codex/posts/{post_id}/merge", **fields).status == 409
    merged = editor.send(
        f"/codex/posts/{post_id}/merge",
        **fields,
        **{"title_choice": "stored", "choice-1": "both", "text-1": "Theirs and mine."},
    )
    assert merged.status == 303
    draft, _ = newsroom.codex.drafts.get(post_id)
    assert (draft.title, draft.contents) == ("Theirs", "Same.\n\nTheirs and mine.")


def test_a_third_one_who_is_faster_is_asked_about_again(newsroom: Newsroom, editor: Browser) -> None:
    post_id = draft_of(newsroom, "Three", "Old.")
    editor.get(f"/codex/posts/{post_id}")
    page = editor.send(
        f"/codex/posts/{post_id}/merge", title="Three", contents="Mine.", tag="old", all="mine", **TYPED
    )
    assert (page.status, "Mine." in page.text) == (409, True)
    assert (
        editor.send(
            f"/codex/posts/{post_id}/merge",
            title="Three",
            contents="Mine.",
            tag=tag_of(page),
            all="mine",
            **TYPED,
        ).status
        == 303
    )
    assert newsroom.codex.drafts.get(post_id)[0].contents == "Mine."


# ── the history ───────────────────────────────────────────────────────────────────────────────────


def test_two_revisions_are_compared_and_one_is_restored_as_a_draft(
    newsroom: Newsroom, editor: Browser
) -> None:
    post_id = newsroom.publish("Versions", "It was so.")
    post, tag = newsroom.codex.posts.get(post_id)
    changed = {**newsroom.codex.posts.type.document(post), "contents": "It is different."}
    newsroom.codex.posts.replace(post_id, changed, tag, BY)
    page = whole(editor.get(f"/codex/posts/{post_id}/revisions"))
    assert re.search(r"<del>was so\.</del>", page.text)
    assert re.search(r"<ins>is different\.</ins>", page.text)
    [revision] = newsroom.codex.posts.revisions(post_id).items
    editor.send(f"/codex/posts/{post_id}/revisions", revision=revision.revision)
    assert newsroom.codex.drafts.get(post_id)[0].contents == "It was so."
    assert newsroom.codex.posts.get(post_id)[0].contents == "It is different."


def test_taking_a_post_down_leaves_a_draft(newsroom: Newsroom, editor: Browser) -> None:
    post_id = newsroom.publish("Down")
    editor.get("/codex")
    editor.send(f"/codex/posts/{post_id}/take-down")
    assert (newsroom.codex.posts.find(post_id), newsroom.codex.drafts.find(post_id) is None) == (None, False)
    editor.get("/codex")
    editor.send(f"/codex/posts/{post_id}/trash")
    assert newsroom.codex.drafts.find(post_id) is None


def test_the_palette_leads_to_the_search_of_all_posts(
    newsroom: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    newsroom.publish("Numbat habitat")
    assert "/codex?q=numbat" not in newsroom.sees("/search?q=numbat").links
    monkeypatch.setattr(import_module("hansang.apps.codex.console.search"), "MOST_READ", 1)
    page = newsroom.sees("/search?q=numbat")
    assert "/codex?q=numbat" in page.links
    assert "newest 1 posts" in page.shown


def test_the_palette_finds_posts_and_categories(newsroom: Newsroom) -> None:
    newsroom.publish("Quokka habitat")
    assert "Quokka habitat" in newsroom.sees("/search?q=quokka").shown
    assert "/codex?category=c001" in newsroom.sees("/search?q=회사").links
