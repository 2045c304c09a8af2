"""What a page shows of the texts of articles."""

from __future__ import annotations

from datetime import UTC, datetime

from hansang.apps.news.bodies import packed
from hansang.apps.news.console.bodies import MOST_SHOWN, shown
from hansang.apps.news.design import ArticleText

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def kept(text: str) -> ArticleText:
    compressed, is_cut = packed(text)
    return ArticleText(
        item="id-1",
        form="clean",
        is_cut=is_cut,
        compressed=compressed,
        content_type="text/plain",
        length=len(text),
        fetched_at=NOON,
    )


def test_a_page_shows_the_beginning_of_a_long_text() -> None:
    found = shown(kept("가" * (MOST_SHOWN + 1)))
    assert (found.text, found.is_cut, found.length) == ("가" * MOST_SHOWN, True, MOST_SHOWN + 1)


def test_a_page_shows_the_whole_of_a_short_text() -> None:
    found = shown(kept("One\nTwo"))
    assert (found.text, found.is_cut, found.is_kept_whole) == ("One\nTwo", False, True)
