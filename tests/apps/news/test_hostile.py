"""What is built to be slow is answered or refused, and others are answered meanwhile."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from starlette.testclient import TestClient

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.console.links import article_path
from hansang.apps.news.design import Body, WorkKey
from hansang.apps.news.fetching import fetch
from hansang.apps.news.inputs import read_links
from hansang.apps.news.pages import MOST_TAGS
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.errors import InvalidInput
from hansang.parts.sandbox import Sandbox
from hansang.surfaces.shell import Shell
from hansang.testing import signed_in
from tests.apps.news.hostile import ARTICLES, LISTS, PAGES, packed_bomb
from tests.apps.news.lists import link

HANG = 60
"""In seconds, to end a test that would not end."""


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[TestClient, Shell]]:
    with signed_in(APPLICATION) as found:
        yield found


def beside(browser: TestClient, work: Callable[[], object]) -> None:
    """Do the work in a thread of its own, and ask for other pages until it is done."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    answers = [browser.get("/news").status_code]
    for _ in range(HANG * 10):
        thread.join(0.1)
        if not thread.is_alive():
            break
        answers.append(browser.get("/news").status_code)
    assert not thread.is_alive()
    assert {*answers} == {200}


def taken(news: News, name: str) -> tuple[str, str]:
    """The key of an article of this name, and the claim to it."""
    url = f"https://news.example/{name}"
    news.loader.load([{**link(1), "url": url}])
    return pk_of(url), news.queue.claim(pk_of(url), "crawler").claim


@pytest.mark.parametrize("name", ARTICLES)
def test_an_article_is_stored_and_shown(served: tuple[TestClient, Shell], name: str) -> None:
    browser, shell = served
    news = News(shell.database, shell.clock, sandbox=shell.sandbox)
    pk, claim = taken(news, name)
    content, kind = ARTICLES[name]()
    statuses: list[int] = []

    def crawl_and_read() -> None:
        news.queue.done(pk, claim, content, kind)
        statuses.append(browser.get(article_path(pk)).status_code)
        statuses.append(browser.get(f"{article_path(pk)}/text").status_code)

    beside(browser, crawl_and_read)
    assert statuses == [200, 200]


def test_a_body_that_unpacks_without_end_is_shown_as_far_as_it_may_be(
    served: tuple[TestClient, Shell],
) -> None:
    browser, shell = served
    news = News(shell.database, shell.clock)
    pk, claim = taken(news, "bomb")
    news.queue.done(pk, claim, b"x")
    body, _ = news.queue.body(pk)
    assert body.item == WorkKey.of(pk).item
    shell.database.put(Body.model_validate({**body.model_dump(), "compressed": packed_bomb()}))
    statuses: list[int] = []
    beside(browser, lambda: statuses.append(browser.get(article_path(pk)).status_code))
    assert statuses == [200]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(most=1) as found:
        yield found


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_read_or_refused(
    served: tuple[TestClient, Shell], sandbox: Sandbox, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    saved = tmp_path_factory.mktemp("hostile") / "page"
    saved.write_bytes(PAGES[name]())
    outcomes: list[str] = []

    def read() -> None:
        try:
            fetch(str(saved), sandbox, address="https://news.example/")
            outcomes.append("read")
        except InvalidInput as refused:
            outcomes.append(refused.code)

    beside(served[0], read)
    assert outcomes in (["read"], ["parts.exceeded"], ["news.no-feed"], ["news.many-tags"])
    assert outcomes != ["parts.exceeded"] or PAGES[name]().count(b"<") <= MOST_TAGS


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_or_refused(served: tuple[TestClient, Shell], name: str) -> None:
    form, text = LISTS[name]
    ended = threading.Event()

    def read() -> None:
        with suppress(InvalidInput):
            for _ in read_links(io.StringIO(text()), form):
                pass
        ended.set()

    beside(served[0], read)
    assert ended.is_set()
