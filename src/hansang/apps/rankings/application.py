"""The player rankings application, as it is plugged into the shell."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.rankings.design import Hanwol
from hansang.apps.rankings.sample import fill
from hansang.apps.rankings.today import today
from hansang.parts.words import Words

APPLICATION = Application(
    name="rankings",
    title=Words("유저랭킹", "Player rankings"),
    summary=Words(
        "매일의 기록으로 공식 100위와 그 밖의 정확한 순위, 변화를 보여 줍니다.",
        "Daily snapshots: the official top 100, exact ranks beyond it, and how they changed.",
    ),
    short=Words("유저랭킹", "Rankings"),
    icon="chart-line",
    tables=(Hanwol,),
    fill=fill,
    today=today,
    words="hansang.apps.rankings",
)
