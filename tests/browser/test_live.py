"""Pages that change while somebody looks: what other processes do is shown without a reload."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE

import pytest
from playwright.sync_api import Page, Route, expect

from hansang.apps.news.console.links import run_path
from hansang.apps.news.service import News
from hansang.settings import ServerSettings
from hansang.wiring import open_shell
from tests.apps.news.lists import link
from tests.apps.news.recent import recent_runs
from tests.browser.browsing import Opening
from tests.browser.looking import violations
from tests.browser.serving import Site

FIRST = 800_000
"""Where the links of these tests begin; no other test has links of these numbers."""
QUICKLY = "const later = window.setTimeout; window.setTimeout = (run, wait) => later(run, wait / 20);"
"""Pages that wait for seconds wait for a twentieth of it."""
HANSANG = str(Path(sys.executable).with_name("hansang"))


@dataclass
class Loading:
    """A load by the command line, in a process of its own, that gets its list bit by bit."""

    process: subprocess.Popen[str]

    def give(self, count: int, first: int) -> None:
        """Give some lines; they are long, since the command reads a good piece at a time."""
        assert self.process.stdin is not None
        lines = (link(each, title=f"Story {each} {'.' * 300}") for each in range(first, first + count))
        self.process.stdin.writelines(f"{json.dumps(each)}\n" for each in lines)
        self.process.stdin.flush()

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(60) == 0


@contextmanager
def loading(site: Site, source: str) -> Iterator[Loading]:
    command = [HANSANG, "news", "load", "-", "--form", "jsonl", "--source", source, "--data", str(site.data)]
    with subprocess.Popen(command, stdin=PIPE, stdout=DEVNULL, text=True) as process:
        try:
            yield Loading(process)
        finally:
            process.kill()


def run_job(site: Site, name: str) -> None:
    """Run a job by the command line, in a process of its own."""
    subprocess.run([HANSANG, "jobs", "run", name, "--data", str(site.data)], check=True, stdout=DEVNULL)


def run_of(site: Site, source: str, page: Page) -> str:
    """The run that was begun from a source, when there is one."""
    with open_shell(ServerSettings(data=str(site.data), jobs=False)) as shell:
        news = News(shell.database, shell.clock)
        for _ in range(600):
            found = [each for each in recent_runs(shell.database, news) if each.source == source]
            if found:
                return found[0].id
            page.wait_for_timeout(100)
    raise AssertionError("no run was begun")


@pytest.mark.parametrize("has_streams", [True, False])
def test_the_page_of_a_run_follows_a_load_of_another_process(
    opened: Opening, site: Site, has_streams: bool
) -> None:
    source = f"live {has_streams}"
    watched = opened("junho", language="en")
    page = watched.page()
    page.add_init_script(QUICKLY)
    if not has_streams:
        page.route("**/live?**", _refuse)
    first = FIRST + (0 if has_streams else 10_000)
    with loading(site, source) as load:
        load.give(700, first)
        run = run_of(site, source, page)
        page.goto(run_path(run))
        page.evaluate("() => { window.isTheSame = true }")
        page.get_by_role("link", name="CSV").focus()
        expect(page.locator(".outcomes b").first).to_have_text("500")
        load.give(500, first + 700)
        expect(page.locator(".outcomes b").first).to_have_text("1,000")
        expect(page.locator("main")).to_contain_text("Still running")
        load.end()
        expect(page.locator("main")).not_to_contain_text("Still running")
    expect(page.locator("main [role=status]")).to_have_text("Finished")
    expect(page.locator(".outcomes b").first).to_have_text("1,200")
    assert page.evaluate("() => window.isTheSame && document.activeElement.textContent.trim()") == "CSV"
    assert page.locator("[data-live]").count() == 0
    assert violations(page) == []
    if not has_streams:
        watched.faults[:] = [each for each in watched.faults if "503" not in each]


def _refuse(route: Route) -> None:
    route.fulfill(status=503, body="")


def test_the_pages_of_jobs_follow_a_run_that_another_process_makes(opened: Opening, site: Site) -> None:
    page = opened("seoyeon", language="en").page()
    page.goto("/admin/jobs/expiry-sweep")
    expect(page.locator("main")).to_contain_text("The job has not run yet")
    run_job(site, "expiry-sweep")
    expect(page.locator("tbody [role=status]").first).to_have_text("Done")


def test_a_hidden_page_listens_to_nothing_and_catches_up_when_it_is_seen_again(
    opened: Opening, site: Site
) -> None:
    page = opened("seoyeon", language="en").page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/live?" in request.url else None)
    page.goto("/admin/jobs")
    expect(page.locator("main")).to_contain_text("news-check")
    _show(page, "hidden")
    before = len(asked)
    run_job(site, "news-check")
    row = page.locator("tr", has_text="news-check")
    expect(row).to_contain_text("Not run yet")
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
