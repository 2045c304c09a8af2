"""The leaderboards with a sample of one player, for tests of who fills what."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from hansang.apps.application import Progress
from hansang.apps.leaderboards.application import APPLICATION as WHOLE
from hansang.apps.leaderboards.work import BoardPlayer
from hansang.design import Database


def fill(database: Database, now: datetime, progress: Progress) -> None:
    database.put(BoardPlayer(id=1, name="Ann"))
    progress(1)


APPLICATION = replace(WHOLE, name="small", fill=fill, fill_of=None)
