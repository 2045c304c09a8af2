"""What the site does by itself: publishes what is due, and deletes what has expired."""

from __future__ import annotations

from datetime import time

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

_PUBLISHER = Actor("job", "codex-publish", "codex-publish")


def jobs(database: Database, clock: Clock, settings: CodexSettings) -> tuple[Job, ...]:
    """The jobs of the site."""
    # Mail, Markdown and HTTP take a while to import, and most commands need no job.
    from hansang.apps.codex.cleaning import clean
    from hansang.apps.codex.service import Codex
    from hansang.apps.codex.syncing import Syncer, open_target

    codex = Codex(database, clock, settings)

    def is_due() -> bool:
        now = codex.desk.pipeline.now
        drafts = database.all(PostDraft.every(), unreadable=lambda _: None)
        return any(each.publish_at is not None and each.publish_at <= now for each in drafts)

    def publish(run: JobRun) -> JobResult:
        done, failed = codex.drafts.publish_due(_PUBLISHER)
        return JobResult(f"{done:,} published, {failed:,} failed", {"published": done, "failed": failed})

    def tidy(run: JobRun) -> JobResult:
        counts = clean(codex)
        return JobResult(", ".join(f"{count:,} {name}" for name, count in counts.items()), counts)

    def mail(run: JobRun) -> JobResult:
        sent, failed = codex.notices.send_due()
        return JobResult(f"{sent:,} mails sent, {failed:,} failed", {"sent": sent, "failed": failed})

    def sync(run: JobRun) -> JobResult:
        target = open_target(settings.sync_to, settings.sync_secret)
        count = Syncer(database, target).run()
        return JobResult(f"{count:,} changes", {"changes": count})

    syncing = Job(
        name="codex-sync",
        title=Words("변경을 다른 곳에 복사", "Copy changes elsewhere"),
        run=sync,
        schedule=Schedule.every(60),
        area=AREA,
    )
    return (
        *((syncing,) if settings.sync_to else ()),
        Job(
            name="codex-mail",
            title=Words("문의 알림 메일 보내기", "Send mails about inquiries"),
            run=mail,
            schedule=Schedule.every(60),
            area=AREA,
            is_wanted=lambda: codex.notices.is_on and bool(codex.notices.outbox.due()),
        ),
        Job(
            name="codex-publish",
            title=Words("예약한 글 공개", "Publish what is scheduled"),
            run=publish,
            schedule=Schedule.every(60),
            area=AREA,
            is_wanted=is_due,
        ),
        Job(
            name="codex-clean",
            title=Words("기한이 지난 글과 문의 삭제", "Delete expired posts and inquiries"),
            run=tidy,
            schedule=Schedule.daily(time(3, 40)),
            area=AREA,
        ),
    )
