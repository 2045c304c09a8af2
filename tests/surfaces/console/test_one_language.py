"""Every page speaks one language: no Hangul in English pages, no English sentence in Korean ones.

The pages are found by following links on a product without items, so everything on them is its own words. Names that
stay as they are, code, and what is marked as the other language are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from hansang.parts.words import Language
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.walking import pages

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_AS_THEY_ARE = {"script", "style", "code", "pre", "abbr"}
_DATA = re.compile(r"\b(mono|chip|value|codebox|actor|who)\b")
_SPOKEN = ("aria-label", "title", "placeholder", "alt", "data-none", "data-add", "data-pick")
HANGUL = re.compile("[가-힣]")
SENTENCE = re.compile(r"[A-Za-z]+(?:[ ,]+[a-z]+){2,}")
"""Three words of English in a row, of which the last two are no names."""
COMMAND = re.compile(r"hansang( [a-z-]+)+|as of|[A-Z]+ /\S+")
ON_A_ROUTE = 6


class Spoken(HTMLParser):
    """The words of a page that are its own, by the language of their element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs)
        if tag == "a" and own.get("href") and "hreflang" not in own:
            self.links.append(own["href"] or "")
        foreign = tag != "html" and ("lang" in own or "hreflang" in own)
        is_left = (
            foreign or tag in _AS_THEY_ARE or bool(_DATA.search(own.get("class") or "")) or self._is_left
        )
        if not is_left:
            self.found += [own[name] or "" for name in _SPOKEN if own.get(name)]
        if tag not in _VOID:
            self._open.append((tag, is_left))

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._is_left:
            self.found.append(" ".join(data.split()))

    @property
    def _is_left(self) -> bool:
        return bool(self._open) and self._open[-1][1]


def routes() -> list[re.Pattern[str]]:
    """What the paths of pages look like."""
    paths = {each.path for each in pages()}
    return [re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(path)) + "$") for path in sorted(paths)]


def walked(visitor: Visitor, language: Language) -> Iterator[tuple[str, Spoken]]:
    """Every kind of page, as whoever owns everything finds it."""
    known = routes()
    browser = visitor("owner", language)
    waiting, seen, followed = ["/"], {"/"}, dict.fromkeys(known, 0)
    while waiting:
        path = waiting.pop(0)
        page = browser.get(path)
        if page.status != 200 or "text/html" not in page.response.headers["content-type"]:
            continue
        spoken = Spoken(page.text)
        yield path, spoken
        for each in spoken.links:
            bare = each.partition("?")[0].partition("#")[0]
            route = next((found for found in known if found.match(bare)), None)
            if route is None or each in seen or followed[route] == ON_A_ROUTE:
                continue
            seen.add(each)
            followed[route] += 1
            waiting.append(each)


QUOTED = re.compile(r"“[^”]*”|\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|한국어")
"""What is quoted or listed, such as the attributes of a document; and the name of a language, which is in itself."""


def of_another_language(language: Language, path: str, text: str) -> bool:
    own = COMMAND.sub("", QUOTED.sub("", text))
    if language == "en":
        # The documents of the household ledger and of the news list quote Korean names.
        return bool(HANGUL.search(own)) and path not in ("/spec/1-assets", "/spec/3-news")
    return bool(SENTENCE.search(own)) and path != "/spec/4-codex"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_speaks_one_language(visitor: Visitor, language: Language) -> None:
    found = dict(walked(visitor, language))
    assert len(found) > 40
    assert [
        (path, text)
        for path, spoken in found.items()
        for text in spoken.found
        if of_another_language(language, path, text)
    ] == []
