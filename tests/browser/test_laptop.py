"""At the width of a laptop, what a page is about is not cut."""

from __future__ import annotations

from tests.browser.browsing import Keeping

CUT = """selector => [...document.querySelectorAll(selector)]
  .filter(each => each.checkVisibility() && each.scrollWidth > each.clientWidth + 1)
  .map(each => each.textContent.trim())"""
WHOLE = {
    "/rankings": "table.board .who > a",
    "/rankings/everyone": "table.board .who > a",
    "/rankings/days": ".table-wrap:has(table.days)",
    "/assets/dashboard": ".kpi, .donut li > span",
    "/news": ".kpi-foot",
    "/assets/year": ".table-wrap:has(.against)",
}
"""What has to be whole, by page."""


def test_what_a_page_is_about_is_whole_on_a_laptop(kept: Keeping) -> None:
    look = kept("seoyeon", "en")
    look.page.set_viewport_size({"width": 1280, "height": 800})
    try:
        cut = {path: [look.visit(path), look.page.evaluate(CUT, wanted)] for path, wanted in WHOLE.items()}
    finally:
        look.resize(1440)
    assert cut == {path: [200, []] for path in WHOLE}
