"""What every page has: the palette, keys, undoing, drafts, and switches, with the keyboard alone where it matters."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Dialog, Locator, Page, Route, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.browsing import Language, Opening, settled, sign_in
from tests.browser.looking import violations
from tests.browser.serving import PASSWORD, Site

TABLE = "/data/codex/tables/FMWebAppTable"
LIST = "https://example.com/an-article, A title that was typed for a long time"
FITS = "() => [...document.querySelectorAll('.tab span')].every(each => each.scrollWidth <= each.clientWidth + 1)"
DRAFTS = "Object.keys(sessionStorage).filter(each => each.startsWith('draft:'))"
FIRST_BUTTON = re.compile("^First button text ?btn1_text")
PATIENTLY = """{
    const later = setTimeout;
    window.setTimeout = (work, wait, ...rest) => later(work, wait < 10_000 ? wait : 600_000, ...rest);
}"""
"""What is given up after ten seconds is given up after ten minutes, since a busy machine takes its time."""
AT_ONCE = """{
    const later = setTimeout;
    window.setTimeout = (work, wait, ...rest) => later(work, wait < 10_000 ? wait : 0, ...rest);
}"""
"""What is given up after ten seconds is given up at once."""
WRITES_KOREAN = """() => document.body.dispatchEvent(
    new KeyboardEvent("keydown", { key: "ㅓ", code: "KeyJ", bubbles: true, cancelable: true })
)"""
"""What a keyboard says that writes Korean, at the place of j."""


def focused(page: Page) -> str:
    return str(page.evaluate("() => document.activeElement.textContent.trim()"))


def tab_to(page: Page, what: str) -> None:
    """Press Tab until the focus is on something."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", what):
            return
    raise AssertionError(f"Tab does not lead to {what}")


def test_the_keyboard_alone_signs_in_finds_edits_and_undoes(opened: Opening, site: Site) -> None:
    page = opened(language="en").page()
    page.goto("/sign-in")
    expect(page.locator("[name=name]")).to_be_focused()
    page.keyboard.type("junho")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site.url}/")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("fmweb")
    expect(page.get_by_role("option", name="FMWebAppTable")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(TABLE))
    page.goto(f"{TABLE}/item?{site.item}")
    before = page.get_by_role("row", name=FIRST_BUTTON).inner_text()
    page.keyboard.press("e")
    page.wait_for_url(re.compile("/edit"))
    tab_to(page, "[name=value-btn1_text]")
    page.keyboard.press("Control+a")
    page.keyboard.type("By keys alone")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/item"))
    expect(page.get_by_role("row", name="First button text btn1_text By keys alone").first).to_be_visible()
    page.wait_for_load_state()
    page.keyboard.press("z")
    expect(page.get_by_role("status").last).to_contain_text("The change was undone")
    assert page.get_by_role("row", name=FIRST_BUTTON).inner_text() == before


def test_the_palette_is_accessible_and_finds_in_korean_by_first_letters(opened: Opening) -> None:
    page = opened("seoyeon").page()
    page.goto("/changes")
    page.get_by_role("link", name=re.compile("검색")).first.click()
    expect(page.locator("dialog.palette input")).to_be_focused()
    page.keyboard.type("ㅂㅈㅎ")
    expect(page.get_by_role("option", name=re.compile("박준호"))).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("dialog.palette")).to_be_hidden()


def test_the_palette_fills_a_phone_and_closes_without_a_keyboard(opened: Opening) -> None:
    page = opened("seoyeon", language="en", width=390).page()
    page.goto("/")
    page.locator(".top-find").click()
    expect(page.get_by_role("option", name=re.compile("^Data"))).to_be_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth <= 390")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("dialog.palette")).to_be_hidden()


def test_keys_go_to_pages_and_over_rows_also_while_korean_is_written(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/")
    # The second key has to come soon after the first, which a busy machine may miss; then both are pressed again.
    for _ in range(10):
        page.keyboard.type("gd")
        with suppress(PlaywrightTimeout):
            page.wait_for_url(re.compile("/data$"), timeout=6000)
            break
    assert page.url.endswith("/data")
    page.goto("/changes")
    row = page.locator("tbody a.rows-link").first
    row_text = row.inner_text()
    page.evaluate(WRITES_KOREAN)
    assert focused(page) == row_text
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/changes/"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()


def test_an_undo_of_a_deletion_is_one_click_away(opened: Opening, site: Site) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"{TABLE}/new/Category?{urlencode({'id': 'c901', 'title': 'Undone', 'desc': 'x'})}")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("status").last).to_contain_text("Created")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").last).to_contain_text("The change was undone")
    expect(page.get_by_role("button", name="Redo")).to_be_visible()
    page.goto(f"{TABLE}/item?{urlencode({'pk': 'CATEGORY#c901', 'sk': 'METADATA'})}")
    expect(page.locator("main")).to_contain_text("Undone")


def type_draft(field: Locator, text: str) -> None:
    """Type something until it is kept."""
    field.fill(text)
    field.page.wait_for_function(f"() => {DRAFTS}.length")


def open_without_drafts(page: Page, path: str, waits: str = PATIENTLY) -> Callable[[], None]:
    """Open a page whose script of drafts does not come; what lets it come."""
    page.add_init_script(waits)
    held: list[Route] = []
    page.route("**/drafts.js*", lambda route: held.append(route))
    with page.expect_request("**/drafts.js*"):
        page.goto(path, wait_until="commit")

    def release() -> None:
        held.pop().continue_()
        page.unroute("**/drafts.js*")

    return release


def test_what_is_typed_before_the_script_of_drafts_has_come_is_kept_too(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    release = open_without_drafts(page, "/news/load")
    field = page.locator("textarea[name=text]")
    field.fill(LIST)
    release()
    page.wait_for_function(f"() => {DRAFTS}.length")
    page.reload()
    expect(field).to_have_value(LIST)
    expect(page.locator(".draft-bar")).to_contain_text("It is not saved yet.")


def test_what_is_typed_before_the_script_of_drafts_has_come_goes_before_an_older_draft(
    opened: Opening, site: Site
) -> None:
    page = opened("junho", language="en").page()
    page.on("dialog", lambda each: each.accept())
    title, button = (page.locator(f"[name=value-{name}]") for name in ("title", "btn2_text"))
    page.goto(f"{TABLE}/edit?{site.item}")
    title.fill("Older title")
    type_draft(button, "Older button")
    page.goto("/changes")
    release = open_without_drafts(page, f"{TABLE}/edit?{site.item}")
    title.fill("Newer title")
    release()
    page.wait_for_function(f"() => {DRAFTS}.some(key => sessionStorage[key].includes('Newer title'))")
    expect(title).to_have_value("Newer title")
    expect(button).to_have_value("Older button")


def test_what_is_chosen_before_the_script_of_drafts_has_come_goes_before_an_older_draft(
    opened: Opening,
) -> None:
    page = opened("junho", language="en").page()
    page.on("dialog", lambda each: each.accept())

    def theme(name: str) -> Locator:
        return page.locator(f"input[name=theme][value={name}]")

    page.goto("/account")
    page.locator("label", has=theme("dark")).click()
    page.wait_for_function(f"() => {DRAFTS}.length")
    page.goto("/changes")
    release = open_without_drafts(page, "/account")
    page.locator("label", has=theme("light")).click()
    release()
    expect(page.locator(".draft-bar")).to_be_visible()
    expect(theme("light")).to_be_checked()


def test_what_was_sent_before_the_script_of_drafts_has_come_does_not_come_back(
    opened: Opening, site: Site
) -> None:
    page = opened("junho", language="en").page()
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    page.route(f"**{TABLE}/edit*", hold)
    release = open_without_drafts(page, f"{TABLE}/edit?{site.item}", waits=AT_ONCE)
    page.locator("[name=value-btn2_text]").fill("Sent without it")
    with page.expect_request(lambda request: request.method == "POST"):
        page.get_by_role("button", name="Save").click(no_wait_after=True)
    with page.expect_event("requestfinished", lambda request: "/fields.js" in request.url):
        release()
    held.pop().continue_()
    page.wait_for_url(re.compile("/item"))
    page.wait_for_function(f"() => !{DRAFTS}.length")
    expect(page.get_by_role("row", name="Sent without it").first).to_be_visible()


def test_a_form_is_neither_left_nor_sent_before_the_script_of_drafts_has_come(
    opened: Opening, site: Site
) -> None:
    page = opened("junho", language="en").page()
    edit = f"{TABLE}/edit?{site.item}"
    release = open_without_drafts(page, edit)
    page.locator("[name=value-btn2_text]").fill("Half a thought")
    page.get_by_role("link", name="Changes").first.click()
    release()
    page.get_by_role("button", name="Leave without saving").click()
    page.wait_for_url(re.compile("/changes$"))
    release = open_without_drafts(page, edit)
    page.locator("[name=value-btn2_text]").fill("Sent before it came")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="Changes").first.click()
    assert "/edit?" in page.url
    release()
    page.wait_for_url(re.compile("/item"))
    expect(page.get_by_role("row", name="Sent before it came").first).to_be_visible()


def test_a_session_that_ended_elsewhere_loses_nothing_that_was_typed(opened: Opening, site: Site) -> None:
    watched = opened("junho", language="en")
    page = watched.page()
    page.goto("/news/load")
    type_draft(page.locator("textarea[name=text]"), LIST)
    cookies = [each for each in watched.context.cookies() if each.get("name") != "hansang_session"]
    watched.context.clear_cookies()
    watched.context.add_cookies(cookies)  # type: ignore[arg-type]
    page.locator("main form[method=post] button.primary").click()
    expect(page.get_by_role("status").last).to_contain_text("what you typed is kept")
    page.locator("input[name=name]").fill("junho")
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/news/load"))
    expect(page.locator("textarea[name=text]")).to_have_value(LIST)
    expect(page.locator(".draft-bar")).to_contain_text("It is not saved yet.")
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("textarea[name=text]")).to_have_value("")


def test_a_form_that_was_filled_in_is_not_left_without_a_word(opened: Opening, site: Site) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"{TABLE}/edit?{site.item}")
    page.locator("[name=value-title]").fill("Half a thought")
    page.get_by_role("link", name="Changes").first.click()
    leaving = page.get_by_role("dialog", name="You have unsaved changes")
    leaving.get_by_role("button", name="Keep editing").click()
    expect(page.locator("[name=value-title]")).to_have_value("Half a thought")
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.reload()
    assert asked == ["beforeunload"]
    expect(page.locator("[name=value-title]")).to_have_value("Half a thought")
    page.get_by_role("link", name="Changes").first.click()
    leaving.get_by_role("button", name="Leave without saving").click()
    page.wait_for_url(re.compile("/changes$"))
    page.goto(f"{TABLE}/edit?{site.item}")
    expect(page.locator("[name=value-title]")).not_to_have_value("Half a thought")
    assert asked == ["beforeunload"]


def test_the_language_of_a_refused_form_is_switched_with_all_that_was_typed(
    opened: Opening, site: Site
) -> None:
    watched = opened("junho", language="en")
    page = watched.page()
    page.goto(f"{TABLE}/edit?{site.item}")
    page.locator("[name=value-title]").fill("Typed in English")
    page.locator("[name=value-sort_no]").fill("many")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("body")).to_have_attribute("data-failed", "")
    watched.faults.clear()  # The browser itself notes an answer of 422 as an error.
    page.locator(".switches [hreflang=ko]").click()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator("[name=value-title]")).to_have_value("Typed in English")


def test_a_draft_does_not_overwrite_what_was_stored_since(opened: Opening, site: Site) -> None:
    watched = opened("junho", language="en")
    page, other = watched.page(), opened("seoyeon", language="en").page()
    page.on("dialog", lambda each: each.accept())
    page.goto(f"{TABLE}/edit?{site.item}")
    type_draft(page.locator("[name=value-title]"), "Mine")
    page.reload()
    expect(page.locator(".draft-bar")).to_be_visible()
    other.goto(f"{TABLE}/edit?{site.item}")
    other.locator("[name=value-btn2_text]").fill("Theirs")
    other.get_by_role("button", name="Save").click()
    other.wait_for_url(re.compile("/item"))
    page.reload()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("윤서연 changed it in the meantime")
    watched.faults.clear()  # The browser itself notes an answer of 409 as an error.


def test_whoever_signs_out_leaves_nothing_in_another_tab(opened: Opening) -> None:
    watched = opened(None, language="en")
    here, other = watched.page(), watched.page()
    sign_in(here, "junho")
    here.wait_for_url(f"{watched.site.url}/")
    other.goto("/news/load")
    other.locator("textarea[name=text]").fill(LIST)
    other.wait_for_function(f"() => {DRAFTS}.length")
    here.locator("form[action='/sign-out'] button").first.click()
    other.wait_for_function(
        f"list => !{DRAFTS}.length && document.querySelector('textarea[name=text]')?.value !== list", arg=LIST
    )


def test_the_days_of_an_axis_are_not_cut_on_a_phone(opened: Opening) -> None:
    page = opened("seoyeon", language="en", width=390).page()
    page.goto("/capacity?range=month")
    settled(page)
    written = page.locator("[data-chart] svg text").all_text_contents()
    assert [each for each in written if "…" in each] == []
    assert len([each for each in written if re.fullmatch(r"\d+ \w{3}", each)]) > 2


def test_whoever_comes_back_from_an_item_finds_the_list_filtered(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"{TABLE}?partition=BANNER%23bn005&limit=10")
    page.locator(f"main a[href*='{TABLE}/item?']").first.click()
    page.wait_for_url(re.compile("/item"))
    page.keyboard.press("u")
    page.wait_for_url(re.compile("partition=BANNER"))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_phone_has_home_among_its_tabs(opened: Opening, language: Language) -> None:
    page = opened("seoyeon", language=language, width=390).page()
    page.goto("/changes")
    assert page.locator(".tabs a").first.get_attribute("href") == "/"
    assert page.evaluate(FITS)


def test_a_phone_has_the_switches_in_its_menu(opened: Opening) -> None:
    page = opened("mina", width=390).page()
    page.goto("/changes")
    expect(page.locator(".switches")).to_be_hidden()
    page.locator("button.tab").click()
    page.locator("#more [data-theme-switch]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator("#more [hreflang=en]").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_a_key_is_shown_once_and_no_second_one_is_made_by_a_reload(opened: Opening) -> None:
    watched = opened("seoyeon", language="en")
    page = watched.page()
    page.goto("/admin/keys")
    page.get_by_role("button", name="Create a key").first.click()
    page.get_by_label("Label").fill("reloaded")
    page.locator("select[name='scope.news']").select_option("read")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator("#secret")).to_contain_text("hsk_")
    assert violations(page) == []
    page.reload()
    expect(page.locator("main")).to_contain_text("This was shown already")
    watched.faults.clear()  # The browser itself notes an answer of 410 as an error.
    page.goto("/admin/keys")
    assert page.get_by_text("reloaded", exact=True).count() == 1


def test_whatever_is_done_here_waits_for_the_scripts_of_a_page(opened: Opening) -> None:
    page = opened("seoyeon", language="en").page()
    held: list[Route] = []
    page.route("**/frame.js*", lambda route: held.append(route))
    page.expose_function("letCome", lambda: held.pop().continue_())
    with page.expect_request("**/frame.js*"):
        page.goto("/admin/keys", wait_until="commit")
    page.evaluate("() => void setTimeout(letCome, 300)")
    page.get_by_role("button", name="Create a key").first.click()
    expect(page.get_by_label("Label")).to_be_visible()
