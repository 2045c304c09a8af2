"""What became of the lines of a run: all of them or those with one outcome, whole or page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from hansang.apps.news.design import Collision, LineOutcome, NewsItem, NewsKey, Outcome, Run, RunPart
from hansang.apps.news.runs import OUTCOMES
from hansang.design import Database, Page, Unreadable
from hansang.parts.chained import Chain, in_order

_MOST_PARTS = 50
"""How many parts of a report a page looks through for the lines that are asked for."""
_MOST_COLLISIONS = 100


@dataclass(frozen=True, slots=True)
class LineArticle:
    """One line of a run, with the article that it became or met."""

    line: LineOutcome
    item: NewsItem | None


def counts_of(run: Run) -> list[tuple[Outcome, int]]:
    """How many lines had which outcome."""
    return [(outcome, getattr(run, outcome)) for outcome in OUTCOMES]


class RunLines:
    """The lines of the reports of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def each(
        self,
        run: str,
        outcome: Outcome | None = None,
        *,
        unreadable: Callable[[Unreadable], object] | None = None,
    ) -> Iterator[LineOutcome]:
        """Every line of a run; a part of its report that cannot be read goes to `unreadable`, or is an error."""
        for part in self._database.each(RunPart.of_run(run), unreadable=unreadable):
            yield from _fitting([part], outcome)

    def page(
        self, run: Run, outcome: Outcome | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[LineOutcome]:
        """Some lines of a run, and a cursor to the next ones; when few fit, there may be none and still a cursor."""
        if outcome is not None and run.run_state == "finished" and not getattr(run, outcome):
            return Page([], None, 0)
        lines = Chain(
            f"news lines {run.id} {outcome}",
            in_order({"": RunPart.of_run(run.id)}),
            lambda parts: _fitting(parts, outcome),
            at_once=1,
            most_asked=_MOST_PARTS,
        )
        return lines.page(self._database, limit, cursor)

    def page_with_articles(
        self, run: Run, outcome: Outcome | None = None, limit: int = 50, cursor: str | None = None
    ) -> Page[LineArticle]:
        """The same page with the article of each line, where there is one."""
        page = self.page(run, outcome, limit, cursor)
        keys = dict.fromkeys(NewsKey(pk=line.pk) for line in page if line.pk)
        unreadable = [*page.unreadable]
        found = {item.pk: item for item in self._database.batch_get(keys, unreadable=unreadable.append)}
        lines = [LineArticle(line, found.get(line.pk)) for line in page]
        return Page(lines, page.cursor, page.offset, unreadable)

    def collisions(self, run: Run) -> list[Collision]:
        """The links of a run that were kept aside, as far as they are among the newest."""
        if not run.collision:
            return []
        newest = self._database.page(Collision.newest(), _MOST_COLLISIONS)
        return [each for each in newest if each.run == run.id]


def _fitting(parts: Iterable[RunPart], outcome: Outcome | None) -> list[LineOutcome]:
    return [line for part in parts for line in part.lines if outcome in (None, line.outcome)]
