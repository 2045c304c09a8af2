"""The navigation of every page: which links a person sees, and which one is here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hansang.apps.application import Application
from hansang.parts.permissions import EVERYWHERE, PLATFORM
from hansang.parts.words import Words

if TYPE_CHECKING:
    from hansang.surfaces.console.pages import Visit

MOST_TABS = 5
"""How many applications are among the tabs of a phone; the others are behind More."""
HUES = ("blue", "amber", "teal", "violet", "pink", "sky", "coral")


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """One way to go."""

    href: str
    icon: str
    text: str
    is_current: bool
    key: str = ""
    """What is typed after g to go there."""


@dataclass(frozen=True, slots=True)
class NavigationGroup:
    """Links under one label."""

    label: str
    links: list[NavigationLink]


@dataclass(frozen=True, slots=True)
class Navigation:
    """All the ways to go: at the left on a desk; as tabs and the sheet behind them on a phone."""

    home: NavigationLink
    groups: list[NavigationGroup]
    tabs: list[NavigationLink]
    more: list[NavigationLink]

    @property
    def is_in_more(self) -> bool:
        return any(link.is_current for link in self.more)


def navigation(visit: Visit) -> Navigation:
    """The links that whoever looks may follow."""
    applications = readable(visit)
    platform = _platform_links(visit)
    groups = [NavigationGroup(visit.t("nav.platform"), platform)]
    if applications:
        titles = [(each, each.title.text(visit.language)) for each in applications]
        links = [
            _application_link(visit, each, title, str(place)) for place, (each, title) in enumerate(titles, 1)
        ]
        groups.insert(0, NavigationGroup(visit.t("nav.apps"), links))
    home = _link(visit, "/", "house", visit.t("frame.home"), "h")
    tabs = [_application_link(visit, each, short_name(visit, each)) for each in applications]
    shown = tabs[:MOST_TABS]
    return Navigation(home, groups, [home, *shown], [*tabs[MOST_TABS:], *platform])


def readable(visit: Visit) -> list[Application]:
    """The applications that whoever looks may read by a right of their own."""
    may = visit.principal.may if visit.principal is not None else lambda *_: False
    return [each for each in visit.shell.applications if may(each.name, "read")]


def role_name(visit: Visit, roles: dict[str, str]) -> str:
    """What someone is, in a word or two: the role everywhere, else in how many applications."""
    if EVERYWHERE in roles:
        return visit.t(f"role.{roles[EVERYWHERE]}")
    if len(roles) == 1:
        (area, role), *_ = roles.items()
        return visit.t("role.there", area=area_name(visit, area), what=visit.t(f"role.{role}"))
    return visit.t("role.some", count=len(roles)) if roles else visit.t("role.none")


def area_name(visit: Visit, area: str) -> str:
    """The name of an application, of the platform, or of everything, as people call it."""
    if area in (EVERYWHERE, PLATFORM):
        return visit.t("area.everywhere" if area == EVERYWHERE else "area.platform")
    titles: dict[str, Words] = {each.name: each.title for each in visit.shell.applications}
    return titles[area].text(visit.language) if area in titles else area


def hues(visit: Visit) -> dict[str, str]:
    """The colour of every application, the same one on every page."""
    return dict(zip((each.name for each in visit.shell.applications), HUES, strict=False))


def hue(name: str) -> str:
    """A colour for a name, the same one every time."""
    return HUES[sum(name.encode()) % len(HUES)]


def _platform_links(visit: Visit) -> list[NavigationLink]:
    wanted = [
        ("/data", "database", "nav.data", "d", bool(readable(visit))),
        ("/capacity", "gauge", "nav.capacity", "c", visit.may(PLATFORM, "read")),
        ("/spec", "book-open-check", "nav.spec", "s", True),
        ("/changes", "history", "nav.changes", "l", bool(readable(visit)) or visit.may(PLATFORM, "read")),
        ("/admin", "shield-check", "nav.admin", "a", visit.may(PLATFORM, "read")),
    ]
    return [
        _link(visit, href, icon, visit.t(name), key) for href, icon, name, key, is_open in wanted if is_open
    ]


def _application_link(visit: Visit, application: Application, text: str, key: str = "") -> NavigationLink:
    """To the first page of an application; it is current on what the console says of it, too."""
    link = _link(visit, visit.console.plugged.home_of(application.name), application.icon, text, key)
    return replace(link, is_current=link.is_current or _is_below(visit, f"/apps/{application.name}"))


def short_name(visit: Visit, application: Application) -> str:
    """What an application is called where there is little room."""
    return (application.short or application.title).text(visit.language)


def _link(visit: Visit, href: str, icon: str, text: str, key: str = "") -> NavigationLink:
    return NavigationLink(href, icon, text, _is_below(visit, href), key)


def _is_below(visit: Visit, href: str) -> bool:
    path = visit.request.url.path
    return path == href or (href != "/" and path.startswith(f"{href}/"))
