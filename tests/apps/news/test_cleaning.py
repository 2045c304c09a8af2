"""The texts of articles as people read them."""

from __future__ import annotations

import encodings.aliases

import pytest

from hansang.apps.news import cleaning, markup
from hansang.apps.news.cleaning import clean, encoding_of


def text(raw: bytes, content_type: str = "text/html") -> str:
    return str(clean(raw, content_type)["text"])


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>One</p><p>Two <b>bold</b></p>", "One\nTwo bold"),
        ("<style>p{}</style><script>run('<p>')</script><!-- note --><p>One</p>", "One"),
        ("<SCRIPT>a</script >One<noscript><p>two</noscript>", "One"),
        ("<html><head><title>Name</title><meta charset=x></head><body>One</body></html>", "One"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("one&nbsp;&amp;   two<br>three", "one & two\nthree"),
        ("<p title='a > b' id=\"x>y\">One</p>", "One"),
        ("<p title=a>b>One</p>", "b>One"),
        ("<p don't>One</p><p>it's</p>", "One\nit's"),
        ('<p title="never closed>One</p>', "One"),
        ("1 < 2 <3 </ > <!doctype html><?php x ?>", "1 < 2 <3"),
        ("a<template><p>b<template>c</template></p></template>d</template>e", "ade"),
        ("<!-- never closed <p>One</p>", ""),
        ("<script>never closed <p>One</p>", ""),
        ("One<p", "One"),
        ("&#65;&#x42;&lt;b&gt;&unknown;&", "AB<b>&unknown;&"),
        (f"&#xD800;a&#99999999;b&#{'9' * 5000};c", "\ufffda\ufffdb\ufffdc"),
        ("<p>\u3000 한글\u3000둘 \u3000</p>", "한글\u3000둘"),
        ("", ""),
        ("   ", ""),
    ],
)
def test_markup_is_taken_away(markup: str, expected: str) -> None:
    assert text(markup.encode()) == expected


def test_a_text_is_read_in_the_encoding_that_it_says() -> None:
    assert text("<p>한글</p>".encode("euc-kr"), "text/html; charset=euc-kr") == "한글"
    assert text("<p>한글</p>".encode("cp949"), 'text/html; version=1; Charset="CP949"') == "한글"


STRANGE = (
    "nonsense",
    "undefined",
    "idna",
    "punycode",
    "rot13",
    "base64",
    "hex",
    "zlib",
    "unicode_escape",
    "utf-7",
)


@pytest.mark.parametrize("name", [*STRANGE, "", "\0", "한글", "x" * 150, "*=undefined''x", "mbcs"])
@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_whatever_a_content_type_says_the_text_can_be_read(kind: str, name: str) -> None:
    assert text("<b>한글".encode(), f"{kind}; charset={name}") == (
        "<b>한글" if kind == "text/plain" else "한글"
    )


def test_every_codec_of_python_reads_any_bytes_or_is_not_used() -> None:
    for name in {*encodings.aliases.aliases, *encodings.aliases.aliases.values()}:
        bytes(range(256)).decode(encoding_of(f"text/html; charset={name}"), "replace").encode()


def test_plain_text_keeps_what_looks_like_markup() -> None:
    assert text(b" a <b> c ", "text/plain") == "a <b> c"


def test_bytes_that_are_no_text_are_marked() -> None:
    assert text(b"caf\xe9", "text/plain") == "caf\N{REPLACEMENT CHARACTER}"


def test_a_text_within_the_limits_is_whole() -> None:
    assert clean(b"<p>One</p>", "text/html") == {"text": "One", "is_cut": False}


@pytest.mark.parametrize(
    ("limit", "content"),
    [("MOST_READ", b"<p>0123456789"), ("MOST_KEPT", b"<p>0123456789")],
)
def test_what_is_too_long_is_cut_and_said_to_be(
    limit: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, limit, 8)
    found = clean(content, "text/html")
    assert found["is_cut"]
    assert found["text"] == "01234567"[: len(found["text"])] != ""


def test_what_has_too_many_tags_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "MOST_TAGS", 2)
    assert clean(b"a<p>b<p>c<p>d", "text/html") == {"text": "a\nb", "is_cut": True}
