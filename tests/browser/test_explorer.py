"""The data pages as people use them: browsing, asking, editing, undoing, each by the real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.browsing import Opening, press_until_visible
from tests.browser.serving import Site

TABLE = "/data/codex/tables/FMWebAppTable"
NEWS = "/data/news/tables/news_items"
CATEGORY = f"{TABLE}/item?pk=CATEGORY%23c001&sk=METADATA"
NAME = re.compile(r"^Name ?title")
"""The row of a category's title among its fields."""


def rows(page: Page) -> Locator:
    return page.locator("main table.values tbody tr")


# ── browsing ──────────────────────────────────────────────────────────────────────────────────────


def test_a_table_is_browsed_as_items_page_by_page(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/data")
    page.get_by_role("link", name="FMWebAppTable").click()
    expect(rows(page)).to_have_count(25)
    expect(page.locator("main").get_by_text("Scan", exact=False).first).to_contain_text("RCU for this page")
    first = rows(page).first.inner_text()
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".pager")).to_contain_text("26–50")
    assert rows(page).first.inner_text() != first


def test_the_same_items_are_shown_as_typed_entities(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto(f"{TABLE}?partition=CATEGORY%23c001")
    expect(page.locator("main th[data-column]").first).to_have_text("PK")
    page.get_by_role("link", name="Entities").click()
    expect(page.get_by_role("heading", name=re.compile(r"^Category"))).to_be_visible()
    posts = page.get_by_role("region", name="Post", exact=True)
    expect(posts.locator("th[data-column]").first).to_have_text("Category")
    expect(posts.locator("tbody tr").first).to_contain_text("c001")


def test_an_index_is_browsed_by_its_own_keys(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto(TABLE)
    page.get_by_label("Table or index").select_option("Type_CreatedAt")
    expect(page.get_by_label("Partition key")).to_be_visible()
    expect(page.locator("label[for=f-partition]")).to_contain_text("Type")
    page.get_by_label("Partition key").fill("Banner")
    page.get_by_label("Order").select_option("descending")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("main")).to_contain_text("Query · Type_CreatedAt")
    moments = page.locator("main td[data-label=CreatedAt] .value").all_inner_texts()
    assert len(moments) > 1
    assert moments == sorted(moments, reverse=True)


def test_a_key_that_nothing_has_says_so(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto(TABLE)
    page.get_by_label("Partition key").fill("NOTHING#1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No items")).to_be_visible()


# ── asking ────────────────────────────────────────────────────────────────────────────────────────


def test_a_pattern_is_asked_by_its_form(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/data/codex")
    page.get_by_role("link", name="Post.in_category", exact=True).click()
    page.get_by_role("combobox", name="Category").fill("c001")
    page.get_by_role("button", name="Run").click()
    answers = page.get_by_role("region", name="Post", exact=True)
    expect(answers.locator("tbody tr").first).to_contain_text("c001")
    expect(page.get_by_role("region", name="Request as JSON")).to_contain_text('"CATEGORY#c001"')
    page.get_by_text("boto3", exact=True).click()
    expect(page.get_by_role("region", name="Request as boto3")).to_contain_text("dynamodb.query(")
    expect(page.get_by_role("region", name="Cost")).to_contain_text(re.compile(r"Per request\s*[\d.]+\s*RCU"))
    expect(page.get_by_role("region", name="Results")).to_contain_text("RCU for this page")


def test_a_value_of_a_stored_item_fills_the_form_in(opened: Opening) -> None:
    page = opened("mina", language="en").page()
    page.goto("/data/codex/patterns/Post.in_category")
    chip = page.locator(".offers a").first
    value = chip.inner_text().split()[-1]
    chip.click()
    expect(page.get_by_role("combobox", name="Category")).to_have_value(value)
    expect(page.get_by_role("region", name="Post", exact=True)).to_be_visible()


def test_a_value_that_is_wrong_is_told_beside_its_field(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/data/rankings/patterns/LevelRow.between")
    day, low = page.locator("#f-arg-day"), page.locator("#f-arg-low")
    for field, value in ((day, "yesterday"), (low, "1"), (page.locator("#f-arg-high"), "2")):
        field.fill(value)
    page.get_by_role("button", name="Run").click()
    expect(day).to_have_attribute("aria-invalid", "true")
    expect(day).to_have_accessible_description("Enter a date, such as 2026-11-15. The day of the snapshot.")
    expect(low).to_have_value("1")


# ── editing ───────────────────────────────────────────────────────────────────────────────────────


def test_an_editor_edits_sees_the_change_and_undoes_it(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    page.goto(CATEGORY)
    before = page.get_by_role("row", name=NAME).get_by_role("cell").inner_text()
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_label("Name").fill("바뀐 제목")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    expect(page.get_by_role("row", name=NAME)).to_contain_text("바뀐 제목")
    page.locator("main").get_by_role("link", name="Edited").first.click()
    changed = page.get_by_role("row", name=NAME)
    expect(changed.locator(".before")).to_have_text(before)
    expect(changed.locator(".after")).to_have_text("바뀐 제목")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("The change was undone")
    page.get_by_role("link", name="Open the item").click()
    expect(page.get_by_role("row", name=NAME)).to_contain_text(before)
    page.goto("/changes?area=codex")
    expect(page.locator("main tbody tr").first).to_contain_text("CATEGORY#c001/METADATA")


def test_a_bad_value_is_told_beside_its_field_and_nothing_is_written(opened: Opening, site: Site) -> None:
    watched = opened("junho", language="en")
    page = watched.page()
    page.goto(f"{TABLE}/edit?{site.item}")
    page.get_by_label("Title").fill("Not to be kept")
    page.get_by_label("Order").fill("many")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved. Correct one field.")
    expect(page.get_by_label("Order")).to_have_value("many")
    expect(page.get_by_label("Order")).to_be_focused()
    expect(page.get_by_label("Order")).to_have_accessible_description(
        re.compile(r"^Enter a whole number, such as")
    )
    page.get_by_label("Title").focus()
    page.get_by_role("alert").get_by_role("link", name="Order").click()
    expect(page.get_by_label("Order")).to_be_focused()
    watched.faults.clear()  # The browser itself notes an answer of 422 as an error.
    page.goto(f"{TABLE}/item?{site.item}")
    expect(page.locator("main")).not_to_contain_text("Not to be kept")


def test_two_who_edit_at_once_do_not_overwrite_each_other(opened: Opening, site: Site) -> None:
    mine = opened("junho", language="en")
    page, theirs = mine.page(), opened("seoyeon", language="en").page()
    for each, text in ((page, "mine"), (theirs, "theirs")):
        each.goto(f"{TABLE}/edit?{site.item}")
        each.locator("#f-value-desc").fill(text)
    theirs.get_by_role("button", name="Save").click()
    expect(theirs.get_by_role("status")).to_contain_text("Saved")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("윤서연 changed it in the meantime")
    expect(page.get_by_role("row", name="Description theirs mine")).to_be_visible()
    mine.faults.clear()  # The browser itself notes an answer of 409 as an error.
    page.get_by_role("button", name="Save my version").click()
    expect(page.get_by_role("row", name=re.compile(r"desc mine")).first).to_be_visible()


def test_an_item_is_created_and_deleted(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    page.goto(TABLE)
    page.get_by_text("New", exact=True).click()
    page.get_by_role("link", name="Category", exact=True).click()
    for name, value in (("ID", "c900"), ("Name", "새 분류"), ("Description", "곧 지웁니다")):
        page.get_by_label(name).fill(value)
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("status")).to_contain_text("Created")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status")).to_contain_text("Deleted")
    page.goto(f"{TABLE}?partition=CATEGORY%23c900")
    expect(page.get_by_role("heading", name="No items")).to_be_visible()


@pytest.mark.parametrize("verb", ["edit", "new/Category"])
def test_a_viewer_is_offered_no_editing_and_cannot(opened: Opening, site: Site, verb: str) -> None:
    page = opened("mina", language="en").page()
    page.goto(f"{TABLE}/item?{site.item}")
    expect(page.get_by_role("link", name="Edit", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    page.goto(TABLE)
    expect(page.get_by_text("New", exact=True)).to_have_count(0)
    assert page.request.get(f"{TABLE}/{verb}?{site.item}").status == 403


def test_what_the_application_alone_writes_is_not_offered_for_editing(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto(NEWS)
    page.locator("main td a").first.click()
    expect(page.locator("main")).to_contain_text("Written by News only")
    expect(page.locator("main")).to_contain_text("hansang news load")
    expect(page.get_by_role("link", name="Edit", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Delete")).to_have_count(0)
    assert page.request.get(page.url.replace("/item?", "/edit?")).status == 403


def test_what_is_guarded_is_shown_to_owners_alone_and_edited_by_nobody(opened: Opening) -> None:
    secret = "pk=USER%23u001&sk=AUTH"
    editor = opened("junho", language="en").page()
    editor.goto(f"{TABLE}?partition=USER%23u001")
    expect(editor.locator("main")).to_contain_text("One protected item is not shown.")
    assert editor.request.get(f"{TABLE}/item?{secret}").status == 403
    owner = opened("seoyeon", language="en").page()
    owner.goto(f"{TABLE}/item?{secret}")
    expect(owner.get_by_role("row", name=re.compile(r"passwordHash")).first).to_contain_text("Hidden")
    expect(owner.get_by_role("link", name="Edit", exact=True)).to_have_count(0)


# ── the keyboard ──────────────────────────────────────────────────────────────────────────────────


def reach(page: Page, target: Locator) -> None:
    """Press Tab until the focus is there."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("The keyboard does not get there.")


def test_the_keyboard_alone_finds_edits_and_undoes(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"{TABLE}?partition=CATEGORY%23c002&sort=METADATA")
    reach(page, page.locator("main td a").first)
    page.keyboard.press("Enter")
    reach(page, page.get_by_role("link", name="Edit", exact=True))
    page.keyboard.press("Enter")
    reach(page, page.get_by_label("Name"))
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("typed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name=NAME)).to_contain_text("typed")
    reach(page, page.get_by_role("status").get_by_role("button", name="Undo"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The change was undone")


def test_escape_closes_a_question_and_changes_nothing(opened: Opening, site: Site) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"{TABLE}/item?{site.item}")
    page.get_by_role("button", name="Delete").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Delete")).to_be_visible()


# ── statements ────────────────────────────────────────────────────────────────────────────────────


def test_a_statement_is_run_by_the_keyboard_and_a_write_is_shown_before_it_is_run(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    page.goto("/data/codex/partiql")
    box, key = (
        page.get_by_role("textbox", name="Statement"),
        "\"PK\" = 'CATEGORY#c001' AND \"SK\" = 'METADATA'",
    )
    box.fill(f'SELECT "title" FROM "FMWebAppTable" WHERE {key}')
    press_until_visible(page, "Control+Enter", page.get_by_text("GetItem"))
    expect(rows(page)).to_have_count(1)
    expect(page.locator("main")).to_contain_text("0.5 RCU")
    box.fill("SELECT nothing")
    press_until_visible(page, "Control+Enter", page.get_by_text("DynamoDB refuses it"))
    expect(box).to_have_value("SELECT nothing")
    box.fill(f'UPDATE "FMWebAppTable" SET "title" = \'Shown\' WHERE {key}')
    changed = page.locator("tr.is-changed", has_text="Shown")
    press_until_visible(page, "Control+Enter", changed)
    expect(page.get_by_role("button", name="Update it")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(box).to_have_value("")
    expect(page.get_by_role("heading", name="Examples")).to_be_visible()
