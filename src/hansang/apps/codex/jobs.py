"""What the site does by itself: publishes what is due, sends mail, deletes what has expired, copies, migrates."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.settings import CodexSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.history import Actor
from hansang.parts.jobs import Job, JobResult
from hansang.parts.journal import JobRun
from hansang.parts.schedules import Schedule
from hansang.parts.words import Words

if TYPE_CHECKING:
    from hansang.apps.codex.service import Codex

_PUBLISHER = Actor("job", "codex-publish", "codex-publish")
_EVERY_MINUTE = Schedule.every(60)


def jobs(database: Database, clock: Clock, settings: CodexSettings) -> tuple[Job, ...]:
    """The jobs of the site; those that nobody has turned on are left out."""
    # Mail, Markdown and HTTP take a while to import, and most commands need no job.
    from hansang.apps.codex.service import Codex

    codex = Codex(database, clock, settings)
    every = (
        _syncing(database, settings) if settings.sync_to else None,
        _migrating(database, clock, settings) if settings.migrate_from else None,
        _mailing(codex),
        _publishing(codex),
        _cleaning(codex),
    )
    return tuple(each for each in every if each is not None)


def _syncing(database: Database, settings: CodexSettings) -> Job:
    from hansang.apps.codex.syncing import Syncer, open_target

    def run(run: JobRun) -> JobResult:
        count = Syncer(database, open_target(settings.sync_to, settings.sync_secret)).run()
        return JobResult(f"{count:,} changes", {"changes": count})

    title = Words("변경을 다른 곳에 복사", "Copy changes elsewhere")
    return Job(name="codex-sync", title=title, run=run, schedule=_EVERY_MINUTE, area=AREA)


def _migrating(database: Database, clock: Clock, settings: CodexSettings) -> Job:
    from hansang.apps.codex.migration.guided import JOB, GuidedMigration

    guided = GuidedMigration(database, clock, settings)
    return Job(
        name=JOB,
        title=Words("예전 테이블에서 옮기기", "Migrate from the old tables"),
        run=lambda run: guided.run(),
        schedule=_EVERY_MINUTE,
        area=AREA,
        is_wanted=guided.is_wanted,
    )


def _mailing(codex: Codex) -> Job:
    def run(run: JobRun) -> JobResult:
        sent, failed = codex.notices.send_due()
        return JobResult(f"{sent:,} mails sent, {failed:,} failed", {"sent": sent, "failed": failed})

    return Job(
        name="codex-mail",
        title=Words("문의 알림 메일 보내기", "Send mails about inquiries"),
        run=run,
        schedule=_EVERY_MINUTE,
        area=AREA,
        is_wanted=lambda: codex.notices.is_on and bool(codex.notices.outbox.due()),
    )


def _publishing(codex: Codex) -> Job:
    def run(run: JobRun) -> JobResult:
        done, failed = codex.drafts.publish_due(_PUBLISHER)
        return JobResult(f"{done:,} published, {failed:,} failed", {"published": done, "failed": failed})

    def is_due() -> bool:
        now = codex.desk.pipeline.now
        drafts = codex.desk.database.all(PostDraft.every(), unreadable=lambda _: None)
        return any(each.publish_at is not None and each.publish_at <= now for each in drafts)

    return Job(
        name="codex-publish",
        title=Words("예약한 글 공개", "Publish what is scheduled"),
        run=run,
        schedule=_EVERY_MINUTE,
        area=AREA,
        is_wanted=is_due,
    )


def _cleaning(codex: Codex) -> Job:
    from hansang.apps.codex.cleaning import clean

    def run(run: JobRun) -> JobResult:
        counts = clean(codex)
        return JobResult(", ".join(f"{count:,} {name}" for name, count in counts.items()), counts)

    return Job(
        name="codex-clean",
        title=Words("기한이 지난 글과 문의 삭제", "Delete expired posts and inquiries"),
        run=run,
        schedule=Schedule.daily(time(3, 40)),
        area=AREA,
    )
