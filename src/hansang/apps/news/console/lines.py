"""What became of the lines of a run, some at a time, all of them or those with one outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from hansang.apps.news.console.links import news_of
from hansang.apps.news.design import Collision, LineOutcome, NewsItem, Outcome, Run, RunPart
from hansang.apps.news.reading import Reading
from hansang.design import Page, Unreadable
from hansang.errors import InvalidCursor
from hansang.surfaces.console.pages import Visit

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
TONES: dict[str, str] = {
    "inserted": "good",
    "duplicate": "quiet",
    "duplicate_in_batch": "quiet",
    "collision": "bad",
    "invalid": "warn",
    "failed": "bad",
}
_ON_A_PAGE = 50
_MOST_COLLISIONS = 100
_MOST_PARTS = 40
"""How many parts of a report one page looks through for the lines that are asked for."""


@dataclass(frozen=True, slots=True)
class LineRow:
    """One line of a run, with the article that it became or met."""

    line: LineOutcome
    item: NewsItem | None
    why: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A page of lines; `cursor` leads to the next one."""

    rows: list[LineRow]
    cursor: str | None
    is_first: bool
    unreadable: list[Unreadable]
    """Parts of the report, and articles, that cannot be read."""


def counts_of(run: Run) -> list[tuple[Outcome, int]]:
    """How many lines had which outcome."""
    return [(outcome, getattr(run, outcome)) for outcome in OUTCOMES]


def outcome_of(visit: Visit) -> Outcome | None:
    """The outcome whose lines are asked for."""
    return next((each for each in OUTCOMES if each == visit.query("outcome")), None)


def lines_of(visit: Visit, run: Run, outcome: Outcome | None) -> Lines:
    """The lines of a run that a visit asks for."""
    reading, cursor = news_of(visit).reading, visit.query("cursor")
    unreadable: list[Unreadable] = []
    found, following = _page(reading, run, outcome, cursor, unreadable)
    items = reading.find_all((line.pk for line in found if line.pk), unreadable=unreadable.append)
    rows = [
        LineRow(line, items.get(line.pk), visit.worded(line.why, line.code, line.values)) for line in found
    ]
    return Lines(rows, following, not cursor, unreadable)


def context_of(visit: Visit, run: Run) -> dict[str, Any]:
    """What the template of a run's lines needs."""
    outcome = outcome_of(visit)
    lines = lines_of(visit, run, outcome)
    return {
        "run": run,
        "counts": counts_of(run),
        "tones": TONES,
        "outcome": outcome,
        "lines": lines,
        "unreadable": visit.named(lines.unreadable),
        "collisions": _collisions(visit, run),
    }


def _collisions(visit: Visit, run: Run) -> list[Collision]:
    """The links of a run that were kept aside, as far as they are among the newest."""
    if not run.collision:
        return []
    return [each for each in news_of(visit).reading.collisions(_MOST_COLLISIONS) if each.run == run.id]


def _page(
    reading: Reading, run: Run, outcome: Outcome | None, cursor: str, unreadable: list[Unreadable]
) -> tuple[list[LineOutcome], str | None]:
    """Lines up to a page full of them; a cursor is the place in a part, and the cursor to that part."""
    if outcome is not None and run.run_state == "finished" and not getattr(run, outcome):
        return [], None
    skipped, inner = _place(cursor)
    found: list[LineOutcome] = []
    for _ in range(_MOST_PARTS):
        part = reading.report_page(run.id, inner)
        unreadable += part.unreadable
        fitting = list(_fitting(part, outcome))[skipped:]
        room = _ON_A_PAGE - len(found)
        if len(fitting) > room:
            return found + fitting[:room], f"{skipped + room}.{inner or ''}"
        found, skipped, inner = found + fitting, 0, part.cursor
        if inner is None:
            return found, None
    return found, f"0.{inner}"


def _fitting(parts: Page[RunPart], outcome: Outcome | None) -> Iterator[LineOutcome]:
    return (line for part in parts for line in part.lines if outcome in (None, line.outcome))


def _place(cursor: str) -> tuple[int, str | None]:
    if not cursor:
        return 0, None
    skipped, _, inner = cursor.partition(".")
    if not (skipped.isascii() and skipped.isdecimal() and len(skipped) < 10):
        raise InvalidCursor(
            "This cursor does not belong to this run. Start again without one.", code="news.cursor-of-run"
        )
    return int(skipped), inner or None
