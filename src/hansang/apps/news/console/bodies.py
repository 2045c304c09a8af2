"""What a page shows of the text of an article."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hansang.apps.news.design import ArticleText, TextForm
from hansang.apps.news.texts import beginning

MOST_SHOWN = 12_000
"""How many characters of a text a page shows."""


@dataclass(frozen=True, slots=True)
class ShownBody:
    """The beginning of a text, and what is known of the whole."""

    text: str
    is_cut: bool
    is_kept_whole: bool
    form: TextForm
    length: int
    content_type: str
    fetched_at: datetime


def shown(text: ArticleText) -> ShownBody:
    """What a page shows of a text."""
    found = beginning(text, MOST_SHOWN + 1)
    return ShownBody(
        found[:MOST_SHOWN],
        len(found) > MOST_SHOWN,
        not text.is_cut,
        text.form,
        text.length,
        text.content_type,
        text.fetched_at,
    )
