"""Articles, pages, feeds and lists that are built to be slow: quadratic, deep, wide, bombs.

Images are stored and parsed nowhere, and Markdown is shown as the text that it is; both are among the articles, so that
it stays so.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from hansang.apps.news.inputs import Form

_N = 120_000
Article = tuple[bytes, str]


def _html(text: str) -> Article:
    return text.encode(errors="surrogatepass"), "text/html"


def _attributes(count: int) -> str:
    return " ".join(f"a{number}=1" for number in range(count))


ARTICLES: dict[str, Callable[[], Article]] = {
    "wide spaces": lambda: _html("<p>" + "\u3000" * _N + "x</p>"),
    "spaces and lines": lambda: _html("<p>" + " \u3000\n" * _N + "x"),
    "attributes of one tag": lambda: _html(f"<p {_attributes(60_000)}>x</p>"),
    "attributes without values": lambda: _html("<p " + "a " * 500_000 + ">x</p>"),
    "quotes that are never closed": lambda: _html("<a b='" * _N + '<a b="' * _N),
    "tags that are never closed": lambda: _html("<" + "a" * 1_000_000 + "<b" * _N),
    "comments that are never closed": lambda: _html("<!-" * _N + "<!--" * _N),
    "scripts that are never closed": lambda: _html("<script>" * _N + "</scrip" * _N),
    "deep": lambda: _html("<div>" * 1_000_000),
    "deep templates": lambda: _html("<template>" * _N + "x"),
    "wide": lambda: _html("<li>x</li>" * 500_000),
    "entities": lambda: _html("&lt;" * 1_000_000),
    "entities that are none": lambda: _html("&" * 1_000_000 + "&a" * _N),
    "a number of many digits": lambda: _html("&#" + "9" * 4_000_000 + ";&#x" + "f" * 500_000),
    "surrogates and nulls": lambda: _html("&#xD800;\ud800\0" * _N),
    "an encoding that is none": lambda: (b"\xff" * 1_000_000, "text/html; charset=undefined"),
    "an encoding of 7 bits": lambda: (b"\x1b$B" * 500_000, "text/html; charset=iso-2022-jp"),
    "20 MB of nothing": lambda: (bytes(20_000_000), "text/html"),
    "20 MB of tags": lambda: (b"<b>" * 6_600_000, "text/html"),
    "Markdown": lambda: (b"[" * _N + b"*_`" * _N + b"> " * _N, "text/markdown"),
    "an image": lambda: (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff" * 10, "image/png"),
    "a drawing": lambda: (
        b"<svg><defs>" + b"".join(b'<g id="a%d"><use href="#a%d"/></g>' % (n, n - 1) for n in range(20_000)),
        "image/svg+xml",
    ),
}
"""What a crawler may bring, with its content type."""


def _bomb() -> str:
    levels = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    return f'<!DOCTYPE rss [<!ENTITY a0 "ha">{levels}]><rss><item><title>&a9;</title></item></rss>'


PAGES: dict[str, Callable[[], bytes]] = {
    "headlines in one entry": lambda: b"<html><li>" + b"<h2><a href=http://a/b>x</a></h2>" * 100_000,
    "as many headlines as may be": lambda: b"<html><li>" + b"<h2><a href=http://a/b>x</a></h2>" * 24_999,
    "as many entries as may be": lambda: b"<html>" + b"<li><h2><a href=http://a/b>x</a></h2></li>" * 16_666,
    "as many items as may be": lambda: (
        b"<rss>" + b"<item><title>x</title><link>http://a/</link></item>" * 16_666
    ),
    "entries": lambda: b"<html>" + b"<li><h2><a href=http://a/b>x</a></h2></li>" * 100_000,
    "entries in entries": lambda: b"<html>" + b"<section><h2><a href=x>" * 100_000,
    "attributes of a page": lambda: f"<html><li {_attributes(60_000)}>".encode(),
    "short tags of many attributes": lambda: b"<html>" + (b"<p " + b"a " * 900 + b">") * 2_000,
    "an address without end": lambda: b"<html><li><h2><a href='" + b"../" * 1_000_000 + b"'>x",
    "entities of a feed": lambda: _bomb().encode(),
    "one entity many times": lambda: (
        b'<!-- <rss> --><!DOCTYPE rss [<!ENTITY a "'
        + b"a" * 100_000
        + b'">]><rss>'
        + b"&a;" * 100_000
        + b"</rss>"
    ),
    "a deep feed": lambda: b"<rss>" + b"<item>" * 500_000,
    "names of a feed": lambda: (
        "<rss " + " ".join(f"xmlns:a{n}='{n}'" for n in range(60_000)) + "/>"
    ).encode(),
    "items": lambda: b"<rss>" + b"<item><title>x</title><link>http://a/</link></item>" * 100_000,
    "spaces of a title": lambda: (
        "<rss><item><title>" + "\u3000 " * 1_000_000 + "</title></item></rss>"
    ).encode(),
}
"""What a site may answer with."""

LISTS: dict[str, tuple[Form, Callable[[], str]]] = {
    "deep JSON": ("json", lambda: "[" * 2_000_000),
    "deep objects": ("jsonl", lambda: '{"a":' * 500_000),
    "a long member": ("json", lambda: '[{"title": [' + "1," * 1_500_000 + "1]}]"),
    "gaps": ("json", lambda: "[" + " ," * 3_000_000 + "]"),
    "a gap behind a member": ("json", lambda: "[1" + " " * 6_000_000),
    "a gap before the list": ("json", lambda: " " * 6_000_000 + "["),
    "a large number": ("jsonl", lambda: '{"url": 1e999999999, "title": ' + "9" * 3_000_000 + "}"),
    "a text without end": ("json", lambda: '["' + "a" * 7_000_000),
    "half characters": ("jsonl", lambda: '{"url": "\\ud800", "title": "\\u0000"}\n' * 20_000),
    "columns": ("csv", lambda: "title,url" + ",c" * 1_000_000 + "\n" + "a,\n" * 200_000),
    "commas": ("csv", lambda: "title,url\n" + "," * 3_000_000),
    "quotes": ("csv", lambda: "title,url\n" + '"' * 3_000_000),
    "a field without end": ("csv", lambda: 'title,url\n"' + "a\n" * 3_000_000),
}
"""What somebody may load: the form, and the text."""


def packed_bomb() -> bytes:
    """A body whose item is small and whose text is not."""
    return zlib.compress(bytes(300_000_000))
