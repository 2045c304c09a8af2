"""What a post shows: Markdown made into HTML on the server, with nothing in it that could run (X4-18)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from hansang.apps.codex.design import Contents
from hansang.apps.codex.pipeline import MOST_BRACKETS
from hansang.apps.codex.settings import CodexSettings

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
    found = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    found.add_render_rule("image", _picture)
    return found


def _html(markdown: str, settings: CodexSettings | None = None) -> str:
    """A text as HTML; one with too many brackets as it was typed, so that no text takes long."""
    if markdown.count("[") > MOST_BRACKETS:
        return f"<pre>{escape(markdown)}</pre>"
    return str(_markdown().render(markdown, {"settings": settings}))


def _picture(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A picture; one that our pages may not load is a link with its address instead."""
    settings: CodexSettings | None = env.get("settings")
    address = str(tokens[at].attrGet("src") or "")
    if settings is None or settings.shows(address):
        return renderer.image(tokens, at, options, env)
    text = escape(f"{tokens[at].content} ({address})" if tokens[at].content else address)
    links = [each.nesting for each in tokens[:at] if each.type in ("link_open", "link_close")]
    return text if sum(links) else f'<a href="{escape(address)}">{text}</a>'


def _attribute(tag: str, name: str, value: str) -> str | None:
    """An attribute as it may stand; the class of code names a language and nothing else."""
    if name == "class" and not _CODE_CLASS.fullmatch(value):
        return None
    return value


@lru_cache(256)
def rendered(markdown: str, settings: CodexSettings | None = None) -> str:
    """The HTML of a Markdown text, sanitised; with settings, with those pictures alone that our pages may load."""
    html = _ALIGNED.sub(r'align="\1"', _html(markdown, settings))
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
        return _SPACES.sub(" ", nh3.clean(_html(contents), tags=set())).strip()
    return _SPACES.sub(" ", " ".join(_words(contents))).strip()


def _words(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [word for each in value.values() for word in _words(each)]
    if isinstance(value, list):
        return [word for each in value for word in _words(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]
