"""What axe finds wrong with a page."""

from __future__ import annotations

import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_AXE = Axe().axe_script
_OPTIONS = {
    "resultTypes": ["violations"],
    # Style sheets would be fetched and read for one rule, which axe does not run unless it is named.
    "preload": {"assets": ["media"]},
}


def violations(page: Page, within: str = "html") -> list[str]:
    """The rules that a page breaks, or a part of it, and where."""
    page.evaluate(_AXE)
    asked = f"axe.run({json.dumps(within)}, {json.dumps(_OPTIONS)}).then(found => found.violations)"
    return [f"{each['id']}: {node['html'][:160]}" for each in page.evaluate(asked) for node in each["nodes"]]
