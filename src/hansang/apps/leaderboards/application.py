"""The weekly leaderboards application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.leaderboards.checks import check_friend_score, check_weekly_best
from hansang.apps.leaderboards.design import FriendScore, FriendsLeaderboard, UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.sample import fill
from hansang.apps.leaderboards.today import today
from hansang.parts.words import Words

APPLICATION = Application(
    name="leaderboards",
    title=Words("주간순위", "Weekly leaderboards"),
    summary=Words(
        "이번 주 전체 순위와 친구 순위, 최근 기록과 최고 기록을 보여 줍니다.",
        "The week's overall and friends rankings, recent scores and personal bests.",
    ),
    short=Words("주간순위", "Weekly"),
    icon="trophy",
    tables=(
        UsersLeaderboard,
        FriendsLeaderboard,
    ),
    checks={WeeklyBest: check_weekly_best, FriendScore: check_friend_score},
    fill=fill,
    today=today,
    words="hansang.apps.leaderboards",
)
