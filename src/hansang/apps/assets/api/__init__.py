"""The household ledger as routes: months, the household itself, codes, reports, files."""

from __future__ import annotations

from hansang.apps.assets.api.codes import CodeRoutes
from hansang.apps.assets.api.files import FileRoutes
from hansang.apps.assets.api.household import HouseholdRoutes
from hansang.apps.assets.api.households import HouseholdsRoutes
from hansang.apps.assets.api.months import MonthRoutes
from hansang.apps.assets.api.proposals import ProposalRoutes
from hansang.apps.assets.api.reports import ReportRoutes

ROUTES = (
    MonthRoutes,
    HouseholdRoutes,
    CodeRoutes,
    ProposalRoutes,
    ReportRoutes,
    FileRoutes,
    HouseholdsRoutes,
)
