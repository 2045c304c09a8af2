"""The stories of a list page, found in one walk over its tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from lxml import etree

_ENTRIES = ("li", "article", "section")
_HEADINGS = ("h2", "h3")


@dataclass(frozen=True, slots=True)
class Story:
    """The link of a headline, and the addresses beside it."""

    headline: Any
    hrefs: list[str]


@dataclass(frozen=True, slots=True)
class _OpenLink:
    """A link that is being walked."""

    place: int
    element: Any
    depth: int
    """How many entries it stands in."""


@dataclass(slots=True)
class _OpenEntry:
    """A list entry, article or section that is being walked."""

    has_heading: bool = False
    has_story: bool = False
    open_headings: int = 0
    headline: _OpenLink | None = None
    """The first link around a heading, or inside of one."""
    hrefs: list[str] = field(default_factory=list)

    def note(self, link: _OpenLink) -> None:
        if self.headline is None or link.place < self.headline.place:
            self.headline = link


def stories(tree: Any) -> Iterator[Story]:
    """The innermost list entries, articles or sections that have a headline, and a link on it."""
    # What comes behind the end of a page stands beside its tree.
    walk = chain.from_iterable(
        etree.iterwalk(each, ("start", "end")) for each in (tree, *tree.itersiblings())
    )
    entries, links = list[_OpenEntry](), list[_OpenLink]()
    for number, (event, element) in enumerate(walk):
        name, is_start = element.tag, event == "start"
        if name in _ENTRIES and is_start:
            entries.append(_OpenEntry())
        elif name in _ENTRIES:
            closed = entries.pop()
            if closed.headline is not None and not closed.has_story:
                yield Story(closed.headline.element, closed.hrefs)
            if entries:
                _pass_on(closed, entries[-1])
        elif name == "a" and element.get("href") is not None:
            _walk_link(_OpenLink(number, element, len(entries)), entries, links, is_start=is_start)
        elif name in _HEADINGS and entries:
            _walk_heading(entries, links, is_start=is_start)


def _walk_link(link: _OpenLink, entries: list[_OpenEntry], links: list[_OpenLink], *, is_start: bool) -> None:
    if not is_start:
        links.pop()
        return
    links.append(link)
    if entries:
        entries[-1].hrefs.append(link.element.get("href"))
    for entry in entries:
        if entry.open_headings:
            entry.note(link)


def _walk_heading(entries: list[_OpenEntry], links: list[_OpenLink], *, is_start: bool) -> None:
    for entry in entries:
        entry.open_headings += 1 if is_start else -1
    if is_start:
        entries[-1].has_heading = True
        for link in links:
            for entry in entries[: link.depth]:
                entry.note(link)


def _pass_on(closed: _OpenEntry, around: _OpenEntry) -> None:
    """Tell the entry around one what was in it."""
    around.has_heading |= closed.has_heading
    around.has_story |= closed.has_heading
    if not closed.has_heading:
        around.hrefs += closed.hrefs
