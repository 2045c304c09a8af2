"""Kinds of our own beside the document's: drafts, revisions, trash, addresses of posts, gates of categories.

None of them has a Type, so none is in `Type_CreatedAt`: what is not published is in no list (X4-38, X4-39, X4-40).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hansang.apps.codex.design import (
    MOST_ATTACHMENTS,
    Attachment,
    Author,
    Contents,
    ContentsFormat,
    FMWebApp,
    InCategory,
    Slug,
)
from hansang.design import Attr, Entity, Expiry, Key, Query, Stamped, Timestamp, pattern


class PostDraftKey(Key["PostDraft"], pk="DRAFT#POST", sk="POST#{id}"):
    """The key of a draft: the id is that of the post that it is, or will be."""

    id: Annotated[str, Attr("id")]


class PostDraft(PostDraftKey, Entity, table=FMWebApp):
    """A post that is not published, or changes of one that is; with a time, it publishes itself."""

    category_id: Annotated[InCategory | None, Attr("categoryId")] = None
    author_id: Annotated[Author | None, Attr("authorId")] = None
    title: str = ""
    contents: Contents = ""
    contents_format: Annotated[ContentsFormat | None, Attr("contentsFormat")] = None
    slug: Slug | None = None
    is_pinned: Annotated[bool | None, Attr("isPinned")] = None
    attachments: Annotated[list[Attachment] | None, Field(max_length=MOST_ATTACHMENTS)] = None
    expires_at: Annotated[Expiry | None, Attr("expiresAt")] = None
    publish_at: Annotated[Timestamp | None, Attr("publishAt")] = None
    publish_error: Annotated[str | None, Attr("publishError")] = None
    saved_by: Annotated[str | None, Attr("savedBy")] = None
    revised_at: Annotated[Timestamp | None, Attr("revisedAt")] = None
    """When a revision of it was kept last."""
    drafted_at: Annotated[Timestamp, Attr("draftedAt"), Stamped("created")]
    updated_at: Annotated[Timestamp, Attr("UpdatedAt"), Stamped("saved")]

    @pattern
    def every(cls) -> Query[PostDraft]:
        """All drafts, the newest id first."""
        return cls.query().descending()


class PostRevisionKey(Key["PostRevision"], pk="POST#{post_id}", sk="REVISION#{revision}"):
    """The key of a revision; its name sorts by the time at which it was replaced."""

    post_id: str
    revision: str


class PostRevision(PostRevisionKey, Entity, table=FMWebApp):
    """A post, or a draft of it, as it was before it was changed."""

    category_id: Annotated[InCategory | None, Attr("categoryId")] = None
    author_id: Annotated[Author | None, Attr("authorId")] = None
    title: str
    contents: Contents
    contents_format: Annotated[ContentsFormat | None, Attr("contentsFormat")] = None
    slug: Slug | None = None
    was_published: Annotated[bool, Attr("wasPublished")] = True
    saved_at: Annotated[Timestamp, Attr("savedAt")]
    replaced_at: Annotated[Timestamp, Attr("replacedAt")]
    replaced_by: Annotated[str, Attr("replacedBy")]

    @pattern
    def of_post(cls, post_id: str) -> Query[PostRevision]:
        """The revisions of a post, the newest first."""
        return cls.query(PostRevision.post_id == post_id).descending()


class TrashedPostKey(Key["TrashedPost"], pk="TRASH#POST", sk="POST#{id}"):
    """The key of a deleted post."""

    id: Annotated[str, Attr("id")]


class TrashedPost(TrashedPostKey, Entity, table=FMWebApp):
    """A deleted post, which can be restored until it expires."""

    category_id: Annotated[InCategory, Attr("categoryId")]
    author_id: Annotated[Author, Attr("authorId")]
    title: str
    contents: Contents
    contents_format: Annotated[ContentsFormat | None, Attr("contentsFormat")] = None
    slug: Slug | None = None
    is_pinned: Annotated[bool | None, Attr("isPinned")] = None
    attachments: Annotated[list[Attachment] | None, Field(max_length=MOST_ATTACHMENTS)] = None
    first_created_at: Annotated[Timestamp, Attr("firstCreatedAt")]
    saved_at: Annotated[Timestamp, Attr("savedAt")]
    deleted_at: Annotated[Timestamp, Attr("deletedAt")]
    deleted_by: Annotated[str, Attr("deletedBy")]
    expires_at: Annotated[Expiry, Attr("expiresAt")]

    @pattern
    def every(cls) -> Query[TrashedPost]:
        """All deleted posts, the newest id first."""
        return cls.query().descending()


class PostSlugKey(Key["PostSlug"], pk="SLUG#{slug}", sk="METADATA"):
    """The key of a readable address."""

    slug: Slug


class PostSlug(PostSlugKey, Entity, table=FMWebApp):
    """Which post an address leads to; an address that a post had before leads to the one that it has."""

    post_id: Annotated[str, Attr("postId")]


class CategoryGateKey(Key["CategoryGate"], pk="GATE#{category_id}", sk="METADATA"):
    """The key of a category's gate."""

    category_id: Annotated[InCategory, Attr("categoryId")]


class CategoryGate(CategoryGateKey, Entity, table=FMWebApp):
    """How often a post came into a category: deleting the category fails if one came meanwhile (X4-21)."""

    entered: int


_SITE = "The editors of a company site write a few drafts a day (X4-17)."
_IDS = "New ids are ULIDs; old ones are few, and a list of drafts need not be in the order of time (X4-05)."
ACCEPTED = {
    "PostDraft H201": _SITE,
    "TrashedPost H201": _SITE,
    "PostDraft.every H105": _IDS,
    "TrashedPost.every H105": _IDS,
    "PostRevision.of_post H105": "The name of a revision is a ULID.",
}
"""What the review finds and the design accepts, with the reason."""
