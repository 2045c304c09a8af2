"""Loading a list: every link once, whatever happens on the way."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, islice
from typing import Any, TypeVar

from hansang.apps.news import frontier
from hansang.apps.news.design import (
    YAHOO_LATEST,
    Collision,
    LineOutcome,
    Mention,
    NewsDay,
    NewsDayKey,
    NewsItem,
    Run,
    RunPart,
    RunPartKey,
)
from hansang.apps.news.inputs import UnreadableLine
from hansang.apps.news.mentions import mentions_of, note
from hansang.apps.news.reasons import Reason, reason, reason_of
from hansang.apps.news.rules import Link, Unfit, link_of, pk_of
from hansang.apps.news.runs import OUTCOMES, Origin, Runs, is_whole, run_topic, told
from hansang.apps.news.seen import SeenLinks
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.errors import AlreadyExists, Busy, Conflict, DataError, StoreBusy, TooLarge
from hansang.parts.hands import Hands
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.topics import Publish, unheard

T = TypeVar("T")

PART = 500
"""How many lines are stored and reported at a time."""

THREADS = 32
"""How many puts are under way at a time: on a file they share a commit, on AWS they share the waiting."""

_LARGEST_PART = 8_000_000
"""How many characters a part may have, or one more line."""
_PARTS_TRIED = 20
_LONGEST_URL_SHOWN = 2000
_log = logging.getLogger("hansang.news")

Progress = Callable[[int], object]
"""Told how many lines were dealt with since the last time."""

Extent = Callable[[int], Mapping[str, int]]
"""Says how far a list is read, by the number of lines that were dealt with."""


_Line = tuple[int, Link | LineOutcome]
"""The number of a line, and its link or what became of it already."""


class Loader:
    """Writes lists of links; each run has its own time, and its report is kept beside the list."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        runs: Runs,
        *,
        threads: int = THREADS,
        sleep: Sleep = time.sleep,
        publish: Publish = unheard,
    ) -> None:
        """`publish` is told how each run goes on."""
        self._database, self._clock, self._runs, self._sleep = database, clock, runs, sleep
        self._threads, self._publish = threads, publish

    def load(
        self,
        lines: Iterable[Any],
        *,
        source: str = YAHOO_LATEST,
        name: str = "",
        alarms: Sequence[Reason] = (),
        run: str | None = None,
        origin: Origin | None = None,
        progress: Progress | None = None,
        extent: Extent | None = None,
        stop: threading.Event | None = None,
        beside: Beside[Run] = alone,
    ) -> Run:
        """Load a list and return the finished run; with the id of a run that was left, go on with that.

        A list with an origin has one run: when it comes again, that goes on, or is returned if it is finished.
        StoreBusy says how to go on when the data file stays busy.
        What is `beside` it is written in one transaction with the end of the run.
        """
        parts = parts_of(lines)
        first = list(islice(parts, 1))  # A list that cannot be read at all does not begin a run.
        begun = self._runs.resume(run) if run else self._runs.begin(source, name, alarms, origin)
        if is_whole(begun):
            return begun
        begun = self._runs.go_on(begun)
        counts: Counter[str] = Counter()
        self._tell(begun, counts)

        def tell(count: int) -> None:
            self._tell(begun, counts, extent)
            if progress is not None:
                progress(count)

        try:
            finished = self._load(begun, chain(first, parts), counts, tell, stop)
        except BaseException as reason:
            ended = self._runs.abandon(begun, counts)
            self._tell(ended, counts, at_once=True)
            if isinstance(reason, StoreBusy):
                raise _stopped(begun, counts.total(), reason) from reason
            raise
        ended = self._runs.end(begun, counts, finished=finished, beside=beside)
        self._tell(ended, counts, at_once=True)
        return ended

    def stop(self, run: str, beside: Beside[Run] = alone) -> Run:
        """Have a run end before its next part, in whichever process it goes on; it can be continued."""
        return self._runs.ask_to_stop(run, beside)

    def _tell(
        self, run: Run, counts: Counter[str], extent: Extent | None = None, *, at_once: bool = False
    ) -> None:
        reached = None if extent is None else extent(counts.total())
        self._publish(run_topic(run.id), told(run, counts, reached), at_once=at_once)

    # ── parts ─────────────────────────────────────────────────────────────────────────────────────

    def _load(
        self,
        run: Run,
        parts: Iterable[list[_Line]],
        counts: Counter[str],
        progress: Progress,
        stop: threading.Event | None,
    ) -> bool:
        seen = SeenLinks()
        with Hands(self._threads, "news") as pool:
            for number, part in enumerate(parts):
                if (stop is not None and stop.is_set()) or (number and self._runs.is_to_stop(run)):
                    return False
                report = self._part(run, number, part, seen, pool)
                counts.update(each.outcome for each in report.lines)
                progress(len(part))
        return True

    def _part(self, run: Run, number: int, part: list[_Line], seen: SeenLinks, pool: Hands) -> RunPart:
        fresh = [unless_seen(line, seen) for line in part]
        done = self._found(run, number)
        if done is not None:
            _expect_same_list(run, done, [_pk(link) for _, link in fresh])
            if all(line.outcome != "failed" for line in done.lines):
                return done
        self._reopen(run)
        links = [(line, link) for line, link in fresh if isinstance(link, Link)]
        stored = dict(pool.map(lambda each: (each[0], self._store(run, *each)), links))
        lines = [link if isinstance(link, LineOutcome) else stored[line] for line, link in fresh]
        note(self._database, _mentions(run, stored, links), self._sleep, pool.map)
        return self._kept(run, RunPart(run=run.id, number=number, lines=lines), done)

    def _found(self, run: Run, number: int) -> RunPart | None:
        key = RunPartKey(run=run.id, number=number)
        return self._retry(partial(self._database.find, key, consistent=True))

    def _kept(self, run: Run, report: RunPart, before: RunPart | None) -> RunPart:
        """Store a part of the report and count its day, once, however often it is tried and by whom."""
        for _ in range(_PARTS_TRIED):
            if before is not None:
                _expect_same_list(run, before, [line.pk for line in report.lines])
            wanted = _joined(report, before)
            if before is not None and wanted.lines == before.lines:
                return before
            try:
                self._retry(partial(self._write, run, wanted, before))
            except (AlreadyExists, Conflict):
                # It was kept the last time and the answer was lost, or another process goes on with this run.
                before = self._found(run, report.number)
            else:
                return wanted
        raise Busy(
            "The run {run} is being written by others. Continue it in a moment.",
            code="news.run-busy",
            values={"run": run.id},
        )

    def _write(self, run: Run, report: RunPart, before: RunPart | None) -> None:
        gained = _inserted(report) - _inserted(before)
        with self._database.transaction(name="RunPart.keep") as transaction:
            if before is None:
                transaction.create(report)
            else:
                transaction.put(report, when=RunPart.revision == before.revision)
            if gained:
                day = NewsDayKey(day=run.uploaded_at.date())
                transaction.update(day, attr(NewsDay.inserted).add(gained), upsert=True)

    def _reopen(self, run: Run) -> None:
        """Let the crawl look at the run's time again, when that is long ago and the run goes on."""
        now_ms, run_ms = int(self._clock() * 1000), int(run.uploaded_at.timestamp()) * 1000
        if now_ms - run_ms >= frontier.LATE_MS:
            self._retry(partial(frontier.reopen, self._database, run_ms, now_ms))

    # ── one link ──────────────────────────────────────────────────────────────────────────────────

    def _store(self, run: Run, line: int, link: Link) -> LineOutcome:
        item = NewsItem.uploaded(
            run.uploaded_at, url=link.url, title=link.title, tickers=link.tickers, source=run.source
        )
        try:
            return self._stored(run, line, item)
        except TooLarge as fault:
            return judged_line(line, "invalid", item.pk, reason_of(fault))
        except DataError as fault:
            return judged_line(line, "failed", item.pk, reason_of(fault))

    def _stored(self, run: Run, line: int, item: NewsItem) -> LineOutcome:
        try:
            self._retry(partial(self._database.create, item))
        except AlreadyExists as found:
            return self._judged(run, line, item, found.item)
        return judged_line(line, "inserted", item.pk)

    def _judged(self, run: Run, line: int, item: NewsItem, kept: NewsItem) -> LineOutcome:
        """What it means that the key was taken: by the link itself, by this run, or by another link."""
        if kept.url != item.url:
            self._keep_aside(run, item, kept)
            return judged_line(line, "collision", item.pk, same_key(kept))
        # Only this run has this time: the response to its own put was lost (X3-07).
        own = kept.uploaded_at_utc_ms == item.uploaded_at_utc_ms
        return judged_line(line, "inserted" if own else "duplicate", item.pk)

    def _keep_aside(self, run: Run, item: NewsItem, kept: NewsItem) -> None:
        _log.error(
            "Two links have the key %s: %.200r is kept aside, because %.200r came first",
            item.pk,
            item.url,
            kept.url,
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
            kept_url=kept.url[:_LONGEST_URL_SHOWN],
        )
        self._retry(partial(self._database.put, collision))

    def _retry(self, work: Callable[[], T]) -> T:
        return retry(work, self._sleep, PATIENT)


# ── reports ───────────────────────────────────────────────────────────────────────────────────────


def judged_line(line: int, outcome: Any, pk: str = "", why: Reason | None = None) -> LineOutcome:
    """What became of a line."""
    if why is None:
        return LineOutcome(line=line, outcome=outcome, pk=pk)
    values = None if why.values is None else {**why.values}
    return LineOutcome(line=line, outcome=outcome, pk=pk, why=why.text, code=why.code, values=values)


def same_key(kept: NewsItem) -> Reason:
    """Why a link is kept aside."""
    values = {"url": kept.url}
    return reason("Its key is that of a link that came first: {url}", code="news.same-key", values=values)


def _stopped(run: Run, lines: int, busy: StoreBusy) -> StoreBusy:
    return StoreBusy(
        "The run {run} stopped after {lines} lines, because the data file stayed busy. What was stored is kept. Load "
        "the same list with --run {run}, and it goes on behind those lines.",
        busy.owner,
        busy.retry_after,
        code="news.load-stopped",
        values={"run": run.id, "lines": lines},
    )


def _inserted(report: RunPart | None) -> int:
    return 0 if report is None else sum(line.outcome == "inserted" for line in report.lines)


def _joined(report: RunPart, before: RunPart | None) -> RunPart:
    """A report over an earlier one: what had failed is replaced, the rest stays."""
    if before is None:
        return report
    pairs = zip(report.lines, before.lines, strict=True)
    lines = [new if old.outcome == "failed" else old for new, old in pairs]
    return report.model_copy(update={"lines": lines, "revision": before.revision + 1})


def _expect_same_list(run: Run, done: RunPart, pks: list[str]) -> None:
    if pks != [line.pk for line in done.lines]:
        first = done.lines[0].line
        raise Conflict(
            "The list is not the one that the run {run} began with: lines {first} to {last} are "
            "different. Load it as a new run.",
            code="news.other-list",
            values={"run": run.id, "first": first, "last": first + max(len(pks), len(done.lines)) - 1},
        )


def _mentions(run: Run, stored: dict[int, LineOutcome], links: list[tuple[int, Link]]) -> Iterator[Mention]:
    """The mentions in what this run has stored; made one by one, since a link may have hundreds."""
    ms = int(run.uploaded_at.timestamp()) * 1000
    for line, link in links:
        if stored[line].outcome == "inserted":
            yield from mentions_of(stored[line].pk, link, run.source, ms)


# ── lines ─────────────────────────────────────────────────────────────────────────────────────────


def parts_of(lines: Iterable[Any]) -> Iterator[list[_Line]]:
    """The lines of a list, some at a time; always the same ones, so that a run can go on with its list."""
    part: list[_Line] = []
    size = 0
    for number, given in enumerate(lines, 1):
        line = _read(number, given)
        part.append((number, line))
        size += len(line.url) + len(line.title) if isinstance(line, Link) else 0
        if len(part) == PART or size > _LARGEST_PART:
            yield part
            part, size = [], 0
    if part:
        yield part


def _read(number: int, given: Any) -> Link | LineOutcome:
    if isinstance(given, UnreadableLine):
        return judged_line(number, "invalid", why=given.reason)
    try:
        return link_of(given)
    except Unfit as fault:
        return judged_line(number, "invalid", why=fault.reason)


def unless_seen(line: _Line, seen: SeenLinks) -> _Line:
    """A line, or that its link came before in the list."""
    number, link = line
    if isinstance(link, LineOutcome) or seen.add(link.url):
        return line
    return number, judged_line(number, "duplicate_in_batch", pk_of(link.url))


def _pk(link: Link | LineOutcome) -> str:
    return link.pk if isinstance(link, LineOutcome) else pk_of(link.url)


__all__ = ["OUTCOMES", "PART", "THREADS", "Extent", "Loader", "Origin", "Progress"]
