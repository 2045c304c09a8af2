"""The cookies that the console keeps in a browser."""

from __future__ import annotations

from starlette.responses import Response

from hansang.settings import ServerSettings

SESSION = "hansang_session"
LANGUAGE = "hansang_lang"
THEME = "hansang_theme"

YEAR = 365 * 24 * 60 * 60


def set_cookie(
    response: Response, settings: ServerSettings, name: str, value: str, *, max_age: int | None = None
) -> None:
    """Keep a value in the browser, out of reach of scripts and of other sites; without an age, until it closes."""
    response.set_cookie(
        name, value, max_age=max_age, path="/", secure=settings.is_secure, httponly=True, samesite="lax"
    )


def drop_cookie(response: Response, settings: ServerSettings, name: str) -> None:
    """Make the browser forget a value."""
    response.delete_cookie(name, path="/", secure=settings.is_secure, httponly=True, samesite="lax")
