"""The rankings as routes: days and their imports, boards, players."""

from __future__ import annotations

from hansang.apps.rankings.api.boards import BoardRoutes
from hansang.apps.rankings.api.days import DayRoutes
from hansang.apps.rankings.api.discord import DiscordRoutes
from hansang.apps.rankings.api.players import PlayerRoutes

ROUTES = (DayRoutes, BoardRoutes, PlayerRoutes, DiscordRoutes)
