"""The platform itself: who people are, what they may do, and the keys of programs."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.apps.platform.design import Platform
from hansang.parts.permissions import PLATFORM
from hansang.parts.words import Words

APPLICATION = Application(
    name=PLATFORM,
    title=Words("플랫폼", "Platform"),
    summary=Words(
        "사용자와 키, 작업, 변경 기록을 다룹니다.", "People, keys, jobs and the history of changes."
    ),
    icon="shield-check",
    tables=(Platform,),
    api="hansang.apps.platform.api:ROUTES",
    pages="hansang.apps.platform.console:PAGES",
    commands="hansang.apps.platform.cli:GROUPS",
    words="hansang.apps.platform",
)
