"""List pages and feeds as lists of links: one adapter a form, each with a contract that tells drift."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urljoin

from lxml import etree

from hansang.apps.news.markup import with_short_tags
from hansang.apps.news.reasons import Reason, reason
from hansang.apps.news.stories import stories
from hansang.errors import InvalidInput

Adapter = Literal["yahoo", "rss", "atom"]

_QUOTE = re.compile(r"/quote/([^/?#]+)")
_SPACES = re.compile(r"\s+")
_ATOM = "{http://www.w3.org/2005/Atom}"
MOST_TAGS = 100_000
"""Ten times what the longest list pages have, and read in a fraction of a second."""
_USUAL_FEWEST = 5
_MOST_MISSING = 0.2


@dataclass(frozen=True, slots=True)
class Listing:
    """What a page had: its links, and what is unlike the pages that the adapter was made for."""

    adapter: Adapter
    links: list[dict[str, Any]]
    alarms: list[Reason]


def read_page(content: bytes, *, address: str = "", adapter: Adapter | None = None) -> Listing:
    """The links of a page; `address` makes relative links whole."""
    found = adapter or _recognised(content)
    _expect_few_tags(content)
    links = [_entry(each, address) for each in _READERS[found](content)]
    return Listing(found, [each for each in links if each["url"]], _alarms(found, links))


def _expect_few_tags(content: bytes) -> None:
    """Refuse what is built to be slow, or is no list, before any of it is parsed."""
    if content.count(b"<") > MOST_TAGS:
        raise InvalidInput(
            "This has more than {most:,} tags, so it is not a list page.",
            code="news.many-tags",
            values={"most": MOST_TAGS},
        )


def _recognised(content: bytes) -> Adapter:
    head = content[:4096].lower()
    if b"<rss" in head or b"<rdf:rdf" in head:
        return "rss"
    if b"<feed" in head:
        return "atom"
    if b"<html" in head or b"<!doctype html" in head:
        return "yahoo"
    raise InvalidInput(
        "This is neither RSS, nor Atom, nor a page of HTML. Name its form with --adapter.",
        code="news.no-adapter",
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    title: str
    url: str
    tickers: list[str]


def _entry(found: _Entry, address: str) -> dict[str, Any]:
    url = _whole(found.url.strip(), address)
    return {"title": _SPACES.sub(" ", found.title).strip(), "url": url, "tickers": found.tickers}


def _whole(link: str, address: str) -> str:
    """The whole URL of a link; nothing when it has none, since what is stored is stored for ever."""
    try:
        url = urljoin(address, link)
    except ValueError:
        return ""
    return url if link and url.lower().startswith(("http://", "https://")) else ""


def _alarms(adapter: Adapter, links: list[dict[str, Any]]) -> list[Reason]:
    """The contract of every adapter: some links, nearly all with an address and a title."""
    if not links:
        return [
            reason(
                "The page has no links that the adapter {adapter} knows. Its structure may have changed.",
                code="news.no-links",
                values={"adapter": adapter},
            )
        ]
    return [*_missing(links), *_few(adapter, len(links))]


def _missing(links: list[dict[str, Any]]) -> Iterator[Reason]:
    lacking = {name: sum(1 for each in links if not each[name]) for name in ("url", "title")}
    most = len(links) * _MOST_MISSING
    if lacking["url"] > most:
        yield reason(
            "{missing} of {all} links have no complete url. A saved page needs its address; otherwise the page's "
            "structure may have changed.",
            code="news.missing-url",
            values={"missing": lacking["url"], "all": len(links)},
        )
    if lacking["title"] > most:
        yield reason(
            "{missing} of {all} links have no title. The page's structure may have changed.",
            code="news.missing-title",
            values={"missing": lacking["title"], "all": len(links)},
        )


def _few(adapter: Adapter, count: int) -> Iterator[Reason]:
    if adapter == "yahoo" and count < _USUAL_FEWEST:
        yield reason(
            "The page has only {count} links, and lists usually have more.",
            code="news.few-links",
            values={"count": count},
        )


# ── pages ─────────────────────────────────────────────────────────────────────────────────────────


def _yahoo(content: bytes) -> Iterator[_Entry]:
    """Headlines that are links, and the quotes beside them, as finance pages have them."""
    tree = _parsed(with_short_tags(content), etree.HTMLParser(encoding=_encoding(content)))
    for story in stories(tree) if tree is not None else ():
        title = " ".join(text for text in story.headline.itertext() if text.strip())
        yield _Entry(title, story.headline.get("href") or "", _quotes(story.hrefs))


def _encoding(content: bytes) -> str | None:
    """UTF-8 if that is what it is, whether the page says so or not; else what the page says."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _parsed(content: bytes, parser: Any) -> Any | None:
    """The tree of a document; None when nothing of it can be read."""
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError:
        return None


def _quotes(hrefs: list[str]) -> list[str]:
    quoted = (_QUOTE.search(href) for href in hrefs)
    return list(dict.fromkeys(unquote(each[1]) for each in quoted if each))


# ── feeds ─────────────────────────────────────────────────────────────────────────────────────────


def _tree(content: bytes) -> Any:
    """The tree of a feed; entities and addresses in it are not followed."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    tree = _parsed(content, parser)
    if tree is None:
        raise InvalidInput("The feed is not valid XML.", code="news.no-feed")
    return tree


def _rss(content: bytes) -> Iterator[_Entry]:
    for item in _tree(content).iter("{*}item"):
        tickers = [
            each.text or "" for each in item.iter("{*}category") if "ticker" in (each.get("domain") or "")
        ]
        yield _Entry(_text(item, "{*}title"), _text(item, "{*}link"), tickers)


def _atom(content: bytes) -> Iterator[_Entry]:
    for entry in _tree(content).iter(f"{_ATOM}entry"):
        links = [each for each in entry.iter(f"{_ATOM}link") if each.get("rel") in (None, "alternate")]
        tickers = [
            each.get("term") or ""
            for each in entry.iter(f"{_ATOM}category")
            if "ticker" in (each.get("scheme") or "")
        ]
        yield _Entry(_text(entry, f"{_ATOM}title"), links[0].get("href", "") if links else "", tickers)


def _text(element: Any, name: str) -> str:
    found = element.find(name)
    return "" if found is None else "".join(found.itertext())


_READERS: dict[Adapter, Callable[[bytes], Iterator[_Entry]]] = {"yahoo": _yahoo, "rss": _rss, "atom": _atom}
