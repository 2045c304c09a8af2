"""The pages of the platform: signing in, the account, and administration."""

from __future__ import annotations

from hansang.apps.platform.console import account, admin, audit, jobs, keys, once, people, sign_in
from hansang.apps.platform.console.search import search
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(
        *sign_in.PAGES,
        *account.PAGES,
        *admin.PAGES,
        *people.PAGES,
        *keys.PAGES,
        *once.PAGES,
        *jobs.PAGES,
        *audit.PAGES,
    ),
    sections=(
        Section("/admin/people", "platform.admin.people", "admin"),
        Section("/admin/keys", "platform.admin.keys", "admin"),
        Section("/admin/jobs", "platform.admin.jobs"),
        Section("/admin/audit", "platform.admin.audit", "admin"),
    ),
    search=search,
)
