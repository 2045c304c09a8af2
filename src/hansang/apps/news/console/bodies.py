"""The text of a crawled article as people read it: no markup, nothing that a browser would run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email.message import Message

from lxml import etree

from hansang.apps.news.design import Body

MOST_SHOWN = 12_000
"""How many characters of a text a page shows."""
_SILENT = ("script", "style", "noscript", "template", "head")
_SPACES, _LINES = re.compile(r"[ \t\r\f\v\xa0]+"), re.compile(r"\s*\n\s*")
_BLOCKS = (
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure"),
    *("footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre"),
    *("section", "table", "td", "th", "tr", "ul"),
)


@dataclass(frozen=True, slots=True)
class ShownBody:
    """The beginning of a text, and what is known of the whole."""

    text: str
    is_cut: bool
    length: int
    content_type: str
    fetched_at: datetime


def shown(body: Body, raw: bytes) -> ShownBody:
    """What a page shows of a text."""
    text = plain_text(body, raw)
    return ShownBody(
        text[:MOST_SHOWN], len(text) > MOST_SHOWN, body.length, body.content_type, body.fetched_at
    )


def plain_text(body: Body, raw: bytes) -> str:
    """The whole text, without its markup if it has any."""
    text = raw.decode(_charset(body.content_type), "replace")
    return _without_markup(text) if "html" in body.content_type.lower() else text.strip()


def _charset(content_type: str) -> str:
    message = Message()
    message["Content-Type"] = content_type
    charset = message.get_content_charset("utf-8")
    try:
        "".encode(charset)
    except LookupError:
        return "utf-8"
    return charset


def _without_markup(text: str) -> str:
    # A parser that is told the encoding does not believe what the page says of it.
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True)
    tree = etree.HTML(text.encode(errors="replace"), parser) if text.strip() else None
    if tree is None:
        return ""
    etree.strip_elements(tree, *_SILENT, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    for block in tree.iter(*_BLOCKS):
        block.text, block.tail = f"\n{block.text or ''}", f"\n{block.tail or ''}"
    joined = _SPACES.sub(" ", "".join(tree.itertext()))
    return _LINES.sub("\n", joined).strip()
