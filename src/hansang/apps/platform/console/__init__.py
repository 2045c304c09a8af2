"""The pages of the platform: signing in, the account, and administration."""

from __future__ import annotations

from hansang.apps.platform.console import account, admin, jobs, keys, people, sign_in
from hansang.surfaces.console.plugged import ApplicationSection, Pages

PAGES = Pages(
    routes=(
        *sign_in.PAGES,
        *account.PAGES,
        *admin.PAGES,
        *people.PAGES,
        *keys.PAGES,
        *jobs.PAGES,
    ),
    sections=(
        ApplicationSection("/admin/people", "platform.admin.people", "admin"),
        ApplicationSection("/admin/keys", "platform.admin.keys", "admin"),
        ApplicationSection("/admin/jobs", "platform.admin.jobs"),
    ),
)
