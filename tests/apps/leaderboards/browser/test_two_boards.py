"""A game with two boards as people see it: each window shows one of them, and moves with that one alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.boards import GameBoards
from hansang.apps.leaderboards.design import WeeklyBest
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.table_names import copied
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.browser.browsing import Keeping, Opening
from tests.browser.pages import COPIED, addresses
from tests.browser.serving import Site, served_empty
from tests.browser.test_every_page import look_at
from tests.browser.test_live import QUICKLY

BOARDS = ("classic", "speed")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own, for the shared one has one board."""
    with pytest.MonkeyPatch.context() as environ:
        environ.setenv("HANSANG_LEADERBOARDS_BOARDS", ",".join(BOARDS))
        with served_empty(tmp_path_factory.mktemp("boards"), "leaderboards") as found:
            yield found


def window(opened: Opening) -> Page:
    page = opened("seoyeon", language="en").page()
    page.add_init_script(QUICKLY)
    page.goto("/leaderboards")
    return page


def stay(page: Page) -> None:
    page.evaluate("() => { window.isTheSame = true }")


def expect_players(page: Page, *names: str) -> None:
    """These are on the board that the page shows, and nobody else; the page has moved by itself."""
    expect(page.locator("main a[href^='/leaderboards/players/']")).to_have_text(list(names))
    assert page.evaluate("() => window.isTheSame"), "the page was not loaded again"


def test_a_score_is_seen_on_its_own_board_alone(opened: Opening, site: Site) -> None:
    with open_shell(ServerSettings(data=str(site.data), jobs=False), applications=(APPLICATION,)) as shell:
        every = GameBoards(
            shell.database, shell.clock, LeaderboardsSettings(boards=BOARDS), publish=shell.topics.publish
        )

        def play(board: str, player: int, name: str, score: int) -> None:
            every.open(board).submitter.submit(GivenPlay(player, name, score))

        play("classic", 1, "Ari", 500)
        classic, speed = window(opened), window(opened)
        stay(classic)
        expect_players(classic, "Ari")

        switch = speed.get_by_role("navigation", name="Boards")
        switch.get_by_role("link", name="speed").click()
        expect(switch.get_by_role("link", name="speed")).to_have_attribute("aria-current", "true")
        stay(speed)
        expect_players(speed)

        play("speed", 2, "Bom", 400)
        expect_players(speed, "Bom")
        play("classic", 3, "Cho", 300)
        expect_players(classic, "Ari", "Cho")
        expect_players(speed, "Bom")

        speed.get_by_role("link", name="Past weeks").click()
        expect(switch.get_by_role("link", name="speed")).to_have_attribute("aria-current", "true")
        switch.get_by_role("link", name="classic").click()
        expect(switch.get_by_role("link", name="classic")).to_have_attribute("aria-current", "true")
        expect(speed.locator("main")).to_contain_text("Ari")
        expect(speed.locator("main")).not_to_contain_text("Bom")


def test_the_data_pages_of_another_board_are_linked_accessible_whole_and_light(
    kept: Keeping, site: Site, shots: Path | None
) -> None:
    past = WeeklyBest(id=5, start=date(2014, 5, 9), end=date(2014, 5, 15), name="Dan", top_score=1500)
    with open_shell(ServerSettings(data=str(site.data), jobs=False), applications=(APPLICATION,)) as shell:
        database = shell.database
        database.renamed(copied("speed", APPLICATION.tables, database.name)).put(past)
    found = addresses(site, COPIED)
    for name in COPIED:
        look_at(found[name], name, kept, shots)
