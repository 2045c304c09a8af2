"""The pages of a game with two boards: each shows one of them, and every way from it stays there."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.table_names import copied
from hansang.surfaces.console.today import TodayBoard
from hansang.surfaces.shell import Shell
from tests.apps.leaderboards.console.conftest import play
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.http.framing import framing
from tests.surfaces.shells import SetClock

SETTINGS = LeaderboardsSettings(boards=("classic", "speed"))
PATHS = (
    "/leaderboards",
    "/leaderboards/weeks",
    "/leaderboards/operate",
    "/leaderboards/close",
    "/leaderboards/players/7",
    "/leaderboards/players/7/friends",
    "/leaderboards/players/7/operate",
)
STAYS = ("/leaderboards?", "/leaderboards/", "/api/leaderboards")
"""How addresses of these pages begin; the bare one is in the menu of the console, and leads to the first board."""


@pytest.fixture
def modes(shell: Shell, clock: SetClock) -> GameBoards:
    """Player 1 has played the first board, and player 7 the other."""
    shell.chosen["leaderboards"] = SETTINGS  # type: ignore[index]
    names = copied("speed", APPLICATION.tables, shell.database.name)
    shell.database.renamed(names).create_tables(*APPLICATION.tables)
    found = GameBoards(shell.database, clock, SETTINGS)
    play(found.open(), 1, 900)
    play(found.open("speed"), 7, 800)
    for boards in found.each():
        boards.settle()
    return found


def test_every_way_of_a_page_stays_on_its_board(modes: GameBoards, visitor: Visitor) -> None:
    owner, left = visitor("owner", "en"), {}
    for path in PATHS:
        page = owner.get(f"{path}?board=speed").text
        ways = map(unescape, re.findall(r'(?:href|action)="([^"]*)"', page))
        switch = re.search(
            r'<nav class="seg switch-boards" aria-label="(?:순위판|Boards)">.*?</nav>', page, re.S
        )
        switched = "" if switch is None else unescape(switch[0])
        assert ">speed</a>" in switched or "· speed" in page, f"{path} does not say its board"
        kept = [each for each in ways if each.startswith(STAYS) and each not in switched]
        left[path] = [each for each in kept if "board=speed" not in each and not is_form(page, each)]
        assert re.search(r"/leaderboards(/operate)?\?board=speed", page), (
            "tabs or crumbs lead to the week of the board"
        )
    assert left == {path: [] for path in PATHS}


def is_form(page: str, address: str) -> bool:
    """Whether the address is that of a form that says its board itself."""
    return f'action="{address}"' in page and '<input type="hidden" name="board" value="speed">' in page


def test_the_switch_leads_to_the_same_page_of_the_other_board(modes: GameBoards, visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    assert "Player1" in owner.get("/leaderboards").text
    speed = owner.get("/leaderboards?board=speed").text
    assert ("Player7" in speed, "Player1" in speed) == (True, False)
    assert owner.get("/leaderboards?board=blitz").status == 404
    # Player 7 has no page on the first board: the way leads to its week.
    assert 'href="/leaderboards?"' in owner.get("/leaderboards/players/7?board=speed").text


def test_what_an_operator_does_stays_on_the_board(modes: GameBoards, visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    owner.get("/leaderboards/operate?board=speed")
    owner.send("/leaderboards/players/7/hide?board=speed", reason="test", period="ever")
    page = owner.follow().text
    assert modes.open("speed").players.get(7).is_hidden
    undo = re.search(r'action="(/leaderboards/operate/undo/[^"]*\?board=speed)"', page)
    assert undo is not None, "it leads back to the page of the same board"
    assert undo[1].partition("?")[0] not in owner.get("/leaderboards/operate").text
    owner.send(undo[1])
    assert not modes.open("speed").players.get(7).is_hidden


def test_the_home_page_shows_who_leads_each_board(modes: GameBoards, visitor: Visitor) -> None:
    for language, about in (("en", "Leaders of 2 boards this week"), ("ko", "순위판 2개의 이번 주 1위")):
        page = visitor("owner", language).get("/")
        assert about in page.shown
        ways = re.findall(r'href="(/leaderboards[^"]*)">(classic|speed) · (Player\d)', page.text)
        assert ways == [
            ("/leaderboards", "classic", "Player1"),
            ("/leaderboards?board=speed", "speed", "Player7"),
        ]


def test_the_home_page_says_how_many_boards_there_are_beyond_its_lines(
    modes: GameBoards, shell: Shell, clock: SetClock
) -> None:
    many = replace(SETTINGS, boards=("classic", "speed", *(f"mode-{number}" for number in range(18))))
    for name in many.boards[2:]:
        shell.database.renamed(copied(name, APPLICATION.tables, shell.database.name)).create_tables(
            *APPLICATION.tables
        )
    shell.chosen["leaderboards"] = many  # type: ignore[index]
    found = TodayBoard(shell).of(APPLICATION).today
    assert found is not None, "the reads of the home page are enough for every board"
    assert ([each.value for each in found.figures], len(found.lines)) == ([20], 2)


def test_the_home_page_begins_weeks_on_the_day_of_the_settings(shell: Shell, clock: SetClock) -> None:
    settings = LeaderboardsSettings(first_day="MON", zone="America/New_York")
    shell.chosen["leaderboards"] = settings  # type: ignore[index]
    boards = GameBoards(shell.database, clock, settings).open()
    play(boards, 1, 900)
    found = TodayBoard(shell).of(APPLICATION).today
    assert found is not None
    assert [each.name for each in found.lines] == ["Player1"]
    assert found.values["start"] == boards.weeks.current.start


def test_the_search_finds_boards_and_the_players_of_each(modes: GameBoards, visitor: Visitor) -> None:
    play(modes.open("speed"), 1, 700)
    client = visitor("viewer", "en").client

    def found(typed: str) -> dict[str, str]:
        groups = client.get(f"/search/results?q={typed}").json()["groups"]
        items = [item for group in groups for item in group["items"]]
        return {item["href"]: item["about"] for item in items if item["href"].startswith("/leaderboards")}

    players = {href: about for href, about in found("player").items() if "/players/" in href}
    assert players == {
        "/leaderboards/players/1": "classic · #1 this week · 900",
        "/leaderboards/players/1?board=speed": "speed · #2 this week · 700",
        "/leaderboards/players/7?board=speed": "speed · #1 this week · 800",
    }
    assert "/leaderboards?board=speed" in found("speed")


def test_a_server_is_ready_when_every_board_has_its_tables(modes: GameBoards, shell: Shell) -> None:
    with framing(shell) as client:
        assert client.get("/health/ready").status_code == 200
    shell.database.backend.call("DeleteTable", {"TableName": "speed-LeaderboardWork"})
    with framing(shell) as client:
        assert client.get("/health/ready").json()["checks"]["read"] == "table-missing"


@pytest.mark.usefixtures("modes")
def test_the_data_page_tells_of_the_tables_of_every_board(visitor: Visitor, shell: Shell) -> None:
    page = visitor("owner", "en").get("/data/leaderboards")
    rows = re.findall(r">(speed-[^<]*)</a>(.*?)</tr>", page.text, re.S)
    assert [name for name, _ in rows] == [f"speed-{each.name}" for each in APPLICATION.tables]
    assert re.findall(r">(\d+)</td>", rows[0][1]) == ["1"], "the week of player 7"
    assert page.faults == page.doubled_ids == []
    shell.database.call("DeleteTable", {"TableName": rows[0][0]}, "test")
    assert "Table missing" in visitor("owner", "en").get("/data/leaderboards").shown


@pytest.mark.usefixtures("modes")
def test_the_tables_of_another_board_are_browsed_and_say_how_it_is_changed(visitor: Visitor) -> None:
    owner = visitor("owner", "en")
    tables = [each for each in owner.get("/data/leaderboards").links if "/copies/" in each]
    assert tables == [f"/data/leaderboards/copies/speed/tables/{each.name}" for each in APPLICATION.tables]
    players = owner.get(tables[0])
    assert ("Player7" in players.shown, "Player1" in players.shown) == (True, False)
    [row] = {each for each in players.links if each.startswith(f"{tables[0]}/item?pk=7&")}
    for page in (players, owner.get(row)):
        assert "POST /api/leaderboards/scores" in page.shown
        assert "add the parameter board=speed to requests" in page.shown
        assert "begin commands with hansang leaderboards --board speed" in page.shown
    ways = owner.get(tables[-1]).shown
    assert all(
        each in ways for each in ("leaderboards submit", "befriend and unfriend", "hide, correct and close")
    )
    assert "명령은 hansang leaderboards --board speed로 시작하십시오" in visitor("owner").get(tables[0]).shown


@pytest.mark.usefixtures("modes")
def test_what_operators_alone_see_is_hidden_on_every_board(visitor: Visitor) -> None:
    work = "/data/leaderboards/copies/speed/tables/LeaderboardWork"
    owner, editor = visitor("owner", "en"), visitor("editor", "en")
    shown, seen = owner.get(f"{work}?kind=BoardPlayer"), editor.get(f"{work}?limit=100")
    players = [each for each in shown.links if each.startswith(f"{work}/item?")]
    assert players
    assert not [each for each in players if each in seen.links or editor.get(each).status != 403]
    assert "protected item" in seen.shown
    assert visitor("reporter").get(work).status == 403


def test_without_further_boards_no_further_tables_are_told_of(visitor: Visitor) -> None:
    assert "Further tables" not in visitor("owner", "en").get("/data/leaderboards").shown
