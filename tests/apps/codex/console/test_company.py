"""Categories, banners, the company, users and the inbox: what is changed there, by whom, and who sees what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from hansang.apps.codex.asking import VISITOR, Asking, InquiryAsked
from hansang.apps.codex.entities import EditedBy
from hansang.apps.platform.accounts import accounts_of
from tests.apps.codex.console.newsroom import BY, Newsroom, whole
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser
from tests.surfaces.shells import PASSWORD

BANNER: dict[str, Any] = {
    "title": "Summer",
    "desc": "Come in",
    "img_uri": "/static/x/codex/sample-shop.svg",
    "btn1_text": "See",
    "btn1_uri": "/site/posts",
}


@pytest.fixture
def editor(newsroom: Newsroom) -> Browser:
    return newsroom.browser()


@pytest.fixture
def owner(newsroom: Newsroom) -> Browser:
    return newsroom.browser("owner")


def asked(newsroom: Newsroom, name: str = "Mina", message: str = "Do you deliver?") -> str:
    newsroom.clock.now += 1
    given = InquiryAsked(
        name=name, email="mina@mail.example", subject="Delivery", message=message, consent=True
    )
    return str(Asking(newsroom.codex).receive(given, EditedBy(VISITOR)).subject.id)


# ── categories ────────────────────────────────────────────────────────────────────────────────────


def test_a_category_is_created_renamed_and_deleted(newsroom: Newsroom, editor: Browser) -> None:
    whole(editor.get("/codex/categories"))
    editor.send("/codex/categories", title="Recipes", desc="To cook")
    [category] = [each for each in newsroom.codex.categories.page(50).items if each.title == "Recipes"]
    page = whole(editor.get(f"/codex/categories/{category.id}"))
    editor.send(
        f"/codex/categories/{category.id}",
        title="Dishes",
        desc="",
        tag=page.all("input", name="tag")[0]["value"],
    )
    assert newsroom.codex.categories.get(category.id)[0].title == "Dishes"
    page = editor.get(f"/codex/categories/{category.id}")
    editor.send(f"/codex/categories/{category.id}/delete", tag=page.all("input", name="tag")[0]["value"])
    assert newsroom.codex.categories.find(category.id) is None


def test_the_posts_of_a_deleted_category_go_where_it_is_said(newsroom: Newsroom, editor: Browser) -> None:
    editor.get("/codex/categories")
    editor.send("/codex/categories", title="Closing", desc="")
    [category] = [each for each in newsroom.codex.categories.page(50).items if each.title == "Closing"]
    post_id = newsroom.publish("Moves on", categoryId=category.id)
    page = editor.get(f"/codex/categories/{category.id}")
    tag = page.all("input", name="tag")[0]["value"]
    refused = editor.send(f"/codex/categories/{category.id}/delete", tag=tag)
    assert refused.status == 409
    editor.send(f"/codex/categories/{category.id}/delete", tag=tag, move_to="c001")
    assert newsroom.codex.posts.get(post_id)[0].category_id == "c001"


def test_a_category_without_a_name_is_told_beside_the_field(editor: Browser) -> None:
    editor.get("/codex/categories")
    page = editor.send("/codex/categories", title="", desc="kept")
    assert (page.status, page.all("input", name="title")[0]["aria-invalid"]) == (422, "true")
    assert "kept" in page.text


# ── banners ───────────────────────────────────────────────────────────────────────────────────────


def test_a_banner_is_made_shown_moved_switched_off_and_deleted(newsroom: Newsroom, editor: Browser) -> None:
    whole(editor.get("/codex/banners/new"))
    path = editor.send("/codex/banners/new", **BANNER).location
    banner_id = path.rpartition("/")[2]
    page = whole(editor.get(path))
    assert page.all("img", src=BANNER["img_uri"])
    assert "Summer" in newsroom.guest().get("/site").shown
    editor.send(f"{path}/move", to="up")
    assert newsroom.codex.reading.banners()[0].id == banner_id
    editor.get(path)
    editor.send(f"{path}/move", to="1")
    assert newsroom.codex.reading.banners()[1].id == banner_id
    editor.get(path)
    editor.send(f"{path}/switch")
    assert newsroom.codex.banners.get(banner_id)[0].is_active is False
    assert "Summer" not in newsroom.guest().get("/site").shown
    page = editor.get(path)
    tag = page.all("input", name="tag")[0]["value"]
    editor.send(path, **BANNER | {"title": "Autumn", "starts_at": "2999-01-01T09:00"}, tag=tag)
    found, tag = newsroom.codex.banners.get(banner_id)
    assert (found.title, found.is_active, found.starts_at is not None) == ("Autumn", False, True)
    editor.get(path)
    editor.send(f"{path}/delete", tag=tag)
    assert newsroom.codex.banners.find(banner_id) is None


def test_an_address_that_is_none_is_refused_beside_its_field(editor: Browser) -> None:
    editor.get("/codex/banners/new")
    page = editor.send("/codex/banners/new", **BANNER | {"btn1_uri": "javascript:alert(1)"})
    assert (page.status, page.all("input", name="btn1_uri")[0]["aria-invalid"]) == (422, "true")


def test_the_pages_of_the_console_show_pictures_of_the_cdn(newsroom: Newsroom) -> None:
    policy = newsroom.sees("/codex/banners").response.headers["content-security-policy"]
    assert "img-src 'self' https://cdn.fm-web;" in policy
    assert "script-src 'self';" in policy


def test_a_picture_from_elsewhere_is_not_loaded_and_the_page_says_why(
    editor: Browser, newsroom: Newsroom
) -> None:
    far = "https://elsewhere.example/a.png"
    editor.get("/codex/banners/new")
    sent = editor.send("/codex/banners/new", **BANNER | {"title": "Far", "img_uri": far})
    page = editor.get(sent.response.headers["location"])
    assert far not in [each.get("src") for each in page.all("img")]
    assert ["hidden" in each for each in page.all("p") if "data-not-shown" in each] == [False]
    assert far not in [each.get("src") for each in newsroom.sees("/site").all("img")]


# ── the company and its people ────────────────────────────────────────────────────────────────────


def test_the_company_is_changed_and_the_site_says_so(newsroom: Newsroom, editor: Browser) -> None:
    page = whole(editor.get("/codex/company"))
    tag = page.all("input", name="tag")[0]["value"]
    given = {"name": "두루빛", "address": "서울", "email": "hello@durubit.example", "fax": "", "corp_num": ""}
    editor.send("/codex/company", **given, tag=tag)
    assert "hello@durubit.example" in newsroom.guest().get("/site").shown
    tag = editor.get("/codex/company").all("input", name="tag")[0]["value"]
    assert editor.send("/codex/company", **given | {"email": "none"}, tag=tag).status == 422


@clause("X4-42")
def test_whoever_signs_in_is_the_user_of_that_name_with_the_role_of_the_account(newsroom: Newsroom) -> None:
    users, people = newsroom.codex.users, accounts_of(newsroom.shell.identity).people
    people.create("writer", "한글봄", {"codex": "editor"}, PASSWORD)
    writer = newsroom.guest().sign_in("writer")
    assert "/codex/join" in whole(writer.get("/codex/users")).actions
    assert writer.send("/codex/join").status == 303
    found, _ = users.get("writer")
    assert (found.display_name, found.role) == ("한글봄", "editor")
    assert "/codex/join" not in whole(writer.get("/codex/users")).actions
    [chosen] = [own for tag, own in writer.get("/codex/posts/new").tags if own.get("value") == "writer"]
    assert "selected" in chosen, "who begins a post is its author"
    people.set_roles("writer", {"codex": "owner"})
    writer.get("/codex/posts/new")
    assert writer.send("/codex/posts/new", title="첫 글", contents="봄").status == 303
    assert users.get("writer")[0].role == "admin"
    page = whole(writer.get("/codex/users/writer"))
    tag = page.all("input", name="tag")[0]["value"]
    refused = writer.send("/codex/users/writer", display_name="한글봄", role="viewer", tag=tag)
    assert (refused.status, "that of the account with the same name" in refused.shown) == (422, True)


@clause("X4-42")
def test_the_role_of_a_user_follows_the_account_whatever_is_done_to_it(
    newsroom: Newsroom, owner: Browser
) -> None:
    users, people = newsroom.codex.users, accounts_of(newsroom.shell.identity).people
    users.create({"id": "saero", "displayName": "새로", "role": "admin"}, BY)
    seen = []
    for change in (
        lambda: people.create("saero", "새로", {"codex": "editor"}, PASSWORD),
        lambda: people.set_roles("saero", {"*": "owner"}),
        lambda: people.set_roles("saero", {"news": "owner"}),
        lambda: people.set_roles("saero", {"codex": "owner"}),
        lambda: people.disable("saero"),
        lambda: people.enable("saero"),
        lambda: people.delete("saero"),
    ):
        change()
        seen.append(users.get("saero")[0].role)
    assert seen == ["editor", "admin", "viewer", "admin", "viewer", "admin", "viewer"]
    people.create("saero", "새로", {"codex": "editor"}, PASSWORD)
    tag = whole(owner.get("/codex/users/saero")).all("input", name="tag")[0]["value"]
    assert owner.send("/codex/users/saero", display_name="새로", role="admin", tag=tag).status == 422
    assert owner.send("/codex/users/saero", display_name="한새로", role="editor", tag=tag).status == 303
    assert users.get("saero")[0].display_name == "한새로"


def test_users_are_administered_by_administrators(
    newsroom: Newsroom, editor: Browser, owner: Browser
) -> None:
    assert "/codex/users" not in whole(editor.get("/codex/users")).actions
    assert editor.send("/codex/users", display_name="x", role="editor").status == 403
    whole(owner.get("/codex/users"))
    owner.send("/codex/users", display_name="이해솔", role="editor")
    [user] = [each for each in newsroom.codex.users.page(50).items if each.display_name == "이해솔"]
    page = whole(owner.get(f"/codex/users/{user.id}"))
    owner.send(
        f"/codex/users/{user.id}",
        display_name="이해솔",
        role="viewer",
        tag=page.all("input", name="tag")[0]["value"],
    )
    found, tag = newsroom.codex.users.get(user.id)
    assert found.role == "viewer"
    owner.get(f"/codex/users/{user.id}")
    owner.send(f"/codex/users/{user.id}/delete", tag=tag)
    assert newsroom.codex.users.find(user.id) is None


# ── the inbox ─────────────────────────────────────────────────────────────────────────────────────


def test_the_inbox_is_for_administrators_alone(newsroom: Newsroom, editor: Browser) -> None:
    inquiry_id = asked(newsroom)
    for path in ("/codex/inquiries", f"/codex/inquiries/{inquiry_id}"):
        page = editor.get(path)
        assert (page.status, "mina@mail.example" in page.text) == (403, False)
    assert "/codex/inquiries" not in newsroom.sees("/codex").links
    shown = newsroom.sees(f"/codex/inquiries/{inquiry_id}", "owner").shown
    for words in ("Mina", "mina@mail.example", "Do you deliver?", "Inquiries a week"):
        assert words in shown


def test_an_inquiry_is_assigned_noted_and_answered(newsroom: Newsroom, owner: Browser) -> None:
    inquiry_id = asked(newsroom)
    path = f"/codex/inquiries/{inquiry_id}"

    def tag() -> str:
        return owner.get(path).all("input", name="tag")[0]["value"] or ""

    owner.send(path, status="in_progress", assignee_id="u001", memo="Ask the depot.", tag=tag())
    found, _ = newsroom.codex.inquiries.get(inquiry_id)
    assert (found.status, found.assignee_id, found.memo) == ("in_progress", "u001", "Ask the depot.")
    owner.send(f"{path}/answer", text="Yes, on Fridays.", done="yes", tag=tag())
    found, _ = newsroom.codex.inquiries.get(inquiry_id)
    assert found.status == "done"
    assert [each.text for each in found.answers or []] == ["Yes, on Fridays."]
    page = newsroom.sees("/codex/inquiries?view=done", "owner")
    assert "Yes, on Fridays." in page.shown


def test_a_change_that_came_late_is_told_and_loses_nothing(newsroom: Newsroom, owner: Browser) -> None:
    inquiry_id = asked(newsroom)
    owner.get(f"/codex/inquiries/{inquiry_id}")
    page = owner.send(f"/codex/inquiries/{inquiry_id}/answer", text="A long answer.", tag="old")
    assert (page.status, "A long answer." in page.text) == (409, True)
    assert owner.send(f"/codex/inquiries/{inquiry_id}/answer", text="", tag="old").status == 422


def test_an_inquiry_is_erased_by_whoever_types_the_name(newsroom: Newsroom, owner: Browser) -> None:
    inquiry_id = asked(newsroom, name="Forget Me")
    page = owner.get(f"/codex/inquiries/{inquiry_id}")
    tag = page.all("input", name="tag")[0]["value"]
    owner.send(f"/codex/inquiries/{inquiry_id}/erase", name="Forget", tag=tag)
    assert newsroom.codex.inquiries.find(inquiry_id) is not None
    owner.get(f"/codex/inquiries/{inquiry_id}")
    owner.send(f"/codex/inquiries/{inquiry_id}/erase", name="Forget Me", tag=tag)
    assert newsroom.codex.inquiries.find(inquiry_id) is None


def test_what_waits_for_more_than_a_day_is_late(newsroom: Newsroom) -> None:
    inquiry_id = asked(newsroom)
    newsroom.clock.advance(timedelta(days=2).total_seconds())
    assert "Over a day" in newsroom.sees(f"/codex/inquiries/{inquiry_id}", "owner").shown
