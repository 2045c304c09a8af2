"""A shop whose window everyone may look at, if its settings say so; the till is not for everyone."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.parts.words import Words
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.plugged import Pages, Section, tabs
from hansang.surfaces.console.routing import PageRoute, allowed, readable, sendable
from hansang.surfaces.shell import Shell
from tests.blueprint.designs import Shop


@dataclass(frozen=True, slots=True)
class ShopWindowSettings:
    """Whether the curtain is open."""

    public: bool = False


def window(visit: Visit) -> Response:
    """What is for sale."""
    return visit.page("shop/window.html", live=["shop"], tabs=tabs(visit, "shop"))


def me(visit: Visit) -> Response:
    """A page that was marked as readable by mistake: it tells who looks."""
    return visit.page("shop/window.html", said=visit.me.shown_name)


def till(visit: Visit) -> Response:
    """Where the money is."""
    return visit.page("shop/window.html", said="the till")


def guestbook(visit: Visit) -> Response:
    """Where everyone may write a line."""
    return visit.page("shop/guestbook.html", said=visit.given("line"), is_lost=False)


def guestbook_again(visit: Visit) -> Response:
    """The same form with the line that could not be taken."""
    return visit.page("shop/guestbook.html", 403, said=visit.given("line"), is_lost=True)


class WindowShown(BaseModel):
    """What is for sale."""

    things: list[str]


class WindowRoutes:
    """The window as routes."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._group = RouteGroup("/api/shop", "shop", gate.readable("shop"))
        self._till = gate.allow("shop", "write")

    def all(self) -> list[ApiRoute]:
        return [
            self._group.route("GET", "/window", self.window, WindowShown),
            self._group.route("POST", "/till", self.till, WindowShown, rule=self._till),
        ]

    def window(self) -> Response:
        """What is for sale."""
        return answered(WindowShown(things=["kettle"]))

    def till(self) -> Response:
        """Take money."""
        return answered(WindowShown(things=[]))


ROUTES = (WindowRoutes,)
PAGES = Pages(
    routes=(
        PageRoute("/counter/guestbook", guestbook, sendable("shop")),
        PageRoute("/counter/guestbook", guestbook, sendable("shop"), "POST", expired=guestbook_again),
        PageRoute("/shop", window, readable("shop")),
        PageRoute("/shop/me", me, readable("shop")),
        PageRoute("/shop/till", till, allowed("shop", "read")),
        PageRoute("/shop/till", till, allowed("shop", "write"), "POST"),
    ),
    site="/counter",
    sections=(Section("/shop", "shop.window"), Section("/shop/till", "shop.till", "write")),
)
APPLICATION = Application(
    name="shop",
    title=Words("가게", "Shop"),
    summary=Words("손님과 주문", "Customers and orders."),
    icon="store",
    tables=(Shop,),
    settings=ShopWindowSettings,
    public=lambda settings: settings is not None and settings.public,
    api="tests.surfaces.public_shop:ROUTES",
    pages="tests.surfaces.public_shop:PAGES",
)
