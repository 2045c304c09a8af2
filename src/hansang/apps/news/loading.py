"""Loading a list: every link once, whatever happens on the way."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from hansang.apps.news.design import (
    YAHOO_LATEST,
    Collision,
    Frontier,
    FrontierKey,
    LineOutcome,
    Mention,
    NewsDay,
    NewsDayKey,
    NewsItem,
    Outcome,
    Run,
    RunKey,
    RunPart,
    RunPartKey,
    RunSecond,
)
from hansang.apps.news.inputs import Unreadable
from hansang.apps.news.rules import Link, Unfit, is_run, link_of, pk_of, ticker_key
from hansang.apps.news.seen import SeenKeys
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.errors import (
    AlreadyExists,
    Busy,
    Conflict,
    DataError,
    InvalidInput,
    Throttled,
    TooLarge,
    Unavailable,
)

T = TypeVar("T")

PART = 500
"""How many lines are stored and reported at a time."""
OUTCOMES: tuple[Outcome, ...] = (
    "inserted",
    "duplicate",
    "duplicate_in_batch",
    "collision",
    "invalid",
    "failed",
)

_TRIES = 8
_SECONDS_TRIED = 120
_THREADS = 8
_log = logging.getLogger("hansang.news")

Progress = Callable[[int], object]
"""Told how many lines were dealt with since the last time."""


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    given: Any


class Loader:
    """Writes lists of links; each run has its own time, and its report is kept beside the list."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        threads: int = _THREADS,
        sleep: Callable[[float], None] = time.sleep,
        token: Callable[[], str],
    ) -> None:
        """`token` gives a short random text, for the ids of runs."""
        self._database, self._clock, self._sleep, self._token = database, clock, sleep, token
        self._threads = threads

    def load(
        self,
        lines: Iterable[Any],
        *,
        source: str = YAHOO_LATEST,
        name: str = "",
        alarms: Sequence[str] = (),
        run: str | None = None,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> Run:
        """Load a list and return the finished run; with the id of a run that was left, go on with that."""
        begun = self._resumed(run) if run else self._begun(source, name, alarms)
        counts: Counter[str] = Counter()
        try:
            finished = self._load(begun, lines, counts, progress or _unseen, stop or threading.Event())
        except BaseException:
            with suppress(Exception):  # The reason for stopping may be that nothing can be written.
                self._finished(begun, counts, finished=False)
            raise
        return self._finished(begun, counts, finished=finished)

    # ── runs ──────────────────────────────────────────────────────────────────────────────────────

    def _begun(self, source: str, name: str, alarms: Sequence[str]) -> Run:
        if not source.strip():
            raise InvalidInput("Name the source of the list, such as yf_latest.", "source")
        moment, run = self._own_second()
        begun = Run(
            month=RunKey.of(run).month,
            id=run,
            source=source,
            name=name,
            uploaded_at=moment,
            run_state="running",
            alarms=list(alarms),
        )
        self._insist(lambda: self._database.put(begun))
        return begun

    def _own_second(self) -> tuple[datetime, str]:
        """A clock reading, cut to the second, that no other run has."""
        for _ in range(_SECONDS_TRIED):
            now = self._clock()
            moment = datetime.fromtimestamp(int(now), UTC)
            run = f"{moment:%Y%m%dT%H%M%SZ}-{self._token()}"
            if self._takes(RunSecond(ms=int(now) * 1000, run=run)):
                return moment, run
            self._sleep(1 - now % 1)
        raise Busy("Other runs begin every second. Try again in a moment.", 2.0)

    def _takes(self, second: RunSecond) -> bool:
        try:
            self._insist(lambda: self._database.create(second))
        except AlreadyExists as found:
            return bool(found.item.run == second.run)
        return True

    def _resumed(self, run: str) -> Run:
        if not is_run(run):
            raise InvalidInput(f"{run!r} is no id of a run. They look like 20261115T093000Z-1a2b3c.", "run")
        found = self._insist(lambda: self._database.get(RunKey.of(run), consistent=True))
        if found.run_state == "finished" and not found.failed:
            raise Conflict(
                f"The run {run} is finished. Load the list again as a new run; nothing is stored twice."
            )
        return found

    def _finished(self, run: Run, counts: Counter[str], *, finished: bool) -> Run:
        ended = run.model_copy(
            update={
                **{name: counts[name] for name in OUTCOMES},
                "total": counts.total(),
                "run_state": "finished" if finished else "stopped",
                "finished_at": datetime.fromtimestamp(int(self._clock()), UTC),
            }
        )
        return self._insist(lambda: self._database.put(ended))

    # ── parts ─────────────────────────────────────────────────────────────────────────────────────

    def _load(
        self,
        run: Run,
        lines: Iterable[Any],
        counts: Counter[str],
        progress: Progress,
        stop: threading.Event,
    ) -> bool:
        seen = SeenKeys()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="hansang-news") as pool:
            for number, part in enumerate(_parts(lines)):
                if stop.is_set():
                    return False
                report = self._part(run, number, part, seen, pool)
                counts.update(each.outcome for each in report.lines)
                progress(len(part))
        return True

    def _part(
        self, run: Run, number: int, part: list[_Line], seen: SeenKeys, pool: ThreadPoolExecutor
    ) -> RunPart:
        fresh = self._sorted_out(part, seen)
        key = RunPartKey(run=run.id, number=number)
        done = self._insist(lambda: self._database.find(key, consistent=True))
        if done is not None and all(line.outcome != "failed" for line in done.lines):
            return done
        links = [(line, link) for line, link in fresh if isinstance(link, Link)]
        stored = dict(pool.map(lambda each: (each[0], self._store(run, *each)), links))
        report = RunPart(
            run=run.id,
            number=number,
            lines=[link if isinstance(link, LineOutcome) else stored[line] for line, link in fresh],
            revision=0 if done is None else done.revision + 1,
        )
        self._note_mentions(run, [link for line, link in links if stored[line].outcome == "inserted"])
        self._keep(run, report, _inserted(report) - _inserted(done))
        return report

    @staticmethod
    def _sorted_out(part: list[_Line], seen: SeenKeys) -> list[tuple[int, Link | LineOutcome]]:
        """The lines that are to be stored, and what became of the others already."""
        found: list[tuple[int, Link | LineOutcome]] = []
        for line in part:
            try:
                link = _link(line.given)
            except Unfit as reason:
                found.append((line.number, LineOutcome(line=line.number, outcome="invalid", why=str(reason))))
                continue
            pk = pk_of(link.url)
            if seen.add(pk):
                found.append((line.number, link))
            else:
                again = LineOutcome(line=line.number, outcome="duplicate_in_batch", pk=pk)
                found.append((line.number, again))
        return found

    def _keep(self, run: Run, report: RunPart, gained: int) -> None:
        """Store a part of the report and count its day, once, however often it is tried."""

        def attempt() -> None:
            try:
                with self._database.transaction() as transaction:
                    if report.revision:
                        transaction.put(report, when=RunPart.revision == report.revision - 1)
                    else:
                        transaction.create(report)
                    if gained:
                        day = NewsDayKey(day=run.uploaded_at.date())
                        transaction.update(day, attr(NewsDay.inserted).add(gained), upsert=True)
            except (AlreadyExists, Conflict):
                return  # It was kept the last time, and the answer was lost.

        self._insist(attempt)
        self._reopen(run.uploaded_at.date())

    def _reopen(self, day: date) -> None:
        """Let the crawl look at a day again that it had done with, when a run of that day goes on later."""
        if day >= datetime.fromtimestamp(self._clock(), UTC).date():
            return
        frontier = self._insist(lambda: self._database.find(FrontierKey(), consistent=True))
        if frontier is not None and frontier.day > day:
            self._insist(lambda: self._database.put(Frontier(day=day)))

    def _note_mentions(self, run: Run, links: Iterable[Link]) -> None:
        mentions = [each for link in links for each in mentions_of(run, link)]
        if mentions:
            self._insist(lambda: self._database.batch_write(puts=mentions))

    # ── one link ──────────────────────────────────────────────────────────────────────────────────

    def _store(self, run: Run, line: int, link: Link) -> LineOutcome:
        item = NewsItem.uploaded(
            run.uploaded_at, url=link.url, title=link.title, tickers=link.tickers, source=run.source
        )
        try:
            self._insist(lambda: self._database.create(item))
        except AlreadyExists as found:
            return self._judged(run, line, item, found.item)
        except TooLarge as reason:
            return LineOutcome(line=line, outcome="invalid", pk=item.pk, why=str(reason))
        except DataError as reason:
            return LineOutcome(line=line, outcome="failed", pk=item.pk, why=str(reason)[:500])
        return LineOutcome(line=line, outcome="inserted", pk=item.pk)

    def _judged(self, run: Run, line: int, item: NewsItem, kept: NewsItem) -> LineOutcome:
        """What it means that the key was taken: by the link itself, by this run, or by another link."""
        if kept.url != item.url:
            self._keep_aside(run, item, kept)
            return LineOutcome(
                line=line, outcome="collision", pk=item.pk, why=f"the key is that of {kept.url}"
            )
        # Only this run has this time: the response to its own put was lost (X3-07).
        own = kept.uploaded_at_utc_ms == item.uploaded_at_utc_ms
        return LineOutcome(line=line, outcome="inserted" if own else "duplicate", pk=item.pk)

    def _keep_aside(self, run: Run, item: NewsItem, kept: NewsItem) -> None:
        _log.error(
            "Two links have the key %s: %s is kept aside, because %s came first", item.pk, item.url, kept.url
        )
        collision = Collision(
            at_ms=item.uploaded_at_utc_ms,
            digest=sha256(item.url.encode()).hexdigest(),
            run=run.id,
            item_pk=item.pk,
            source=item.source,
            title=item.title,
            url=item.url,
            tickers=item.tickers,
            kept_url=kept.url,
        )
        self._insist(lambda: self._database.put(collision))

    def _insist(self, attempt: Callable[[], T]) -> T:
        """Try again while the table is busy or cannot be reached, with longer and longer pauses."""
        for tried in range(_TRIES - 1):
            try:
                return attempt()
            except (Throttled, Unavailable):
                self._sleep(min(5.0, 0.02 * 2**tried))
        return attempt()


def _inserted(report: RunPart | None) -> int:
    return 0 if report is None else sum(line.outcome == "inserted" for line in report.lines)


def mentions_of(run: Run, link: Link) -> Iterator[Mention]:
    """One mention for each ticker of a link."""
    for ticker in link.tickers:
        yield Mention(
            ticker=ticker_key(ticker),
            uploaded_at_utc_ms=int(run.uploaded_at.timestamp()) * 1000,
            item_pk=pk_of(link.url).replace("#", "-"),
            source=run.source,
            title=link.title,
            url=link.url,
            tickers=list(link.tickers),
        )


def _link(given: Any) -> Link:
    if isinstance(given, Unreadable):
        raise Unfit(given.why)
    return link_of(given)


def _parts(lines: Iterable[Any]) -> Iterator[list[_Line]]:
    numbered = (_Line(number, given) for number, given in enumerate(lines, 1))
    while part := list(islice(numbered, PART)):
        yield part


def _unseen(_: int) -> None:
    """Nobody looks at the progress."""
