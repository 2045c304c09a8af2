"""The pages of the rankings: the official hundred."""

from __future__ import annotations

from hansang.apps.rankings.console import compare, everyone, front, player
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(*front.PAGES, *everyone.PAGES, *player.PAGES, *compare.PAGES),
    sections=(
        Section("/rankings", "rankings.tab.front"),
        Section("/rankings/everyone", "rankings.tab.everyone"),
        Section("/rankings/compare", "rankings.tab.compare"),
        Section("/apps/rankings", "rankings.tab.overview"),
    ),
)
