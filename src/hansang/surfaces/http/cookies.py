"""Every cookie that a browser keeps for us: its name, how long it lasts, and what it is for."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from hansang.settings import ServerSettings

_MINUTE, _DAY, _YEAR = 60, 24 * 60 * 60, 365 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Cookie:
    """A value that a browser keeps, out of reach of scripts and of other sites."""

    name: str
    seconds: int

    def of(self, request: Request) -> str | None:
        """What the browser has kept."""
        return request.cookies.get(self.name)

    def keep(self, response: Response, settings: ServerSettings, value: str) -> None:
        """Let the browser keep a value from now on."""
        response.set_cookie(
            self.name,
            value,
            max_age=self.seconds,
            path="/",
            secure=settings.is_secure,
            httponly=True,
            samesite="lax",
        )

    def drop(self, response: Response, settings: ServerSettings) -> None:
        """Make the browser forget the value."""
        response.delete_cookie(self.name, path="/", secure=settings.is_secure, httponly=True, samesite="lax")


SESSION = Cookie("hansang_session", 30 * _DAY)
"""Who has signed in; it lasts as long as a session at most."""
LANGUAGE = Cookie("hansang_lang", _YEAR)
THEME = Cookie("hansang_theme", _YEAR)
ZONE = Cookie("hansang_zone", _YEAR)
"""The time zone of the browser, which a script of ours keeps (console/static/frame.js)."""
FORM = Cookie("hansang_form", _DAY)
"""What forms are bound to before anyone has signed in."""
NOTICE = Cookie("hansang_notice", _MINUTE)
"""What one page asks the next one to say."""
DEVICE = Cookie("hansang_device", _YEAR)
"""That somebody has signed in here before, so that others cannot lock them out."""
PASS = Cookie("hansang_pass", 30 * _MINUTE)
"""That whoever came by a link may set a password without the old one."""
