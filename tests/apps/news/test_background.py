"""Loads in the background: a list is kept in pieces, worked on by one, stopped, resumed, and survives its worker."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest

from hansang.apps.news.decoding import ListText
from hansang.apps.news.design import NewsDayKey, NewsKey
from hansang.apps.news.inputs import read_links
from hansang.apps.news.jobs import loaded
from hansang.apps.news.loading import PART
from hansang.apps.news.rules import pk_of
from hansang.apps.news.runs import Origin, run_topic
from hansang.apps.news.sent_lists import KEPT, MOST_WAITING, SentList
from hansang.apps.news.service import News
from hansang.backends.base import Backend
from hansang.design import Database
from hansang.errors import Busy, InvalidInput, NotFound, Overloaded
from hansang.parts import jobs
from tests.apps.news.conftest import SetClock, tokens
from tests.apps.news.faults import Killed
from tests.apps.news.lists import link, links
from tests.contention import Occupied

NEVER = threading.Event()


def news_on(backend: Backend, clock: SetClock, heard: dict[str, Any] | None = None) -> News:
    def publish(topic: str, message: Any, *, at_once: bool = False) -> None:
        if heard is not None:
            heard.setdefault(topic, []).append(message)

    return News(Database(backend), clock, sleep=clock.sleep, token=tokens(), threads=1, publish=publish)


def sent(count: int) -> BytesIO:
    return BytesIO("\n".join(map(json.dumps, links(count))).encode())


def test_a_list_waits_is_loaded_and_is_kept_no_longer(database: Database, clock: SetClock) -> None:
    heard: dict[str, Any] = {}
    news = news_on(database.backend, clock, heard)
    waiting = news.lists.accept(sent(1200), source="desk", name="long.jsonl")
    assert (waiting.run_state, news.reading.run(waiting.id).run_state) == ("waiting", "waiting")
    assert database.find(NewsKey(pk=pk_of(link(1)["url"]))) is None
    run = news.background.load_next(NEVER)
    assert run is not None
    assert (run.id, run.run_state, run.inserted, run.source) == (waiting.id, "finished", 1200, "desk")
    assert news.background.load_next(NEVER) is None
    assert list(database.each(SentList.oldest())) == []
    assert _pieces(database) == 0
    told = heard[run_topic(run.id)]
    assert [each["inserted"] for each in told if "read" in each] == [500, 1000, 1200]
    likely = [each["lines"] for each in told if each.get("lines")]
    assert [1190 <= each <= 1210 for each in likely] == [True, True]
    assert told[-2]["read"] == told[-2]["length"] == len(sent(1200).getvalue())


def test_a_list_whose_file_stays_busy_waits_and_is_gone_on_with_by_itself(
    database: Database, clock: SetClock
) -> None:
    file = Occupied(database.backend)
    news = news_on(file, clock)
    waiting = news.lists.accept(sent(40), source="desk")
    file.is_taken = True
    with pytest.raises(Busy, match=f"the run {waiting.id} waits. It goes on by itself") as busy:
        news.background.load_next(NEVER)
    assert busy.value.code == "news.run-waits"
    file.is_taken = False
    run = news.background.load_next(NEVER)
    assert run is not None
    assert (run.id, run.run_state, run.inserted) == (waiting.id, "finished", 40)


def _pieces(database: Database) -> int:
    items = database.backend.call("Scan", {"TableName": "news_work"})["Items"]
    return sum(item["type"] == {"S": "ListPiece"} for item in items)


def test_a_list_of_many_pieces_is_read_as_it_was_sent(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    file = BytesIO(bytes(range(256)) * 4096)
    run = news.lists.accept(file, source="s", form="jsonl")
    found = news.lists.find(run.id)
    assert found is not None
    assert (found.pieces, found.length) == (4, 1024 * 1024)
    with news.lists.opened(found) as opened:
        assert opened.read() == file.getvalue()
        assert opened.tell() == found.length


def test_what_cannot_be_read_is_refused_and_leaves_nothing(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    with pytest.raises(InvalidInput, match="title,url,tickers"):
        news.lists.accept(BytesIO(b"a,b\n1,2\n"), source="s", form="csv")
    with pytest.raises(InvalidInput):
        news.lists.accept(sent(1), source=" ")
    assert news.background.is_wanted() is False
    assert news.reading.runs("2026-11").items == []


def test_a_run_is_stopped_and_resumed_without_sending_its_list_again(
    database: Database, clock: SetClock
) -> None:
    heard: dict[str, Any] = {}
    news = news_on(database.backend, clock, heard)
    run = news.lists.accept(sent(2 * PART), source="s")

    class Stopping(threading.Event):
        def is_set(self) -> bool:
            if heard[run_topic(run.id)][-1]["inserted"]:
                news.loader.stop(run.id)
            return False

    stopped = news.background.load_next(Stopping())
    assert stopped is not None
    assert (stopped.run_state, stopped.inserted) == ("stopped", PART)
    assert news.background.load_next(NEVER) is None
    assert news.lists.resume(run.id).run_state == "waiting"
    again = news.background.load_next(NEVER)
    assert again is not None
    assert (again.id, again.run_state, again.inserted) == (run.id, "finished", 2 * PART)
    assert database.get(NewsDayKey(day=again.uploaded_at.date())).inserted == 2 * PART
    with pytest.raises(NotFound, match=r"20\d{6}T"):
        news.lists.resume("20261115T000000Z-nobody")


def test_a_run_that_is_stopped_before_its_turn_never_begins(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    run = news.lists.accept(sent(3), source="s")
    news.loader.stop(run.id)
    assert news.background.load_next(NEVER) == news.reading.run(run.id)
    assert news.reading.run(run.id).run_state == "stopped"
    assert database.find(NewsKey(pk=pk_of(link(1)["url"]))) is None


def test_a_server_that_ends_leaves_the_rest_to_the_next(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    run, end = news.lists.accept(sent(3 * PART), source="s"), threading.Event()

    class Ending(threading.Event):
        looks = 0

        def is_set(self) -> bool:
            self.looks += 1
            if self.looks > 2:
                end.set()
            return end.is_set()

    left = news.background.load_next(Ending())
    assert left is not None
    assert (left.run_state, news.background.is_wanted()) == ("waiting", True)
    assert 0 < news.reading.run(run.id).inserted < 3 * PART
    assert loaded(news_on(database.backend, clock)).counts["inserted"] == 3 * PART


@pytest.mark.parametrize("after", [False, True])
def test_whoever_is_killed_is_taken_over_and_each_link_is_counted_once(
    database: Database, clock: SetClock, *, after: bool
) -> None:
    run = news_on(database.backend, clock).lists.accept(sent(PART + 1), source="s")
    for at in (0, 3, PART + 2, 2, 3, 4, 5):
        with suppress(RuntimeError):
            news_on(Killed(database.backend, at, after=after), clock).background.load_next(NEVER)
    assert loaded(news_on(database.backend, clock)).text
    whole = news_on(database.backend, clock).reading.run(run.id)
    assert (whole.run_state, whole.inserted, whole.total) == ("finished", PART + 1, PART + 1)
    assert database.get(NewsDayKey(day=whole.uploaded_at.date())).inserted == PART + 1


def test_a_list_that_breaks_off_says_why_and_is_not_tried_again(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    cut = json.dumps(links(PART + 100))[:-30].encode()
    run = news.lists.accept(BytesIO(cut), source="s", form="json")
    stopped = news.background.load_next(NEVER)
    assert stopped is not None
    assert (stopped.run_state, stopped.inserted) == ("stopped", PART)
    found = news.lists.find(run.id)
    assert found is not None
    assert (found.list_state, found.code) == ("left", "news.json-ends")
    assert news.background.is_wanted() is False


def test_a_list_that_comes_again_under_one_origin_has_one_run(database: Database, clock: SetClock) -> None:
    origin = Origin(datetime.fromtimestamp(int(clock.now), UTC), "abc123")
    killed = news_on(Killed(database.backend, 3, after=False), clock)
    with pytest.raises(RuntimeError, match="killed"):
        killed.lists.accept(sent(2), source="s", origin=origin)
    news = news_on(database.backend, clock)
    assert news.background.is_wanted() is False
    run = news.lists.accept(sent(2), source="s", origin=origin)
    assert run.id.endswith("abc123")
    assert [each.run for each in database.each(SentList.oldest())] == [run.id]


def test_lists_that_nobody_goes_on_with_are_forgotten(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    run = news.lists.accept(sent(3), source="s")
    news.loader.stop(run.id)
    news.background.load_next(NEVER)
    waits = news.lists.accept(sent(2), source="s")
    assert news.lists.delete_old() == 0
    clock.now += KEPT.total_seconds() + 1
    assert news.lists.delete_old() == 1
    assert [each.run for each in database.each(SentList.oldest())] == [waits.id]
    assert _pieces(database) == 1
    with pytest.raises(NotFound, match="no longer kept"):
        news.lists.resume(run.id)


def test_the_job_says_when_the_server_ended_too_early(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    news.lists.accept(sent(1), source="s")
    ended = threading.Event()
    ended.set()
    mark = jobs._ending.set(ended)
    try:
        with pytest.raises(Busy, match="The server ended"):
            loaded(news)
    finally:
        jobs._ending.reset(mark)
    assert loaded(news).counts["inserted"] == 1


@pytest.mark.parametrize("ending", [b"\x01", b"\x00\xd8"])
def test_half_a_character_at_the_end_ends_the_list(
    database: Database, clock: SetClock, ending: bytes
) -> None:
    text = "\ufefftitle,url\nA,https://a.example/77\n".encode("utf-16-le") + ending
    news = news_on(database.backend, clock)
    run = news.loader.load(read_links(ListText(BytesIO(text)), "csv"), source="s")
    assert (run.inserted, run.invalid) == (1, 1)


@pytest.mark.parametrize("tail", ["[" * 200_000, "1" * 10_000])
def test_a_run_whose_list_cannot_be_read_is_stopped(database: Database, clock: SetClock, tail: str) -> None:
    news = news_on(database.backend, clock)
    run = news.lists.accept(BytesIO(f"[{json.dumps(links(1)[0])},{tail}".encode()), source="s", form="json")
    news.background.load_next(NEVER)
    assert news.reading.run(run.id).run_state == "stopped"
    found = news.lists.find(run.id)
    assert found is not None
    assert found.list_state == "left"
    assert "recursion" not in str(found)
    assert "set_int_max" not in str(found)


def test_only_so_many_lists_wait(database: Database, clock: SetClock) -> None:
    news = news_on(database.backend, clock)
    for _ in range(MOST_WAITING):
        clock.now += 2
        run = news.lists.accept(sent(1), source="s")
    with pytest.raises(Overloaded, match="20 lists wait"):
        news.lists.accept(sent(1), source="s")
    found = news.lists.find(run.id)
    assert found is not None
    news.lists.leave(found)
    assert news.lists.accept(sent(1), source="s").run_state == "waiting"
