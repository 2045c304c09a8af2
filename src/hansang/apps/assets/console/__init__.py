"""The pages of the household ledger: the month, the dashboard, the history, the codes, and the first steps."""

from __future__ import annotations

from hansang.apps.assets.console import (
    budget,
    cells,
    codes,
    dashboard,
    files,
    history,
    household,
    install,
    month,
    start,
    worth,
    year,
)
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(
        *month.PAGES,
        *cells.PAGES,
        *dashboard.PAGES,
        *worth.PAGES,
        *budget.PAGES,
        *year.PAGES,
        *files.PAGES,
        *household.PAGES,
        *history.PAGES,
        *codes.PAGES,
        *start.PAGES,
        *install.PAGES,
    ),
    sections=(
        Section("/assets", "assets.tab.month"),
        Section("/assets/dashboard", "assets.tab.dashboard"),
        Section("/assets/worth", "assets.tab.worth"),
        Section("/assets/budget", "assets.tab.budget"),
        Section("/assets/year", "assets.tab.year"),
        Section("/assets/history", "assets.tab.history"),
        Section("/assets/codes", "assets.tab.codes"),
        Section("/assets/files", "assets.tab.files"),
        Section("/assets/household", "assets.tab.household"),
        Section("/apps/assets", "assets.tab.overview"),
    ),
)
