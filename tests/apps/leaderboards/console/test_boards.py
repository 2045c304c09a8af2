"""The pages of a game with two boards: each shows one of them, and every way from it stays there."""

from __future__ import annotations

import re
from html import unescape

import pytest

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.table_names import copied
from hansang.surfaces.shell import Shell
from tests.apps.leaderboards.console.conftest import play
from tests.surfaces.console.conftest import Visitor
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
        switch = re.search(r'<nav class="seg" aria-label="(?:순위판|Boards)">.*?</nav>', page, re.S)
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
