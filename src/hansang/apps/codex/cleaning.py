"""Deleting what has expired, since the table itself deletes nothing (4-10)."""

from __future__ import annotations

from hansang.apps.codex.design import Banner, BannerKey, Post
from hansang.apps.codex.entities import ANY_TAG, EditedBy
from hansang.apps.codex.service import Codex
from hansang.parts.history import Actor
from hansang.parts.jobs import tell_progress
from hansang.parts.words import Words

CLEANER = Actor("job", "codex-clean", "codex-clean")


def clean(codex: Codex) -> dict[str, int]:
    """Delete for good what nobody can restore, and what its own time has ended; how many of each."""
    counts = {
        "posts": _posts(codex),
        "banners": _banners(codex),
        "inquiries": codex.inquiries.erase_expired(EditedBy(CLEANER)),
    }
    total = sum(counts.values())
    tell_progress(Words(f"{total:,}개 삭제함", f"{total:,} deleted"))
    return counts


def _posts(codex: Codex) -> int:
    """Posts whose time has ended go to the trash; what was there for thirty days is gone."""
    now, by, count = codex.desk.pipeline.now, EditedBy(CLEANER), 0
    for trashed in list(codex.posts.each_expired()):
        codex.posts.purge(trashed)
        count += 1
    for post in codex.desk.database.all(Post.latest(), unreadable=lambda _: None):
        if post.expires_at is not None and post.expires_at <= now:
            codex.posts.delete(post.id, ANY_TAG, by)
            count += 1
    return count


def _banners(codex: Codex) -> int:
    found = codex.desk.database.all(Banner.latest(), unreadable=lambda _: None)
    now = codex.desk.pipeline.now
    keys = [BannerKey(id=each.id) for each in found if each.expires_at is not None and each.expires_at <= now]
    return codex.desk.database.batch_write(deletes=keys)
