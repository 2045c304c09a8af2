"""The pages of the rankings: the official hundred."""

from __future__ import annotations

from hansang.apps.rankings.console import everyone, front, share
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(*front.PAGES, *everyone.PAGES, *share.PAGES),
    sections=(
        Section("/rankings", "rankings.tab.front"),
        Section("/rankings/everyone", "rankings.tab.everyone"),
        Section("/apps/rankings", "rankings.tab.overview"),
    ),
)
