"""Pages that change while somebody looks: what other processes do is shown without a reload."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from hansang.apps.news.console.links import run_path
from hansang.apps.news.design import Run
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.apps.news.lists import links
from tests.browser.conftest import Opening
from tests.browser.serving import Site

FIRST = 800_000


class Loading:
    """A load by the command line, in a process of its own, that gets its list bit by bit."""

    def __init__(self, site: Site, source: str) -> None:
        command = [str(Path(sys.executable).with_name("hansang")), "news", "load", "-", "--form", "jsonl"]
        options = ["--source", source, "--data", str(site.data)]
        self._process = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def give(self, count: int, first: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.writelines(f"{json.dumps(each)}\n" for each in links(count, first))
        self._process.stdin.flush()

    def end(self) -> None:
        said, told = self._process.communicate(timeout=60)
        assert self._process.returncode == 0, (said, told)


@contextmanager
def loading(site: Site, source: str) -> Iterator[Loading]:
    found = Loading(site, source)
    try:
        yield found
    finally:
        found._process.kill()
        found._process.wait()


def run_of(site: Site, source: str, page: Page) -> str:
    """The run that was begun from a source, when there is one."""
    with open_shell(ServerSettings(data=str(site.data), jobs=False)) as shell:
        for _ in range(300):
            months = f"{datetime.now(UTC):%Y-%m}"
            found = [each for each in shell.database.all(Run.of_month(months)) if each.source == source]
            if found:
                return found[0].id
            page.wait_for_timeout(100)
    raise AssertionError("no run was begun")


def total(page: Page) -> str:
    return page.locator(".outcomes b").first.inner_text()


@pytest.mark.parametrize("has_streams", [True, False])
def test_the_page_of_a_run_follows_a_load_of_another_process(
    opened: Opening, site: Site, has_streams: bool
) -> None:
    source = f"live {has_streams}"
    watched = opened("junho", language="en")
    page = watched.page()
    if not has_streams:
        page.route("**/live?**", _refuse)
    first = FIRST + (0 if has_streams else 10_000)
    with loading(site, source) as load:
        load.give(520, first)
        run = run_of(site, source, page)
        page.goto(run_path(run))
        page.evaluate("() => { window.isTheSame = true }")
        page.get_by_role("link", name="CSV").focus()
        expect(page.locator(".outcomes b").first).to_have_text("500")
        load.give(500, first + 520)
        expect(page.locator(".outcomes b").first).to_have_text("1,000")
        expect(page.locator("main")).to_contain_text("It is still running")
        load.end()
        expect(page.locator("main")).not_to_contain_text("It is still running")
    expect(page.locator("main [role=status]")).to_have_text("Finished")
    assert total(page) == "1,020"
    assert page.evaluate("() => window.isTheSame && document.activeElement.textContent.trim()") == "CSV"
    assert page.locator("[data-live]").count() == 0
    assert Axe().run(page).violations_count == 0
    if not has_streams:
        watched.faults[:] = [each for each in watched.faults if "503" not in each]


def _refuse(route: Route) -> None:
    route.fulfill(status=503, body="")


def test_the_pages_of_jobs_follow_a_run_that_another_process_makes(opened: Opening, site: Site) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/admin/jobs/expiry-sweep")
    expect(page.locator("main")).to_contain_text("It has not run yet")
    command = [str(Path(sys.executable).with_name("hansang")), "jobs", "run", "expiry-sweep"]
    subprocess.run([*command, "--data", str(site.data)], check=True, capture_output=True)
    expect(page.locator("tbody [role=status]").first).to_have_text("Done")


def test_a_hidden_page_listens_to_nothing_and_catches_up_when_it_is_seen_again(
    opened: Opening, site: Site
) -> None:
    page = opened("seoyeon", language="en").page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/live?" in request.url else None)
    page.goto("/admin/jobs")
    page.wait_for_function("() => performance.getEntriesByType('navigation').length")
    _show(page, "hidden")
    before = len(asked)
    command = [str(Path(sys.executable).with_name("hansang")), "jobs", "run", "news-check"]
    subprocess.run([*command, "--data", str(site.data)], check=True, capture_output=True)
    row = page.locator("tr", has_text="news-check")
    expect(row).to_contain_text("Not yet")
    _show(page, "visible")
    expect(row).to_contain_text("Done")
    assert len(asked) == before + 1


def _show(page: Page, state: str) -> None:
    page.evaluate(
        """state => {
            Object.defineProperty(document, "hidden", { value: state === "hidden", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )
