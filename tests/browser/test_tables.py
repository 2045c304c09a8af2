"""Tables as people use them: rows that open, columns that stay chosen, several rows at once."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.browsing import Opening

TABLE = "/data/codex/tables/FMWebAppTable"
POSTS = f"{TABLE}?kind=Post&limit=10"


def cells(page: Page, column: str) -> Locator:
    return page.locator(f"tbody td[data-label={column}]")


def test_a_row_opens_by_a_click_anywhere_by_the_middle_button_and_by_the_keyboard(opened: Opening) -> None:
    watched = opened("mina", language="en")
    page = watched.page()
    page.goto(POSTS)
    row = page.locator("tbody tr").nth(2)
    href = row.locator(".rows-link").get_attribute("href") or ""
    with watched.context.expect_page() as other:
        row.locator("td[data-label=Title]").click(button="middle", force=True)
    other.value.wait_for_url(f"**{href}")
    other.value.close()
    page.locator("tbody .rows-link").nth(1).focus()
    page.keyboard.press("ArrowDown")
    expect(row.locator(".rows-link")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{href}")
    page.go_back()
    row.locator("td[data-label=Title]").click(force=True)
    page.wait_for_url(f"**{href}")


def test_columns_stay_chosen_and_sorted_in_the_address_and_in_the_browser(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto(POSTS)
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Contents", exact=True).uncheck()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Title").click()
    expect(page.locator("th[data-column=title]")).to_have_attribute("aria-sort", "ascending")
    titles = cells(page, "Title").all_inner_texts()
    assert len(titles) > 2
    assert titles != list(reversed(titles))
    assert "hide.FMWebAppTable.Post=contents" in page.url
    page.goto(POSTS)
    expect(page.locator("th[data-column=contents]")).to_be_hidden()
    expect(cells(page, "Title")).to_have_text(titles, use_inner_text=True)
    page.get_by_role("link", name="Next").click()
    expect(page).to_have_url(re.compile("by.FMWebAppTable.Post=title"))
    page.get_by_role("link", name="Previous").click()
    expect(cells(page, "Title")).to_have_text(titles, use_inner_text=True)


def test_several_rows_are_copied_deleted_after_a_look_and_put_back(opened: Opening) -> None:
    watched = opened("junho", language="en")
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = watched.page()
    page.goto(f"{TABLE}?kind=Banner")
    names = page.locator("tbody .rows-link").all_inner_texts()
    page.locator("[data-pick]").nth(0).click()
    page.locator("[data-pick]").nth(1).click(modifiers=["Shift"])
    bar = page.locator("[data-picked]")
    expect(bar).to_contain_text("2 selected")
    page.locator(".listing-tools").get_by_text("Copy", exact=True).click()
    page.get_by_role("button", name="JSON", exact=True).first.click()
    expect(page.locator("[data-toast]")).to_contain_text("Copied")
    copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert [each["Type"] for each in copied] == ["Banner", "Banner"]
    for kind in ("CSV", "JSON"):
        with page.expect_download() as file:
            bar.get_by_role("button", name=kind).click()
        assert file.value.suggested_filename == f"FMWebAppTable.{kind.lower()}"
        expect(bar).not_to_have_attribute("data-sent", "yes")
    bar.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 2 items").click()
    expect(page.locator("[data-toast]")).to_contain_text("2 items deleted")
    page.locator("[data-toast]").get_by_role("link", name="Undo").click()
    page.get_by_role("button", name="Undo all 2").click()
    expect(page.locator("[data-toast]")).to_contain_text("2 changes undone")
    page.goto(f"{TABLE}?kind=Banner")
    assert page.locator("tbody .rows-link").all_inner_texts() == names


def test_a_row_is_chosen_on_a_phone_and_not_opened(opened: Opening) -> None:
    page = opened("mina", language="en", width=390).page()
    page.goto(POSTS)
    page.locator("[data-pick]").nth(1).click()
    expect(page.locator("[data-picked]")).to_contain_text("1 selected")
    page.locator("tbody td[data-label=Title]").nth(1).click(force=True)
    page.wait_for_url(re.compile("/item"))


def test_the_cost_panel_stays_folded(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/data/codex/patterns/Post.in_category")
    page.locator("details.panel summary").click()
    expect(page.get_by_label("Requests per day")).to_be_hidden()
    page.goto("/data/codex/patterns/Banner.latest")
    expect(page.get_by_label("Requests per day")).to_be_hidden()
