"""Topics: the newest message, for every process on the same tables."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hansang.apps.platform.design import Platform
from hansang.backends.embedded import Embedded
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import InvalidInput
from hansang.parts.topics import (
    KEPT,
    LARGEST_MESSAGE,
    REMEMBERED,
    TopicMessage,
    TopicMessageKey,
    Topics,
    area_of,
    is_topic,
    unheard,
)
from tests.parts.conftest import SetClock
from tests.parts.faults import at_once
from tests.spoiling import spoil

TOPIC = "news.run.1"


class Later:
    """Keeps what is to be done later until a test lets it be done."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._work: list[Callable[[], None]] = []

    def __call__(self, seconds: float, work: Callable[[], None]) -> None:
        self.waits.append(seconds)
        self._work.append(work)

    def arrive(self) -> None:
        work, self._work = self._work, []
        for each in work:
            each()


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def recording(database: Database) -> Recording:
    return Recording(database.backend)


@pytest.fixture
def topics(recording: Recording, clock: SetClock, later: Later) -> Topics:
    return Topics(Database(recording), clock, timer=clock, later=later)


def writes(recording: Recording) -> int:
    return sum(each.operation == "PutItem" for each in recording.calls)


def test_the_newest_message_is_found(topics: Topics, clock: SetClock) -> None:
    topics.publish(TOPIC, {"lines": 1, "말": "한글"})
    assert topics.find(TOPIC) == {"lines": 1, "말": "한글"}
    clock.advance(2)
    topics.publish(TOPIC, {"lines": 2})
    assert topics.find(TOPIC) == {"lines": 2}
    assert topics.find("news.run.2") is None


def test_every_message_has_another_version(topics: Topics, clock: SetClock) -> None:
    topics.publish(TOPIC, {"lines": 1})
    first = topics.newest([TOPIC])[TOPIC].version
    clock.advance(2)
    topics.publish(TOPIC, {"lines": 1})
    assert topics.newest([TOPIC, TOPIC])[TOPIC].version != first


def test_a_topic_is_written_once_a_second_with_what_came_last(
    topics: Topics, clock: SetClock, later: Later, recording: Recording
) -> None:
    for number in range(100):
        topics.publish(TOPIC, {"lines": number})
        clock.advance(0.005)
    assert writes(recording) == 1
    assert topics.find(TOPIC) == {"lines": 0}
    assert later.waits == [pytest.approx(0.995)]
    later.arrive()
    assert writes(recording) == 2
    assert topics.find(TOPIC) == {"lines": 99}


def test_topics_do_not_wait_for_each_other(topics: Topics, later: Later) -> None:
    topics.publish(TOPIC, {"lines": 1})
    topics.publish("news.run.2", {"lines": 2})
    assert later.waits == []
    assert {name: each.message for name, each in topics.newest([TOPIC, "news.run.2"]).items()} == {
        TOPIC: {"lines": 1},
        "news.run.2": {"lines": 2},
    }


def test_the_last_message_does_not_wait_and_nothing_older_follows_it(topics: Topics, later: Later) -> None:
    topics.publish(TOPIC, {"lines": 1})
    topics.publish(TOPIC, {"lines": 2})
    topics.publish(TOPIC, {"state": "finished"}, at_once=True)
    assert topics.find(TOPIC) == {"state": "finished"}
    later.arrive()
    assert topics.find(TOPIC) == {"state": "finished"}


def test_what_waits_is_written_at_the_end(topics: Topics, later: Later, recording: Recording) -> None:
    topics.publish(TOPIC, {"lines": 1})
    topics.publish(TOPIC, {"lines": 2})
    topics.flush()
    assert topics.find(TOPIC) == {"lines": 2}
    later.arrive()
    assert writes(recording) == 2


def test_many_threads_leave_the_message_of_one_of_them(topics: Topics, later: Later) -> None:
    assert not [each for each in at_once(8, lambda number: topics.publish(TOPIC, {"n": number})) if each]
    later.arrive()
    found = topics.find(TOPIC)
    assert found is not None
    assert found["n"] in range(8)


def test_a_message_is_not_told_for_ever(topics: Topics, clock: SetClock, database: Database) -> None:
    topics.publish(TOPIC, {"lines": 1})
    clock.advance(KEPT.total_seconds() - 1)
    assert topics.find(TOPIC) == {"lines": 1}
    clock.advance(1)
    assert topics.find(TOPIC) is None
    assert database.get(TopicMessageKey(topic=TOPIC)).expires_at is not None


def test_a_message_that_cannot_be_read_is_none(topics: Topics, database: Database) -> None:
    topics.publish(TOPIC, {"lines": 1})
    spoil(database, database.get(TopicMessageKey(topic=TOPIC)), published_at={"S": "soon"})
    assert topics.find(TOPIC) is None


def test_a_process_remembers_only_so_many_topics(topics: Topics) -> None:
    for number in range(REMEMBERED + 10):
        topics.publish(f"news.run.{number}", {})
    assert len(topics._written_at) == REMEMBERED


def test_work_goes_on_when_nothing_can_be_published(
    clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    with Embedded.open(":memory:") as backend:
        Topics(Database(backend), clock).publish(TOPIC, {"lines": 1})
    assert "A message to news.run.1 was not published" in caplog.text


def test_this_process_hears_at_once_what_it_has_written(topics: Topics, later: Later) -> None:
    heard: list[TopicMessage] = []
    topics.listen(heard.append)
    topics.publish(TOPIC, {"lines": 1})
    topics.publish(TOPIC, {"lines": 2})
    assert [each.message for each in heard] == [{"lines": 1}]
    later.arrive()
    topics.unlisten(heard.append)
    topics.publish(TOPIC, {"lines": 3}, at_once=True)
    assert [each.message for each in heard] == [{"lines": 1}, {"lines": 2}]


def test_another_process_on_the_same_file_is_heard(tmp_path: Path, clock: SetClock) -> None:
    data = tmp_path / "shop.db"
    program = (
        "import sys\n"
        "from hansang.backends.embedded import Embedded\n"
        "from hansang.clock import system_clock\n"
        "from hansang.design import Database\n"
        "from hansang.parts.topics import Topics\n"
        "with Embedded.open(sys.argv[1]) as backend:\n"
        "    Topics(Database(backend), system_clock).publish('news.run.1', {'from': 'elsewhere'})\n"
    )
    with Embedded.open(str(data)) as backend:
        database = Database(backend)
        database.create_tables(Platform)
        mine = Topics(database, lambda: 0.0)
        subprocess.run([sys.executable, "-c", program, str(data)], check=True)
        assert mine.find(TOPIC) == {"from": "elsewhere"}


def test_two_databases_on_the_same_tables_see_each_other(database: Database, clock: SetClock) -> None:
    one, other = Topics(database, clock), Topics(Database(database.backend), clock)
    one.publish(TOPIC, {"from": "one"}, at_once=True)
    assert other.find(TOPIC) == {"from": "one"}
    other.publish(TOPIC, {"from": "other"}, at_once=True)
    assert one.find(TOPIC) == {"from": "other"}


@pytest.mark.parametrize("text", ["news.run.1", "platform.job.news-check", "my_app.a.b.c.D-1"])
def test_a_topic_begins_with_its_area(text: str) -> None:
    assert is_topic(text)
    assert area_of(text) == text.partition(".")[0]


@pytest.mark.parametrize(
    "text", ["", "news", "news.", ".run", "News.run", "news.run.#1", "news.run 1", "*.run"]
)
def test_what_is_no_topic_is_refused(topics: Topics, text: str) -> None:
    assert not is_topic(text)
    with pytest.raises(InvalidInput, match="is not a valid topic"):
        topics.publish(text, {})


def test_a_large_message_is_refused_with_the_way_out(topics: Topics) -> None:
    with pytest.raises(InvalidInput, match=r"at most 4,096 bytes.*let its reader ask for the rest"):
        topics.publish(TOPIC, {"text": "x" * LARGEST_MESSAGE})


def test_nobody_hears_what_is_published_to_nobody() -> None:
    message: dict[str, Any] = {"lines": 1}
    unheard("not even a topic", message, at_once=True)
