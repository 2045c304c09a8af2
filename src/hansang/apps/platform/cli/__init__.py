"""The platform as commands: people, keys, jobs."""

from __future__ import annotations

from hansang.apps.platform.cli import jobs, keys, users

GROUPS = {"users": users.group, "keys": keys.group, "jobs": jobs.group}
