"""Readable addresses of posts: made of their titles, and never another post's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hansang.apps.codex.design import LONGEST_SLUG, Post
from hansang.apps.codex.editorial import PostSlug, PostSlugKey
from hansang.design import Database, any_of, attr
from hansang.design.normalize import normalize_nfc
from hansang.design.transaction import Transaction
from hansang.errors import AlreadyExists

_BETWEEN = re.compile(r"[\W_]+")
_TRIES = 50
_ROOM = 5
"""What is left for a number behind a slug that is taken."""


def slug_of(title: str) -> str:
    """The words of a title in small letters with hyphens between them; empty if it has none."""
    words = _BETWEEN.sub("-", normalize_nfc(title).casefold()).strip("-")
    return words[: LONGEST_SLUG - _ROOM].strip("-")


class Slugs:
    """Which post each address leads to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, slug: str) -> str | None:
        """The id of the post that an address leads to, also one that it had before."""
        found = self._database.find(PostSlugKey(slug=slug), consistent=True)
        return None if found is None else found.post_id

    def free(self, title: str, post_id: str) -> str | None:
        """An address of this title that no other post has."""
        wanted = slug_of(title)
        if not wanted:
            return None
        tries = [wanted, *(f"{wanted}-{number}" for number in range(2, _TRIES))]
        return next((each for each in tries if self._is_free(each, post_id)), None)

    def _is_free(self, slug: str, post_id: str) -> bool:
        return self.find(slug) in (None, post_id)

    def claim(self, transaction: Transaction, post: Post) -> None:
        """Let the address of a post lead to it, unless it is another's."""
        if post.slug is None:
            return
        taken = AlreadyExists(
            "The address {slug} is another post's. Choose another one.",
            code="codex.slug-taken",
            values={"slug": post.slug},
        )
        mine = any_of(attr(PostSlug.post_id).missing(), PostSlug.post_id == post.id)
        transaction.put(PostSlug(slug=post.slug, post_id=post.id), when=mine, otherwise=taken)

    def each(self, post_id: str, slugs: Iterator[str]) -> Iterator[PostSlugKey]:
        """The addresses among these that lead to a post."""
        return (PostSlugKey(slug=each) for each in slugs if self.find(each) == post_id)
