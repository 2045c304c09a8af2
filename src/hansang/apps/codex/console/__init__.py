"""The pages of the content application, and the company's public site."""

from __future__ import annotations

from hansang.apps.codex.console import (
    agents,
    banners,
    categories,
    company,
    conflicts,
    editor,
    inbox,
    migration,
    posts,
    revisions,
    site,
)
from hansang.apps.codex.console.links import SITE
from hansang.apps.codex.console.search import search
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(
        *posts.PAGES,
        *editor.PAGES,
        *conflicts.PAGES,
        *revisions.PAGES,
        *categories.PAGES,
        *banners.PAGES,
        *inbox.PAGES,
        *company.PAGES,
        *migration.PAGES,
        *agents.PAGES,
        *site.PAGES,
    ),
    sections=(
        Section("/codex", "codex.tab.posts"),
        Section("/codex/categories", "codex.tab.categories"),
        Section("/codex/banners", "codex.tab.banners"),
        Section("/codex/inquiries", "codex.tab.inquiries", "admin"),
        Section("/codex/company", "codex.tab.company"),
        Section("/codex/users", "codex.tab.users"),
        Section("/codex/migration", "codex.tab.migration", "admin"),
        Section("/codex/agents", "codex.tab.agents"),
        Section("/apps/codex", "codex.tab.overview"),
    ),
    search=search,
    site=SITE,
)
