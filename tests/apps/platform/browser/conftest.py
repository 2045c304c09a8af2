"""A real browser on a real server."""

from __future__ import annotations

from tests.browser.conftest import browser, kept, opened, playwright, shots, site, states

__all__ = ["browser", "kept", "opened", "playwright", "shots", "site", "states"]
