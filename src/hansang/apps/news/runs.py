"""Runs: each has a second of its own, and ends with its counts."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from hansang.apps.news.design import AlarmCode, NewsDay, NewsDayKey, Outcome, Run, RunKey, RunSecond, RunState
from hansang.apps.news.reasons import Reason
from hansang.apps.news.rules import is_run, is_unicode
from hansang.clock import Clock
from hansang.design import Database, attr
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry

OUTCOMES: tuple[Outcome, ...] = (
    "inserted",
    "duplicate",
    "duplicate_in_batch",
    "collision",
    "invalid",
    "failed",
)


def run_topic(run: str) -> str:
    """The topic of a run: its state and its counts while it goes on, and at its end."""
    return f"news.run.{run}"


def told(run: Run, counts: Mapping[str, int], extent: Mapping[str, int] | None = None) -> dict[str, Any]:
    """What is published of a run; its extent says how far its list is read, where that is known."""
    return {"state": run.run_state, **{name: counts.get(name, 0) for name in OUTCOMES}, **(extent or {})}


def as_told(run: Run, message: Mapping[str, Any] | None) -> Run:
    """A run that goes on, with the counts that were published of it; its own are written at its end."""
    if message is None or run.run_state != "running":
        return run
    counts: dict[str, int] = {name: int(message.get(name, 0)) for name in OUTCOMES}
    return run.model_copy(update={**counts, "total": sum(counts.values())})


_SECONDS_TRIED = 120
_SECONDS_BACK = 3600
_ENDS_TRIED = 20
_LONGEST_SOURCE = 100
_LONGEST_NAME = 500
_log = logging.getLogger("hansang.news")


@dataclass(frozen=True, slots=True)
class Origin:
    """What tells a list from every other, so that it can come twice and is loaded once."""

    at: datetime
    """When it was made."""
    mark: str
    """Up to 16 small letters and digits that no other list of that time has."""


class Runs:
    """Begins runs, finds those that were left, and ends them."""

    def __init__(self, database: Database, clock: Clock, sleep: Sleep, token: Callable[[], str]) -> None:
        """`token` gives a short random text, for the ids of runs."""
        self._database, self._clock, self._sleep, self._token = database, clock, sleep, token

    # ── beginning ─────────────────────────────────────────────────────────────────────────────────

    def begin(self, source: str, name: str, alarms: Sequence[Reason], origin: Origin | None = None) -> Run:
        """A new run, at a time that no other run has; if the list came before, the run that it has then begun."""
        begun = self.draft(source, name, alarms, origin)
        try:
            return retry(partial(self._database.create, begun), self._sleep, PATIENT)
        except AlreadyExists as found:
            known: Run = found.item
            return known

    def draft(
        self, source: str, name: str, alarms: Sequence[Reason] = (), origin: Origin | None = None
    ) -> Run:
        """A new run that has its time, and is still to be written."""
        _check_source(source)
        moment, run = self._own_second() if origin is None else self._second_of(origin)
        return Run(
            month=RunKey.of(run).month,
            id=run,
            source=source,
            name=name.encode(errors="replace").decode()[:_LONGEST_NAME],
            uploaded_at=moment,
            run_state="running",
            alarms=[each.text for each in alarms],
            alarm_codes=_codes(alarms),
        )

    def _own_second(self) -> tuple[datetime, str]:
        """A clock reading, cut to the second, that no other run has."""
        for _ in range(_SECONDS_TRIED):
            now = self._clock()
            moment = datetime.fromtimestamp(int(now), UTC)
            run = f"{moment:%Y%m%dT%H%M%SZ}-{self._token()}"
            if self._takes(RunSecond(ms=int(now) * 1000, run=run)):
                return moment, run
            self._sleep(1 - now % 1)
        raise Busy("Other runs begin every second. Try again in a moment.", 2.0, code="news.runs-busy")

    def _second_of(self, origin: Origin) -> tuple[datetime, str]:
        """The second in which a list was made, or the last one before it that no other run has."""
        made = origin.at.astimezone(UTC).replace(microsecond=0)
        for back in range(_SECONDS_BACK):
            moment = made - timedelta(seconds=back)
            run = f"{moment:%Y%m%dT%H%M%SZ}-{origin.mark}"
            if self._takes(RunSecond(ms=int(moment.timestamp()) * 1000, run=run)):
                return moment, run
        raise Busy(f"Too many runs have begun in the hour before {made}. Load the list by hand.")

    def _takes(self, second: RunSecond) -> bool:
        try:
            retry(partial(self._database.create, second), self._sleep, PATIENT)
        except AlreadyExists as found:
            return bool(found.item.run == second.run)  # Else the answer was lost, and it is this run's.
        return True

    def resume(self, run: str) -> Run:
        """A run that was left, or that has lines that failed."""
        if not is_run(run):
            raise InvalidInput(
                "{run!r} is not a valid run id. They look like 20261115T093000Z-1a2b3c.",
                "run",
                code="news.not-a-run",
                values={"run": run},
            )
        found = self.get(run)
        if is_whole(found):
            raise Conflict(
                "The run {run} is finished. Load the list again as a new run; nothing is stored twice.",
                code="news.run-finished",
                values={"run": run},
            )
        return found

    def get(self, run: str) -> Run:
        """A run as it is now, or NotFound."""
        return retry(lambda: self._database.get(RunKey.of(run), consistent=True), self._sleep, PATIENT)

    # ── stopping ──────────────────────────────────────────────────────────────────────────────────

    def ask_to_stop(self, run: str, beside: Beside[Run] = alone) -> Run:
        """Have a run that goes on end before its next part; Conflict when it has dealt with every line."""
        asked_at = datetime.fromtimestamp(int(self._clock()), UTC)
        marked = self.resume(run).model_copy(update={"stop_asked_at": asked_at})

        def write() -> Run:
            with self._database.transaction(name="Run.ask_to_stop") as transaction:
                beside(transaction, marked)
                transaction.update(RunKey.of(marked.id), attr(Run.stop_asked_at).set(asked_at))
            return marked

        return retry(write, self._sleep, PATIENT)

    def is_to_stop(self, run: Run) -> bool:
        """Whether somebody has asked for that."""
        return self.get(run.id).stop_asked_at is not None

    def go_on(self, run: Run) -> Run:
        """A run as somebody goes on with it: it is running, and no longer to stop."""
        is_going = run.stop_asked_at is None and run.run_state == "running"
        return run if is_going else self.set_state(run, "running")

    def set_state(self, run: Run, state: RunState) -> Run:
        """A run in another state, which is no longer to stop."""
        changes = attr(Run.stop_asked_at).remove(), attr(Run.run_state).set(state)
        retry(partial(self._database.update, RunKey.of(run.id), *changes), self._sleep, PATIENT)
        return run.model_copy(update={"stop_asked_at": None, "run_state": state})

    # ── ending ────────────────────────────────────────────────────────────────────────────────────

    def end(self, begun: Run, counts: Counter[str], *, finished: bool, beside: Beside[Run] = alone) -> Run:
        """Close a run; what a mend has counted for it meanwhile is in its own counts by now."""
        for _ in range(_ENDS_TRIED):
            now = self.get(begun.id)
            ended = self._ended(begun, now, counts, finished=finished)
            try:
                retry(partial(self._write, ended, now, beside), self._sleep, PATIENT)
            except Conflict:
                continue
            return ended
        raise Busy(
            "The run {run} is being written by others. Continue it in a moment.",
            code="news.run-busy",
            values={"run": begun.id},
        )

    def _ended(self, begun: Run, now: Run, counts: Counter[str], *, finished: bool) -> Run:
        """A run that stops does not take back what another process knows of it."""
        known: Mapping[str, int] = counts
        if not finished and now.total > counts.total():
            known = {name: getattr(now, name) for name in OUTCOMES}
        by_another = now.run_state == "finished" and begun.run_state != "finished"
        return now.model_copy(
            update={
                **{name: known.get(name, 0) for name in OUTCOMES},
                "total": sum(known.values()),
                "mended": 0,
                "stop_asked_at": None,
                "run_state": "finished" if finished or by_another else "stopped",
                "finished_at": datetime.fromtimestamp(int(self._clock()), UTC),
            }
        )

    def _write(self, ended: Run, seen: Run, beside: Beside[Run]) -> None:
        with self._database.transaction(name="Run.end") as transaction:
            beside(transaction, ended)
            transaction.put(ended, when=Run.mended == seen.mended)
            if seen.mended:
                counted = NewsDayKey(day=ended.uploaded_at.date())
                transaction.update(counted, attr(NewsDay.inserted).add(-seen.mended), upsert=True)

    def abandon(self, begun: Run, counts: Counter[str]) -> Run:
        """Note that a run was broken off, if that can still be written, and say how it goes on; as it is then."""
        ended = begun
        try:
            ended = self.end(begun, counts, finished=False)
        except Exception:
            _log.exception("The end of the run %s could not be written", begun.id)
        _log.error(
            "The run %s was broken off. It goes on with --run %s and the same list", begun.id, begun.id
        )
        return ended


def is_whole(run: Run) -> bool:
    """Whether a run has dealt with every line, and has reported everything that it has stored."""
    return run.run_state == "finished" and not run.failed


def _check_source(source: str) -> None:
    if not source.strip():
        raise InvalidInput("Name the source of the list, such as yf_latest.", "source", code="news.no-source")
    if len(source) > _LONGEST_SOURCE or not is_unicode(source):
        raise InvalidInput(
            "The name of a source has at most {most} characters.",
            "source",
            code="news.long-source",
            values={"most": _LONGEST_SOURCE},
        )


def _codes(alarms: Sequence[Reason]) -> list[AlarmCode] | None:
    found = [
        AlarmCode(code=each.code, values=None if each.values is None else {**each.values}) for each in alarms
    ]
    return found or None
