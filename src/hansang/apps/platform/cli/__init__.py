"""The platform as commands: people, keys, jobs, secrets, the audit log."""

from __future__ import annotations

from hansang.apps.platform.cli import audit, jobs, keys, people, secrets
from hansang.surfaces.cli.support import hidden_alias

GROUPS = {
    "people": people.group,
    "users": hidden_alias(people.group),  # What `people` was called; to be removed after one version.
    "keys": keys.group,
    "jobs": jobs.group,
    "secrets": secrets.group,
    "audit": audit.group,
}
