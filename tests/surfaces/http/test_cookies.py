"""Cookies are out of reach of scripts and of other sites."""

from __future__ import annotations

from starlette.responses import Response

from hansang.settings import ServerSettings
from hansang.surfaces.http.cookies import SESSION, drop_cookie, set_cookie

PLAIN = ServerSettings()
SECURE = ServerSettings(public_url="https://hansang.example")


def kept(settings: ServerSettings) -> str:
    response = Response()
    set_cookie(response, settings, SESSION, "value", max_age=60)
    return response.headers["set-cookie"]


def test_a_cookie_is_kept_from_scripts_and_from_other_sites() -> None:
    assert kept(PLAIN) == "hansang_session=value; HttpOnly; Max-Age=60; Path=/; SameSite=lax"


def test_over_https_a_cookie_goes_only_there() -> None:
    assert kept(SECURE).endswith("; Secure")


def test_without_an_age_a_cookie_lasts_until_the_browser_closes() -> None:
    response = Response()
    set_cookie(response, PLAIN, SESSION, "value")
    assert "Max-Age" not in response.headers["set-cookie"]


def test_a_cookie_is_dropped_with_the_marks_that_it_was_set_with() -> None:
    response = Response()
    drop_cookie(response, SECURE, SESSION)
    dropped = response.headers["set-cookie"]
    assert "Max-Age=0" in dropped
    assert dropped.endswith("HttpOnly; Max-Age=0; Path=/; SameSite=lax; Secure")
