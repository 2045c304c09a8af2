"""Loading lists: every link once, as it was first written, and a report that adds up."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hansang.apps.news import loading, rules
from hansang.apps.news.design import (
    Collision,
    Mention,
    NewsDayKey,
    NewsItem,
    NewsKey,
    Run,
)
from hansang.apps.news.inputs import UnreadableLine
from hansang.apps.news.reasons import Reason
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.backends.busy_retry import PAUSES
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import Busy, Conflict, InvalidInput, NotFound, StoreBusy
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Refusing
from tests.apps.news.lists import link, links
from tests.clauses import clause
from tests.contention import Contended, Occupied


def outcomes(news: News, run: Run) -> list[str]:
    return [line.outcome for part in news.reading.report(run.id) for line in part.lines]


def counts(run: Run) -> dict[str, int]:
    return {name: getattr(run, name) for name in loading.OUTCOMES if getattr(run, name)}


@clause("3-01", "3-02", "3-11")
@pytest.mark.parametrize("count", [0, 1, 50, 1203])
def test_what_came_is_loaded_however_much_it_is(news: News, database: Database, count: int) -> None:
    run = news.loader.load(links(count))
    assert (run.total, run.inserted, run.run_state) == (count, count, "finished")
    assert all(database.find(NewsKey.of(each["url"])) for each in links(count))


@clause("3-12", "X3-24", "X3-22")
def test_a_duplicate_changes_nothing_ever(news: News, database: Database, clock: SetClock) -> None:
    news.loader.load([link(1, "NVDA")], source="first")
    before = database.get(NewsKey.of(link(1)["url"]))
    clock.now += 86_400
    run = news.loader.load([link(1, "AMD", title="Edited")], source="second")
    assert counts(run) == {"duplicate": 1}
    assert database.get(NewsKey.of(link(1)["url"])) == before


@clause("X3-11")
def test_all_links_of_a_run_have_its_one_time_cut_to_the_second(
    news: News, database: Database, clock: SetClock
) -> None:
    run = news.loader.load(links(3))
    times = {database.get(NewsKey.of(each["url"])).uploaded_at_utc_ms for each in links(3)}
    assert times == {int(clock.now) * 1000} == {int(run.uploaded_at.timestamp()) * 1000}


@clause("X3-07")
def test_runs_that_begin_in_the_same_second_have_different_times(news: News) -> None:
    first, second = news.loader.load(links(1)), news.loader.load(links(1))
    assert (second.uploaded_at - first.uploaded_at).total_seconds() == 1
    assert (first.inserted, second.duplicate) == (1, 1)


def test_a_clock_that_stands_still_does_not_let_a_run_wait_for_ever(database: Database) -> None:
    news = News(database, lambda: 1_000_000.0, sleep=lambda _: None, token=tokens())
    news.loader.load(links(1))
    with pytest.raises(Busy, match="Try again"):
        news.loader.load(links(1))


@clause("X3-15", "X3-14")
def test_a_link_twice_in_a_list_is_stored_once_and_not_even_sent_again(
    database: Database, clock: SetClock
) -> None:
    recording = Recording(database.backend)
    news = News(Database(recording), clock, sleep=clock.sleep, token=tokens())
    run = news.loader.load([link(1), link(2), link(1), link(1, title="Another title")])
    assert counts(run) == {"inserted": 2, "duplicate_in_batch": 2}
    puts = [call for call in recording.calls if call.request.get("TableName") == "news_items"]
    assert [call.write_units for call in puts] == [2.0, 2.0]


@clause("X3-14")
def test_a_duplicate_costs_one_unit(database: Database, clock: SetClock) -> None:
    recording = Recording(database.backend)
    news = News(Database(recording), clock, sleep=clock.sleep, token=tokens())
    news.loader.load(links(1))
    recording.clear()
    news.loader.load(links(1))
    refused = [call for call in recording.calls if call.error and call.request["TableName"] == "news_items"]
    assert [call.write_units for call in refused] == [1.0]


def test_a_link_twice_is_found_in_whatever_part_of_the_list_it_is(news: News) -> None:
    run = news.loader.load([*links(700), *links(700)])
    assert counts(run) == {"inserted": 700, "duplicate_in_batch": 700}


@clause("3-03", "X3-18", "X3-23")
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("text", "object"),
        ({"title": "a"}, "url"),
        ({"title": "a", "url": ""}, "url"),
        ({"title": "a", "url": "  "}, "url"),
        ({"title": "a", "url": 5}, "url"),
        ({"url": "https://a.example"}, "title"),
        ({"title": None, "url": "https://a.example"}, "title"),
        ({"title": "a", "url": "https://a.example", "tickers": "NVDA"}, "tickers"),
        ({"title": "a", "url": "https://a.example", "tickers": [1]}, "tickers"),
        ({"title": "a", "url": "https://a.example", "tickers": ["A" * 101]}, "ticker"),
        ({"title": "\ud800", "url": "https://a.example"}, "UTF-8"),
        ({"title": "a" * 500_000, "url": "https://a.example"}, "bytes together"),
        (UnreadableLine(Reason("not JSON: here")), "not JSON"),
    ],
)
def test_a_line_that_cannot_be_stored_is_refused_with_its_reason_and_the_others_go_on(
    news: News, given: Any, why: str
) -> None:
    run = news.loader.load([given, link(1)])
    [part] = news.reading.report(run.id)
    assert counts(run) == {"inserted": 1, "invalid": 1}
    assert part.lines[0].outcome == "invalid"
    assert why in part.lines[0].why


@clause("X3-18", "3-04")
def test_the_address_is_stored_to_the_letter(news: News, database: Database) -> None:
    url = " https://A.example/x?utm_source=a#part "
    news.loader.load([{"title": "a", "url": url, "tickers": []}])
    assert database.get(NewsKey.of(url)).url == url


@clause("X3-19", "3-03", "3-14")
def test_tickers_are_put_in_capitals_without_blanks_and_repeats(news: News, database: Database) -> None:
    news.loader.load([link(1, "brk-b", " ^GSPC ", "", "005930.KS", "BRK-B"), link(2)])
    assert database.get(NewsKey.of(link(1)["url"])).tickers == ["BRK-B", "^GSPC", "005930.KS"]
    assert database.get(NewsKey.of(link(2)["url"])).tickers == []


@clause("X3-06")
def test_a_link_whose_key_is_taken_by_another_is_kept_aside_and_shouted_about(
    news: News, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    other = NewsItem.uploaded(
        datetime(2026, 1, 1, tzinfo=UTC), url="https://o.example", title="o", tickers=[]
    )
    database.create(other.model_copy(update={"pk": rules.pk_of(link(1)["url"])}))
    run = news.loader.load([link(1, "NVDA")])
    [kept] = database.all(Collision.newest())
    assert counts(run) == {"collision": 1}
    assert (kept.url, kept.kept_url, kept.tickers) == (link(1)["url"], "https://o.example", ["NVDA"])
    assert "kept aside" in caplog.text
    assert database.get(NewsKey(pk=kept.item_pk)).url == "https://o.example"


@clause("X3-07")
def test_a_lost_response_counts_as_inserted(database: Database, clock: SetClock) -> None:
    chaos = Chaos(database.backend, Faults(lost=0.4), seed=1, sleep=clock.sleep)
    news = News(Database(chaos), clock, sleep=clock.sleep, token=tokens())
    run = news.loader.load(links(40))
    assert chaos.counts["lost"] > 5
    assert counts(run) == {"inserted": 40}


class Dying:
    """A backend that is gone for good after some puts."""

    def __init__(self, backend: Backend, puts: int) -> None:
        self._backend, self._left = backend, puts

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= operation == "PutItem"
        if self._left < 0:
            raise RuntimeError("killed")
        return self._backend.call(operation, request)


@clause("X3-23")
def test_a_link_that_could_not_be_stored_is_failed_and_comes_when_the_run_is_repeated(
    database: Database, clock: SetClock
) -> None:
    refusing = Database(Refusing(database.backend, "Headline 1"))
    run = News(refusing, clock, sleep=clock.sleep, token=tokens()).loader.load(links(3))
    assert counts(run) == {"inserted": 2, "failed": 1}
    again = News(database, clock, sleep=clock.sleep, token=tokens("b")).loader.load(links(3))
    assert counts(again) == {"inserted": 1, "duplicate": 2}


@clause("X3-23", "X3-07")
def test_a_run_with_failures_is_resumed_and_its_report_made_whole(
    database: Database, clock: SetClock
) -> None:
    refusing = Database(Refusing(database.backend, "Headline 1"))
    run = News(refusing, clock, sleep=clock.sleep, token=tokens()).loader.load(links(3))
    news = News(database, clock, sleep=clock.sleep, token=tokens("b"))
    again = news.loader.load(links(3), run=run.id)
    assert counts(again) == {"inserted": 3}
    assert outcomes(news, again) == ["inserted"] * 3
    assert database.get(NewsDayKey(day=run.uploaded_at.date())).inserted == 3


@clause("X3-23", "X3-07", "X3-08")
@pytest.mark.parametrize("puts", [1, 2, 300, 501, 502, 503, 900])
def test_a_run_that_died_goes_on_where_it_was(database: Database, clock: SetClock, puts: int) -> None:
    dying = Database(Dying(database.backend, puts))
    with pytest.raises(RuntimeError, match="killed"):
        News(dying, clock, threads=1, sleep=clock.sleep, token=tokens()).loader.load(links(1000))
    clock.now += 3600
    left = database.all(Run.of_month("2026-11"))
    news = News(database, clock, sleep=clock.sleep, token=tokens("b"))
    run = news.loader.load(links(1000), run=left[0].id if left else None)
    assert counts(run) == {"inserted": 1000}
    assert outcomes(news, run) == ["inserted"] * 1000
    assert database.get(NewsDayKey(day=run.uploaded_at.date())).inserted == 1000


def test_a_finished_run_is_not_resumed(news: News) -> None:
    run = news.loader.load(links(1))
    with pytest.raises(Conflict, match="finished"):
        news.loader.load(links(1), run=run.id)


@pytest.mark.parametrize("run", ["x", "20261115T093012Z", "20261115T093012Z-" + "#" * 6])
def test_what_is_no_id_of_a_run_is_refused(news: News, run: str) -> None:
    with pytest.raises(InvalidInput, match="not a valid run id"):
        news.loader.load(links(1), run=run)


def test_a_run_that_nobody_began_is_not_found(news: News) -> None:
    with pytest.raises(NotFound):
        news.loader.load(links(1), run="20261115T093012Z-abcdef")


def test_a_run_can_be_stopped_and_says_so(news: News, database: Database) -> None:
    stop = threading.Event()

    def given() -> Iterator[dict[str, Any]]:
        for number, each in enumerate(links(1200)):
            if number == 700:
                stop.set()
            yield each

    run = news.loader.load(given(), stop=stop)
    assert (run.run_state, run.inserted) == ("stopped", 500)
    again = news.loader.load(links(1200), run=run.id)
    assert (again.run_state, counts(again)) == ("finished", {"inserted": 1200})


def test_a_run_is_stopped_by_somebody_else_and_can_be_continued(
    news: News, database: Database, clock: SetClock
) -> None:
    other = News(database, clock)

    def given() -> Iterator[dict[str, Any]]:
        for number, each in enumerate(links(1700)):
            if number == 700:
                [run] = other.reading.runs(f"{other.today:%Y-%m}").items
                assert other.loader.stop(run.id).stop_asked_at is not None
            yield each

    run = news.loader.load(given())
    assert (run.run_state, run.inserted, run.stop_asked_at) == ("stopped", 500, None)
    other.loader.stop(run.id)  # Nobody is at work on it, and whoever goes on does so.
    again = news.loader.load(links(1700), run=run.id)
    assert (again.run_state, counts(again)) == ("finished", {"inserted": 1700})
    with pytest.raises(Conflict, match="is finished"):
        other.loader.stop(run.id)


def test_progress_is_told_part_by_part(news: News) -> None:
    told: list[int] = []
    news.loader.load(links(1100), progress=told.append)
    assert told == [500, 500, 100]


def test_a_source_has_to_be_named(news: News) -> None:
    with pytest.raises(InvalidInput, match="source"):
        news.loader.load(links(1), source=" ")


def test_every_ticker_of_an_inserted_link_is_noted(news: News, database: Database) -> None:
    news.loader.load([link(1, "NVDA", "a#b/c"), link(2, "NVDA")])
    news.loader.load([link(1, "AMD")])
    assert [each.title for each in database.all(Mention.of_ticker("NVDA"))] == ["Headline 2", "Headline 1"]
    assert len(database.all(Mention.of_ticker(rules.ticker_key("A#B/C")))) == 1
    assert database.all(Mention.of_ticker("AMD")) == []


# ── a busy data file ──────────────────────────────────────────────────────────────────────────────


def test_a_load_and_a_recount_outlast_a_file_that_is_busy_at_every_write(
    database: Database, clock: SetClock
) -> None:
    news = News(Database(Contended(database.backend)), clock, sleep=clock.sleep, token=tokens(), threads=1)
    run = news.loader.load([link(1, "NVDA", "AMD"), *links(20, 2)])
    assert (run.run_state, run.inserted, run.failed) == ("finished", 21, 0)
    database.delete(NewsDayKey(day=news.today))
    assert list(news.recount(news.today, news.today)) == [(news.today, 21)]
    assert database.get(NewsDayKey(day=news.today)).inserted == 21


def test_a_load_that_cannot_write_for_minutes_says_how_to_go_on_and_goes_on(
    database: Database, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PART", 10)
    file = Occupied(database.backend)
    news = News(Database(file), clock, sleep=clock.sleep, token=tokens(), threads=1)
    many = links(12)

    def others_come(lines: int) -> None:
        file.is_taken = True

    with pytest.raises(StoreBusy, match=r"stopped after 10 lines.*same list with --run") as stopped:
        news.loader.load(many, progress=others_come)
    assert (stopped.value.code, clock.slept[: len(PAUSES)]) == ("news.load-stopped", list(PAUSES))
    slept = len(clock.slept)
    with pytest.raises(StoreBusy):  # Whoever sends a list in a request is not kept for minutes.
        news.awaited.load(many)
    assert len(clock.slept) == slept
    file.is_taken = False
    run = news.loader.load(many, run=str(stopped.value.values["run"]))
    assert (run.run_state, run.total, run.inserted) == ("finished", len(many), len(many))
