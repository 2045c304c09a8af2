"""The widgets of forms in the real browser: what the script adds, by pointer and by keyboard."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from hansang.apps.catalog import APPLICATIONS
from hansang.apps.platform.accounts import accounts_of
from hansang.apps.samples import fill
from hansang.clock import system_clock
from hansang.parts.timestamps import to_datetime
from hansang.settings import ServerSettings
from hansang.surfaces.server.http_server import HttpServer
from hansang.surfaces.server.sockets import bound, resolved, url_of
from hansang.surfaces.server.workers import Worker
from hansang.wiring import open_shell, product
from tests.browser.browsing import Browsing, Opening, Watched
from tests.browser.looking import violations
from tests.browser.serving import PASSWORD, Site
from tests.surfaces.by_hand import BY_HAND

HOLDING = "/data/assets/tables/AssetManager/new/Holding"
POST = "/data/codex/tables/FMWebAppTable/new/Post"


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server where posts are written by hand, as in an application that has nothing but its design."""
    data = tmp_path_factory.mktemp("forms") / "forms.db"
    settings = ServerSettings(data=str(data), jobs=False)
    with (
        open_shell(settings, applications=BY_HAND) as shell,
        product(shell, Worker(1, "tests")) as app,
    ):
        [codex] = [each for each in APPLICATIONS if each.name == "codex"]
        fill(shell.database, codex, to_datetime(system_clock()), lambda _: None)
        accounts_of(shell.identity).people.create("junho", "박준호", {"codex": "editor"}, PASSWORD)
        listener = bound(resolved("127.0.0.1", 0)[0])
        server = HttpServer(app, grace=20)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield Site(url_of(listener), Path(data), "", "")
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def written(browsing: Browsing, by_hand: Site) -> Iterator[Watched]:
    """Somebody who writes there."""
    watched = browsing.open_for(by_hand, "junho", "en", "light", 1440)
    yield watched
    faults = list(watched.faults)
    watched.context.close()
    assert faults == []


def test_money_is_grouped_while_it_is_typed_and_keeps_the_cursor(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto(HOLDING)
    amount = page.locator("#f-value-amount")
    amount.press_sequentially("1234567")
    expect(amount).to_have_value("1,234,567")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.type("0")
    expect(amount).to_have_value("12,340,567")
    page.keyboard.press("Backspace")
    expect(amount).to_have_value("1,234,567")


def test_rows_are_added_moved_and_removed_by_the_keyboard(opened: Opening) -> None:
    page = opened("seoyeon", language="en", width=390).page()
    page.goto(HOLDING)
    for memo in ("first", "second"):
        page.get_by_role("button", name="Add a row").press("Enter")
        page.get_by_label("Memo").last.fill(memo)
    assert violations(page) == []
    page.get_by_role("button", name="Move row 2 up").press("Enter")
    assert [each.input_value() for each in page.get_by_label("Memo").all()] == ["second", "first"]
    expect(page.get_by_role("button", name="Move row 1 up")).to_be_focused()
    page.get_by_role("button", name="Remove row 1").press("Enter")
    expect(page.get_by_label("Memo")).to_have_value("first")
    expect(page.get_by_role("button", name="Remove row 1")).to_be_focused()


def test_a_reference_is_found_by_name_with_the_keyboard(written: Watched) -> None:
    page = written.page()
    page.goto(POST)
    author = page.get_by_role("combobox", name="Author")
    author.fill("u00")
    expect(page.get_by_role("option").first).to_be_visible()
    assert violations(page) == []
    author.press("ArrowDown")
    name = page.locator("[role=option][aria-selected=true] b").inner_text()
    author.press("Enter")
    expect(page.get_by_role("listbox")).to_have_count(0)
    assert author.input_value().startswith("u0")
    expect(page.locator(".reference", has=author).locator("[data-chosen]")).to_have_text(name)


def test_the_first_wrong_field_has_the_focus(written: Watched) -> None:
    page = written.page()
    page.goto(POST)
    page.get_by_role("combobox", name="Category").fill("c001")
    page.get_by_label("ID", exact=True).fill("p900")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("combobox", name="Author")).to_be_focused()
    expect(page.get_by_role("alert")).to_contain_text("Title: Enter a value.")
    assert violations(page) == []
    written.faults.clear()  # The browser itself notes an answer of 422 as an error.
