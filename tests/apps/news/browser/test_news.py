"""The news list as people use it: loading, reading, runs and the queue."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from hansang.apps.news.design import NewsItem
from hansang.apps.news.pages import read_page
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.apps.platform.accounts import accounts_of
from hansang.settings import ServerSettings
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.apps.news.lists import link, links
from tests.apps.news.recent import recent_runs
from tests.browser.browsing import Language, Opening, settled
from tests.browser.looking import violations
from tests.browser.serving import PASSWORD, Site
from tests.clauses import clause

FIRST = 700_000
"""Where the links of these tests begin; no other test has links of these numbers."""
ALARM = read_page(b"<html></html>").alarms[0]
VIEWER = "news-viewer"
TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter(each => each.getBoundingClientRect().right > innerWidth).map(each => each.outerHTML.slice(0, 120))"""
"""What reaches beyond the page when the page has to be moved sideways."""


@dataclass(frozen=True)
class Desk:
    """What was loaded before the browser came."""

    day: str
    many: str
    """A run of 120 links, all of which name MANY and one of which names ONCE."""
    mixed: str
    """A run with a collision, an invalid line and an alarm."""
    article: str


@contextmanager
def opened_shell(site: Site) -> Iterator[Shell]:
    with open_shell(ServerSettings(data=str(site.data), jobs=False)) as shell:
        yield shell


@pytest.fixture(scope="module")
def desk(site: Site) -> Desk:
    with opened_shell(site) as shell:
        accounts_of(shell.identity).people.create(VIEWER, "News viewer", {"news": "viewer"}, PASSWORD)
        news = News(shell.database, shell.clock)
        named = [link(each, "MANY", title=f"Story {each}") for each in range(FIRST, FIRST + 120)]
        named[0]["tickers"].append("ONCE")
        many = news.loader.load(named, source="many")
        first = NewsItem.uploaded(datetime(2026, 1, 1, tzinfo=UTC), **link(FIRST + 150, title="Came first"))
        shell.database.create(first.model_copy(update={"pk": pk_of(link(FIRST + 151)["url"])}))
        lines = [link(FIRST + 151, title="Came later"), {"title": 5}, link(FIRST), link(FIRST + 152)]
        mixed = news.loader.load(lines, source="mixed", name="mixed.json", alarms=[ALARM])
    return Desk(f"{many.uploaded_at:%Y-%m-%d}", many.id, mixed.id, pk_of(link(FIRST)["url"]))


def figure(page: Page, name: str) -> str:
    """How many lines came to this."""
    return page.get_by_role("link", name=re.compile(rf"^{name} ?\d")).locator("b").inner_text()


# ── loading ───────────────────────────────────────────────────────────────────────────────────────


@clause("3-12", "X3-22")
def test_a_list_is_pasted_and_again_and_nothing_changes(opened: Opening) -> None:
    page = opened("junho", language="en").page()
    given = [link(FIRST + 200 + each, "PAST", title=f"Pasted {each}") for each in range(3)]
    text = "\n".join([*map(json.dumps, given), '{"title": 5, "url": "https://a.example"}'])
    page.goto("/news")
    page.get_by_role("navigation", name="News sections").get_by_role("link", name="Load", exact=True).click()
    page.get_by_label("Or paste it").fill(text)
    page.get_by_label("Source").fill("by hand")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="3 new articles were loaded.")).to_be_visible()
    assert (figure(page, "Inserted"), figure(page, "Invalid"), figure(page, "Duplicate")) == ("3", "1", "0")
    rows = page.get_by_role("table", name="Line by line").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text("Inserted")
    expect(rows.nth(1)).to_contain_text("Pasted 1")
    expect(rows.nth(3)).to_contain_text("The title is empty or not a text.")

    page.get_by_label("Or paste it").fill(text.replace("Pasted", "Corrected").replace("PAST", "LATER"))
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="0 new articles were loaded.")).to_be_visible()
    assert (figure(page, "Inserted"), figure(page, "Duplicate")) == ("0", "3")
    page.get_by_role("link", name="Pasted 1").click()
    expect(page.get_by_role("heading", name="Pasted 1")).to_be_visible()
    expect(page.locator("main")).to_contain_text(
        "later changes of the title and tickers added later are ignored"
    )
    expect(page.locator("main")).not_to_contain_text("LATER")


def test_a_file_is_chosen(opened: Opening, tmp_path: Path) -> None:
    file = tmp_path / "chosen.csv"
    file.write_text(f"title,url,tickers\n골라서 올린 기사,{link(FIRST + 300)['url']},NVDA AMD\n")
    page = opened("junho").page()
    page.goto("/news/load")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.locator("[data-file-name]")).to_have_text("chosen.csv")
    page.get_by_role("button", name="적재하기").click()
    expect(page.get_by_role("link", name="골라서 올린 기사")).to_be_visible()
    expect(page.get_by_text("chosen.csv")).to_be_visible()


_DROP = """([box, name, text]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    box.dispatchEvent(new DragEvent(kind, { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }
}"""


def drop(page: Page, name: str, text: str) -> None:
    box = page.locator("[data-drop]").element_handle()
    page.evaluate(_DROP, [box, name, text])


def test_a_file_is_dropped(opened: Opening) -> None:
    page = opened("junho", language="en", width=390).page()
    page.goto("/news/load")
    drop(page, "dropped.json", json.dumps([link(FIRST + 310, title="Dropped")]))
    expect(page.locator("[data-file-name]")).to_have_text("dropped.json")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.get_by_role("link", name="Dropped")).to_be_visible()
    assert figure(page, "Inserted") == "1"


@pytest.mark.parametrize(
    ("language", "words"),
    [("ko", "JSON을 끝까지 읽지 못했습니다"), ("en", "The JSON cannot be read to the end")],
)
def test_a_bad_file_is_refused_with_the_way_out(opened: Opening, language: Language, words: str) -> None:
    watched = opened("junho", language=language)
    page = watched.page()
    page.goto("/news/load")
    drop(page, "cut.json", '[{"title": "x", "url": "https')
    page.locator(".form-foot .btn.primary").click()
    expect(page.get_by_role("alert").filter(has_text=words)).to_be_visible()
    watched.faults.clear()  # The browser itself notes an answer of 422 as an error.


def test_a_file_that_is_too_large_is_told_before_it_is_sent(opened: Opening, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as large:
        large.truncate(8 * 1024 * 1024 + 1)
    page = opened("junho", language="en").page()
    page.goto("/news/load")
    page.locator("input[type=file]").set_input_files(file)
    expect(
        page.get_by_role("alert").filter(has_text="Load a larger file with hansang news load")
    ).to_be_visible()
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page).to_have_url(re.compile(r"/news/load$"))


def test_a_run_that_was_stopped_goes_on_with_its_file(opened: Opening, site: Site, tmp_path: Path) -> None:
    given = links(600, first=FIRST + 1000)
    with opened_shell(site) as shell:
        news = News(shell.database, shell.clock)
        with pytest.raises(KeyboardInterrupt):
            news.loader.load(given, name="half.json", progress=_interrupt)
        [left] = [each for each in recent_runs(shell.database, news) if each.name == "half.json"]
    assert left.run_state == "stopped"
    file = tmp_path / "half.json"
    file.write_text(json.dumps(given))
    page = opened("junho", language="en").page()
    page.goto(f"/news/runs/{left.id}")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(re.compile("#result"))
    assert figure(page, "Inserted") == "600"


def _interrupt(_: int) -> None:
    raise KeyboardInterrupt


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


@clause("X3-12")
def test_articles_are_read_by_day_and_zone(opened: Opening, desk: Desk) -> None:
    page = opened("junho").page()
    page.goto(f"/news?day={desk.day}&zone=utc")
    settled(page)
    expect(page.get_by_role("heading", name="시간대별 기사")).to_be_visible()
    page.get_by_role("group", name="기준 시간대").get_by_role("link", name="뉴욕(New York)").click()
    expect(page).to_have_url(re.compile("zone=est"))
    expect(page.get_by_text("뉴욕(New York) 시각 기준").first).to_be_visible()
    # By two days, since in New York it may still be yesterday, after which no day comes.
    day = date.fromisoformat(desk.day)
    for back in (1, 2):
        page.get_by_role("link", name="이전 날").click()
        expect(page).to_have_url(re.compile(f"day={day - timedelta(days=back)}"))
    page.get_by_role("link", name="다음 날").click()
    expect(page).to_have_url(re.compile(f"day={day - timedelta(days=1)}"))
    expect(page).to_have_url(re.compile("zone=est"))


def test_a_day_is_typed(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"/news?day={desk.day}&zone=utc")
    day = page.locator("input[type=date]")
    day.fill("2026-01-02")
    day.press("Enter")
    expect(page).to_have_url(re.compile(r"day=2026-01-02&zone=utc"))
    expect(page.get_by_text("2 Jan 2026").first).to_be_visible()
    page.get_by_role("link", name=re.compile("^Go to ")).click()
    expect(page.get_by_role("table", name="Articles", exact=True)).to_be_visible()


def test_articles_are_filtered_and_go_on_page_by_page(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"/news?day={desk.day}&zone=utc")
    page.get_by_label("Ticker", exact=True).fill("many")
    page.get_by_role("button", name="Search").click()
    rows = page.get_by_role("table", name="Articles", exact=True).locator("tbody tr")
    expect(rows).to_have_count(30)
    expect(rows.first).to_contain_text("MANY")
    titles = set(rows.locator(".rows-link").all_inner_texts())
    for shown in ("31–60", "61–90", "91–120"):
        page.get_by_role("link", name="Next", exact=True).click()
        expect(page.get_by_text(shown, exact=True)).to_be_visible()
        expect(rows).to_have_count(30)
        titles |= set(rows.locator(".rows-link").all_inner_texts())
    assert len(titles) == 120
    page.get_by_role("link", name="Clear").click()
    expect(page.get_by_label("Ticker", exact=True)).to_have_value("")
    page.get_by_label("Search titles").fill("Story 700003")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)


def test_the_way_out_tells_the_other_site_nothing(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"/news?day={desk.day}&zone=utc&text=Story {FIRST + 3}")
    out = page.get_by_role("link", name=f"Open article: Story {FIRST + 3} (new window)")
    expect(out).to_have_attribute("href", link(FIRST + 3)["url"])
    expect(out).to_have_attribute("target", "_blank")
    expect(out).to_have_attribute("rel", "noopener noreferrer")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_endless_words_break(site: Site, opened: Opening, language: Language) -> None:
    url = f"https://news.example/{'a' * 900}"
    endless = [link(0, "E" * 20) | {"title": title, "url": url + title} for title in ("A" * 900, "B" * 900)]
    with opened_shell(site) as shell:
        run = News(shell.database, shell.clock).loader.load(endless, source="S" * 100, name="n" * 200).id
    articles = [f"/news/articles/{quote(pk_of(each['url']), safe='')}" for each in endless]
    page = opened("junho", language=language, width=390).page()
    for path in (*articles, f"/news/runs/{run}", "/news", "/news/tickers", "/news/runs", "/"):
        page.goto(path)
        settled(page)
        assert page.evaluate(TOO_WIDE) == [], path


def test_a_bar_leads_to_its_ticker(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto("/news/tickers")
    settled(page)
    page.locator("[data-chart=most]").get_by_role("link", name=re.compile("MANY")).click()
    expect(page.get_by_role("heading", name="MANY", exact=True)).to_be_visible()
    settled(page)
    expect(page.locator("[data-chart=calendar] svg")).to_be_visible()
    expect(page.locator("[data-chart=course] svg")).to_be_visible()
    page.get_by_role("link", name="90 days").click()
    expect(page.get_by_role("link", name="90 days")).to_have_attribute("aria-current", "true")
    page.locator("[data-chart=together]").get_by_role("link", name=re.compile("ONCE")).click()
    expect(page.get_by_role("heading", name="ONCE", exact=True)).to_be_visible()


def test_a_ticker_is_searched(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto("/news/tickers")
    page.get_by_role("searchbox").fill("once")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="ONCE", exact=True)).to_be_visible()
    page.goto("/news/tickers/NOBODY")
    expect(page.get_by_text("No article mentions NOBODY")).to_be_visible()


# ── runs ──────────────────────────────────────────────────────────────────────────────────────────


@clause("X3-06", "X3-23")
def test_a_run_is_looked_into_filtered_and_exported(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto("/news/runs")
    settled(page)
    expect(
        page.get_by_role("alert").filter(has_text="The structure of a list page may have changed")
    ).to_be_visible()
    page.get_by_role("table", name="Runs").locator("tr", has_text="mixed.json").get_by_role("link").click()
    expect(page).to_have_url(re.compile(desk.mixed))
    expect(page.get_by_role("alert").filter(has_text="1 key collision")).to_be_visible()
    expect(page.get_by_role("table", name="Links set aside")).to_contain_text("Came later")
    page.get_by_role("link", name=re.compile("^Invalid")).click()
    rows = page.get_by_role("table", name="Line by line").locator("tbody tr")
    expect(rows).to_have_count(1)
    with page.expect_download() as downloading:
        page.get_by_role("group", name="Export").get_by_role("link", name="CSV").click()
    with downloading.value.path().open(encoding="utf-8-sig", newline="") as file:
        assert [row["outcome"] for row in csv.DictReader(file)] == ["invalid"]


def test_the_lines_of_a_long_run_go_on_page_by_page(opened: Opening, desk: Desk) -> None:
    page = opened("junho", language="en").page()
    page.goto(f"/news/runs/{desk.many}")
    expect(page.get_by_text("lines 1–50")).to_be_visible()
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.get_by_text("lines 51–100")).to_be_visible()


# ── the queue ─────────────────────────────────────────────────────────────────────────────────────


def test_an_article_that_failed_is_tried_again(opened: Opening, site: Site, desk: Desk) -> None:
    with opened_shell(site) as shell:
        queue = News(shell.database, shell.clock).queue
        work = queue.claim(desk.article, "crawler-browser")
        queue.fail(desk.article, work.claim, "answered 503")
    page = opened("junho", language="en").page()
    page.goto("/news/queue")
    row = page.get_by_role("table", name="Failed").locator("tr", has_text="crawler-browser")
    expect(row).to_contain_text("answered 503")
    expect(row).to_contain_text("in ")
    row.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("status").filter(has_text="It can be claimed again now.")).to_be_visible()
    expect(row).to_have_count(0)


# ── who may, and how it looks ─────────────────────────────────────────────────────────────────────


def test_a_viewer_is_offered_no_load_and_no_retry(opened: Opening, desk: Desk) -> None:
    watched = opened(VIEWER, language="en")
    page = watched.page()
    for path in ("/news", "/news/runs", "/news/queue", "/news/tickers", f"/news/runs/{desk.mixed}"):
        page.goto(path)
        expect(page.get_by_role("link", name="Load", exact=True)).to_have_count(0)
        expect(page.get_by_role("button", name="Retry")).to_have_count(0)
    page.goto("/news/load")
    expect(page.get_by_role("heading", name="You do not have permission")).to_be_visible()
    watched.faults.clear()  # The browser itself notes an answer of 403 as an error.


@pytest.mark.parametrize(("language", "width"), [("ko", 1440), ("en", 390)])
def test_the_inner_pages_are_accessible_and_fit(
    opened: Opening, desk: Desk, language: Language, width: int, shots: Path | None
) -> None:
    page = opened("junho", language=language, width=width).page()
    inner = {
        "result": f"/news/load?run={desk.mixed}",
        "run": f"/news/runs/{desk.many}",
        "ticker": "/news/tickers/MANY",
        "article": f"/news/articles/{quote(desk.article, safe='')}",
        "empty-day": "/news?day=2026-01-02&zone=est",
    }
    for name, path in inner.items():
        page.goto(path)
        settled(page)
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            if shots:
                page.screenshot(path=shots / f"news-{name}-{language}-{theme}-{width}.png", full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert violations(page) == [], name


def test_a_day_is_printed_without_what_only_a_screen_needs(opened: Opening, desk: Desk) -> None:
    page = opened("junho").page()
    page.goto(f"/news?day={desk.day}&zone=utc")
    page.emulate_media(media="print")
    expect(page.get_by_role("table", name="기사 목록")).to_be_visible()
    expect(page.locator(".filters").first).to_be_hidden()


def test_without_scripts_a_list_is_loaded_and_read_all_the_same(opened: Opening, desk: Desk) -> None:
    watched = opened("junho", language="en")
    browser = watched.context.browser
    assert browser is not None
    plain = browser.new_context(
        base_url=watched.site.url,
        java_script_enabled=False,
        locale="en-US",
        storage_state=watched.context.storage_state(),
    )
    try:
        page = plain.new_page()
        page.goto("/news/load")
        page.get_by_label("Or paste it").fill(json.dumps([link(FIRST + 400, title="By hand alone")]))
        page.get_by_role("button", name="Load", exact=True).click()
        expect(page.get_by_role("link", name="By hand alone")).to_be_visible()
        page.goto(f"/news?day={desk.day}&zone=utc&text=By hand alone")
        expect(page.get_by_role("table", name="Articles", exact=True).locator("tbody tr")).to_have_count(1)
    finally:
        plain.close()
