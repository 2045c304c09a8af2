"""How often something may be tried."""

from __future__ import annotations

import pytest

from hansang.apps.platform.throttle import GrowingDelay, Throttle, Tries, TriesKey
from hansang.apps.platform.tokens import digest
from hansang.design import Database
from hansang.errors import LockedOut
from tests.apps.platform.signing_in import at_once
from tests.parts.conftest import SetClock


@pytest.fixture
def throttle(database: Database, clock: SetClock) -> Throttle:
    return Throttle(database, clock, "name", 3, 60)


def test_the_try_after_the_last_says_how_long_to_wait(throttle: Throttle, clock: SetClock) -> None:
    for _ in range(3):
        throttle.take("a")
        clock.advance(10)
    with pytest.raises(LockedOut, match="Try again in 1 minute") as e:
        throttle.take("a")
    assert e.value.retry_after == pytest.approx(30)


def test_a_try_counts_until_its_window_has_passed(throttle: Throttle, clock: SetClock) -> None:
    for _ in range(3):
        throttle.take("a")
        clock.advance(10)
    clock.advance(30.5)
    throttle.take("a")
    with pytest.raises(LockedOut) as e:
        throttle.take("a")
    assert e.value.retry_after == pytest.approx(9.5)


def test_a_refused_try_does_not_lengthen_the_wait(throttle: Throttle, clock: SetClock) -> None:
    for _ in range(3):
        throttle.take("a")
    clock.advance(59)
    with pytest.raises(LockedOut):
        throttle.take("a")
    clock.advance(1.5)
    throttle.take("a")


def test_subjects_and_kinds_are_counted_apart(
    throttle: Throttle, database: Database, clock: SetClock
) -> None:
    for _ in range(3):
        throttle.take("a")
    throttle.take("b")
    Throttle(database, clock, "origin", 3, 60).take("a")


def test_many_at_the_same_time_are_no_more_than_the_limit(database: Database, clock: SetClock) -> None:
    throttle = Throttle(database, clock, "origin", 5, 60)
    done = at_once(16, lambda _: throttle.take("192.0.2.1"))
    assert len([each for each in done if isinstance(each, int)]) == 5
    assert len([each for each in done if isinstance(each, LockedOut)]) == 11


def test_what_is_cleared_or_given_back_does_not_count(throttle: Throttle) -> None:
    taken = [throttle.take("a") for _ in range(3)]
    throttle.give_back("a", taken[0])
    throttle.take("a")
    with pytest.raises(LockedOut):
        throttle.take("a")
    throttle.clear("a")
    throttle.take("a")


def test_giving_back_what_is_gone_does_nothing(throttle: Throttle, database: Database) -> None:
    throttle.give_back("a", 1)
    taken = throttle.take("a")
    throttle.give_back("a", taken + 1)
    assert database.get(TriesKey(kind="name", subject=digest("a"))).times == [taken]


def test_the_tries_expire_from_the_table_after_their_window(
    throttle: Throttle, database: Database, clock: SetClock
) -> None:
    throttle.take("a")
    kept: Tries = database.get(TriesKey(kind="name", subject=digest("a")))
    assert 60 <= kept.expires_at.timestamp() - clock.now <= 61


def test_any_text_can_be_a_subject(throttle: Throttle) -> None:
    for subject in ("", "a#b", "\ud800", "가" * 5000):
        throttle.take(subject)


# ── a delay that grows ────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def delay(database: Database, clock: SetClock) -> GrowingDelay:
    return GrowingDelay(database, clock, "name", 3, 600, first=2, longest=16)


def waited(delay: GrowingDelay) -> float:
    with pytest.raises(LockedOut) as e:
        delay.take("a")
    return e.value.retry_after


def test_the_delay_doubles_up_to_the_longest(delay: GrowingDelay, clock: SetClock) -> None:
    for _ in range(3):
        delay.take("a")
    seconds = []
    for _ in range(6):
        seconds.append(waited(delay))
        clock.advance(seconds[-1])
        delay.take("a")
    assert seconds == [2, 4, 8, 16, 16, 16]


def test_an_attempt_that_came_too_early_does_not_lengthen_the_delay(
    delay: GrowingDelay, clock: SetClock
) -> None:
    for _ in range(3):
        delay.take("a")
    clock.advance(1)
    assert [waited(delay) for _ in range(5)] == [1] * 5


def test_a_quiet_window_forgets_the_delay(delay: GrowingDelay, clock: SetClock) -> None:
    for _ in range(3):
        delay.take("a")
    clock.advance(601)
    for _ in range(3):
        delay.take("a")


def test_what_is_kept_of_many_tries_stays_small(
    delay: GrowingDelay, database: Database, clock: SetClock
) -> None:
    for _ in range(40):
        delay.take("a")
        clock.advance(16)
    assert len(database.get(TriesKey(kind="name", subject=digest("a"))).times) < 10
