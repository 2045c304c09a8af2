"""What a post shows: Markdown made into HTML on the server, with nothing in it that could run (X4-18)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import nh3
from markdown_it import MarkdownIt

from hansang.apps.codex.design import Contents

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li"),
    *("ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "code": {"class"},
    "ol": {"start"},
    "th": {"align"},
    "td": {"align"},
}
_SCHEMES = {"http", "https", "mailto", "tel"}
_CODE_CLASS = re.compile(r"language-[a-z0-9+#-]{1,30}")
_ALIGNED = re.compile(r'style="text-align:(left|center|right)"')
_SPACES = re.compile(r"\s+")


@lru_cache(1)
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _attribute(tag: str, name: str, value: str) -> str | None:
    """An attribute as it may stand; the class of code names a language and nothing else."""
    if name == "class" and not _CODE_CLASS.fullmatch(value):
        return None
    return value


@lru_cache(256)
def rendered(markdown: str) -> str:
    """The HTML of a Markdown text, sanitised."""
    html = _ALIGNED.sub(r'align="\1"', _markdown().render(markdown))
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        attribute_filter=_attribute,
        link_rel="noopener noreferrer",
    )


def plain_text(contents: Contents) -> str:
    """The words of contents in one line, for descriptions and for searching."""
    if isinstance(contents, str):
        return _SPACES.sub(" ", nh3.clean(_markdown().render(contents), tags=set())).strip()
    return _SPACES.sub(" ", " ".join(_words(contents))).strip()


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for each in value.values() for word in _words(each)]
    if isinstance(value, list):
        return [word for each in value for word in _words(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]
