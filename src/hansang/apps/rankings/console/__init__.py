"""The pages of the rankings: the official hundred, everyone, ranges, players, comparison, days."""

from __future__ import annotations

from hansang.apps.rankings.console import compare, days, everyone, front, player, privacy, ranges, share
from hansang.apps.rankings.console.search import search
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(
        *front.PAGES,
        *everyone.PAGES,
        *player.PAGES,
        *privacy.PAGES,
        *compare.PAGES,
        *days.PAGES,
        *ranges.PAGES,
        *share.PAGES,
    ),
    sections=(
        Section("/rankings", "rankings.tab.front"),
        Section("/rankings/everyone", "rankings.tab.everyone"),
        Section("/rankings/range", "rankings.tab.range"),
        Section("/rankings/compare", "rankings.tab.compare"),
        Section("/rankings/days", "rankings.tab.days", "write"),
        Section("/apps/rankings", "rankings.tab.overview"),
    ),
    search=search,
)
