"""The platform as routes: whoever asks, people, keys, changes, jobs, exports, the audit log."""

from __future__ import annotations

from hansang.apps.platform.api.audit import AuditRoutes
from hansang.apps.platform.api.capacity import CapacityRoutes
from hansang.apps.platform.api.changes import ChangeRoutes
from hansang.apps.platform.api.exports import ExportRoutes
from hansang.apps.platform.api.jobs import JobRoutes
from hansang.apps.platform.api.keys import KeyRoutes
from hansang.apps.platform.api.me import MeRoutes
from hansang.apps.platform.api.people import PeopleRoutes

ROUTES = (
    MeRoutes,
    PeopleRoutes,
    KeyRoutes,
    ChangeRoutes,
    JobRoutes,
    ExportRoutes,
    AuditRoutes,
    CapacityRoutes,
)
