"""What the search of the console finds in the content: posts by their title, and categories."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from urllib.parse import urlencode

from hansang.apps.codex.console.links import codex_of, edit_path
from hansang.apps.codex.design import Post
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA
from hansang.surfaces.console.matching import rank
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import SearchResult

MOST_READ = 1_000
"""How many posts one search looks at, the newest first."""
_MOST_FOUND = 6


def search(visit: Visit, typed: str) -> Iterator[SearchResult]:
    """The posts whose titles fit, with the drafts for whoever may write, and the categories."""
    codex = codex_of(visit)
    for each in codex.categories.page(100).items:
        if rank(typed, each.title) is not None:
            yield SearchResult(
                "codex.search.categories", f"/codex?category={each.id}", each.title, each.desc, "folder"
            )
    database = codex.desk.database
    posts = database.all(Post.latest(), MOST_READ, unreadable=lambda _: None)
    known = {each.id for each in posts}
    drafts: list[PostDraft] = []
    if visit.may(AREA, "write"):
        drafts = database.all(PostDraft.every(), MOST_READ, unreadable=lambda _: None)
    found: list[Post | PostDraft] = [*posts, *(each for each in drafts if each.id not in known)]
    titled = (post for post in found if post.title and rank(typed, post.title) is not None)
    for post in islice(titled, _MOST_FOUND):
        state = visit.t(f"codex.state.{'published' if post.id in known else 'draft'}")
        about = f"{state} · {visit.formats.day(post.updated_at)}"
        yield SearchResult("codex.search.posts", edit_path(post.id), post.title, about, "file-text")
    if len(posts) == MOST_READ:
        text = visit.t("codex.search.on", text=typed)
        about = visit.t("codex.search.on_about", count=visit.formats.number(MOST_READ))
        yield SearchResult("codex.search.posts", f"/codex?{urlencode({'q': typed})}", text, about, "search")
