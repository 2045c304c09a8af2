"""Migrating: plan, copy, delta, verify, switch, drop; each can be broken off and done again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from threading import Event
from typing import Any, Literal

from hansang.apps.codex.design import Category
from hansang.apps.codex.migration.following import StreamFollower
from hansang.apps.codex.migration.mapping import (
    UNCATEGORIZED,
    Findings,
    TableMapping,
    Transformer,
    category_of,
    ids_of,
    merged_company,
    normalised,
)
from hansang.apps.codex.migration.reports import DeltaReport, TablePlan, VerifyReport
from hansang.apps.codex.migration.state import (
    MigratedTable,
    MigratedTableKey,
    MigrationState,
    MigrationStateKey,
)
from hansang.apps.codex.migration.writing import TargetWriter
from hansang.backends.base import Backend
from hansang.blueprint.fingerprints import pages
from hansang.blueprint.live import call, describe
from hansang.clock import Clock
from hansang.design import Database, ItemChange
from hansang.design.shape import Item
from hansang.design.timestamps import parse_seconds
from hansang.errors import AlreadyExists, Conflict, NotAllowed, NotFound, StoreBusy
from hansang.parts.retry import Sleep
from hansang.parts.timestamps import to_whole_second

UNDOABLE = timedelta(days=7)
"""For how long a switch can be taken back."""
DeltaBy = Literal["time", "stream"]
_ORDER = ("CorpInfo", "Category", "Post")

Progress = Callable[[str, int], object]
"""Told of a table how many items were done since the last time."""


class Migration:
    """The old tables of one backend, on their way into the one of another."""

    def __init__(
        self,
        source: Backend,
        database: Database,
        clock: Clock,
        mappings: Iterable[TableMapping],
        origin: str = "",
        sleep: Sleep = time.sleep,
    ) -> None:
        """A step outlasts a busy data file; one that does not is StoreBusy, which says how to go on."""
        patient = database.patient(sleep)
        self._source, self._database, self._clock, self._origin = source, patient, clock, origin
        self._mappings = sorted(mappings, key=lambda each: _ORDER.index(each.type))
        self._writer = TargetWriter(patient, sleep)
        self._follower = StreamFollower(source, patient, clock)

    # ── planning ──────────────────────────────────────────────────────────────────────────────────

    def plan(self, progress: Progress | None = None) -> list[TablePlan]:
        """Read everything and write nothing: what would be copied, and what has no mapping."""
        oldest = self._oldest()
        return [self._planned(each, oldest, progress) for each in self._present()]

    def _planned(self, mapping: TableMapping, oldest: str, progress: Progress | None) -> TablePlan:
        found = TablePlan(mapping.source, mapping.type)
        for items in self._pages(mapping):
            found.items += len(items)
            for _ in self._targets(mapping, items, oldest, found.findings):
                pass
            if progress is not None:
                progress(mapping.source, len(items))
        if mapping.type == "CorpInfo":
            self._company(mapping, oldest, found.findings)
        return found

    def _present(self) -> list[TableMapping]:
        found = [each for each in self._mappings if describe(self._source, each.source) is not None]
        if not found:
            named = ", ".join(each.source for each in self._mappings)
            raise NotFound(
                "None of the tables {tables} is there. Name where they are with --from.",
                code="codex.no-old-tables",
                values={"tables": named},
            )
        return found

    def _oldest(self) -> str:
        """The oldest time of any item, which stands for those that have none."""
        times = (each for mapping in self._present() for each in self._times(mapping))
        return min(times, default="1970-01-01T00:00:00Z")

    def _times(self, mapping: TableMapping) -> Iterator[str]:
        """When the items of an old table were created, as far as that can be read."""
        source = mapping.source_of("CreatedAt")
        if source is None:
            return
        for items in self._pages(mapping):
            for each in items:
                with suppress(KeyError, ValueError, OverflowError):
                    yield normalised(each[source], Findings())["S"]

    def _pages(self, mapping: TableMapping, start: Item | None = None) -> Iterator[list[Item]]:
        return (items for items, _ in pages(self._source, mapping.source, start))

    def _targets(
        self, mapping: TableMapping, items: list[Item], oldest: str, findings: Findings
    ) -> Iterator[Item]:
        """What the items of a page become; what cannot become anything is told, and nothing of it is lost."""
        if mapping.type == "CorpInfo":
            return
        transformer = Transformer(mapping, oldest)
        for each in items:
            try:
                yield transformer.target(each, findings)
            except (ValueError, KeyError, OverflowError) as fault:
                findings.failures.append(f"{mapping.source} {_shown(each)}: {fault}")

    def _all_targets(
        self, mapping: TableMapping, items: list[Item], oldest: str, findings: Findings
    ) -> list[Item]:
        """What a page becomes; a page of the company's rows, the one item that all of them say."""
        if mapping.type == "CorpInfo":
            company = self._company(mapping, oldest, findings)
            return [] if company is None else [company]
        return list(self._targets(mapping, items, oldest, findings))

    def _company(self, mapping: TableMapping, oldest: str, findings: Findings) -> Item | None:
        rows = [each for items in self._pages(mapping) for each in items]
        return merged_company(mapping, rows, oldest, findings)

    # ── copying ───────────────────────────────────────────────────────────────────────────────────

    def copy(self, progress: Progress | None = None, stop: Event | None = None) -> Findings:
        """Copy what is not copied yet, from where it was left."""
        findings = Findings()
        with _resumable("copy"):
            state = self._begun()
            self._expect_open(state)
            for mapping in self._present():
                if stop is not None and stop.is_set():
                    break
                self._copy_table(mapping, state.oldest, findings, progress, stop)
        return findings

    def _begun(self) -> MigrationState:
        found = self._database.find(MigrationStateKey(), consistent=True)
        if found is None:
            return self._database.put(MigrationState(origin=self._origin, oldest=self._oldest()))
        if self._origin and found.origin and found.origin != self._origin:
            raise Conflict(
                "This table is being migrated from {origin}. Finish that first.",
                found,
                code="codex.other-migration",
                values={"origin": found.origin},
            )
        return found

    def _copy_table(
        self,
        mapping: TableMapping,
        oldest: str,
        findings: Findings,
        progress: Progress | None,
        stop: Event | None,
    ) -> None:
        done = self.progress_of(mapping.source)
        if done.is_whole:
            return
        if done.next_key is None:
            self._follower.keep_start(mapping.source, self._follower.start(mapping.source))
            done = self.progress_of(mapping.source)
        start = None if done.next_key is None else json.loads(done.next_key)
        for items, following in pages(self._source, mapping.source, start):
            failed = len(findings.failures)
            self._write_page(mapping, items, oldest, findings)
            done = done.model_copy(
                update={
                    "next_key": None if following is None else json.dumps(following),
                    "copied": done.copied + len(items),
                    "failed": done.failed + len(findings.failures) - failed,
                    "is_whole": following is None,
                }
            )
            self._database.put(done)
            if progress is not None:
                progress(mapping.source, len(items))
            if stop is not None and stop.is_set():
                return

    def _write_page(self, mapping: TableMapping, items: list[Item], oldest: str, findings: Findings) -> None:
        targets = self._all_targets(mapping, items, oldest, findings)
        self._writer.create(targets)
        self._expect_uncategorized(targets, oldest)

    def _expect_uncategorized(self, targets: list[Item], oldest: str) -> None:
        """Make the category of posts that had none, the first time it is needed (X4-10)."""
        if any(each.get("categoryId") == {"S": UNCATEGORIZED} for each in targets):
            at = parse_seconds(oldest)
            with suppress(AlreadyExists):
                self._database.create(
                    Category(id=UNCATEGORIZED, title=UNCATEGORIZED, desc="", created_at=at, updated_at=at)
                )

    def progress_of(self, source: str) -> MigratedTable:
        """How far the copy of an old table has come."""
        found = self._database.find(MigratedTableKey(source=source), consistent=True)
        return found or MigratedTable(source=source)

    def state(self) -> MigrationState | None:
        """How the migration stands, None before it has begun."""
        return self._database.find(MigrationStateKey(), consistent=True)

    def _expect_open(self, state: MigrationState) -> None:
        if state.switched_at is not None:
            raise NotAllowed(
                "The migration was switched. The old tables are not copied from any more; undo the switch first.",
                code="codex.switched",
            )

    # ── what changed meanwhile ────────────────────────────────────────────────────────────────────

    def delta(self, progress: Progress | None = None, *, by: DeltaBy = "time") -> DeltaReport:
        """Bring over what has changed in the old tables since: new, changed, moved and deleted items (X4-12).

        By time everything is read again; by stream, only what the streams of the old tables tell.
        """
        report = DeltaReport()
        with _resumable("delta"):
            self._bring(report, progress, by)
        return report

    def _bring(self, report: DeltaReport, progress: Progress | None, by: DeltaBy) -> None:
        state = self._begun()
        self._expect_open(state)
        for mapping in self._present():
            if not self.progress_of(mapping.source).is_whole:
                raise Conflict(
                    "{table} is not copied yet. Copy it first.",
                    code="codex.copy-first",
                    values={"table": mapping.source},
                )
        self._database.put(state.model_copy(update={"is_clean": False}))
        bring = self._follow_table if by == "stream" else self._delta_table
        for mapping in self._present():
            bring(mapping, state.oldest, report, progress)

    def _delta_table(
        self, mapping: TableMapping, oldest: str, report: DeltaReport, progress: Progress | None
    ) -> None:
        seen, start = set[str](), self._follower.start(mapping.source)
        for items in self._pages(mapping):
            self._update(mapping, items, oldest, report)
            seen |= ids_of(mapping, items)
            if progress is not None:
                progress(mapping.source, len(items))
        if mapping.type != "CorpInfo":
            report.deleted += self._writer.delete_missing(mapping.type, seen)
        self._follower.keep_start(mapping.source, start)

    def _follow_table(
        self, mapping: TableMapping, oldest: str, report: DeltaReport, progress: Progress | None
    ) -> None:
        """Each item is taken as it is now, so a change that comes twice, or behind a later one, does no harm."""
        for changes in self._follower.changes(mapping.source, mapping.source_of("id")):
            items = self._follower.current(mapping.source, changes)
            self._update(mapping, items, oldest, report)
            report.deleted += self._writer.delete(mapping.type, self._gone(mapping, changes, items))
            if progress is not None:
                progress(mapping.source, len(changes))

    def _gone(
        self, mapping: TableMapping, changes: list[ItemChange], items: list[Item]
    ) -> dict[str, str | None]:
        """The ids that no item of the old table has any more, each with the category it left, if the key tells that.

        An id that is not the whole key may have come back under another key, before or after it was deleted here.
        """
        if mapping.type == "CorpInfo":
            return {}
        olds = [{**each.key, **(each.old_item or {})} for each in changes]
        left = ids_of(mapping, olds) - ids_of(mapping, items)
        keys, category = self._follower.keys_of(mapping.source), mapping.source_of("categoryId")
        if category in keys:
            places = {each: category_of(mapping, old) for old in olds for each in ids_of(mapping, [old])}
            return {each: places[each] for each in sorted(left)}
        for page in self._pages(mapping) if left and keys != {mapping.source_of("id")} else ():
            left -= ids_of(mapping, page)
        return dict.fromkeys(sorted(left))

    def _update(self, mapping: TableMapping, items: list[Item], oldest: str, report: DeltaReport) -> None:
        targets = self._all_targets(mapping, items, oldest, report.findings)
        written, kept = self._writer.update(targets)
        report.written, report.kept = report.written + written, report.kept + kept
        self._expect_uncategorized(targets, oldest)

    # ── verifying ─────────────────────────────────────────────────────────────────────────────────

    def verify(self, progress: Progress | None = None) -> VerifyReport:
        """Compare counts, the index and every item with the old tables; kept with the state."""
        report = VerifyReport()
        with _resumable("verify"):
            state = self._begun()
            for mapping in self._present():
                self._verify_table(mapping, state.oldest, report, progress)
            now = to_whole_second(self._clock())
            self._database.put(state.model_copy(update={"verified_at": now, "is_clean": report.is_clean}))
        return report

    def _verify_table(
        self, mapping: TableMapping, oldest: str, report: VerifyReport, progress: Progress | None
    ) -> None:
        findings, count, seen = Findings(), 0, set[str]()
        if mapping.type == "CorpInfo":
            company = self._company(mapping, oldest, findings)
            if company is not None:
                count, seen = 1, {"corp-info"}
                self._writer.compare([company], report.tell)
        for items in self._pages(mapping):
            targets = list(self._targets(mapping, items, oldest, findings))
            count += len(targets)
            seen |= {each["id"]["S"] for each in targets}
            self._writer.compare(targets, report.tell)
            if progress is not None:
                progress(mapping.source, len(items))
        for failure in findings.failures:
            report.tell(f"not copied: {failure}")
        extra = self._writer.migrated_ids(mapping.type) - seen
        for each in sorted(extra):
            report.tell(f"{mapping.type} {each} is not in {mapping.source} any more")
        in_table = len(seen & self._writer.migrated_ids(mapping.type))
        report.counts[mapping.type] = (count, in_table, self._writer.count_in_index(mapping.type, seen))
        if len({*report.counts[mapping.type]}) > 1:
            report.tell(
                f"{mapping.type}: {report.counts[mapping.type]} in the old table, the new one and the index"
            )

    # ── switching and dropping ────────────────────────────────────────────────────────────────────

    def switch(self, *, undo: bool = False) -> MigrationState:
        """Say that the new table is the one from now on; within seven days that can be undone."""
        state, now = self._begun(), to_whole_second(self._clock())
        if undo:
            if (
                state.switched_at is None
                or now - state.switched_at > UNDOABLE
                or state.dropped_at is not None
            ):
                raise NotAllowed(
                    "There is no switch that could be undone: that goes for seven days, and not after the drop.",
                    code="codex.no-switch-to-undo",
                )
            return self._database.put(state.model_copy(update={"switched_at": None, "is_clean": False}))
        self._expect_clean(state)
        return self._database.put(state.model_copy(update={"switched_at": now}))

    def drop(self) -> list[str]:
        """Delete the old tables, after a clean verification and the switch; which they were."""
        state = self._begun()
        self._expect_clean(state)
        if state.switched_at is None:
            raise NotAllowed(
                "The old tables are still the ones in use. Switch first.", code="codex.switch-first"
            )
        dropped = []
        for mapping in self._mappings:
            if describe(self._source, mapping.source) is not None:
                call(self._source, "DeleteTable", {"TableName": mapping.source})
                dropped.append(mapping.source)
        self._database.put(state.model_copy(update={"dropped_at": to_whole_second(self._clock())}))
        return dropped

    def _expect_clean(self, state: MigrationState) -> None:
        if not state.is_clean:
            raise NotAllowed(
                "The last verification was not clean, or something was copied since. Verify first.",
                code="codex.verify-first",
            )


@contextmanager
def _resumable(step: str) -> Iterator[None]:
    """A step that the data file is too busy for, in spite of every retry, says how it goes on."""
    try:
        yield
    except StoreBusy as busy:
        raise StoreBusy(
            "The step {step} of the migration stopped, because the data file stayed busy. What was written is kept. "
            "Run {step} again, and it goes on.",
            busy.owner,
            busy.retry_after,
            code="codex.step-stopped",
            values={"step": step},
        ) from busy


def _shown(item: Item) -> str:
    texts: list[Any] = [next(iter(each.values())) for each in item.values()]
    return " ".join(str(each)[:40] for each in texts[:2])
