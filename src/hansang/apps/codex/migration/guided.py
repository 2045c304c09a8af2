"""A migration that the server does, step by step, as somebody asks for them; only from sources that settings allow."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from hansang.apps.codex.migration.mapping import Findings, TableMapping, read_mapping
from hansang.apps.codex.migration.migrating import DeltaBy, Migration
from hansang.apps.codex.migration.state import (
    MigratedTable,
    MigratedTableKey,
    MigrationState,
    MigrationStateKey,
    MigrationStep,
    MigrationTask,
    MigrationTaskKey,
)
from hansang.apps.codex.settings import CodexSettings
from hansang.backends.base import Backend
from hansang.backends.urls import open_backend
from hansang.clock import Clock
from hansang.design import Database
from hansang.errors import Busy, HansangError, InvalidInput, NotAllowed
from hansang.parts.history import Actor
from hansang.parts.jobs import JobResult, JobStopped, tell_progress
from hansang.parts.retry import Sleep
from hansang.parts.timestamps import to_whole_second
from hansang.parts.words import Words

JOB = "codex-migrate"
HERE = "here"
"""The source that stands for the database of this server."""
_MOST_TOLD = 50
"""How many findings a report keeps."""


@dataclass(frozen=True, slots=True)
class MigrationView:
    """How a migration stands, read from the new table alone."""

    task: MigrationTask | None
    state: MigrationState | None
    tables: list[tuple[TableMapping, MigratedTable, int | None]]
    """Each old table, how far its copy is, and how many items the plan has found."""

    def report(self, step: str) -> dict[str, Any]:
        """What a step said when it ended last; empty if it has not."""
        found: dict[str, Any] = {} if self.task is None else self.task.reports.get(step, {})
        return found

    @property
    def is_followable(self) -> bool:
        """Whether every old table that was copied had its stream on by then, so that it can be followed."""
        copied = [progress for _, progress, _ in self.tables if progress.is_whole]
        return bool(copied) and all(each.stream_arn is not None for each in copied)

    def is_done(self, step: str) -> bool:
        """Whether a step is behind us."""
        if step == "copy":
            planned = [progress for _, progress, items in self.tables if items is not None]
            return bool(planned) and all(each.is_whole for each in planned)
        if step == "plan":
            return bool(self.report("plan").get("tables"))
        if self.state is None:
            return False
        return {
            "delta": bool(self.report("delta").get("at")),
            "verify": self.state.is_clean,
            "switch": self.state.switched_at is not None,
            "drop": self.state.dropped_at is not None,
        }[step]


class GuidedMigration:
    """Takes down which step is wanted, and does it where the jobs run."""

    def __init__(
        self, database: Database, clock: Clock, settings: CodexSettings, sleep: Sleep = time.sleep
    ) -> None:
        self._database, self._clock, self._settings, self._sleep = database, clock, settings, sleep

    @property
    def sources(self) -> tuple[str, ...]:
        """Where old tables may be."""
        return self._settings.migrate_from

    def view(self) -> MigrationView:
        """How everything stands."""
        task = self._task()
        counts = {} if task is None else task.reports.get("plan", {}).get("tables", {})
        tables = [(each, self._copied(each.source), counts.get(each.source)) for each in self._mappings()]
        state = self._database.find(MigrationStateKey(), consistent=True)
        return MigrationView(task, state, tables)

    def _task(self) -> MigrationTask | None:
        return self._database.find(MigrationTaskKey(), consistent=True)

    def _copied(self, source: str) -> MigratedTable:
        found = self._database.find(MigratedTableKey(source=source), consistent=True)
        return found or MigratedTable(source=source)

    def _mappings(self) -> list[TableMapping]:
        file = self._settings.migrate_mapping
        return read_mapping(Path(file) if file else None)

    # ── asking ────────────────────────────────────────────────────────────────────────────────────

    def ask(self, step: MigrationStep, source: str, by: Actor, typed: str = "") -> None:
        """Take down that a step is wanted; dropping takes the names of the old tables, typed by hand."""
        self._expect_source(source)
        before = self._task()
        if before is not None and before.is_waiting:
            raise Busy(
                "A step of the migration is under way. Stop it, or wait.", 5.0, code="codex.step-running"
            )
        if step == "drop":
            self._expect_named(typed)
        kept = before.reports if before is not None and before.source == source else {}
        self._database.put(
            MigrationTask(
                step=step, source=source, is_waiting=True, asked_by=by.shown, asked_at=self._now, reports=kept
            )
        )

    def _expect_source(self, source: str) -> None:
        if source not in self.sources:
            raise NotAllowed(
                "{source} is not among the sources of a migration. Add it to HANSANG_CODEX_MIGRATE_FROM first.",
                code="codex.source-not-allowed",
                values={"source": source},
            )

    def _expect_named(self, typed: str) -> None:
        names = [each.source for each in self._mappings()]
        if not all(name in typed.split() for name in names):
            raise InvalidInput(
                "Type the names of the old tables to delete them: {tables}.",
                "typed",
                code="codex.name-the-tables",
                values={"tables": " ".join(names)},
            )

    @property
    def _now(self) -> datetime:
        return to_whole_second(self._clock())

    # ── doing ─────────────────────────────────────────────────────────────────────────────────────

    def is_wanted(self) -> bool:
        """Whether a step waits to be done."""
        task = self._task()
        return task is not None and task.is_waiting

    def run(self) -> JobResult:
        """Do the step that waits; one that was broken off goes on where it was."""
        try:
            return self._run()
        except JobStopped:
            stopped = self._task()
            if stopped is not None and stopped.is_waiting:
                self._settle(stopped, {"stopped": True})
            raise

    def _run(self) -> JobResult:
        task = self._task()
        if task is None or not task.is_waiting:
            return JobResult("nothing to do")
        try:
            with self._opened(task.source) as migration:
                report = _STEPS[task.step](migration, _told())
        except HansangError as refused:
            self._settle(task, {"error": str(refused), "code": refused.code, "values": dict(refused.values)})
            raise
        self._settle(task, report)
        return JobResult(f"{task.step} done")

    def _settle(self, task: MigrationTask, report: dict[str, Any]) -> None:
        said = {**report, "at": f"{self._now:%FT%TZ}", "by": task.asked_by}
        reports = {**task.reports, step_shown(task.step): said}
        self._database.patient(self._sleep).put(
            task.model_copy(update={"is_waiting": False, "reports": reports})
        )

    @contextmanager
    def _opened(self, source: str) -> Iterator[Migration]:
        """The migration from a source that is still allowed: settings may be others than when it was asked for."""
        self._expect_source(source)
        if source == HERE:
            yield self._migration(self._database.backend, source)
            return
        with open_backend(source, create=False) as backend:
            yield self._migration(backend, source)

    def _migration(self, backend: Backend, source: str) -> Migration:
        return Migration(backend, self._database, self._clock, self._mappings(), source, self._sleep)


def step_shown(step: MigrationStep) -> MigrationStep:
    """The step of the page that a step is a way of."""
    return "delta" if step == "follow" else step


Told = Callable[[str, int], object]


def _told() -> Told:
    """Tells how far each table is; a run that is to be stopped ends here, between two pages."""
    done: dict[str, int] = {}

    def tell(table: str, count: int) -> None:
        done[table] = done.get(table, 0) + count
        tell_progress(Words(f"{table} {done[table]:,}개", f"{table}: {done[table]:,} items"))

    return tell


def _found(findings: Findings) -> dict[str, Any]:
    found = asdict(findings)
    return found | {name: found[name][:_MOST_TOLD] for name in ("conflicts", "failures")}


def _plan(migration: Migration, tell: Told) -> dict[str, Any]:
    plans = migration.plan(tell)
    return {
        "tables": {each.source: each.items for each in plans},
        "findings": {each.source: _found(each.findings) for each in plans},
    }


def _copy(migration: Migration, tell: Told) -> dict[str, Any]:
    return {"findings": _found(migration.copy(tell))}


def _delta(migration: Migration, tell: Told, by: DeltaBy = "time") -> dict[str, Any]:
    found = migration.delta(tell, by=by)
    return {"written": found.written, "deleted": found.deleted, "kept": found.kept}


def _verify(migration: Migration, tell: Told) -> dict[str, Any]:
    found = migration.verify(tell)
    counts = {name: list(each) for name, each in found.counts.items()}
    return {"counts": counts, "differences": found.differences, "named": found.named[:_MOST_TOLD]}


def _switch(migration: Migration, tell: Told) -> dict[str, Any]:
    migration.switch()
    return {}


def _undo(migration: Migration, tell: Told) -> dict[str, Any]:
    migration.switch(undo=True)
    return {}


def _drop(migration: Migration, tell: Told) -> dict[str, Any]:
    return {"dropped": migration.drop()}


_STEPS: dict[MigrationStep, Callable[[Migration, Told], dict[str, Any]]] = {
    "plan": _plan,
    "copy": _copy,
    "delta": _delta,
    "follow": partial(_delta, by="stream"),
    "verify": _verify,
    "switch": _switch,
    "undo": _undo,
    "drop": _drop,
}
