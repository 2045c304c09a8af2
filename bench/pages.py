"""How heavy each page of the console is over the wire, what it costs to make and to draw, and how soon it is painted.

A busy machine paints late, so the work is counted as well, in milliseconds of a processor: of the server, and of the
page's own thread in the browser. Each page is told at once; one that is painted late is tried again, and the best counts.
With a folder as its argument, the samples are kept there for the next time.
"""

from __future__ import annotations

import os
import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import CDPSession, Page

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.browsing import OPTIONS, Browsing, Kept
from tests.browser.pages import addresses
from tests.browser.pictures import EVERY_SAMPLE
from tests.browser.serving import Site, served

WITHIN_MS = 1_000
TURNS = 3
SLOWEST = 5
_PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Drawn:
    """One visit of one page."""

    size_kilobytes: float
    server_ms: float
    browser_ms: float
    painted_ms: float

    def line(self, name: str) -> str:
        sizes = f"{self.size_kilobytes:>8.1f}{self.server_ms:>12.0f}{self.browser_ms:>13.0f}"
        return f"{name:<46}{sizes}{self.painted_ms:>12.0f}"


def main() -> None:
    browsing = Browsing(OPTIONS)
    kept = Path(sys.argv[1]) if sys.argv[1:] else None
    with TemporaryDirectory() as folder, served(Path(folder), EVERY_SAMPLE, kept) as site:
        found = addresses(site)
        browsing.open()
        try:
            drawn = _each(browsing, site, found)
        finally:
            browsing.close()
    _sum_up(drawn)


def _each(browsing: Browsing, site: Site, found: dict[str, str]) -> dict[str, Drawn]:
    print(f"{'page':<46}{'KB':>8}{'server CPU':>12}{'browser CPU':>13}{'painted':>12}", flush=True)
    drawn: dict[str, Drawn] = {}
    for name, path in found.items():
        kept = browsing.keep(site, None if name == "sign-in" else "seoyeon", "en")
        drawn[name] = _best(kept, site, path)
        print(drawn[name].line(name), flush=True)
    return drawn


def _best(kept: Kept, site: Site, path: str) -> Drawn:
    """The visit that was painted first, of several if the first one was late."""
    visits = [_visit(kept, site, path)]
    while visits[-1].painted_ms > WITHIN_MS and len(visits) < TURNS:
        visits.append(_visit(kept, site, path))
    return min(visits, key=lambda each: each.painted_ms)


def _visit(kept: Kept, site: Site, path: str) -> Drawn:
    session = kept.watched.context.new_cdp_session(kept.page)
    session.send("Performance.enable")
    server, browser = _server_ms(site), _browser_ms(session)
    kept.visit(path)
    painted = _painted(kept.page)
    used = _browser_ms(session) - browser
    session.detach()
    return Drawn(sum(kept.sizes_bytes) / 1024, _server_ms(site) - server, used, painted)


def _painted(page: Page) -> float:
    page.wait_for_function(f"() => {_PAINTED}")
    return float(page.evaluate(_PAINTED))


def _server_ms(site: Site) -> float:
    """What the server has used of the processor so far."""
    used = Path(f"/proc/{site.process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, used)) * 1000 / _TICKS_A_SECOND


def _browser_ms(session: CDPSession) -> float:
    """What the page's own thread has used so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "ThreadTime") * 1000


def _sum_up(drawn: dict[str, Drawn]) -> None:
    columns = list(zip(*map(astuple, drawn.values()), strict=True))
    print(Drawn(*map(median, columns)).line("the median of all pages"))
    print(Drawn(*map(max, columns)).line("the largest of each"))
    work = {name: each.server_ms + each.browser_ms for name, each in drawn.items()}
    for name in sorted(work, key=lambda name: -work[name])[:SLOWEST]:
        print(f"the most work: {name}: {work[name]:.0f} ms of a processor")
    late = [name for name, each in drawn.items() if each.painted_ms > WITHIN_MS]
    busy = " ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{len(drawn)} pages, {len(drawn) - len(late)} painted within a second; load average {busy}")


if __name__ == "__main__":
    main()
