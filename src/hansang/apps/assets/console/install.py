"""The ledger on a phone's home screen: its manifest, and the keypad at an address of its own."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from hansang.apps.assets.console.links import assets_of, page
from hansang.apps.assets.recording import AREA
from hansang.parts.today import seoul_day
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PUBLIC, PageRoute, allowed


def manifest(visit: Visit) -> Response:
    """What a phone needs to know to put the ledger on its home screen; nothing of the household."""
    url = visit.console.statics.url
    icon = {"src": url("assets/icon.svg"), "sizes": "any", "type": "image/svg+xml"}
    pictures = [
        {"src": url(f"assets/icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    body = {
        "name": visit.t("assets.title"),
        "short_name": visit.t("assets.install.name"),
        "lang": visit.language,
        "id": "/assets",
        "start_url": "/assets",
        "scope": "/",
        "display": "standalone",
        "background_color": "#f4f5f7",
        "theme_color": "#3261ea",
        "icons": [
            {**each, "purpose": purpose} for each in (*pictures, icon) for purpose in ("any", "maskable")
        ],
        "shortcuts": [{"name": visit.t("assets.pad.open"), "url": "/assets/quick", "icons": pictures[:1]}],
    }
    return JSONResponse(body, media_type="application/manifest+json")


def quick(visit: Visit) -> Response:
    """The keypad alone, without reading the month."""
    codes = assets_of(visit).codes
    accounts = list(codes.accounts().values())
    savings, investment, short = (*accounts, [], [], [])[:3]
    frequent = {
        "income": codes.plain("INCOME_TYPE"),
        "living-expense": codes.plain("LIVING_EXPENSE_CATEGORY"),
        "fixed-expense": codes.plain("FIXED_EXPENSE_TYPE"),
        "savings": savings,
        "investment": investment,
        "short-savings": short,
    }
    today = seoul_day(visit.shell.clock)
    return page(visit, "quick.html", frequent=frequent, names=codes.people(), today=today)


PAGES = (
    PageRoute("/assets/manifest.webmanifest", manifest, PUBLIC),
    PageRoute("/assets/quick", quick, allowed(AREA, "write")),
)
