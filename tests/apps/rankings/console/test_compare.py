"""Players side by side: slots that keep their colours, courses, the best of each figure, and days ahead."""

from __future__ import annotations

from hansang.apps.rankings.console.links import slots_in, with_player
from tests.apps.rankings.console.club import HIDDEN, Club, courses
from tests.apps.rankings.players import uuid
from tests.clauses import clause

PATH = "/rankings/compare"


def asked(*numbers: int, more: str = "") -> str:
    return f"{PATH}?uuids={','.join(uuid(each) for each in numbers)}{more}"


def test_two_players_are_compared_by_rank_and_by_score(club: Club) -> None:
    page = club.get(asked(100, 101))
    course = courses(page)["compare"]
    assert [(each["name"], each["color"]) for each in course["series"]] == [
        ("한월100", "blue"),
        ("한월101", "coral"),
    ]
    assert [each["values"] for each in course["series"]] == [
        [100, 100, None, 100, 101],
        [101, 101, None, 101, 100],
    ]
    assert course["gaps"] == [2]
    assert "Nobody has data on 19 Feb" in page.shown
    power = courses(club.get(asked(100, 101, more="&view=power")))["compare"]["series"]
    assert [each["values"][-1] for each in power] == [100_003_000, 100_503_000]


def test_the_best_is_marked_with_a_word_and_days_ahead_are_counted(club: Club) -> None:
    said = club.sees(asked(100, 101))
    assert "#100 best" in said
    assert "3 days" in said
    assert "1 day " in said


def test_a_colour_stays_when_another_player_leaves(club: Club) -> None:
    page = club.get(asked(1, 2, 3))
    without = f"{PATH}?uuids={uuid(1)},,{uuid(3)}"
    assert without in page.links
    left = courses(club.get(without))["compare"]["series"]
    assert [(each["name"], each["color"]) for each in left] == [("한월1", "blue"), ("한월3", "teal")]


def test_a_name_is_added_in_the_first_free_slot(club: Club) -> None:
    answer = club.get(f"{PATH}?uuids={uuid(1)},,{uuid(3)}&view=power&add=한월9")
    assert answer.location == f"{PATH}?uuids={uuid(1)},{uuid(9)},{uuid(3)}&view=power"
    unknown = club.get(asked(1, more="&add=nobody"))
    assert "No player called nobody" in club.sees(unknown.location)


def test_the_days_of_each_can_begin_together(club: Club) -> None:
    course = courses(club.get(asked(1, 2, more="&align=first")))["compare"]
    assert course["labels"] == ["1", "2", "3", "4", "5"]
    assert course["full"][0] == "Day 1"


@clause("X5-30")
def test_fewer_than_two_are_an_invitation_and_a_hidden_one_does_not_count(club: Club) -> None:
    for path in (PATH, asked(1), asked(1, HIDDEN)):
        page = club.get(path)
        assert "Add at least two players" in page.shown
        assert courses(page) == {}


def test_the_next_player_is_added_to_the_last_comparison(club: Club) -> None:
    browser = club.browse("viewer en")
    browser.get(asked(1, 2))
    assert (
        f"{PATH}?uuids={uuid(1)},{uuid(2)},{uuid(30)}" in browser.get(f"/rankings/players/{uuid(30)}").links
    )


def test_slots_are_five_and_each_player_has_one() -> None:
    assert slots_in("a,,a,b,") == ["a", "", "", "b"]
    assert slots_in("1,2,3,4,5,6") == ["1", "2", "3", "4", "5"]
    assert slots_in("<b>,ok") == ["", "ok"]
    assert with_player(["a", "", "b"], "c") == ["a", "c", "b"]
    assert with_player(["a", "b"], "b") == ["a", "b"]
    assert with_player(["1", "2", "3", "4", "5"], "6") == ["1", "2", "3", "4", "6"]
