"""What became of the lines of a run, some at a time, all of them or those with one outcome."""

from __future__ import annotations

from typing import Any

from hansang.apps.news.console.links import news_of
from hansang.apps.news.design import Run
from hansang.apps.news.lines import counts_of
from hansang.apps.news.runs import OUTCOMES
from hansang.surfaces.console.pages import Visit

TONES: dict[str, str] = {
    "inserted": "good",
    "duplicate": "quiet",
    "duplicate_in_batch": "quiet",
    "collision": "bad",
    "invalid": "warn",
    "failed": "bad",
}
_ON_A_PAGE = 50


def context_of(visit: Visit, run: Run) -> dict[str, Any]:
    """What the template of a run's lines needs."""
    outcome = next((each for each in OUTCOMES if each == visit.query("outcome")), None)
    lines = news_of(visit).lines
    cursor = visit.query("cursor") or None
    page = lines.page_with_articles(run, outcome, _ON_A_PAGE, cursor)
    return {
        "run": run,
        "counts": counts_of(run),
        "tones": TONES,
        "outcome": outcome,
        "lines": page,
        "is_first_page": cursor is None,
        "why": lambda line: visit.worded(line.why, line.code, line.values),
        "unreadable": visit.named(page.unreadable),
        "collisions": lines.collisions(run),
    }
