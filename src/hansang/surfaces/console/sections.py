"""The applications that have pages of their own: where these begin, and the tabs between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hansang.parts.permissions import Action

if TYPE_CHECKING:
    from hansang.surfaces.console.pages import Visit


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an application's pages: where it is, the key of its name, and who may see it."""

    href: str
    key: str
    action: Action = "read"


@dataclass(frozen=True, slots=True)
class Tab:
    """A section as it is shown."""

    href: str
    text: str
    is_current: bool


SECTIONS: Mapping[str, tuple[Section, ...]] = {
    "news": (
        Section("/news", "news.tab.articles"),
        Section("/news/load", "news.tab.load", "write"),
        Section("/news/tickers", "news.tab.tickers"),
        Section("/news/runs", "news.tab.runs"),
        Section("/news/queue", "news.tab.queue"),
        Section("/apps/news", "news.tab.overview"),
    ),
}


def home_of(application: str) -> str:
    """The first page of an application: its own, else what the console says of every one."""
    found = SECTIONS.get(application)
    return found[0].href if found else f"/apps/{application}"


def tabs(visit: Visit, application: str) -> list[Tab]:
    """The sections that whoever looks may see; none when the application has one page only."""
    seen = [each for each in SECTIONS.get(application, ()) if visit.may(application, each.action)]
    here = _current(visit.request.url.path, [each.href for each in seen])
    return [Tab(each.href, visit.t(each.key), each.href == here) for each in seen]


def _current(path: str, hrefs: list[str]) -> str:
    """The longest of the addresses that the path lies at or below."""
    return max((href for href in hrefs if f"{path}/".startswith(f"{href}/")), key=len, default="")
