"""A draft as the form of the editor sends it."""

from __future__ import annotations

from typing import Any

from hansang.apps.codex.design import Post
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.registry import written
from hansang.surfaces.console.pages import Visit


def given_of(visit: Visit, seen: PostDraft | Post | None) -> dict[str, Any]:
    """A draft as the form has it; what the form does not show stays as it is."""
    given: dict[str, Any] = {
        "title": visit.given("title")[:500],
        "categoryId": visit.given("category_id") or None,
        "authorId": visit.given("author_id") or None,
        "slug": visit.given("slug").strip("/") or None,
        "isPinned": bool(visit.given("is_pinned")) or None,
        "contents": typed_contents(visit),
        "contentsFormat": "markdown",
        "attachments": _attachments(visit) or None,
        "expiresAt": written(seen.expires_at, as_seconds=True) if seen else None,
    }
    if seen is not None and not isinstance(seen.contents, str):
        given |= {"contents": seen.contents, "contentsFormat": seen.contents_format}
    return {name: value for name, value in given.items() if value is not None}


def typed_contents(visit: Visit) -> str:
    """The text of the form, with the ends of lines that texts have here."""
    value = visit.form.get("contents", "")
    return value.replace("\r\n", "\n").rstrip() if isinstance(value, str) else ""


def _attachments(visit: Visit) -> list[dict[str, str]]:
    rows = zip(visit.every("file_uri"), visit.every("file_name"), visit.every("file_alt"), strict=False)
    return [
        {
            "uri": uri.strip(),
            "name": name.strip() or uri.strip().rpartition("/")[2] or uri,
            "alt": alt.strip(),
        }
        for uri, name, alt in rows
        if uri.strip()
    ]
