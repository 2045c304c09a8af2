"""The pages of the content application, and the company's public site."""

from __future__ import annotations

from hansang.apps.codex.console import site
from hansang.apps.codex.console.links import SITE
from hansang.surfaces.console.plugged import Pages

PAGES = Pages(routes=site.PAGES, site=SITE)
