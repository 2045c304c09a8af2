"""The sample of the company site: posts that can be found, inquiries whose story holds together."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from hansang.apps.codex.agent_calls import AgentCall
from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.design import (
    Banner,
    Category,
    ContactInquiry,
    CorpInfo,
    CorpInfoKey,
    CredentialsKey,
    FMWebApp,
    Post,
    PostKey,
    PostLocatorKey,
    User,
    UserKey,
)
from hansang.apps.codex.editorial import PostDraft, PostRevision, TrashedPost
from hansang.apps.codex.ids import Ulids, ulid
from hansang.apps.codex.sample import Site
from hansang.design import Database
from hansang.parts.sampling import in_seoul, repeatable
from tests.apps.sampled import NOW, everything, filled, items, pattern_names, stored, unanswered
from tests.clauses import clause


@pytest.fixture(scope="module")
def db(sample: tuple[Database, list[int]]) -> Database:
    return sample[0]


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────


def test_two_fills_are_the_same(db: Database) -> None:
    with filled(APPLICATION) as (again, _):
        assert everything(again, APPLICATION) == everything(db, APPLICATION)


def test_every_item_is_told_of_and_none_is_written_twice(sample: tuple[Database, list[int]]) -> None:
    db, said = sample
    assert sum(said) == stored(db, APPLICATION)


def test_the_site_has_the_size_of_a_small_company(db: Database) -> None:
    counted = [db.count(kind.latest()) for kind in (Category, Post, User, Banner, ContactInquiry)]
    assert counted == [6, 58, 8, 6, 40]


def test_every_access_pattern_has_an_answer(db: Database) -> None:
    post = db.all(Post.latest())[0]
    questions = [
        User.with_id("u001"),
        User.latest(),
        Category.with_id("c001"),
        Category.with_posts("c001"),
        Category.latest(),
        Post.in_category("c001"),
        Post.with_id(post.category_id, post.id),
        Post.latest(),
        Banner.latest(),
        CorpInfo.present(),
        ContactInquiry.with_id("inq001"),
        ContactInquiry.latest(),
        PostDraft.every(),
        PostRevision.of_post(next(each.id for each in db.all(PostDraft.every()) if each.publish_at is None)),
        TrashedPost.every(),
        AgentCall.latest(),
    ]
    assert {question.name for question in questions} >= pattern_names(APPLICATION)
    assert unanswered(db, questions) == set()


@clause("X4-11")
def test_everything_of_the_document_is_in_the_index(db: Database) -> None:
    outside = [item for item in items(db, FMWebApp) if "Type" not in item or "CreatedAt" not in item]
    own = Counter(tuple(item[name]["S"].partition("#")[0] for name in ("PK", "SK")) for item in outside)
    assert (own.pop(("SLUG", "METADATA")), own.pop(("POST", "METADATA"))) == (58, 58)
    assert own == {("DRAFT", "POST"): 2, ("POST", "REVISION"): 1, ("TRASH", "POST"): 1, ("AGENT", "CALL"): 4}


# ── posts ─────────────────────────────────────────────────────────────────────────────────────────


@clause("X4-06")
def test_every_post_has_its_locator_and_every_locator_its_post(db: Database) -> None:
    posts = db.all(Post.latest())
    for post in posts:
        locator = db.get(PostLocatorKey(post_id=post.id))
        assert db.get(PostKey(category_id=locator.category_id, id=post.id)) == post
    keys = [(item["PK"]["S"], item["SK"]["S"]) for item in items(db, FMWebApp)]
    assert sum(pk.startswith("POST#") and sk == "METADATA" for pk, sk in keys) == len(posts)


@clause("X4-05", "4-15")
def test_the_posts_of_a_category_are_in_the_order_of_time(db: Database) -> None:
    for category in db.all(Category.latest()):
        posts = db.all(Post.in_category(category.id))
        assert len(posts) >= 8
        assert all(first.created_at < second.created_at for first, second in pairwise(posts))
        assert {len(post.id) for post in posts} == {27}


@clause("X4-18")
def test_contents_are_markdown_or_json_as_they_say(db: Database) -> None:
    posts = db.all(Post.latest())
    for post in posts:
        assert isinstance(post.contents, str) == (post.contents_format == "markdown")
        assert "{" not in str(post.title)
        assert not isinstance(post.contents, str) or "{" not in post.contents
    formats = Counter(post.contents_format for post in posts)
    assert formats["markdown"] > formats["json"] > 8


def test_a_post_is_by_someone_who_may_write_and_was_there(db: Database) -> None:
    for post in db.all(Post.latest()):
        author = db.get(UserKey(id=post.author_id))
        assert author.role in ("admin", "editor")
        assert author.created_at < post.created_at


@pytest.mark.parametrize("now", [NOW, datetime(2027, 3, 1, 15, 5, tzinfo=UTC)])
def test_posts_reach_over_two_years_and_not_ahead_of_the_moment(now: datetime) -> None:
    posts = Site(in_seoul(now)).posts
    assert all(post.created_at <= post.updated_at <= now for post in posts)
    assert min(post.created_at for post in posts) < now - timedelta(days=720)
    assert max(post.created_at for post in posts) > now - timedelta(days=10)
    assert any(post.created_at < post.updated_at for post in posts)
    assert all(in_seoul(post.created_at).weekday() < 5 for post in posts)


@clause("X4-13")
def test_what_a_notice_says_is_over_some_day(db: Database) -> None:
    ending = [post for post in db.all(Post.latest()) if post.expires_at]
    assert len(ending) == 2
    assert all(post.expires_at == post.created_at + timedelta(days=14) for post in ending)


# ── people, banners and the company ───────────────────────────────────────────────────────────────


@clause("X4-24", "X4-25")
def test_users_have_every_role_and_no_password(db: Database) -> None:
    users = db.all(User.latest())
    assert {user.role for user in users} == {"admin", "editor", "viewer"}
    assert [user.id for user in users if db.find(CredentialsKey(user_id=user.id))] == []


@clause("X4-26")
def test_banners_are_shown_now_later_and_no_longer(db: Database) -> None:
    banners = db.all(Banner.latest())
    assert {banner.is_active for banner in banners} == {True, False, None}
    assert sum(banner.starts_at is not None and banner.starts_at > NOW for banner in banners) == 1
    assert sum(banner.expires_at is not None and banner.expires_at < NOW for banner in banners) == 1


@clause("4-19", "X4-28")
def test_an_inquiry_keeps_the_address_that_the_company_had_then(db: Database) -> None:
    company = db.get(CorpInfoKey())
    told = {
        inquiry.created_at: inquiry.notified_email
        for inquiry in db.all(ContactInquiry.latest())
        if inquiry.notified_email
    }
    assert len(told) == 39
    assert all((email == company.email) == (at >= company.updated_at) for at, email in told.items())
    assert len(set(told.values())) == 2


# ── inquiries ─────────────────────────────────────────────────────────────────────────────────────


@clause("X4-27")
def test_inquiries_are_in_every_state(db: Database) -> None:
    states = Counter(inquiry.status for inquiry in db.all(ContactInquiry.latest()))
    assert states.keys() == {"new", "in_progress", "done", "spam"}
    assert min(states.values()) >= 3


@clause("X4-27")
@pytest.mark.parametrize("now", [NOW, datetime(2027, 3, 1, 15, 5, tzinfo=UTC)])
def test_the_story_of_an_inquiry_holds_together(now: datetime) -> None:
    ways = {("new",), ("new", "in_progress"), ("new", "in_progress", "done"), ("new", "spam")}
    for inquiry in Site(in_seoul(now)).inquiries():
        steps = inquiry.history or []
        assert tuple(step.status for step in steps) in ways
        assert (steps[0].at, steps[-1].at) == (inquiry.created_at, inquiry.updated_at)
        assert steps[-1].status == inquiry.status
        assert all(first.at < second.at for first, second in pairwise(steps))
        assert steps[-1].at <= now


@clause("X4-29")
def test_only_who_administers_the_site_answers(db: Database) -> None:
    steps = [step for inquiry in db.all(ContactInquiry.latest()) for step in inquiry.history or []]
    by = {step.by for step in steps if step.status != "new"}
    assert by == {user.id for user in db.all(User.latest()) if user.role == "admin"}


# ── ids ───────────────────────────────────────────────────────────────────────────────────────────


@clause("X4-05")
def test_an_id_sorts_by_its_time_and_has_one_width() -> None:
    chance, at = repeatable("ids"), datetime(1999, 12, 31, tzinfo=UTC)
    ids = [ulid(at + timedelta(days=days), chance) for days in (0, 1, 400, 20_000)]
    assert ids == sorted(ids)
    assert {len(each) for each in ids} == {26}
    assert ulid(datetime(1970, 1, 1, tzinfo=UTC), repeatable("ids")).startswith("0" * 10)


@clause("X4-05")
def test_ids_of_one_moment_sort_as_they_were_made() -> None:
    new_id = Ulids(lambda: 4_000_000_000.25)
    ids = [new_id() for _ in range(50)]
    assert ids == sorted(set(ids))
