"""The rankings as people use them: a day imported, a player found by initials, two compared, a card shared."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.apps.rankings.imports import known
from tests.browser.browsing import Language, Opening, press_until_visible, settled
from tests.clauses import clause

FITS = "() => document.documentElement.scrollWidth <= innerWidth"
WORDS = {
    "ko": {
        "import": "가져오기",
        "finished": "완료",
        "compare": "비교에 담기",
        "add": "추가",
        "table": "한눈에 비교",
        "pinned": "고정됨",
        "share": "카드 공유",
        "rank": "전투력 순위",
    },
    "en": {
        "import": "Import",
        "finished": "Finished",
        "compare": "Add to compare",
        "add": "Add",
        "table": "At a glance",
        "pinned": "Pinned",
        "share": "Share",
        "rank": "Rank by power",
    },
}


def day_file(folder: Path) -> Path:
    """A day as a game would deliver it: CSV as Korean Excel writes it."""
    file = folder / "day.csv"
    with file.open("w", encoding="cp949", newline="") as out:
        writer = csv.DictWriter(out, ["uuid", "name", "level", "power"])
        writer.writeheader()
        writer.writerows(known(3))
    return file


def in_seoul(day: date, language: Language) -> str:
    return f"{day.month}월 {day.day}일" if language == "ko" else f"{day.day} {day:%b}"


def search(page: Page, typed: str, width: int) -> None:
    """Ask the palette, which the key opens on a desk and the glass on a phone."""
    if width > 800:
        page.keyboard.press("/")
    else:
        page.locator(".top-find").click()
    page.locator("dialog.palette input").fill(typed)


@clause("X5-12", "X5-13", "X5-20")
@pytest.mark.parametrize(
    ("language", "width", "back"), [("ko", 1440, 0), ("en", 390, 4), ("en", 1440, 5), ("ko", 390, 6)]
)
def test_a_day_is_imported_a_player_found_two_are_compared_and_a_card_is_shared(
    opened: Opening, tmp_path: Path, language: Language, width: int, back: int
) -> None:
    watched = opened("seoyeon", language=language, width=width)
    said, day = WORDS[language], watched.site.today - timedelta(days=back)
    page = watched.page()
    page.goto(f"/rankings/days?month={day:%Y-%m}")
    page.locator("#f-date").fill(f"{day}")
    page.locator("#f-file").set_input_files(day_file(tmp_path))
    page.locator("#import").get_by_role("button", name=said["import"]).click()
    page.wait_for_url("**/rankings/days")
    page.goto(f"/rankings/days?month={day:%Y-%m}")
    row = page.locator(
        "table.days tr", has=page.get_by_role("link", name=in_seoul(day, language), exact=True)
    )
    expect(row).to_contain_text(said["finished"])
    expect(row).to_contain_text("110")

    page.goto("/rankings")
    settled(page)
    assert page.evaluate(FITS)
    expect(page.locator("table.board tbody tr")).to_have_count(100)
    search(page, "ㅎㄸ65", width)
    expect(page.get_by_role("option", name="호떡6501")).to_be_visible()
    if width > 800:
        expect(page.locator(".palette-preview")).to_contain_text(said["rank"])
    else:
        expect(page.locator(".palette-preview")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="호떡6501")).to_be_visible()
    settled(page)
    assert page.evaluate(FITS)
    chart = page.locator("[data-course=rank]")
    chart.locator("svg").focus()
    page.keyboard.press("ArrowLeft")
    expect(chart.locator(".tip.on")).to_contain_text("1위" if language == "ko" else "#1")
    expect(page.locator("[data-course=power] .tip.on")).to_be_visible()

    page.get_by_role("link", name=said["compare"]).click()
    page.locator("#add-player").fill("ㄲㅎㄸ")
    page.get_by_role("button", name=said["add"], exact=True).click()
    table = page.get_by_role("table", name=said["table"])
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(table).to_contain_text("꿀호떡장수")
    settled(page)
    assert page.evaluate(FITS)

    table.get_by_role("link", name="호떡6501").click()
    page.get_by_role("link", name=said["share"], exact=True).click()
    card = page.locator(".card.share img")
    expect(card).to_have_attribute("alt", re.compile("호떡6501"))
    page.wait_for_function("() => document.querySelector('.card.share img').naturalWidth === 1200")
    address = page.locator("meta[property='og:image']").get_attribute("content")
    assert address is not None
    assert "/card.png" in address
    settled(page)
    assert page.evaluate(FITS)


def test_a_row_opens_on_a_click_anywhere_and_the_keys_pin_and_compare(opened: Opening) -> None:
    page = opened("seoyeon").page()
    page.goto("/rankings")
    row = page.locator("table.board tbody tr").nth(4)
    name = row.locator("a").inner_text()
    row.click(position={"x": 500, "y": 12})
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    settled(page)
    page.keyboard.press("p")
    expect(page.get_by_role("button", name=WORDS["ko"]["pinned"])).to_be_visible()
    page.goto("/rankings")
    foot = page.locator("table.board tfoot")
    expect(foot).to_be_hidden()
    press_until_visible(page, "End", foot)
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("c")
    page.wait_for_url("**/rankings/compare?uuids=*")
    page.goto("/rankings")
    page.keyboard.press("[")
    page.wait_for_url("**/rankings?date=*")
    page.goto("/rankings/everyone")
    # The second key has to come soon after the first, which a busy machine may miss; then both are pressed again.
    for _ in range(10):
        page.keyboard.type("gp")
        with suppress(AssertionError):
            expect(page.locator("#to-page")).to_be_focused(timeout=6_000)
            break
    expect(page.locator("#to-page")).to_be_focused()


def test_what_belongs_together_on_a_phone_is_beside_each_other_and_in_sight(opened: Opening) -> None:
    page = opened("seoyeon", language="en", width=390).page()
    page.goto("/rankings/range?board=level&low=1&high=300")
    asking, rows = (page.locator(each).bounding_box() for each in (".asking", "table.board"))
    assert asking is not None
    assert rows is not None
    assert asking["y"] + asking["height"] < rows["y"]
    page.goto("/rankings/days")
    act = page.locator("table.days tr .act").first.bounding_box()
    assert act is not None
    assert act["x"] + act["width"] <= 390
    page.goto("/rankings")
    page.locator("table.board tbody tr a").first.click()
    hide, erase = (page.locator(f".row-actions a[href*='act={act}']") for act in ("hide", "erase"))
    first, second = hide.bounding_box(), erase.bounding_box()
    assert first is not None
    assert second is not None
    assert second["x"] - (first["x"] + first["width"]) >= 6
