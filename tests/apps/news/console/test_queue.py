"""The queue of the crawl: states, ages, and trying again."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from hansang.apps.news.rules import LEASE_SECONDS, MOST_ATTEMPTS
from hansang.errors import Conflict
from tests.apps.news.console.newsroom import Newsroom, newsroom
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.surfaces.console.conftest import Visitor

__all__ = ["newsroom"]

QUEUE = "/news/queue"


def retry_path(pk: str) -> str:
    return f"{QUEUE}/{quote(pk, safe='')}/retry"


def fail(newsroom: Newsroom, count: int = 1) -> list[str]:
    """Take the oldest articles and fail with each; their keys."""
    taken = newsroom.news.queue.take("crawler-1", count)
    for work in taken:
        newsroom.news.queue.fail(work.item_pk, work.claim, "answered 503")
    return [work.item_pk for work in taken]


def give_up(newsroom: Newsroom) -> str:
    """Fail with one article until it is given up; its key."""
    [pk] = fail(newsroom)
    for _ in range(MOST_ATTEMPTS - 1):
        newsroom.clock.advance(86_400)
        work = newsroom.news.queue.claim(pk, "crawler-1")
        newsroom.news.queue.fail(pk, work.claim, "answered 410")
    return pk


@clause("X3-08")
def test_articles_are_counted_by_state_and_those_that_wait_are_listed(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    newsroom.load([link(0, title="The oldest")])
    newsroom.load(links(5, first=1))
    done, *_ = newsroom.news.queue.take("crawler-1", 2)
    newsroom.news.queue.done(done.item_pk, done.claim)
    fail(newsroom)
    page = visitor("viewer", "en").get(QUEUE)
    for words in ("Waiting 3", "Claimed 1", "Done 1", "Failed 1", "Given up 0", "No articles were given up"):
        assert words in page.shown, words
    assert "answered 503" in page.shown
    assert page.faults == page.doubled_ids == []


def test_a_claim_shows_its_age_and_what_is_left_of_its_lease(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(1))
    newsroom.news.queue.take("crawler-7", 1)
    newsroom.clock.advance(120)
    viewer = visitor("viewer", "en")
    page = viewer.get(QUEUE)
    assert "crawler-7" in page.shown
    assert "2 minutes ago" in page.shown
    assert "Lease expired" not in page.shown
    newsroom.clock.advance(LEASE_SECONDS)
    page = viewer.get(QUEUE)
    assert "crawler-7" not in page.shown
    for words in ("Waiting 1", "Claimed 0"):  # It counted twice: as claimed, and among those that wait.
        assert words in page.shown, words


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "대기열 맨 앞으로 되돌렸습니다"), ("en", "It can be claimed again now")]
)
def test_an_article_that_failed_is_tried_again(
    newsroom: Newsroom, visitor: Visitor, language: str, words: str
) -> None:
    newsroom.load(links(1))
    [pk] = fail(newsroom)
    assert newsroom.news.queue.waiting() == []
    editor = visitor("editor", language)
    assert retry_path(pk) in editor.get(QUEUE).actions
    assert editor.send(retry_path(pk), next=QUEUE).location == QUEUE
    assert words in editor.follow().shown
    assert [each.pk for each in newsroom.news.queue.waiting()] == [pk]


def test_an_article_that_was_given_up_is_tried_again(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(1))
    pk = give_up(newsroom)
    editor = visitor("editor", "en")
    page = editor.get(QUEUE)
    assert "Given up 1" in page.shown
    assert f"tried {MOST_ATTEMPTS} times" in page.shown
    editor.send(retry_path(pk), next=QUEUE)
    assert "Given up 0" in editor.follow().shown
    assert [each.pk for each in newsroom.news.queue.waiting()] == [pk]


def test_an_article_that_is_in_another_state_by_now_is_left_alone(
    newsroom: Newsroom, visitor: Visitor
) -> None:
    newsroom.load(links(1))
    [pk] = fail(newsroom)
    editor = visitor("editor", "en")
    editor.get(QUEUE)
    newsroom.clock.advance(86_400)
    newsroom.news.queue.claim(pk, "crawler-2")
    editor.send(retry_path(pk), next=QUEUE)
    page = editor.follow()
    assert "Its state has changed" in page.shown
    assert "crawler-2" in page.shown


def test_a_viewer_is_offered_no_retry_and_may_not(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(1))
    [pk] = fail(newsroom)
    viewer = visitor("viewer")
    page = viewer.get(QUEUE)
    assert not [each for each in page.actions if "retry" in each]
    assert viewer.send(retry_path(pk)).status == 403
    assert newsroom.news.queue.waiting() == []


def test_a_retry_leads_to_no_other_site(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(1))
    [pk] = fail(newsroom)
    editor = visitor("editor")
    editor.get(QUEUE)
    assert editor.send(retry_path(pk), next="https://evil.example/").location == "/"


def test_each_state_goes_on_page_by_page_of_its_own(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(40))
    fail(newsroom, 18)
    newsroom.news.queue.take("crawler-1", 17)
    viewer = visitor("viewer", "en")
    page = viewer.get(QUEUE)
    following = [own["href"] or "" for own in page.all("a", rel="next")]
    assert [each[1:].partition("=")[0] for each in following] == ["claimed", "failed"]
    assert "16–17" in viewer.get(f"{QUEUE}{following[0]}").shown
    assert "16–18" in viewer.get(f"{QUEUE}{following[1]}").shown
    assert viewer.get(f"{QUEUE}?failed=zzz").status == 400


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "기다리는 기사가 없습니다"), ("en", "No waiting articles")]
)
def test_an_empty_queue_says_so(newsroom: Newsroom, visitor: Visitor, language: str, words: str) -> None:
    assert words in visitor("viewer", language).get(QUEUE).shown


# ── one state, and all of it ──────────────────────────────────────────────────────────────────────


def test_an_article_that_is_retried_leaves_its_old_list(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(2))
    [pk] = fail(newsroom)
    editor = visitor("editor", "en")
    editor.get(QUEUE)
    editor.send(retry_path(pk), next=QUEUE)
    page = editor.follow()
    for words in ("Waiting 2", "Failed 0", "No failed articles"):
        assert words in page.shown, words
    assert retry_path(pk) not in page.actions


def test_a_state_is_shown_to_its_last_page(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(120))
    fail(newsroom, 60)
    viewer = visitor("viewer", "en")
    for state, count in (("failed", 60), ("waiting", 60), ("claimed", 0), ("done", 0), ("dead", 0)):
        path, seen = f"{QUEUE}?state={state}", 0
        while path:
            page = viewer.get(path)
            assert page.faults == page.doubled_ids == []
            seen += sum("/news/articles/" in each for each in page.links)
            following = [own["href"] for own in page.all("a", rel="next")]
            path = f"{QUEUE}{following[0]}" if following else ""
        assert seen == count, state


def test_all_that_failed_is_retried_at_once(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(3))
    fail(newsroom, 2)
    editor = visitor("editor", "en")
    editor.get(f"{QUEUE}?state=failed")
    editor.send(f"{QUEUE}/retry", state="failed", next=QUEUE)
    assert "2 articles can be claimed again now." in editor.follow().shown
    assert len(newsroom.news.queue.waiting()) == 3


def test_a_person_claims_and_releases_an_article(newsroom: Newsroom, visitor: Visitor) -> None:
    newsroom.load(links(1))
    pk = newsroom.stored(0).pk
    editor = visitor("editor", "en")
    claim, release = (retry_path(pk).replace("/retry", f"/{verb}") for verb in ("claim", "release"))
    assert claim in editor.get(f"{QUEUE}?state=waiting").actions
    editor.send(claim, next=f"{QUEUE}?state=claimed")
    assert release in editor.follow().actions
    held = newsroom.news.queue.find(pk)
    assert held is not None
    assert (held.state, held.worker) == ("claimed", "editor")
    editor.send(release, next=QUEUE)
    assert "Waiting 1" in editor.follow().shown
    with pytest.raises(Conflict):
        newsroom.news.queue.done(pk, held.claim)
