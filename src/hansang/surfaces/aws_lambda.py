"""The API as a function of AWS Lambda, behind an HTTP API of API Gateway."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from functools import cache
from typing import Any

from mangum import Mangum
from mangum.types import LambdaContext

from hansang import wiring
from hansang.backends.urls import is_file
from hansang.errors import SettingsError
from hansang.settings import ServerSettings
from hansang.surfaces.api.app import create_api
from hansang.surfaces.http.export_formats import FORMATS
from hansang.surfaces.http.frame import framed
from hansang.surfaces.http.problems import PROBLEM_TYPE

_TEXTS = ["text/", "application/json", PROBLEM_TYPE, *(each.bare_type for each in FORMATS.values())]


class Gateway:
    """The API, opened once, which answers the events of API Gateway one after another."""

    def __init__(self, settings: ServerSettings) -> None:
        with ExitStack() as opened:
            self._loop = opened.enter_context(closing(asyncio.new_event_loop()))
            opened.callback(asyncio.set_event_loop, None)
            shell = opened.enter_context(wiring.open_shell(settings))
            app = opened.enter_context(framed(create_api(shell), shell))
            asyncio.set_event_loop(self._loop)
            self._answer = Mangum(app, lifespan="off", text_mime_types=_TEXTS)
            self._opened = opened.pop_all()

    def __call__(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """The answer to one event, in the form that API Gateway wants."""
        asyncio.set_event_loop(self._loop)
        return self._answer(event, context)

    def close(self) -> None:
        self._opened.close()


@cache
def _gateway() -> Gateway:
    # A function sleeps between its events, so it runs no background jobs.
    settings = ServerSettings.chosen({"jobs": False})
    if is_file(settings.data):
        raise SettingsError(f"A function cannot keep {settings.data}. Set HANSANG_DATA to aws:REGION.")
    return Gateway(settings)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """What AWS Lambda calls; the API is opened at the first event."""
    return _gateway()(event, context)
