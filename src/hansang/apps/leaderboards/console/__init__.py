"""The pages of the leaderboards: this week, players, friends, past weeks, and what operators do."""

from __future__ import annotations

from hansang.apps.leaderboards.console import close, friends, operate, player, week, weeks
from hansang.apps.leaderboards.console.search import search
from hansang.surfaces.console.plugged import Pages, Section

PAGES = Pages(
    routes=(*week.PAGES, *player.PAGES, *friends.PAGES, *weeks.PAGES, *operate.PAGES, *close.PAGES),
    sections=(
        Section("/leaderboards", "leaderboards.tab.week"),
        Section("/leaderboards/me", "leaderboards.tab.me"),
        Section("/leaderboards/me/friends", "leaderboards.tab.friends"),
        Section("/leaderboards/weeks", "leaderboards.tab.weeks"),
        Section("/leaderboards/operate", "leaderboards.tab.operate", "admin"),
        Section("/leaderboards/close", "leaderboards.tab.close", "admin"),
        Section("/apps/leaderboards", "leaderboards.tab.overview"),
    ),
    search=search,
)
