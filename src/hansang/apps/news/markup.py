"""HTML in one pass, without a tree: where its tags are, what its text is. Time grows with its length alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

MOST_TAGS = 300_000
"""How many tags of a document are read; what comes behind them is cut off."""
_LONGEST_TAG = 2_000
"""Longer tags lose their attributes but the address: libxml2 compares each attribute with all the others."""
_OPENING = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})")
_ENDS = re.compile(r"[>=]")
_QUOTED = re.compile(r"\s*[\"']")
_HREF = re.compile(r"\shref\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>\"']+)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")
_REFERENCE = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]{1,31});?")
_LONGEST_REFERENCE = 40
_CLOSED_BY = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "noscript", "title", "iframe", "noembed", "noframes", "xmp")
}
"""What is inside of these is no markup and nothing to read."""
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure"),
        *(
            "footer",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "header",
            "hr",
            "li",
            "main",
            "nav",
            "ol",
            "p",
            "pre",
        ),
        *("section", "table", "td", "th", "tr", "ul"),
    )
)


class Tag(NamedTuple):
    """A tag with its place in the text; a comment is one without a name, and a script includes its content."""

    name: str
    start: int
    end: int
    is_end: bool = False


def each_tag(text: str) -> Iterator[Tag]:
    """Every tag, comment and declaration of a document, in their order."""
    place = 0
    while (place := text.find("<", place)) >= 0:
        tag = _tag_at(text, place)
        if tag is None:
            place += 1
        else:
            yield tag
            place = tag.end


def _tag_at(text: str, start: int) -> Tag | None:
    opening = _OPENING.match(text, start)
    if opening is None:
        if text.startswith("<!--", start):
            return Tag("", start, _behind("-->", text, start + 4))
        if text.startswith(("<!", "<?", "</"), start):
            return Tag("", start, _behind(">", text, start))
        return None
    name, is_end = opening[1].lower(), text[start + 1] == "/"
    end = _tag_end(text, opening.end())
    if not is_end and name in _CLOSED_BY:
        closing = _CLOSED_BY[name].search(text, end)
        end = len(text) if closing is None else _behind(">", text, closing.end())
    return Tag(name, start, end, is_end)


def _behind(mark: str, text: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)


def _tag_end(text: str, place: int) -> int:
    """Where a tag ends; a > in a quoted value is none of its ends."""
    while (found := _ENDS.search(text, place)) is not None:
        place = found.end()
        if found[0] == ">":
            return place
        if quoted := _QUOTED.match(text, place):
            closing = text.find(text[quoted.end() - 1], quoted.end())
            # A quote that is never closed is none. Each kind can be so once, so that no text is searched twice.
            place = quoted.end() if closing < 0 else closing + 1
    return len(text)


def text_of_markup(markup: str) -> tuple[str, bool]:
    """The text of a document as people read it, block by block, and whether it had more tags than are read."""
    pieces: list[str] = []
    place = hidden = 0
    for number, tag in enumerate(each_tag(markup)):
        if number == MOST_TAGS:
            return _tidied(pieces), True
        if not hidden:
            pieces.append(_resolved(markup[place : tag.start]))
        if tag.name == "template":
            hidden = max(0, hidden + (-1 if tag.is_end else 1))
        elif not hidden and tag.name in _BLOCKS:
            pieces.append("\n")
        place = tag.end
    if not hidden:
        pieces.append(_resolved(markup[place:]))
    return _tidied(pieces), False


def _resolved(text: str) -> str:
    return _REFERENCE.sub(lambda found: _character(found[0]), text) if "&" in text else text


@lru_cache(maxsize=2048)
def _character(reference: str) -> str:
    # The standard library refuses a number of thousands of digits.
    return unescape(reference) if len(reference) <= _LONGEST_REFERENCE else "\N{REPLACEMENT CHARACTER}"


def _tidied(pieces: list[str]) -> str:
    lines = (line.strip() for line in _SPACES.sub(" ", "".join(pieces)).split("\n"))
    return "\n".join(line for line in lines if line)


def with_short_tags(content: bytes) -> bytes:
    """A document whose tags no parser finds too long."""
    text = content.decode(
        "latin-1"
    )  # Every byte stays what it is; tags are ASCII in all encodings of the web.
    pieces, place = [], 0
    for tag in each_tag(text):
        if tag.end - tag.start > _LONGEST_TAG and tag.name not in _CLOSED_BY and tag.name:
            pieces += [text[place : tag.start], _shortened(text, tag)]
            place = tag.end
    return "".join([*pieces, text[place:]]).encode("latin-1") if pieces else content


def _shortened(text: str, tag: Tag) -> str:
    if tag.is_end:
        return f"</{tag.name}>"
    address = _HREF.search(text, tag.start, tag.end)
    return f"<{tag.name} href={address[1]}>" if address else f"<{tag.name}>"
