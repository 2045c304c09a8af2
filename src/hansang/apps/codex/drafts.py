"""Drafts: posts that nobody sees yet, and changes of posts that are there; published at once or at a time (X4-38)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, create_model

from hansang.apps.codex.design import FMWebApp, Post
from hansang.apps.codex.editorial import PostDraft, PostDraftKey
from hansang.apps.codex.entities import ANY_TAG, Desk, EditedBy, expect_tag
from hansang.apps.codex.pipeline import check_contents
from hansang.apps.codex.posts import Posts
from hansang.apps.codex.registry import REGISTRY, EntityType, given_model
from hansang.design import Page, attr
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.editing import Edit
from hansang.parts.history import Actor

_OF_POST = (
    "category_id",
    "author_id",
    "title",
    "contents",
    "contents_format",
    "slug",
    "is_pinned",
    "attachments",
    "expires_at",
)
ONE_REVISION = timedelta(minutes=10)
PREVIEW = "codex preview"
"""What the link to a preview is signed for."""


@cache
def draft_model() -> type[BaseModel]:
    """What somebody gives of a draft: anything of a post, as far as it is written."""
    post = given_model(REGISTRY.of(Post))
    kinds: dict[str, Any] = {name: info.annotation for name, info in post.model_fields.items()}
    fields: dict[str, Any] = {name: (kind | None, None) for name, kind in kinds.items()}
    return create_model(
        "DraftGiven", __config__=ConfigDict(extra="forbid"), __doc__=PostDraft.__doc__, **fields
    )


class Drafts:
    """Everything that is not published yet."""

    def __init__(self, desk: Desk, posts: Posts) -> None:
        self.desk, self._posts = desk, posts
        self.type = EntityType(PostDraft, "drafts", "p")

    def find(self, post_id: str) -> tuple[PostDraft, str] | None:
        """A draft and its tag, or None."""
        return self.desk.editing.find(PostDraft, {"id": post_id})

    def get(self, post_id: str) -> tuple[PostDraft, str]:
        """A draft and its tag, or NotFound."""
        found = self.find(post_id)
        if found is None:
            raise NotFound("Post {id} has no draft.", code="codex.no-draft", values={"id": post_id})
        return found

    def page(self, limit: int = 20, cursor: str | None = None) -> Page[PostDraft]:
        """The drafts, the newest first."""
        return self.desk.database.page(PostDraft.every(), limit, cursor)

    def which(self, ids: Iterable[str]) -> set[str]:
        """Those of these posts that have a draft."""
        keys = [PostDraftKey(id=each) for each in ids]
        return {each.id for each in self.desk.database.batch_get(keys, unreadable=lambda _: None)}

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def create(self, given: BaseModel | Mapping[str, Any], by: EditedBy) -> Edit[PostDraft]:
        """Store a new draft."""
        fields, now = self._fields(given), self.desk.pipeline.now
        post_id = fields.pop("id", None) or self.desk.pipeline.new_id(self.type.prefix)
        draft = PostDraft(id=post_id, drafted_at=now, updated_at=now, saved_by=by.actor.shown, **fields)
        self._check(draft)
        return self.desk.editing.create(draft, by.actor, by.request_id, by.beside)

    def save(
        self, post_id: str, given: BaseModel | Mapping[str, Any], tag: str | None, by: EditedBy
    ) -> Edit[PostDraft]:
        """Store a draft in place of the one with this tag, or the first one of a post that is published."""
        found = self.find(post_id)
        if found is None:
            self._posts.get(post_id)
            return self.create({**_named(given), "id": post_id}, by)
        seen, current = found
        if tag is None:
            raise Conflict(
                "Post {id} has a draft already. Read it, and give its tag in If-Match.",
                seen,
                code="codex.draft-there",
                values={"id": post_id},
            )
        expect_tag(seen, current, tag)
        draft = PostDraft(
            **{**self._fields(given), "id": post_id},
            publish_at=seen.publish_at,
            saved_by=by.actor.shown,
            revised_at=seen.revised_at,
            drafted_at=seen.drafted_at,
            updated_at=self.desk.pipeline.now,
        )
        self._check(draft)
        return self._replace(seen, current, draft, by)

    def _replace(self, seen: PostDraft, current: str, draft: PostDraft, by: EditedBy) -> Edit[PostDraft]:
        """Store a draft; what one person saves within ten minutes is one revision."""
        now, begun = self.desk.pipeline.now, seen.revised_at or seen.drafted_at
        if seen.saved_by == by.actor.shown and now - begun < ONE_REVISION:
            return self.desk.editing.replace(draft, current, by.actor, by.request_id, by.beside)
        revision = self._posts.revision_of(seen, by)

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.put(revision)

        revised = draft.model_copy(update={"revised_at": now})
        return self.desk.editing.replace(revised, current, by.actor, by.request_id, beside)

    def restore(self, post_id: str, revision: str, by: EditedBy) -> Edit[PostDraft]:
        """Make a draft of a revision; nothing that is published changes, and nothing leaves the history."""
        before = self._posts.revision(post_id, revision)
        names = ("category_id", "author_id", "title", "contents", "contents_format", "slug")
        fields = {name: getattr(before, name) for name in names}
        now, found = self.desk.pipeline.now, self.find(post_id)
        stamps: dict[str, Any] = {"drafted_at": now, "updated_at": now, "saved_by": by.actor.shown}
        if found is None:
            published = self._posts.find(post_id)
            if published is not None:
                fields |= {"category_id": published[0].category_id, "slug": published[0].slug}
                fields |= {
                    name: getattr(published[0], name) for name in ("is_pinned", "attachments", "expires_at")
                }
            draft = PostDraft(id=post_id, **fields, **stamps)
            return self.desk.editing.create(draft, by.actor, by.request_id, by.beside)
        seen, current = found
        kept = {**stamps, "drafted_at": seen.drafted_at}
        return self._replace(seen, current, seen.model_copy(update={**fields, **kept}), by)

    def take_down(self, post_id: str, tag: str, by: EditedBy) -> Edit[Post]:
        """Take a published post off the site; it becomes a draft, if it has none already."""
        seen, current = self._posts.get(post_id)
        expect_tag(seen, current, tag)
        now, found = self.desk.pipeline.now, self.find(post_id)
        fields = {name: getattr(seen, name) for name in _OF_POST}
        draft = PostDraft(id=post_id, drafted_at=now, updated_at=now, saved_by=by.actor.shown, **fields)

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            if found is None:
                transaction.create(draft)

        return self._posts.remove(seen, current, EditedBy(by.actor, by.request_id, beside))

    def delete(self, post_id: str, tag: str, by: EditedBy) -> Edit[PostDraft]:
        """Delete a draft; what is published stays."""
        seen, current = self.get(post_id)
        expect_tag(seen, current, tag)
        return self.desk.editing.delete(PostDraftKey(id=post_id), current, by.actor, by.request_id, by.beside)

    def _fields(self, given: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
        known = {*_OF_POST, "id"}
        fields = self._posts.type.read(
            given if isinstance(given, BaseModel) else draft_model().model_validate(given)
        )
        return {name: value for name, value in fields.items() if name in known and value is not None}

    def _check(self, draft: PostDraft) -> None:
        check_contents(draft)
        self.desk.pipeline.expect_references(self.type, draft)

    # ── publishing ────────────────────────────────────────────────────────────────────────────────

    def publish(self, post_id: str, by: EditedBy, tag: str = ANY_TAG) -> Edit[Post]:
        """Make a draft the post, in one transaction; a post that was there becomes a revision."""
        draft, item = self._seen(post_id, tag)
        given = {name: getattr(draft, name) for name in _OF_POST}
        missing = [name for name in ("category_id", "author_id", "title") if not given[name]]
        if missing:
            attribute = self.type.attribute(missing[0])
            raise InvalidInput(
                "The draft has no {attribute} yet. Fill it in before you publish it.",
                attribute,
                code="codex.draft-unfinished",
                values={"attribute": attribute},
            )

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            transaction.delete_item(FMWebApp, item)

        with_draft, now = EditedBy(by.actor, by.request_id, beside), self.desk.pipeline.now
        present = {name: value for name, value in given.items() if value is not None}
        there = self._posts.find(post_id)
        first = now if there is None else there[0].created_at
        post = cast(
            Post, self._posts.type.entity({**present, "id": post_id, "created_at": first, "updated_at": now})
        )
        self.desk.pipeline.expect_references(self._posts.type, post)
        if there is None:
            return self._posts.publish(post, with_draft)
        return self._posts.save(*there, post, with_draft)

    def _seen(self, post_id: str, tag: str) -> tuple[PostDraft, Item]:
        draft, current = self.get(post_id)
        expect_tag(draft, current, tag)
        return draft, shape_of(draft).encode(draft)

    def schedule(self, post_id: str, at: datetime | None, by: EditedBy) -> Edit[PostDraft]:
        """Let a draft publish itself at a time, or no longer."""
        draft, current = self.get(post_id)
        if at is not None and at <= self.desk.pipeline.now:
            raise InvalidInput(
                "{at} has passed. Give a time that is still to come, or publish it now.",
                "publishAt",
                code="codex.past-time",
                values={"at": at.isoformat()},
            )
        changed = draft.model_copy(
            update={"publish_at": at, "publish_error": None, "updated_at": self.desk.pipeline.now}
        )
        return self.desk.editing.replace(changed, current, by.actor, by.request_id, by.beside)

    def publish_due(self, actor: Actor) -> tuple[int, int]:
        """Publish what is due by now; how many were, and how many could not be."""
        now, done, failed = self.desk.pipeline.now, 0, 0
        for draft in self.desk.database.all(PostDraft.every(), unreadable=lambda _: None):
            if draft.publish_at is None or draft.publish_at > now:
                continue
            try:
                self.publish(draft.id, EditedBy(actor))
                done += 1
            except (InvalidInput, Conflict, NotFound) as fault:
                self._note(draft, fault)
                failed += 1
        return done, failed

    def _note(self, draft: PostDraft, fault: HansangError) -> None:
        if draft.publish_error != str(fault):
            error = attr(PostDraft.publish_error).set(str(fault))
            self.desk.database.update(PostDraftKey(id=draft.id), error)

    # ── previews ──────────────────────────────────────────────────────────────────────────────────

    def preview(self, post_id: str, until: datetime) -> str:
        """A text that lets whoever has it see a draft until a moment."""
        self.get(post_id)
        return self.desk.database.sealed(PREVIEW, [post_id, int(until.timestamp())])

    def previewed(self, token: str) -> PostDraft | None:
        """The draft that such a text is for, unless its time is over; InvalidCursor for a forged one."""
        post_id, until = self.desk.database.unsealed(PREVIEW, token)
        found = self.find(post_id) if until > self.desk.clock() else None
        return None if found is None else found[0]


def _named(given: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    return given.model_dump(exclude_unset=True) if isinstance(given, BaseModel) else dict(given)
