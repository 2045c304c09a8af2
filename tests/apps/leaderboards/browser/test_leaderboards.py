"""The boards as people use them: two players in two windows, an operator who hides one, a week that is closed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from playwright.sync_api import Page, expect

from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import BoardWeekKey
from hansang.settings import ServerSettings
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.browser.browsing import Opening
from tests.browser.serving import Site
from tests.browser.test_live import QUICKLY
from tests.clauses import clause

ARI, BOM = 9_000_001, 9_000_002
"""Players of this story alone, with scores that nobody in the sample has: those end in 0."""
NAMES = {ARI: "Ari of the story", BOM: "Bom of the story"}
LONG_AGO = timedelta(weeks=20)


@contextmanager
def game(site: Site) -> Iterator[tuple[Shell, Leaderboards]]:
    """A game server, in a process of its own; afterwards the sample is as it was."""
    with open_shell(ServerSettings(data=str(site.data), jobs=False)) as shell:
        boards = Leaderboards(shell.database, shell.clock, publish=shell.topics.publish)
        try:
            yield shell, boards
        finally:
            for player in NAMES:
                boards.erasing.erase(player)
            shell.database.delete(BoardWeekKey(start=old_week(boards).start))
            boards.settle()


def play(boards: Leaderboards, player: int, score: int) -> None:
    boards.submitter.submit(GivenPlay(player, NAMES[player], score))


def old_week(boards: Leaderboards) -> Week:
    return boards.weeks.of(boards.weeks.now - LONG_AGO)


def window(opened: Opening, player: int) -> Page:
    """The week, in a window whose own player this is."""
    page = opened("seoyeon", language="en").page()
    page.add_init_script(QUICKLY)
    page.goto(f"/leaderboards/players/{player}")
    page.get_by_role("button", name="This is me").click()
    page.goto("/leaderboards")
    page.evaluate("() => { window.isTheSame = true }")
    return page


def expect_rank(page: Page, rank: int) -> None:
    expect(page.locator(".big-rank b")).to_have_text(f"{rank:,}")
    assert page.evaluate("() => window.isTheSame"), "the page was not loaded again"


@clause("X2-17", "X2-19", "X2-22")
def test_one_overtakes_the_other_an_operator_hides_one_and_a_week_is_closed(
    opened: Opening, site: Site, tmp_path: Path
) -> None:
    with game(site) as (shell, boards):
        play(boards, ARI, 50_003)
        play(boards, BOM, 50_001)
        first = boards.reading.rank(boards.weeks.current, ARI).rank
        assert first is not None
        ari, bom = window(opened, ARI), window(opened, BOM)
        expect_rank(ari, first)
        expect_rank(bom, first + 1)

        play(boards, BOM, 50_005)
        expect_rank(bom, first)
        expect_rank(ari, first + 1)

        operator = opened("seoyeon", language="en").page()
        operator.goto(f"/leaderboards/players/{BOM}/operate")
        operator.locator("#f-note").fill("too good")
        operator.get_by_role("button", name="Hide").click()
        expect(operator.locator("main")).to_contain_text("too good")
        expect_rank(ari, first)
        _close_a_week(shell, operator, tmp_path)


def test_charts_of_a_page_follow_what_is_new_and_stay_drawn(opened: Opening, site: Site) -> None:
    with game(site) as (shell, boards):
        then = shell.clock() - LONG_AGO.total_seconds()
        play(Leaderboards(shell.database, lambda: then), ARI, 42_713)
        play(boards, BOM, 50_001)
        play(boards, ARI, 50_003)
        page = opened("seoyeon", language="en").page()
        page.add_init_script(QUICKLY)
        page.goto(f"/leaderboards/players/{ARI}")
        charts = page.locator("figure.chart .plot")
        expect(charts).to_have_count(2)
        for score in (50_005, 99_991):
            play(boards, ARI, score)
            expect(page.locator("main")).to_contain_text(f"{score:,}")
            for place in range(2):
                expect(charts.nth(place).locator("> *").first).to_be_attached()
        expect(page.locator("figure[data-chart=weeks] table")).to_contain_text("99,991")


def test_the_legend_of_a_chart_stays_when_its_page_is_renewed(opened: Opening, site: Site) -> None:
    with game(site) as (shell, boards):
        for player in NAMES:
            play(boards, player, 50_011)
        shell.usage.flush()
        page = opened("seoyeon", language="en").page()
        page.add_init_script(QUICKLY)
        page.goto("/leaderboards/operate")
        legend = page.locator("[data-legend=writes] button")
        expect(legend).to_have_count(2)
        page.evaluate("() => addEventListener('live', () => { window.isRenewed = true }, { capture: true })")
        play(boards, BOM, 50_012)
        page.wait_for_function("() => window.isRenewed")
        assert legend.count() == 2


def _close_a_week(shell: Shell, page: Page, folder: Path) -> None:
    then = shell.clock() - LONG_AGO.total_seconds()
    earlier = Leaderboards(shell.database, lambda: then)
    play(earlier, ARI, 42_713)
    earlier.settle()
    week = earlier.weeks.current
    page.goto(f"/leaderboards/close?week={week.start}")
    page.get_by_role("button", name="Dry run").click()
    page.locator("#f-confirm").fill(str(week.start))
    page.get_by_role("button", name="Make this week final").click()
    expect(page.locator(".notice.good")).to_contain_text("Final")
    page.locator(".deliver .input").first.fill("mail-1")
    page.get_by_role("button", name="Mark as delivered").first.click()
    expect(page.locator("table")).to_contain_text("mail-1")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").first.click()
    file = folder / "rewards.csv"
    download.value.save_as(file)
    assert NAMES[ARI] in file.read_text(encoding="utf-8-sig")
