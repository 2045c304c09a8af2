"""The player rankings application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application, CountAlarm
from hansang.apps.rankings.design import (
    DayMovers,
    DayOfficials,
    DayRejected,
    Erasure,
    Hanwol,
    HiddenPlayer,
    ImportPart,
    Snapshot,
    SnapshotDay,
)
from hansang.apps.rankings.jobs import jobs
from hansang.apps.rankings.sample import fill
from hansang.apps.rankings.sent_days import SentDay, SentPiece
from hansang.apps.rankings.settings import RankingsSettings, is_public
from hansang.apps.rankings.today import today
from hansang.parts.ranks.table import FreedNodes, RankChange, RankNodeItem, RankRoot, Ranks, TieMarks
from hansang.parts.words import Words
from hansang.parts.write_rules import application_only

_IMPORT = application_only(
    Words(
        "하루를 가져오십시오: 콘솔의 날짜 화면, POST /api/rankings/days/{date}/parts 또는 hansang rankings import.",
        "Import a day instead: the page of days, POST /api/rankings/days/{date}/parts or hansang rankings import.",
    )
)
_HIDE = application_only(
    Words(
        "숨기거나 삭제하십시오: /api/rankings/players 아래의 API 또는 hansang rankings hide, erase.",
        "Hide or erase a player instead: the routes below /api/rankings/players, or hansang rankings hide and erase.",
    )
)
_DAYS = (Snapshot, SnapshotDay, ImportPart, DayOfficials, DayMovers, DayRejected, SentDay, SentPiece)
_TREES = (RankRoot, RankNodeItem, FreedNodes, RankChange, TieMarks)

APPLICATION = Application(
    name="rankings",
    title=Words("유저랭킹", "Player rankings"),
    summary=Words(
        "매일의 기록으로 공식 100위와 그 밖의 정확한 순위, 변화를 보여 줍니다.",
        "Daily snapshots: the official top 100, exact ranks beyond it, and how they changed.",
    ),
    short=Words("유저랭킹", "Rankings"),
    icon="chart-line",
    tables=(Hanwol, Ranks),
    writes={
        **dict.fromkeys((*_DAYS, *_TREES), _IMPORT),
        **dict.fromkeys((HiddenPlayer, Erasure), _HIDE),
    },
    guarded=frozenset({HiddenPlayer, Erasure}),
    settings=RankingsSettings,
    public=is_public,
    jobs=jobs,
    alarms=(
        CountAlarm("mismatches", "Official ranks are not where levels or powers would put them."),
        CountAlarm("rejected", "Rows of an import were refused."),
    ),
    fill=fill,
    today=today,
    api="hansang.apps.rankings.api:ROUTES",
    pages="hansang.apps.rankings.console:PAGES",
    commands="hansang.apps.rankings.cli.commands:group",
    words="hansang.apps.rankings",
)
