"""Runs: their ids and times, going on with one, several processes at the same one, and how they end."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.news import loading, rules
from hansang.apps.news.design import Collision, Mention, NewsDayKey, NewsItem, NewsKey, Run, RunPart
from hansang.apps.news.runs import as_told, run_topic
from hansang.apps.news.service import News
from hansang.backends.chaos import Chaos, Faults
from hansang.design import Database
from hansang.errors import Conflict, InvalidInput
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Killed, Refusing
from tests.apps.news.lists import link, links
from tests.clauses import clause


def load_some(news: News, given: list[Any], parts: int, run: str | None = None) -> Run:
    """Load some parts of a list, and stop."""
    stop, told = threading.Event(), [0]

    def count(_: int) -> None:
        told[0] += 1
        if told[0] == parts:
            stop.set()

    return news.loader.load(given, progress=count, stop=stop, run=run)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PART", 4)


# ── going on ──────────────────────────────────────────────────────────────────────────────────────


@clause("X3-23")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    "other", [links(10, first=1), links(3), [*links(3), {"title": 1}, *links(6, first=3)], [link(0)] * 10]
)
def test_a_run_does_not_go_on_with_another_list(news: News, database: Database, other: list[Any]) -> None:
    run = load_some(news, links(10), 1)
    with pytest.raises(Conflict, match=r"not the one that the run .* began with: lines 1 to 4 "):
        news.loader.load(other, run=run.id)
    assert database.get(NewsDayKey(day=run.uploaded_at.date())).inserted == 4
    assert news.loader.load(links(10), run=run.id).inserted == 10


@pytest.mark.usefixtures("small_parts")
def test_a_list_that_has_grown_is_another_list(database: Database, clock: SetClock) -> None:
    refusing = Database(Refusing(database.backend, "Headline 0"))
    run = News(refusing, clock, sleep=clock.sleep, token=tokens()).loader.load(links(6))
    news = News(database, clock, sleep=clock.sleep, token=tokens("b"))
    with pytest.raises(Conflict, match="lines 5 to 8 "):
        news.loader.load(links(8), run=run.id)
    assert database.find(NewsKey.of(link(7)["url"])) is None


@pytest.mark.usefixtures("small_parts")
def test_a_run_that_is_stopped_again_earlier_does_not_forget_what_it_had(news: News) -> None:
    run = load_some(news, links(12), 2)
    assert (run.run_state, run.total) == ("stopped", 8)
    again = load_some(news, links(12), 1, run.id)
    assert (again.run_state, again.total, again.inserted) == ("stopped", 8, 8)
    assert news.reading.run(run.id) == again
    assert news.loader.load(links(12), run=run.id).total == 12


@pytest.mark.usefixtures("small_parts")
def test_who_stops_does_not_undo_that_another_has_finished(news: News, clock: SetClock) -> None:
    run = load_some(news, links(12), 1)

    def given() -> Iterator[Any]:
        yield from links(4)
        assert news.loader.load(links(12), run=run.id).run_state == "finished"
        yield from links(8, first=4)

    stop = threading.Event()
    late = news.loader.load(given(), run=run.id, stop=stop, progress=lambda _: stop.set())
    assert (late.run_state, late.total) == ("finished", 12)
    assert news.reading.run(run.id) == late


@clause("X3-07", "X3-23")
@pytest.mark.usefixtures("small_parts")
def test_processes_that_go_on_with_the_same_run_count_once(database: Database, clock: SetClock) -> None:
    news = News(database, clock, sleep=clock.sleep, token=tokens())
    given = [link(number, "NVDA") for number in range(60)]
    run = load_some(news, given, 2)

    def go_on(seed: int) -> Run:
        chaos = Chaos(database.backend, Faults(throttled=0.03, lost=0.03), seed=seed, sleep=lambda _: None)
        own = News(Database(chaos), clock, threads=3, sleep=lambda _: None, token=tokens(f"{seed}x"))
        return own.loader.load(given, run=run.id)

    with ThreadPoolExecutor(4) as pool:
        ended = list(pool.map(go_on, range(4)))
    assert {(each.run_state, each.inserted, each.total) for each in ended} == {("finished", 60, 60)}
    assert database.get(NewsDayKey(day=run.uploaded_at.date())).inserted == 60
    assert len(database.all(Mention.of_ticker("NVDA"))) == 60
    assert sum(len(part.lines) for part in database.each(RunPart.of_run(run.id))) == 60


@clause("X3-23")
@pytest.mark.usefixtures("small_parts")
def test_what_failed_for_one_process_and_not_for_another_is_made_whole(
    database: Database, clock: SetClock
) -> None:
    """The second has found the part before the first has reported it, and ends after it."""
    news = News(database, clock, sleep=clock.sleep, token=tokens())
    run = load_some(news, links(8), 1)
    first = News(Database(Refusing(database.backend, "Headline 5")), clock, sleep=lambda _: None)

    class Between:
        """Lets the first process work while the second is in the middle of its part."""

        def __init__(self) -> None:
            self.done = False

        def call(self, operation: str, request: Any) -> dict[str, Any]:
            if operation == "TransactWriteItems" and not self.done:
                self.done = True
                assert first.loader.load(links(8), run=run.id).failed == 1
            return database.backend.call(operation, request)

    second = News(Database(Between()), clock, sleep=lambda _: None)
    ended = second.loader.load(links(8), run=run.id)
    lines = [line.outcome for part in news.reading.report(run.id) for line in part.lines]
    assert (ended.inserted, ended.failed, lines) == (8, 0, ["inserted"] * 8)
    assert database.get(NewsDayKey(day=run.uploaded_at.date())).inserted == 8


# ── beginning and ending ──────────────────────────────────────────────────────────────────────────


def broken(good: int) -> Iterator[Any]:
    yield from links(good)
    raise InvalidInput("The list cannot be read.")


def test_a_list_that_cannot_be_read_at_all_begins_no_run(news: News, database: Database) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        news.loader.load(broken(3))
    assert database.all(Run.of_month("2026-11")) == []


def test_a_list_that_breaks_off_stops_its_run_and_says_how_it_goes_on(
    news: News, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        news.loader.load(broken(700))
    [run] = database.all(Run.of_month("2026-11"))
    assert (run.run_state, run.inserted) == ("stopped", 500)
    assert f"--run {run.id}" in caplog.text
    assert news.loader.load(links(800), run=run.id).inserted == 800


def test_a_run_whose_end_cannot_be_written_says_so(
    database: Database, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    killed = Database(Killed(database.backend, 3, after=False))
    with pytest.raises(RuntimeError, match="killed"):
        News(killed, clock, threads=1, sleep=clock.sleep, token=tokens()).loader.load(links(5))
    assert "could not be written" in caplog.text
    assert [run.run_state for run in database.all(Run.of_month("2026-11"))] == ["running"]


@pytest.mark.parametrize("source", ["", " ", "x" * 101, "\ud800"])
def test_a_source_that_is_none_is_refused(news: News, database: Database, source: str) -> None:
    with pytest.raises(InvalidInput, match="source"):
        news.loader.load(links(1), source=source)
    assert database.all(Run.of_month("2026-11")) == []


def test_a_name_that_no_text_can_hold_is_kept_as_far_as_it_can_be(news: News) -> None:
    assert news.loader.load(links(1), name="a\udc80b" + "x" * 600).name == "a?b" + "x" * 497


# ── what is large ─────────────────────────────────────────────────────────────────────────────────


def test_parts_of_long_links_are_shorter(news: News) -> None:
    told: list[int] = []
    given = [{**link(number), "title": "x" * 380_000} for number in range(50)]
    run = news.loader.load(given, progress=told.append)
    assert (run.inserted, told) == (50, [22, 22, 6])


@clause("X3-06")
def test_a_collision_of_long_links_fits_into_the_report(news: News, database: Database) -> None:
    long = "https://o.example/" + "가" * 100_000
    other = NewsItem.uploaded(datetime(2026, 1, 1, tzinfo=UTC), url=long, title="o", tickers=[])
    database.create(other.model_copy(update={"pk": rules.pk_of(link(1)["url"])}))
    run = news.loader.load([{**link(1), "title": "x" * 380_000}])
    [part] = news.reading.report(run.id)
    [kept] = database.all(Collision.newest())
    assert (part.lines[0].outcome, len(part.lines[0].why)) == ("collision", 200)
    assert long.startswith(kept.kept_url)
    assert kept.title == "x" * 380_000


@clause("X3-06")
def test_links_of_one_list_that_collide_are_not_taken_for_repeats(
    news: News, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Weak:
        def __init__(self, text: bytes) -> None:
            self.text = text

        def hexdigest(self) -> str:
            return "0123456789abcdef" * 4

    monkeypatch.setattr(rules, "sha256", Weak)
    run = news.loader.load([link(1), link(2), link(1)])
    assert (run.inserted, run.collision, run.duplicate_in_batch) == (1, 1, 1)
    [kept] = database.all(Collision.newest())
    stored = database.get(NewsKey(pk=kept.item_pk))
    assert {kept.url, stored.url} == {link(1)["url"], link(2)["url"]}


def test_hundreds_of_tickers_are_all_noted(news: News, database: Database) -> None:
    run = news.loader.load([link(1, *(f"T{number}" for number in range(500)))])
    assert run.inserted == 1
    assert all(len(database.all(Mention.of_ticker(f"T{number}"))) == 1 for number in (0, 250, 499))
    assert news.loader.load([link(2, *(f"T{number}" for number in range(501)))]).invalid == 1


def test_the_longest_ticker_of_the_widest_characters_is_a_key(news: News, database: Database) -> None:
    ticker = "\U0001f600" * 100
    assert news.loader.load([link(1, ticker)]).inserted == 1
    assert len(database.all(Mention.of_ticker(rules.ticker_key(ticker)))) == 1


# ── what is published ─────────────────────────────────────────────────────────────────────────────


def telling(database: Database, clock: SetClock) -> tuple[News, list[tuple[str, dict[str, Any], bool]]]:
    """The application, and what it publishes."""
    messages: list[tuple[str, dict[str, Any], bool]] = []

    def publish(topic: str, message: Mapping[str, Any], *, at_once: bool = False) -> None:
        messages.append((topic, {name: value for name, value in message.items() if value}, at_once))

    return News(database, clock, sleep=clock.sleep, token=tokens(), publish=publish), messages


def test_a_load_tells_its_counts_after_every_part_and_its_end_at_once(
    database: Database, clock: SetClock
) -> None:
    news, messages = telling(database, clock)
    run = news.loader.load([*links(1100), link(0)])
    assert {topic for topic, _, _ in messages} == {run_topic(run.id)}
    whole = {"inserted": 1100, "duplicate_in_batch": 1}
    assert [(message, at_once) for _, message, at_once in messages] == [
        ({"state": "running"}, False),
        ({"state": "running", "inserted": 500}, False),
        ({"state": "running", "inserted": 1000}, False),
        ({"state": "running", **whole}, False),
        ({"state": "finished", **whole}, True),
    ]


def test_a_load_that_breaks_off_tells_its_end(database: Database, clock: SetClock) -> None:
    news, messages = telling(database, clock)
    with pytest.raises(InvalidInput, match="cannot be read"):
        news.loader.load(broken(700))
    assert messages[-1][1:] == ({"state": "stopped", "inserted": 500}, True)


def test_a_run_that_goes_on_has_the_counts_that_were_told_and_one_that_ended_its_own(news: News) -> None:
    ended = news.loader.load(links(3))
    going = ended.model_copy(update={"run_state": "running", "inserted": 0, "total": 0})
    told = as_told(going, {"state": "running", "inserted": 2, "invalid": 1})
    assert (told.inserted, told.invalid, told.total) == (2, 1, 3)
    assert as_told(going, None) is going
    assert as_told(ended, {"inserted": 9}) is ended
