"""Exports under way: listed while they go on, whoever runs them, and stopped by an operator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.backends.chaos import Chaos, Faults
from hansang.design import Database
from hansang.errors import NotFound, RequestStopped, Unavailable
from hansang.parts import exports
from hansang.parts.exports import Exports
from hansang.parts.history import Actor
from tests.parts.conftest import SetClock

MINJI = Actor("person", "minji", "강민지")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line takes as long as it takes to be told of."""
    monkeypatch.setattr(exports, "PAUSE", 0.0)


@pytest.fixture
def here(database: Database, clock: SetClock) -> Exports:
    return Exports(database, clock)


@pytest.fixture
def elsewhere(database: Database, clock: SetClock) -> Exports:
    """The same in another process."""
    return Exports(database, clock)


def lines(count: int = 5) -> Iterator[bytes]:
    return (b"%d\n" % number for number in range(count))


@pytest.mark.usefixtures("slow")
def test_an_export_is_listed_while_it_goes_on(here: Exports, elsewhere: Exports, clock: SetClock) -> None:
    watched = here.watched(lines(), MINJI, "all.csv", heading_lines=1)
    began = int(clock.now)
    for _ in range(3):
        next(watched)
        clock.now += 2
    [found] = elsewhere.running()
    assert (found.what, found.who, found.shown_name, found.rows) == ("all.csv", "person:minji", "강민지", 2)
    assert (found.begun_at.timestamp(), found.told_at.timestamp()) == (began, began + 4)
    assert list(watched) == [b"3\n", b"4\n"]
    assert elsewhere.running() == []


def test_one_that_ends_at_once_is_written_nowhere(here: Exports, elsewhere: Exports) -> None:
    watched = here.watched(lines(), MINJI, "all.csv")
    next(watched)
    assert elsewhere.running() == []
    assert len(list(watched)) == 4


@pytest.mark.usefixtures("slow")
def test_one_that_is_stopped_ends_with_an_error_and_is_gone(here: Exports, elsewhere: Exports) -> None:
    watched, other = here.watched(lines(), MINJI, "all.csv"), here.watched(lines(), MINJI, "other.csv")
    next(watched)
    next(other)
    stopped = next(each for each in elsewhere.running() if each.what == "all.csv")
    assert elsewhere.stop(stopped.id).stop_asked_at is not None
    with pytest.raises(RequestStopped, match="stopped by an operator"):
        next(watched)
    assert [each.what for each in elsewhere.running()] == ["other.csv"]
    assert len(list(other)) == 4
    with pytest.raises(NotFound, match="may have ended"):
        elsewhere.stop(stopped.id)


@pytest.mark.usefixtures("slow")
def test_one_whose_reader_has_left_is_forgotten_after_a_while(
    here: Exports, elsewhere: Exports, clock: SetClock
) -> None:
    watched = here.watched(lines(), MINJI, "all.csv")
    next(watched)
    [left] = elsewhere.running()
    del watched
    clock.now += 59
    assert elsewhere.running() == [left]
    clock.now += 2
    assert elsewhere.running() == []
    with pytest.raises(NotFound):
        elsewhere.stop(left.id)


@pytest.mark.usefixtures("slow")
def test_one_that_fails_is_gone_too(here: Exports, elsewhere: Exports) -> None:
    def failing() -> Iterator[bytes]:
        yield b"1\n"
        raise Unavailable("The table is gone.")

    watched = here.watched(failing(), MINJI, "all.csv")
    next(watched)
    assert len(elsewhere.running()) == 1
    with pytest.raises(Unavailable):
        next(watched)
    assert elsewhere.running() == []


@pytest.mark.usefixtures("slow")
def test_one_that_cannot_be_told_of_goes_on(
    database: Database, clock: SetClock, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Database(Chaos(database.backend, Faults(throttled=1.0), seed=1), secret=b"for tests")
    assert len(list(Exports(failing, clock).watched(lines(), MINJI, "all.csv"))) == 5
    assert "could not be told of" in caplog.text
