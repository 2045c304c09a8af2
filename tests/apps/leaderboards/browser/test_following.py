"""The board of the week while it changes: who has just improved says so, and it keeps still for whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.browser.browsing import Opening
from tests.browser.looking import violations
from tests.browser.serving import Site, served_empty

STAYING = """
    const later = window.setTimeout;
    window.setTimeout = (run, wait) => (wait === 4000 ? 0 : later(run, wait / 20));
"""
"""Pages wait for a twentieth, and what a row says for a moment stays, to be seen however slow the machine is."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own, whose board has the players of these tests alone."""
    with served_empty(tmp_path_factory.mktemp("following"), "leaderboards") as found:
        yield found


@pytest.fixture
def boards(site: Site) -> Iterator[Leaderboards]:
    """The game, in a process of its own, with eight players."""
    with open_shell(ServerSettings(data=str(site.data), jobs=False), applications=(APPLICATION,)) as shell:
        found = Leaderboards(shell.database, shell.clock, publish=shell.topics.publish)
        for player in range(1, 9):
            play(found, player, 1000 - player * 100)
        yield found
        for player in range(1, 12):
            if found.erasing.has(player):
                found.erasing.erase(player)
        found.settle()


def play(boards: Leaderboards, player: int, score: int) -> None:
    boards.submitter.submit(GivenPlay(player, f"P{player}", score))


def window(opened: Opening, language: str = "en") -> Page:
    page = opened("seoyeon", language=language).page()
    page.add_init_script(STAYING)
    page.goto("/leaderboards")
    page.mouse.move(0, 0)
    expect(page.locator(".live")).to_have_attribute("data-state", "streaming")
    return page


def expect_order(page: Page, *players: int) -> None:
    """These are below the podium, in this order."""
    expect(page.locator("[data-board] tbody .rows-link")).to_have_text([f"P{each}" for each in players])


def moved(page: Page) -> list[str]:
    """Which rows say that something has happened to them, and what."""
    found: list[str] = page.locator("tr[data-moved]").evaluate_all(
        "rows => rows.map(row => `${row.id} ${row.dataset.moved}`)"
    )
    return found


@pytest.mark.parametrize(
    ("language", "live", "new", "rose"),
    [
        ("en", "Live", "Just now, new", "Just now ▲3"),
        ("ko", "실시간", "방금 새로 진입", "방금 ▲3"),
    ],
)
def test_a_row_says_what_its_player_did_and_nothing_when_it_is_pushed(
    opened: Opening, boards: Leaderboards, language: str, live: str, new: str, rose: str
) -> None:
    page = window(opened, language)
    expect(page.locator(".live")).to_have_text(live)
    expect_order(page, 4, 5, 6, 7, 8)
    play(boards, 9, 650)
    expect_order(page, 9, 4, 5, 6, 7, 8)
    expect(page.locator("#p9 .just")).to_have_text(new)
    assert moved(page) == ["p9 new"], "those below were pushed, and that is nothing"
    play(boards, 8, 550)
    expect_order(page, 9, 4, 8, 5, 6, 7)
    expect(page.locator("#p8 .just")).to_have_text(rose)
    assert moved(page) == ["p9 new", "p8 rose"]
    assert violations(page) == []
    boards.operating.hide(1, "test")
    expect_order(page, 4, 8, 5, 6, 7)
    assert moved(page) == ["p8 rose"], "who moves up because another went has not improved"


def test_a_board_that_is_paused_offers_what_is_new_and_shows_it_when_asked(
    opened: Opening, boards: Leaderboards
) -> None:
    page = window(opened)
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".live")).to_have_text("Paused")
    play(boards, 9, 650)
    offer = page.get_by_role("button", name="Show new rankings")
    expect(offer).to_have_text("Show new rankings (1)")
    play(boards, 8, 660)
    expect(offer).to_have_text("Show new rankings (2)")
    expect_order(page, 4, 5, 6, 7, 8)
    offer.click()
    expect_order(page, 8, 9, 4, 5, 6, 7)
    expect(offer).to_be_hidden()
    play(boards, 10, 100)
    expect(offer).to_have_text("Show new rankings (1)")
    page.get_by_role("button", name="Resume").click()
    expect_order(page, 8, 9, 4, 5, 6, 7, 10)
    expect(page.locator(".live")).to_have_text("Live")
    page.locator("main").focus()
    page.keyboard.press("Space")
    expect(page.locator(".live")).to_have_text("Paused")


def test_what_is_held_back_is_still_offered_when_nothing_more_has_happened(
    opened: Opening, boards: Leaderboards
) -> None:
    page = window(opened)
    page.get_by_role("button", name="Pause").click()
    play(boards, 9, 650)
    offer = page.get_by_role("button", name="Show new rankings")
    expect(offer).to_be_visible()
    page.route("**/leaderboards", lambda route: route.fulfill(status=304))
    with page.expect_response(lambda answer: answer.status == 304):
        play(boards, 10, 90)
    page.evaluate("new Promise(requestAnimationFrame)")
    expect(offer).to_be_visible()
    offer.click()
    expect_order(page, 9, 4, 5, 6, 7, 8)


def test_a_board_keeps_still_under_the_pointer_and_goes_on_without_it(
    opened: Opening, boards: Leaderboards
) -> None:
    page = window(opened)
    page.locator("#p5").hover()
    play(boards, 9, 650)
    offer = page.get_by_role("button", name="Show new rankings")
    expect(offer).to_be_visible()
    expect_order(page, 4, 5, 6, 7, 8)
    page.mouse.move(0, 0)
    expect_order(page, 9, 4, 5, 6, 7, 8)
    expect(offer).to_be_hidden()
    page.locator("#p5 .rows-link").focus()
    play(boards, 10, 640)
    expect(offer).to_be_visible()
    expect_order(page, 9, 4, 5, 6, 7, 8)
    page.locator("#p5 .rows-link").blur()
    expect_order(page, 9, 10, 4, 5, 6, 7, 8)


def test_a_board_keeps_still_for_whoever_reads_further_down(opened: Opening, boards: Leaderboards) -> None:
    page = window(opened)
    page.set_viewport_size({"width": 390, "height": 500})
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    play(boards, 9, 650)
    offer = page.get_by_role("button", name="Show new rankings")
    expect(offer).to_be_in_viewport()
    expect_order(page, 4, 5, 6, 7, 8)
    page.evaluate("scrollTo(0, 0)")
    expect_order(page, 9, 4, 5, 6, 7, 8)


def test_a_page_without_a_stream_says_that_it_asks_now_and_then(
    opened: Opening, boards: Leaderboards
) -> None:
    watched = opened("seoyeon", language="en")
    page = watched.page()
    page.add_init_script(STAYING)
    page.route("**/live?**", _refuse)
    page.goto("/leaderboards")
    page.mouse.move(0, 0)
    expect(page.locator(".live")).to_have_text("Every 5 seconds")
    play(boards, 9, 650)
    expect_order(page, 9, 4, 5, 6, 7, 8)
    page.route("**/live/state?**", _refuse)
    expect(page.locator(".live")).to_have_text("Connection lost")
    watched.faults[:] = [each for each in watched.faults if "503" not in each]


def _refuse(route: Route) -> None:
    route.fulfill(status=503, body="")
