"""The texts of articles as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hansang.apps.news.bodies import body_of
from hansang.apps.news.console.bodies import MOST_SHOWN, plain_text, shown

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def text(raw: bytes, content_type: str = "text/html") -> str:
    return plain_text(body_of("id-1", raw, content_type, NOON), raw)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>One</p><p>Two <b>bold</b></p>", "One\nTwo bold"),
        ("<style>p{}</style><script>run()</script><!-- note --><p>One</p>", "One"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("one&nbsp;&amp;   two<br>three", "one & two\nthree"),
        ("", ""),
        ("   ", ""),
        ("<p>한글</p>", "한글"),
    ],
)
def test_markup_is_taken_away(markup: str, expected: str) -> None:
    assert text(markup.encode()) == expected


def test_a_text_is_read_in_the_encoding_that_it_says() -> None:
    assert text("<p>한글</p>".encode("euc-kr"), "text/html; charset=euc-kr") == "한글"
    assert text("한글".encode(), "text/plain; charset=nonsense") == "한글"


def test_plain_text_keeps_what_looks_like_markup() -> None:
    assert text(b" a <b> c ", "text/plain") == "a <b> c"


def test_bytes_that_are_no_text_are_marked() -> None:
    assert text(b"caf\xe9", "text/plain") == "caf\N{REPLACEMENT CHARACTER}"


def test_a_page_shows_the_beginning_of_a_long_text() -> None:
    raw = b"x" * (MOST_SHOWN + 1)
    found = shown(body_of("id-1", raw, "text/plain", NOON), raw)
    assert (len(found.text), found.is_cut, found.length) == (MOST_SHOWN, True, MOST_SHOWN + 1)
