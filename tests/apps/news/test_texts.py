"""The texts of articles: made when they arrive, or when the first reader comes, and kept."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from hansang.apps.news.design import ArticleText, ArticleTextKey, BodyKey, WorkKey
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.apps.news.texts import ArticleTexts, whole_text
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import Busy, NotFound
from hansang.parts.sandbox import Sandbox, SandboxLimits
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import ReadOnly
from tests.apps.news.lists import link, links
from tests.clauses import clause

PK = pk_of(link(0)["url"])
ITEM = WorkKey.of(PK).item


class LimitedSandbox(Sandbox):
    """A sandbox with other limits, which counts what it is asked."""

    def __init__(self, cpu_seconds: float = 5) -> None:
        super().__init__(most=1, patience_seconds=0)
        self.limits, self.asked = SandboxLimits(cpu_seconds, seconds=50), 0

    def run(self, function: Callable[..., Any], content: bytes = b"", **arguments: Any) -> Any:
        self.asked += 1
        return super().run(function, content, **{**arguments, "limits": self.limits})


@pytest.fixture
def sandbox() -> Iterator[LimitedSandbox]:
    with LimitedSandbox() as found:
        yield found


@pytest.fixture
def reading(database: Database, clock: SetClock, sandbox: Sandbox) -> News:
    return News(database, clock, sleep=clock.sleep, token=tokens("r"), sandbox=sandbox)


def crawled(news: News, body: bytes = b"<p>One</p>", content_type: str = "text/html") -> None:
    news.loader.load(links(1))
    news.queue.done(PK, news.queue.claim(PK, "w").claim, body, content_type)


def kept(database: Database) -> ArticleText | None:
    return database.find(ArticleTextKey(item=ITEM))


@clause("X3-09")
def test_the_text_of_an_article_is_made_when_it_arrives_and_not_when_it_is_read(
    reading: News, database: Database, sandbox: LimitedSandbox
) -> None:
    crawled(reading)
    assert sandbox.asked == 1
    for _ in range(3):
        found = reading.texts.get(PK)
        assert (whole_text(found), found.form, found.length) == ("One", "clean", 10)
    assert sandbox.asked == 1


def test_an_article_without_a_text_has_it_made_for_its_first_reader(
    news: News, reading: News, database: Database, sandbox: LimitedSandbox
) -> None:
    crawled(news)
    assert kept(database) is None
    first, second = reading.texts.get(PK), reading.texts.get(PK)
    assert first == second == kept(database)
    assert (whole_text(first), sandbox.asked) == ("One", 1)


def test_an_article_that_was_not_crawled_has_no_text(reading: News) -> None:
    reading.loader.load(links(1))
    with pytest.raises(NotFound):
        reading.texts.get(PK)


@pytest.mark.parametrize("is_late", [False, True])
def test_what_is_too_much_to_clean_is_kept_as_it_came(
    news: News, reading: News, sandbox: LimitedSandbox, is_late: bool
) -> None:
    sandbox.limits = SandboxLimits(cpu_seconds=0.01, seconds=50)
    crawled(news if is_late else reading, b"<p>One</p>" * 200_000)
    found = reading.texts.get(PK)
    assert (found.form, found.is_cut) == ("raw", True)
    assert whole_text(found).startswith("<p>One</p><p>One</p>")
    assert reading.texts.get(PK) == found
    assert sandbox.asked == 1


def test_while_everybody_is_busy_a_text_is_shown_as_it_came_and_made_later(
    news: News, reading: News, database: Database, sandbox: LimitedSandbox
) -> None:
    crawled(news)
    with sandbox._child():
        assert reading.texts.get(PK).form == "raw"
    assert kept(database) is None
    assert reading.texts.get(PK).form == "clean"


def test_an_article_that_arrives_while_everybody_is_busy_is_stored(
    reading: News, database: Database, sandbox: LimitedSandbox
) -> None:
    with sandbox._child():
        with pytest.raises(Busy):
            sandbox.run(len)
        crawled(reading)
    assert kept(database) is None
    assert reading.texts.get(PK).form == "clean"


def test_who_has_no_claim_has_nothing_read(reading: News, sandbox: LimitedSandbox) -> None:
    reading.loader.load(links(1))
    with pytest.raises(NotFound):
        reading.queue.done(PK, "forged", b"<p>One</p>")
    assert sandbox.asked == 0


def test_a_text_that_cannot_be_stored_is_shown_all_the_same(
    news: News, database: Database, sandbox: Sandbox
) -> None:
    crawled(news)
    sealed = Database(ReadOnly(database.backend))
    assert whole_text(ArticleTexts(sealed, sandbox).get(PK)) == "One"
    assert kept(database) is None


def test_bytes_that_are_damaged_are_said_to_be_so(news: News, reading: News, database: Database) -> None:
    crawled(news)
    body = database.get(BodyKey(item=ITEM))
    database.put(body.model_copy(update={"compressed": b"no zlib"}))
    found = reading.texts.get(PK)
    assert (found.form, whole_text(found)) == ("damaged", "")
    assert kept(database) is None


def test_a_text_that_would_unpack_without_end_is_read_as_far_as_it_may_be(
    reading: News, database: Database, sandbox: Sandbox
) -> None:
    crawled(reading)
    text = reading.texts.get(PK)
    bomb = zlib.compress(bytes(50_000_000))
    database.put(text.model_copy(update={"compressed": bomb}))
    assert len(whole_text(reading.texts.get(PK))) == 1_000_000


def test_a_text_that_an_item_cannot_hold_is_cut(reading: News) -> None:
    chance = Random(1)
    long = "".join(chr(chance.randrange(0xAC00, 0xD7A3)) for _ in range(180_000))
    crawled(reading, long.encode("utf-16"), "text/plain; charset=utf-16")
    found = reading.texts.get(PK)
    assert long.startswith(whole_text(found))
    assert (found.is_cut, len(found.compressed) <= 380_000) == (True, True)


def test_a_reader_reads_the_text_and_not_the_body(
    reading: News, database: Database, sandbox: Sandbox
) -> None:
    crawled(reading)
    recording = Recording(database.backend)
    ArticleTexts(Database(recording), sandbox).get(PK)
    assert [call.operation for call in recording.calls] == ["GetItem"]
