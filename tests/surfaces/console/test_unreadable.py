"""One item that cannot be read breaks no list of the console; what must not be guessed names it and stops."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from hansang.apps.news.design import NewsDayKey, NewsKey, RunKey, WorkKey
from hansang.apps.news.rules import pk_of
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.api_keys import ApiKeyKey
from hansang.apps.platform.person import PersonKey
from hansang.design.shape import Item
from hansang.parts.history import Actor, key_of
from hansang.parts.journal import JobRunKey
from hansang.surfaces.shell import Shell
from tests.apps.news.console.newsroom import Newsroom, newsroom
from tests.apps.news.lists import link
from tests.spoiling import spoil
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock

__all__ = ["newsroom"]

NOTICE = "엔티티에 맞지 않는 아이템이 있습니다 (1개)"
ACTOR = Actor("person", "minjun", "강민준")


@pytest.mark.parametrize("path", ["/changes", "/changes?area=codex", "/apps/codex"])
def test_a_bad_change_hides_no_other(visitor: Visitor, shell: Shell, clock: SetClock, path: str) -> None:
    for name in ("bad", "good"):
        clock.advance(1)
        change = shell.history.record(ACTOR, "codex", "Page", f"pages/{name}", "create")
        if name == "bad":
            spoil(shell.database, key_of(change.id), verb=None)
    page = visitor("owner").get(path)
    assert (page.status, NOTICE in page.shown, "good" in page.shown) == (200, True, True)
    assert "hansang tables repair platform" in page.shown


def test_a_person_who_cannot_be_read_hides_nobody(visitor: Visitor, shell: Shell) -> None:
    spoil(shell.database, PersonKey(name="guest"), shown_name={"N": "7"})
    page = visitor("owner").get("/admin/people")
    assert (page.status, NOTICE in page.shown, "Viewer" in page.shown) == (200, True, True)


def test_a_key_that_cannot_be_read_hides_no_other(visitor: Visitor, shell: Shell) -> None:
    bad, _ = accounts_of(shell.identity).keys.create("broken key", {"news:read"}, "a test")
    accounts_of(shell.identity).keys.create("sound key", {"news:read"}, "a test")
    spoil(shell.database, ApiKeyKey(id=bad.id), created_by=None)
    page = visitor("owner").get("/admin/keys")
    assert (page.status, NOTICE in page.shown, "sound key" in page.shown) == (200, True, True)


def test_a_run_of_a_job_that_cannot_be_read_hides_no_other(
    visitor: Visitor, shell: Shell, clock: SetClock
) -> None:
    shell.jobs.run_now("count")
    clock.advance(10)
    bad = shell.jobs.run_now("count")
    spoil(shell.database, JobRunKey(name="count", slot=bad.slot), worker=None)
    owner = visitor("owner")
    for path in ("/admin/jobs", "/admin/jobs/count"):
        page = owner.get(path)
        assert (page.status, NOTICE in page.shown) == (200, True)
    assert "3 things counted" in owner.get("/admin/jobs/count").shown
    assert owner.get("/").status == 200


# ── news ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def loaded(newsroom: Newsroom) -> str:
    """Two articles, the first of which cannot be read; the id of their run."""
    run = newsroom.load([link(1, "NVDA"), link(2, "NVDA")])
    spoil(newsroom.shell.database, NewsKey(pk=pk_of(link(1)["url"])), title=None)
    return run.id


@pytest.mark.parametrize("path", ["/news", "/news/tickers", "/news/queue", "/news/runs/{run}"])
def test_a_bad_article_hides_no_other(visitor: Visitor, loaded: str, path: str) -> None:
    page = visitor("viewer").get(path.format(run=loaded))
    at = urlencode({"pk": pk_of(link(1)["url"])})
    assert (page.status, NOTICE in page.shown) == (200, True)
    assert f"/data/news/tables/news_items/item?{at}" in page.links
    assert (page.faults, page.doubled_ids) == ([], [])


def test_a_bad_run_and_a_bad_day_hide_no_other(visitor: Visitor, newsroom: Newsroom, loaded: str) -> None:
    newsroom.load([link(3)])
    spoil(newsroom.shell.database, RunKey.of(loaded), source=None)
    assert NOTICE in visitor("viewer").get("/news/runs").shown
    spoil(newsroom.shell.database, NewsDayKey(day=newsroom.news.today), inserted={"S": "many"})
    assert "(3개)" in visitor("viewer").get("/news").shown


def test_a_bad_state_of_an_article_is_named(visitor: Visitor, newsroom: Newsroom) -> None:
    newsroom.load([link(1), link(2)])
    for number in (1, 2):
        newsroom.news.queue.claim(pk_of(link(number)["url"]), f"worker {number}")
    key = WorkKey.of(pk_of(link(1)["url"]))
    item: Item = spoil(newsroom.shell.database, key, worker={"N": "7"})
    page = visitor("viewer").get("/news/queue")
    assert item["pk"]["S"] in page.shown


def test_a_page_of_numbers_names_the_item_that_it_cannot_do_without(
    visitor: Visitor, newsroom: Newsroom, loaded: str
) -> None:
    spoil(newsroom.shell.database, NewsDayKey(day=newsroom.news.today), inserted={"S": "many"})
    page = visitor("viewer").get("/news/queue")
    assert (page.status, "읽을 수 없는 아이템이 있어 계산하지 못했습니다" in page.shown) == (500, True)
    at = urlencode({"pk": "DAYS", "sk": f"DAY#{newsroom.news.today}"})
    assert f"/data/news/tables/news_work/item?{at}" in page.links
    english = visitor("viewer", "en").get("/news/queue")
    assert "An item that this page needs cannot be read" in english.shown
