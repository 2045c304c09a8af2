"""Chance that repeats, names that do not, and storing that tells how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from hansang.apps.leaderboards.design import FriendsLeaderboard, UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.rules import week_of
from hansang.errors import NoSuchTable
from hansang.parts.sampling import in_seoul, moment_between, nicknames, people, repeatable, store, texts
from tests.storing import opened

NOON = datetime(2026, 10, 23, 3, 0, 0, 999_999, tzinfo=UTC)


def test_chance_repeats_and_differs_by_its_seed() -> None:
    first, again, other = (repeatable(seed).getrandbits(64) for seed in ("a", "a", "b"))
    assert first == again != other


def test_a_moment_is_shown_as_in_seoul_to_the_second() -> None:
    assert in_seoul(NOON).isoformat() == "2026-10-23T12:00:00+09:00"


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        in_seoul(NOON.replace(tzinfo=None))


def test_a_moment_between_may_be_either_end() -> None:
    chance, last = repeatable("ends"), NOON + timedelta(seconds=2)
    found = {moment_between(chance, NOON, last) for _ in range(100)}
    assert found == {NOON, NOON + timedelta(seconds=1), last}


def test_nicknames_are_each_there_once() -> None:
    names = nicknames(repeatable("names"), 2304)
    assert len(set(names)) == 2304


def test_more_nicknames_than_there_are_cannot_be_had() -> None:
    with pytest.raises(ValueError, match="There are 2304 nicknames, and 2305 were asked for"):
        nicknames(repeatable("names"), 2305)


def test_people_have_a_family_name_and_two_syllables() -> None:
    assert {len(name) for name in islice(people(repeatable("people")), 200)} == {3}


def test_the_texts_of_a_sample_come_from_its_file() -> None:
    assert texts("assets")["codes"]["NAME"] == ["서연", "준호"]


def test_storing_takes_entities_as_they_come_and_tells_how_far_it_is() -> None:
    week, made = week_of(NOON.date()), 0
    said: list[tuple[int, int]] = []

    def players() -> Iterator[WeeklyBest]:
        nonlocal made
        for made in range(1, 601):
            yield WeeklyBest(id=made, start=week.start, end=week.end, name="A", top_score=made)

    with opened(UsersLeaderboard) as db:
        store(db, players(), lambda count: said.append((count, made)))
        assert db.count(WeeklyBest.overall(*week.days)) == 600
    assert said == [(400, 400), (200, 600)]


def test_what_cannot_be_stored_is_said_and_ends_the_storing() -> None:
    week = week_of(NOON.date())
    best = WeeklyBest(id=1, start=week.start, end=week.end, name="A", top_score=1)
    said: list[int] = []
    with opened(FriendsLeaderboard) as db, pytest.raises(NoSuchTable):
        store(db, [best], said.append)
    assert said == []
