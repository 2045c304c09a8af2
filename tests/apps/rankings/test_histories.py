"""What became of players: histories with ranks, names, milestones, movers, comparison, search, privacy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest

from hansang.apps.rankings.boards import BoardRow
from hansang.apps.rankings.design import BOARDS, Board, LevelRow, Profile, ProfileKey, Snapshot
from hansang.apps.rankings.rules import other_position, others_before, round_levels, round_powers
from hansang.apps.rankings.searching import NameList
from hansang.apps.rankings.service import Rankings
from hansang.design import Database, attr
from hansang.errors import InvalidInput, NotFound
from hansang.parts.hangul import has_initials, initials
from hansang.parts.ranks.reading import Standing
from tests.apps.rankings.imports import TABLES, import_day, player, rankings
from tests.apps.rankings.players import DAY, profile, uuid
from tests.apps.rankings.test_importing import day_of
from tests.clauses import clause
from tests.parts.ranks.boards import Died, Mortal
from tests.storing import opened

DAYS = [DAY - timedelta(days=back) for back in (3, 2, 0)]
"""The day before the last is missing."""


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(*TABLES) as db:
        yield db


@pytest.fixture
def app(db: Database) -> Rankings:
    """Three days of four players, of whom one joins late and one climbs."""
    import_day(db, [player(1, 48, 10), player(2, 40, 20), player(3, 30, 30)], DAYS[0])
    import_day(db, [player(1, 49, 11), player(2, 45, 20), player(3, 30, 40, name="새이름")], DAYS[1])
    last = [player(1, 49, 12), player(2, 101, 20), player(3, 30, 40, name="새이름"), player(4, 30, 5)]
    import_day(db, last, DAYS[2])
    return rankings(db)


# ── history ───────────────────────────────────────────────────────────────────────────────────────


@clause("5-16", "X5-10", "X5-26")
def test_a_history_has_a_rank_on_every_day_and_names_the_days_that_are_missing(app: Rankings) -> None:
    found = app.histories.history(uuid(2), DAYS[0], DAY)
    assert [each.snapshot.day for each in found.days] == DAYS[::-1]
    assert [each.ranks["level"].rank for each in found.days] == [1, 2, 2]
    assert [each.ranks["power"].rank for each in found.days] == [2, 2, 2]
    assert [each.ranks["level"].official for each in found.days] == [1, 2, 2]
    assert found.missing == []
    assert app.histories.history(uuid(4), DAYS[0], DAY).missing == DAYS[:2]


@clause("X5-12")
def test_a_day_that_is_not_finished_is_in_no_history(app: Rankings) -> None:
    app.finisher.reopen(DAYS[1])
    assert [each.snapshot.day for each in app.histories.history(uuid(1), DAYS[0], DAY).days] == [DAY, DAYS[0]]


@pytest.mark.parametrize("since", [DAY + timedelta(days=1), DAY - timedelta(days=400)])
def test_a_span_that_is_empty_or_too_long_is_refused(app: Rankings, since: date) -> None:
    with pytest.raises(InvalidInput, match="at most 400 days"):
        app.histories.history(uuid(1), since, DAY)


@clause("X5-22", "X5-23", "5-04")
def test_the_names_of_a_player_come_from_the_snapshots(db: Database, app: Rankings) -> None:
    db.put(profile(3, "오늘의이름"))
    assert [(each.name, each.since, each.until) for each in app.histories.names(uuid(3))] == [
        ("새이름", DAYS[1], DAYS[2]),
        ("한월3", DAYS[0], DAYS[0]),
    ]
    assert app.profiles.get(uuid(3)).name == "오늘의이름"


@clause("X5-12", "X5-22")
def test_a_name_of_a_day_that_is_not_finished_is_not_told() -> None:
    with opened(*TABLES) as db:
        app = rankings(db)
        for day, name in ((DAYS[0], "처음"), (DAYS[1], "반쪽"), (DAYS[2], "나중")):
            app.parts.add(day, [player(1) | {"name": name}])
        for day in (DAYS[0], DAYS[2]):
            app.finisher.finish(day)
        later = DAYS[2] + timedelta(days=1)
        app.parts.add(later, [player(1) | {"name": "아직"}])
        assert [each.name for each in app.histories.names(uuid(1))] == ["나중", "처음"]


def test_milestones_are_the_first_time_round_levels_and_the_best_rank(app: Rankings) -> None:
    found = [
        (each.day, each.kind, each.board, each.value)
        for each in app.histories.milestones(uuid(2), DAYS[0], DAY)
    ]
    assert found == [
        (DAY, "level", "level", 50),
        (DAY, "level", "level", 100),
        (DAY, "best", "level", 1),
        (DAYS[0], "official", "power", 2),
        (DAYS[0], "official", "level", 2),
        (DAYS[0], "best", "power", 2),
    ]


@pytest.mark.parametrize(("before", "after", "reached"), [(48, 101, [50, 100]), (50, 99, []), (0, 50, [50])])
def test_round_levels_are_those_that_were_passed(before: int, after: int, reached: list[int]) -> None:
    assert round_levels(before, after) == reached


@pytest.mark.parametrize(
    ("before", "after", "reached"),
    [(9_000, 12_000, [10_000]), (12_000, 19_999, []), (290_000, 305_000, [300_000]), (80, 95, [])],
)
def test_round_powers_are_a_digit_and_zeros(before: int, after: int, reached: list[int]) -> None:
    assert round_powers(before, after) == reached


def test_the_biggest_climb_is_a_milestone_if_it_is_worth_it(db: Database) -> None:
    import_day(db, [player(number, number, number) for number in range(1, 11)], DAYS[0])
    import_day(db, [*(player(number, number, number) for number in range(2, 11)), player(1, 8, 1)], DAYS[1])
    climbs = [
        each for each in rankings(db).histories.milestones(uuid(1), DAYS[0], DAY) if each.kind == "climb"
    ]
    assert [(each.day, each.board, each.value) for each in climbs] == [(DAYS[1], "level", 7)]


def test_up_to_five_players_are_compared(app: Rankings) -> None:
    found = app.histories.compare([uuid(1), uuid(2), uuid(1)], DAYS[0], DAY)
    assert list(found) == [uuid(1), uuid(2)]
    with pytest.raises(InvalidInput, match="1 to 5"):
        app.histories.compare([str(each) for each in range(6)], DAYS[0], DAY)


# ── movers ────────────────────────────────────────────────────────────────────────────────────────


@clause("X5-25", "X5-26")
def test_movers_are_those_since_the_last_finished_day_a_period_ago(app: Rankings) -> None:
    found = app.histories.movers("level", "day")
    assert found.against is not None
    assert found.against.day == DAYS[1]
    assert [(each.row.uuid, each.climbed, each.grown) for each in found.climbed] == [(uuid(2), 1, 56)]
    assert [each.row.uuid for each in found.fallen] == [uuid(1)]
    assert [each.row.uuid for each in found.grown] == [uuid(2)]
    assert [row.uuid for row in found.new] == [uuid(4)]
    assert app.histories.movers("level", "month").against is None


@clause("X5-25")
def test_the_moves_of_a_page_cost_one_read_a_player_and_the_tree(db: Database, app: Rankings) -> None:
    rows = app.reading.page("level").items
    before = app.days.before(app.days.finished())
    assert before is not None
    with db.meter() as cost:
        moves = app.histories.moves("level", rows, before)
    before_by_player = {each.row.uuid: each.rank_before for each in moves}
    assert before_by_player == {uuid(1): 1, uuid(2): 2, uuid(3): 3, uuid(4): None}
    assert cost.patterns["batch_get"].read == 2.0


# ── names ─────────────────────────────────────────────────────────────────────────────────────────


@clause("5-19", "X5-04", "X5-17")
def test_a_lookup_has_every_candidate_with_the_present_name_and_the_last_day(
    db: Database, app: Rankings
) -> None:
    for number, name in ((1, "LUNA"), (2, "Luna"), (9, "luna")):
        db.put(profile(number, name))
    found = app.profiles.lookup("Luna")
    assert [(each.profile.uuid, each.profile.name, each.last_day) for each in found] == [
        (uuid(2), "Luna", DAY),
        (uuid(1), "LUNA", DAY),
        (uuid(9), "luna", None),
    ]


@clause("X5-04")
def test_a_name_that_was_given_up_is_not_found_although_the_index_still_has_it(db: Database) -> None:
    db.put(profile(1, "Old"))
    stale = db.backend.call("GetItem", {"TableName": "Hanwol_Bot_DEV_Single_Table", "Key": _key(1)})["Item"]
    db.update(ProfileKey(uuid=uuid(1)), attr(Profile.name).set("New"))
    # The item that a stale index would still answer with: the old Name_Lower beside the new Name.
    stale["Name"] = {"S": "New"}
    db.backend.call("PutItem", {"TableName": "Hanwol_Bot_DEV_Single_Table", "Item": stale})
    assert rankings(db).profiles.lookup("old") == []


def _key(number: int) -> dict[str, Any]:
    return {"PK": {"S": f"USER#{uuid(number)}"}, "SK": {"S": "METADATA"}}


@clause("5-03", "5-04", "X5-24")
def test_a_rename_touches_the_profile_alone(db: Database, app: Rankings) -> None:
    app.profiles.put(uuid(1), "Hello", 5, 6)
    with db.meter() as cost:
        assert app.profiles.rename(uuid(1), "Bye").name == "Bye"
    assert cost.write == 3.0
    assert [each.profile.uuid for each in app.profiles.lookup("bye")] == [uuid(1)]
    assert {each.name for each in db.all(Snapshot.history(uuid(1)))} == {"한월1"}
    with pytest.raises(NotFound, match="Player nobody"):
        app.profiles.rename("nobody", "x")


# ── search ────────────────────────────────────────────────────────────────────────────────────────

NAMES = ["호떡6501", "호두", "빨간호떡", "Hotteok", "까치", "말\n썽", "감사", "ㄳㄳ"]


@clause("X5-20")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ㅎㄸ", ["호떡6501", "빨간호떡"]),
        ("호", ["호떡6501", "호두", "빨간호떡"]),
        ("떡65", ["호떡6501"]),
        ("HOT", ["Hotteok"]),
        ("ㄲㅊ", ["까치"]),
        ("ㅃㄱㅎ", ["빨간호떡"]),
        ("ㅎㄸ65", ["호떡6501"]),
        ("ㅎ떡", ["호떡6501", "빨간호떡"]),
        ("호ㄷ", ["호두"]),
        ("ㅃ호", []),
        ("없음", []),
        (" ", []),
        ("ㄳ", ["감사", "ㄳㄳ"]),
    ],
)
def test_names_are_found_by_a_part_and_by_initials(text: str, found: list[str]) -> None:
    names = NameList(BoardRow(f"u{place}", name, 9 - place) for place, name in enumerate(NAMES))
    assert [each.name for each in names.search(text)] == found
    assert len(names) == len(NAMES)


@clause("X5-20")
def test_the_search_is_in_the_last_finished_day(db: Database, app: Rankings) -> None:
    day, found = app.search.search("새이")
    assert (day.day, [each.uuid for each in found]) == (DAY, [uuid(3)])
    app.privacy.erase(uuid(3))
    assert app.search.search("새이")[1] == []


def test_initials_are_those_of_syllables_alone() -> None:
    assert initials("호떡 a1") == "ㅎㄸ a1"
    assert [has_initials(each) for each in ("ㅎㄸ", "호ㄸ", "호떡", "ab")] == [True, True, False, False]


# ── privacy ───────────────────────────────────────────────────────────────────────────────────────


def tied(count: int) -> list[dict[str, Any]]:
    return [player(number, 7 if number <= 260 else 3, number % 5) for number in range(1, count + 1)]


@clause("X5-30")
@pytest.mark.parametrize("number", [1, 130, 290])
def test_an_erased_player_is_as_if_there_had_never_been_one(db: Database, number: int) -> None:
    players = tied(300)
    # Ranks as delivered, since computed ones would go to the next of many equals.
    for rank, each in enumerate(players[100:140], 1):
        each |= {"level_rank": rank, "power_rank": rank}
    import_day(db, players)
    db.put(profile(number))
    assert rankings(db).privacy.erase(uuid(number)) == 1
    app = rankings(db)
    pages = [row.uuid for page in range(6) for row in app.reading.page("level", DAY, page, 53).items]
    assert pages == [row.uuid for row in db.all(LevelRow.ranking(DAY))]
    with opened(*TABLES) as other:
        import_day(other, [each for each in players if each["uuid"] != uuid(number)])
        assert day_of(db) == day_of(other)
    assert db.find(ProfileKey(uuid=uuid(number))) is None
    with pytest.raises(NotFound):
        app.privacy.erase(uuid(number))


@clause("X5-30")
@pytest.mark.parametrize("seed", range(3))
def test_an_erasure_that_was_broken_off_goes_on(db: Database, seed: int) -> None:
    chance = Random(seed)
    import_day(db, tied(280))
    import_day(db, tied(270), DAYS[1])
    for _ in range(4):
        with suppress(Died):
            rankings(Database(Mortal(db.backend, chance.randrange(60)))).privacy.erase(uuid(5))
            break
    rankings(db).privacy.go_on()
    with suppress(NotFound):
        rankings(db).privacy.erase(uuid(5))
    with opened(*TABLES) as other:
        import_day(other, tied(280))
        import_day(other, tied(270), DAYS[1])
        rankings(other).privacy.erase(uuid(5))
        assert [day_of(db, day) for day in (DAY, DAYS[1])] == [day_of(other, day) for day in (DAY, DAYS[1])]


@clause("X5-30")
def test_what_a_process_has_kept_of_a_day_is_never_older_than_the_day(db: Database) -> None:
    import_day(db, [player(number, 50 - number, number % 7) for number in range(1, 36)])
    watching = rankings(db)
    for number in range(1, 31, 2):
        with suppress(Died):
            rankings(Database(Mortal(db.backend, number))).privacy.erase(uuid(number))
        standings(watching)
        with suppress(NotFound):
            rankings(db).privacy.erase(uuid(number))
        assert standings(watching) == standings(rankings(db)), number
    assert standings(watching)["level"][0].total == 20


def standings(app: Rankings) -> dict[Board, list[Standing]]:
    """How every score stands, and that none was read of a node that is gone."""
    day = app.days.finished(DAY)
    return {board: [app.trees.standing(board, day, score) for score in range(51)] for board in BOARDS}


@clause("X5-30")
def test_a_hidden_player_is_known_as_such_until_shown_again(app: Rankings) -> None:
    app.privacy.hide(uuid(1))
    assert app.privacy.is_hidden(uuid(1))
    app.privacy.show(uuid(1))
    assert not app.privacy.is_hidden(uuid(1))


@pytest.mark.parametrize(
    ("officials", "place", "position"), [([], 4, 4), ([0, 1, 5], 0, 2), ([0, 1, 5], 3, 6)]
)
def test_a_place_among_the_others_is_a_position_among_everyone(
    officials: list[int], place: int, position: int
) -> None:
    assert other_position(place, officials) == position
    assert others_before(position, officials) == place
