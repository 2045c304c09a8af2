"""Cookies are out of reach of scripts and of other sites."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import Response

import hansang
from hansang.apps.platform.sessions import LONGEST
from hansang.settings import ServerSettings
from hansang.surfaces.http import cookies
from hansang.surfaces.http.cookies import NOTICE, SESSION, ZONE, Cookie

SOURCE = Path(hansang.__file__).parent
PLAIN = ServerSettings()
SECURE = ServerSettings(public_url="https://hansang.example")


def kept(settings: ServerSettings) -> str:
    response = Response()
    NOTICE.keep(response, settings, "value")
    return response.headers["set-cookie"]


def test_a_cookie_is_kept_from_scripts_and_from_other_sites() -> None:
    assert kept(PLAIN) == "hansang_notice=value; HttpOnly; Max-Age=60; Path=/; SameSite=lax"


def test_over_https_a_cookie_goes_only_there() -> None:
    assert kept(SECURE).endswith("; Secure")


def test_the_cookie_of_a_session_lasts_as_long_as_one_can() -> None:
    assert SESSION.seconds == LONGEST


def test_every_name_is_that_of_one_cookie() -> None:
    found = [each for each in vars(cookies).values() if isinstance(each, Cookie)]
    assert len({each.name for each in found}) == len(found) == 8


def test_no_cookie_is_named_elsewhere() -> None:
    """A script of the console keeps the time zone; everyone else asks this module."""
    named = [each.name for each in vars(cookies).values() if isinstance(each, Cookie)]
    files = [each for each in SOURCE.rglob("*") if each.suffix in (".py", ".js", ".html") and each.is_file()]
    found = {
        (each.name, name)
        for each in files
        if each != Path(cookies.__file__)
        for name in named
        if name in each.read_text(encoding="utf-8")
    }
    assert found == {("frame.js", ZONE.name)}


def test_a_cookie_is_dropped_with_the_marks_that_it_was_set_with() -> None:
    response = Response()
    SESSION.drop(response, SECURE)
    dropped = response.headers["set-cookie"]
    assert "Max-Age=0" in dropped
    assert dropped.endswith("HttpOnly; Max-Age=0; Path=/; SameSite=lax; Secure")
