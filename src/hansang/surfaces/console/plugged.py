"""The pages that an application brings: their routes, the tabs between them, and the files beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hansang.apps.application import Application
from hansang.apps.dotted import folder
from hansang.errors import DesignError
from hansang.parts.permissions import PLATFORM, Action
from hansang.surfaces.console.icons import icon

if TYPE_CHECKING:
    from hansang.surfaces.console.pages import Visit
    from hansang.surfaces.console.routing import PageRoute


@dataclass(frozen=True, slots=True)
class Section:
    """One part of an application's pages: where it is, the key of its name, and who may see it."""

    href: str
    key: str
    action: Action = "read"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One thing that a search has found, under the key of the name of its group."""

    group: str
    href: str
    text: str
    about: str = ""
    icon: str = "file"
    facts: tuple[tuple[str, str], ...] = ()
    """What the palette shows beside its list while this one is chosen: labels and values."""
    line: tuple[int, ...] = ()
    """How it went, the oldest first, drawn below the facts."""
    line_about: str = ""
    """What the line is of."""
    ways: tuple[tuple[str, str], ...] = ()
    """What else can be done with it: the text and the address of each."""


Searching = Callable[["Visit", str], Iterable[SearchResult]]
"""Finds what fits a text that somebody types, a few of each group; it is asked while they type, so it reads little."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What an application names as its pages; the first section is where it begins."""

    routes: tuple[PageRoute, ...]
    sections: tuple[Section, ...] = ()
    search: Searching | None = None
    """What the search of the console finds in the application; whoever may not read it is not asked for."""
    site: str = ""
    """Where the application has a site of its own beside its pages in the console: `/site`."""


@dataclass(frozen=True, slots=True)
class Tab:
    """A section as it is shown."""

    href: str
    text: str
    is_current: bool


class Plugged:
    """The pages of all applications, by their names."""

    def __init__(self, applications: Iterable[Application]) -> None:
        self.pages: dict[str, Pages] = {}
        self.folders: dict[str, Path] = {}
        for each in applications:
            _expect_icon(each)
            found = each.load("pages")
            if found is None:
                continue
            if not isinstance(found, Pages):
                raise DesignError(
                    f"{each.pages} is not an instance of Pages; the application {each.name} needs one."
                )
            assert each.pages is not None
            _expect_own_addresses(each, found)
            self.pages[each.name], self.folders[each.name] = found, folder(each.pages.partition(":")[0])

    def home_of(self, application: str) -> str:
        """The first page of an application: its own, else what the console says of every one."""
        sections = self._sections(application)
        return sections[0].href if sections else f"/apps/{application}"

    def tabs(self, visit: Visit, application: str) -> list[Tab]:
        """The sections that whoever looks may see; none when the application has one page only."""
        seen = [each for each in self._sections(application) if visit.may(application, each.action)]
        if visit.is_guest:
            seen = [each for each in seen if each.href in self._for_everyone(application)]
        here = _current(visit.request.url.path, [each.href for each in seen])
        return [Tab(each.href, visit.t(each.key), each.href == here) for each in seen]

    @property
    def templates(self) -> Mapping[str, Path]:
        """The folders of templates, by application; a template is named `news/article.html`."""
        return {name: found for name, each in self.folders.items() if (found := each / "templates").is_dir()}

    def _for_everyone(self, application: str) -> set[str]:
        return {each.path for each in self.pages[application].routes if each.rule.kind == "readable"}

    def _sections(self, application: str) -> tuple[Section, ...]:
        found = self.pages.get(application)
        return () if found is None else found.sections


def _expect_icon(application: Application) -> None:
    try:
        icon(application.icon)
    except Exception as fault:  # The package that draws icons raises what it likes.
        raise DesignError(
            f"The application {application.name} has the icon {application.icon}, which lucide does not have."
        ) from fault


def _expect_own_addresses(application: Application, pages: Pages) -> None:
    """The pages of an application lie below its name; the platform's are those of the whole console."""
    if application.name == PLATFORM:
        return
    own = [f"/{application.name}", *([pages.site] if pages.site else [])]
    for each in pages.routes:
        if not any(f"{each.path}/".startswith(f"{start}/") for start in own):
            raise DesignError(
                f"The application {application.name} has a page {each.path}. "
                f"Its pages have to lie below {' or '.join(own)}."
            )


def tabs(visit: Visit, application: str) -> list[Tab]:
    """The tabs of an application for whoever looks."""
    return visit.console.plugged.tabs(visit, application)


def _current(path: str, hrefs: list[str]) -> str:
    """The longest of the addresses that the path lies at or below."""
    return max((href for href in hrefs if f"{path}/".startswith(f"{href}/")), key=len, default="")
