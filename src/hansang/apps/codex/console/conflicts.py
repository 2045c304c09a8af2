"""Two people on one post: both versions beside each other, and one text of the two; nothing is lost (X4-34)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from hansang.apps.codex.console.draft_forms import given_of
from hansang.apps.codex.console.links import codex_of, edit_path, edited_by, page
from hansang.apps.codex.diffs import MineOrStored, compare, merged
from hansang.apps.codex.editorial import PostDraft
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.errors import Conflict
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

CHOICES: tuple[MineOrStored, ...] = ("mine", "stored", "both")
_CARRIED = ("category_id", "author_id", "slug", "is_pinned")


def show(visit: Visit, codex: Codex, post_id: str) -> Response:
    """Both versions: what is the same is folded, and each block that differs is asked about."""
    stored, tag = codex.drafts.get(post_id)
    mine = text_of(visit, "contents")
    body = stored.contents if isinstance(stored.contents, str) else ""
    found = compare(body, mine)
    context: dict[str, Any] = {
        "post_id": post_id,
        "stored": stored,
        "tag": tag,
        "mine_title": visit.given("title"),
        "mine": mine,
        "found": list(enumerate(found)),
        "asked_count": sum(each.kind != "same" for each in found),
        "same_count": sum(each.kind == "same" for each in found),
        "chosen": lambda number: visit.given(f"choice-{number}"),
        "joined": lambda number, text: text_of(visit, f"text-{number}") or text,
        "carried": [(name, visit.given(name)) for name in _CARRIED if visit.given(name)],
        "files": list(zip(*(visit.every(f"file_{each}") for each in ("uri", "name", "alt")), strict=False)),
        "title_choice": visit.given("title_choice"),
    }
    return page(visit, "conflict.html", 409, **context)


def text_of(visit: Visit, name: str) -> str:
    """A text of the form as it was typed."""
    value = visit.form.get(name, "")
    return value.replace("\r\n", "\n").strip("\n") if isinstance(value, str) else ""


def merge(visit: Visit) -> Response:
    """Save one text of the two as the draft; if somebody was faster again, ask again."""
    codex, post_id = codex_of(visit), visit.param("id")
    stored, tag = codex.drafts.get(post_id)
    if tag != visit.given("tag"):
        return show(visit, codex, post_id)
    text, open_ones = _merged(visit, stored)
    title = stored.title if visit.given("title_choice") == "stored" else visit.given("title")
    if open_ones:
        return show(visit, codex, post_id)
    given = {**given_of(visit, stored), "title": title, "contents": text}
    try:
        codex.drafts.save(post_id, given, tag, edited_by(visit))
    except Conflict:
        return show(visit, codex, post_id)
    return visit.go(edit_path(post_id), "codex.done.merged")


def _merged(visit: Visit, stored: PostDraft) -> tuple[str, list[int]]:
    body, mine = stored.contents if isinstance(stored.contents, str) else "", text_of(visit, "contents")
    wanted = next((each for each in CHOICES if each == visit.given("all")), None)
    choices: dict[int, MineOrStored] = {}
    for number, _ in enumerate(compare(body, mine)):
        choice = wanted or next((each for each in CHOICES if each == visit.given(f"choice-{number}")), None)
        if choice is not None:
            choices[number] = choice
    joined = {number: text_of(visit, f"text-{number}") for number in choices}
    return merged(body, mine, choices, joined)


PAGES = (PageRoute("/codex/posts/{id}/merge", merge, allowed(AREA, "write"), "POST"),)
