"""The weekly leaderboards application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.leaderboards.board_names import BoardNames
from hansang.apps.leaderboards.boards import TABLES
from hansang.apps.leaderboards.design import FriendScore, WeeklyBest
from hansang.apps.leaderboards.jobs import jobs
from hansang.apps.leaderboards.ranks_table import (
    WeekTree,
    WeekTreeChange,
    WeekTreeFreed,
    WeekTreeNode,
)
from hansang.apps.leaderboards.sample import filling
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.today import today
from hansang.apps.leaderboards.work import (
    BoardPlayer,
    BoardWeek,
    Calendar,
    FanOut,
    FanOutList,
    Friendship,
    HeldBest,
    Hiding,
    PlayerErasure,
    PlayerNameEntry,
    RefusedPlay,
    Reward,
    Suspect,
    UsedToken,
)
from hansang.parts.words import Words
from hansang.parts.write_rules import application_only

_SUBMIT = application_only(
    Words(
        "점수를 보내십시오: POST /api/leaderboards/scores 또는 hansang leaderboards submit.",
        "Submit a score instead: POST /api/leaderboards/scores or hansang leaderboards submit.",
    )
)
_BEFRIEND = application_only(
    Words(
        "친구로 맺거나 끊으십시오: /api/leaderboards/players 아래의 API 또는 hansang leaderboards befriend, unfriend.",
        "Befriend or unfriend instead: the routes below /api/leaderboards/players, "
        "or hansang leaderboards befriend and unfriend.",
    )
)
_OPERATE = application_only(
    Words(
        "운영 명령을 쓰십시오: /api/leaderboards 아래의 API 또는 hansang leaderboards hide, correct, close.",
        "Use the verbs of operators instead: the routes below /api/leaderboards, "
        "or hansang leaderboards hide, correct and close.",
    )
)
_SCORES = (
    WeeklyBest,
    FriendScore,
    WeekTree,
    WeekTreeNode,
    WeekTreeFreed,
    WeekTreeChange,
    UsedToken,
    Calendar,
)
_FRIENDS = (Friendship, FanOut, FanOutList)
_OPERATED = (
    BoardPlayer,
    PlayerNameEntry,
    Hiding,
    HeldBest,
    PlayerErasure,
    RefusedPlay,
    Suspect,
    BoardWeek,
    Reward,
)

APPLICATION = Application(
    name="leaderboards",
    title=Words("주간순위", "Weekly leaderboards"),
    summary=Words(
        "이번 주 전체 순위와 친구 순위, 최근 기록과 최고 기록을 보여 줍니다.",
        "The week's overall and friends rankings, recent scores and personal bests.",
    ),
    short=Words("주간순위", "Weekly"),
    icon="trophy",
    tables=TABLES,
    copies=lambda settings: settings.boards[1:],
    copies_about="leaderboards.copies.about",
    at_start=lambda database, settings: BoardNames(database, settings).expect(),
    writes={
        **dict.fromkeys(_SCORES, _SUBMIT),
        **dict.fromkeys(_FRIENDS, _BEFRIEND),
        **dict.fromkeys(_OPERATED, _OPERATE),
    },
    guarded=frozenset(
        {BoardPlayer, PlayerNameEntry, Hiding, HeldBest, PlayerErasure, RefusedPlay, Reward, Suspect}
    ),
    settings=LeaderboardsSettings,
    jobs=jobs,
    fill_of=filling,
    today=today,
    public=lambda settings: settings is not None and settings.public,
    public_topics=("leaderboards.board.", "leaderboards.player."),
    api="hansang.apps.leaderboards.api:ROUTES",
    pages="hansang.apps.leaderboards.console:PAGES",
    commands="hansang.apps.leaderboards.cli.commands:group",
    words="hansang.apps.leaderboards",
)
