"""What is built to be slow: how long each is worked on, and how long others wait meanwhile."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from starlette.testclient import TestClient

from hansang.apps.news.application import APPLICATION
from hansang.apps.news.console.links import article_path
from hansang.apps.news.fetching import fetch
from hansang.apps.news.inputs import read_links
from hansang.apps.news.rules import pk_of
from hansang.apps.news.service import News
from hansang.errors import InvalidInput
from hansang.parts.sandbox import Sandbox
from hansang.surfaces.shell import Shell
from hansang.testing import signed_in

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.apps.news.hostile import ARTICLES, LISTS, PAGES

_QUIET = 2
"""How many requests are sent alone after each work, so that both are measured on the same machine at the same time."""
_PAUSE = 0.12
"""Seconds between two requests, so that the person who asks stays within the rate."""


def article(browser: TestClient, shell: Shell, name: str) -> Callable[[], object]:
    """Crawl an article, and read its page."""
    news, url = News(shell.database, shell.clock, sandbox=shell.sandbox), f"https://news.example/{name}"
    pk, (content, kind) = pk_of(url), ARTICLES[name]()
    news.loader.load([{"title": name, "url": url}])
    claim = news.queue.claim(pk, "crawler").claim

    def work() -> None:
        news.queue.done(pk, claim, content, kind)
        browser.get(article_path(pk)).raise_for_status()

    return work


def page(folder: Path, sandbox: Sandbox, name: str) -> Callable[[], object]:
    """Read a list page that was saved."""
    saved = folder / "page"
    saved.write_bytes(PAGES[name]())
    return lambda: fetch(str(saved), sandbox, address="https://news.example/")


def listed(name: str) -> Callable[[], object]:
    """Read a list."""
    form, text = LISTS[name]
    given = text()
    return lambda: list(read_links(io.StringIO(given), form))


@dataclass(frozen=True, slots=True)
class Cost:
    """What a work has taken: seconds, and seconds of a processor, which a busy machine does not change."""

    seconds: float
    cpu_seconds: float


def in_children() -> float:
    """The seconds of a processor that the processes below this one have had."""
    found = os.times().children_user + os.times().children_system
    for listed in Path("/proc/self/task").glob("*/children"):
        for pid in listed.read_text().split():
            with suppress(FileNotFoundError):
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                found += (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    return found


def measured(browser: TestClient, work: Callable[[], object]) -> tuple[Cost, list[float]]:
    """What the work takes, and the seconds of each request beside it."""
    taken: list[Cost] = []

    def timed() -> None:
        start, cpu = time.perf_counter(), time.thread_time() + in_children()
        with suppress(InvalidInput):
            work()
        taken.append(Cost(time.perf_counter() - start, time.thread_time() + in_children() - cpu))

    thread, waits = threading.Thread(target=timed), list[float]()
    thread.start()
    waits.append(wait(browser))
    while thread.is_alive():
        waits.append(wait(browser))
    return taken[0], waits


def wait(browser: TestClient) -> float:
    start = time.perf_counter()
    browser.get("/news").raise_for_status()
    taken = time.perf_counter() - start
    time.sleep(_PAUSE)
    return taken


def p99(waits: list[float]) -> str:
    return f"{sorted(waits)[int(len(waits) * 0.99)] * 1000:,.0f} ms"


def main() -> None:
    with signed_in(APPLICATION) as (browser, shell), Sandbox() as sandbox, TemporaryDirectory() as folder:
        quiet, meanwhile, taken = list[float](), list[float](), list[Cost]()
        wait(browser)
        works: dict[str, Callable[[], Callable[[], object]]] = {
            **{f"article: {name}": partial(article, browser, shell, name) for name in ARTICLES},
            **{f"page: {name}": partial(page, Path(folder), sandbox, name) for name in PAGES},
            **{f"list: {name}": partial(listed, name) for name in LISTS},
        }
        for name, made in works.items():
            cost, waits = measured(browser, made())
            meanwhile += waits
            taken.append(cost)
            quiet += [wait(browser) for _ in range(_QUIET)]
            beside = f"slowest request beside it {max(waits, default=0) * 1000:6,.0f} ms"
            print(f"{name:45} {cost.cpu_seconds:6.2f} s CPU {cost.seconds:6.2f} s   {beside}", flush=True)
        told = [
            f"{median(each) * 1000:,.0f} ms, p99 {p99(each)} of {len(each):,}" for each in (meanwhile, quiet)
        ]
        cpu = [each.cpu_seconds for each in taken]
        print(f"seconds of a processor for a work: {max(cpu):.2f} at most, {median(cpu):.2f} in the median")
        print(f"other requests, median: {told[0]}; without: {told[1]}")


if __name__ == "__main__":
    main()
