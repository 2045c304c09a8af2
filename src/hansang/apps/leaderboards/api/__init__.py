"""The leaderboards as routes: scores, boards, friends, operating."""

from __future__ import annotations

from hansang.apps.leaderboards.api.boards import WeekRoutes
from hansang.apps.leaderboards.api.friends import FriendRoutes
from hansang.apps.leaderboards.api.operating import OperatorRoutes
from hansang.apps.leaderboards.api.scores import ScoreRoutes
from hansang.apps.leaderboards.api.watching import WatchRoutes
from hansang.apps.leaderboards.api.weeks import CloseRoutes

ROUTES = (ScoreRoutes, WeekRoutes, FriendRoutes, OperatorRoutes, WatchRoutes, CloseRoutes)
