"""Recounting the days of the list, after runs that died half-way: their counts, and the mentions of tickers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from functools import partial

from hansang.apps.news import frontier
from hansang.apps.news.design import Mention, NewsDay, NewsDayKey, NewsRow, Run, RunKey, RunPart
from hansang.apps.news.mentions import mentions_of, note
from hansang.apps.news.rules import Link
from hansang.apps.news.runs import is_whole
from hansang.clock import Clock
from hansang.design import Condition, Database, attr
from hansang.errors import Busy, Conflict, NotFound
from hansang.parts.retry import PATIENT, Sleep, retry

_TRIES = 20


class Recounting:
    """Counts the links of a day anew, and notes every mention in them; may run at any time, and beside loads.

    What a day has is what its runs have reported, what they have stored and not reported, and strays, which
    no run has brought. The second is noted with the run, so that a run that goes on later takes it back.
    """

    def __init__(self, database: Database, clock: Clock, sleep: Sleep) -> None:
        self._database, self._clock, self._sleep = database, clock, sleep

    def recount(self, day: date) -> int:
        """Count the links of a day anew; how many it has."""
        stored = self._noted(day)
        runs = {int(run.uploaded_at.timestamp()) * 1000: run for run in self._runs(day)}
        changed = [self._recount_run(run, stored[ms]) for ms, run in runs.items()]
        strays = sum(count for ms, count in stored.items() if ms not in runs)
        if self._recount_day(day, strays) or any(changed):
            self._reopen(day)
        return stored.total()

    def _noted(self, day: date) -> Counter[int]:
        """How many links the day has by their time; their mentions are noted on the way."""
        counts: Counter[int] = Counter()
        note(self._database, _mentions(self._database.each(NewsRow.uploaded_on(day)), counts), self._sleep)
        return counts

    def _runs(self, day: date) -> Iterator[Run]:
        for run in self._database.each(Run.of_month(f"{day:%Y-%m}").consistent()):
            if run.uploaded_at.date() == day:
                yield run

    def _reported(self, run: Run) -> int:
        parts = self._database.each(RunPart.of_run(run.id).consistent())
        return sum(line.outcome == "inserted" for part in parts for line in part.lines)

    # ── one run ───────────────────────────────────────────────────────────────────────────────────

    def _recount_run(self, run: Run, stored: int) -> bool:
        """Count what a run has stored and not reported; whether that is news."""
        for tried in range(_TRIES):
            seen = self._database.get(RunKey.of(run.id), consistent=True)
            unreported = 0 if is_whole(seen) else max(0, stored - self._reported(seen))
            if unreported == seen.mended:
                return tried > 0  # Else the answer was lost, and it is counted.
            try:
                retry(partial(self._count, seen, unreported), self._sleep, PATIENT)
            except Conflict:
                continue
            return True
        raise Busy(
            "The run {run} is still changing. Mend its day when it is finished.",
            code="news.mend-run-busy",
            values={"run": run.id},
        )

    def _count(self, seen: Run, unreported: int) -> None:
        day = NewsDayKey(day=seen.uploaded_at.date())
        with self._database.transaction(name="Run.recount") as transaction:
            transaction.update(seen, attr(Run.mended).set(unreported), when=Run.mended == seen.mended)
            transaction.update(day, attr(NewsDay.inserted).add(unreported - seen.mended), upsert=True)

    # ── the day ───────────────────────────────────────────────────────────────────────────────────

    def _recount_day(self, day: date, strays: int) -> bool:
        """Set the day's count to what its runs and strays come to; whether it was another."""
        for tried in range(_TRIES):
            seen = self._database.find(NewsDayKey(day=day), consistent=True)
            inserted = strays + sum(self._reported(run) + run.mended for run in self._runs(day))
            if (inserted, strays) == ((seen.inserted, seen.strays) if seen else (0, 0)):
                return tried > 0
            try:
                retry(partial(self._set, day, inserted, strays, _as(seen)), self._sleep, PATIENT)
            except (Conflict, NotFound):
                continue
            return True
        raise Busy(
            "Lists are still being loaded for {day}. Mend the day when they are finished.",
            code="news.mend-day-busy",
            values={"day": day},
        )

    def _set(self, day: date, inserted: int, strays: int, when: Condition | bool) -> None:
        changes = attr(NewsDay.inserted).set(inserted), attr(NewsDay.strays).set(strays)
        self._database.update(NewsDayKey(day=day), *changes, when=when, upsert=True)

    def _reopen(self, day: date) -> None:
        now_ms = int(self._clock() * 1000)
        retry(partial(frontier.reopen, self._database, frontier.start_of(day), now_ms), self._sleep, PATIENT)


def _as(seen: NewsDay | None) -> Condition | bool:
    return attr(NewsDay.inserted).missing() if seen is None else NewsDay.inserted == seen.inserted


def _mentions(rows: Iterable[NewsRow], counts: Counter[int]) -> Iterator[Mention]:
    for row in rows:
        counts[row.uploaded_at_utc_ms] += 1
        link = Link(row.title, row.url, tuple(row.tickers))
        yield from mentions_of(row.pk, link, row.source, row.uploaded_at_utc_ms)
