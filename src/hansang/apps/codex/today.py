"""What the editors of the site see first: inquiries that are open, and the newest posts."""

from __future__ import annotations

from typing import Any

from hansang.apps.codex.design import ContactInquiry, Post
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.today import MOST_LINES, Today, TodayFigure, TodayLine

_LOOKED_AT = 100
"""How many of the newest inquiries are looked at; older ones that are open are not counted."""


def today(database: Database, clock: Clock, settings: Any) -> Today:
    """Open inquiries and the newest posts."""
    inquiries = database.page(ContactInquiry.latest(), _LOOKED_AT).items
    new = sum(each.status == "new" for each in inquiries)
    begun = sum(each.status == "in_progress" for each in inquiries)
    posts = database.page(Post.latest(), MOST_LINES).items
    return Today(
        "codex.today.about",
        figures=(
            TodayFigure("codex.today.new", new, tone="warn" if new else "plain"),
            TodayFigure("codex.today.begun", begun),
        ),
        lines=tuple(TodayLine(each.title, each.created_at) for each in posts),
        nothing="codex.today.nothing",
    )
