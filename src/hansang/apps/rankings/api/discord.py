"""Interactions of Discord as a route: proven by their signature, answered in time or put off."""

from __future__ import annotations

import asyncio
import logging

import orjson
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.rankings.api.access import AREA, PATH, rankings_of, settings_of_rankings
from hansang.apps.rankings.bot.answers import Bot, BotAnswer
from hansang.apps.rankings.bot.discord_api import DEFERRED, MESSAGE, DiscordApi, JsonObject, message_of
from hansang.apps.rankings.bot.interactions import (
    AUTOCOMPLETE,
    COMMAND,
    PING,
    Interaction,
    is_genuine,
    read_interaction,
)
from hansang.apps.rankings.pictures.album import Album
from hansang.errors import HansangError, NotFound
from hansang.surfaces.api.endpoints import JSON, RouteGroup
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Public
from hansang.surfaces.http.threads import in_thread
from hansang.surfaces.shell import Shell

PATIENCE = 1.5
"""Seconds to answer in, of the three that Discord waits: the rest is for the way there and back."""
_PONG, _CHOICES = 1, 8
_LARGEST = 64 * 1024

_log = logging.getLogger("hansang.rankings")


class DiscordRoutes:
    """What Discord calls; everyone may, and only what Discord has signed is looked at."""

    def __init__(self, shell: Shell, gate: Gate, patience: float = PATIENCE) -> None:
        settings, rankings = settings_of_rankings(shell), rankings_of(shell)
        base = None if shell.settings.public_url is None else shell.settings.public_url.rstrip("/")
        self._key, self._clock, self._patience = settings.discord_key, shell.clock, patience
        self._bot = Bot(rankings, Album(rankings, settings.font), base)
        self._discord = DiscordApi(settings.discord_api)
        self._group = RouteGroup(PATH, AREA, Public(), is_listed=False)

    def all(self) -> list[ApiRoute]:
        """The one route."""
        return [self._group.route("POST", "/discord", self.discord)]

    async def discord(self, request: Request) -> Response:
        """Answer an interaction: a ping, a command, or a name that is being typed."""
        asked = await self._proven(request)
        if asked.kind == PING:
            return _json({"type": _PONG})
        if asked.kind == AUTOCOMPLETE:
            return await self._choices(asked)
        if asked.kind == COMMAND:
            return await self._command(asked)
        raise NotFound("This kind of interaction is not known.", code="rankings.no-interaction-kind")

    async def _proven(self, request: Request) -> Interaction:
        if not self._key:
            raise NotFound("Discord is not set up here.", code="rankings.no-discord")
        body, headers = await request.body(), request.headers
        signature, sent_at = (headers.get(f"x-signature-{each}", "") for each in ("ed25519", "timestamp"))
        is_small = len(body) <= _LARGEST
        if not is_small or not is_genuine(self._key, signature, sent_at, body, self._clock()):
            raise Problem("not-signed-in")
        return read_interaction(body)

    async def _choices(self, asked: Interaction) -> Response:
        """Names that fit; none while the list of names is still being read."""
        task = asyncio.ensure_future(in_thread(self._bot.choices, "GET", asked))
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        found = task.result() if done and task.exception() is None else []
        return _json({"type": _CHOICES, "data": {"choices": found}})

    async def _command(self, asked: Interaction) -> Response:
        task = asyncio.ensure_future(in_thread(self._bot.answer, "GET", asked))
        done, _ = await asyncio.wait({task}, timeout=self._patience)
        return await self._answered(asked, task.result()) if done else await self._deferred(asked, task)

    async def _answered(self, asked: Interaction, answer: BotAnswer) -> Response:
        """The message; one with a picture is sent to Discord, which takes no file in an answer to its request."""
        inline = _json({"type": MESSAGE, "data": message_of(answer, with_picture=False)})
        if answer.picture is None:
            return inline
        try:
            await run_in_threadpool(self._discord.respond, asked, answer)
        except HansangError as fault:
            _log.warning("an answer goes to Discord without its picture: %s", fault)
            return inline
        return Response(status_code=202)

    async def _deferred(self, asked: Interaction, task: asyncio.Future[BotAnswer]) -> Response:
        """Put the answer off, and send it when it is there. On AWS Lambda the request ends only then."""
        later = BackgroundTask(self._finish, asked, task)
        try:
            await run_in_threadpool(self._discord.defer, asked)
        except HansangError as fault:
            _log.warning("an answer is put off without Discord being told apart: %s", fault)
            return Response(orjson.dumps({"type": DEFERRED}), media_type=JSON, background=later)
        return Response(status_code=202, background=later)

    async def _finish(self, asked: Interaction, task: asyncio.Future[BotAnswer]) -> None:
        try:
            await run_in_threadpool(self._discord.finish, asked, await task)
        except HansangError as fault:
            _log.warning("an answer did not get to Discord: %s", fault)


def _json(document: JsonObject) -> Response:
    return Response(orjson.dumps(document), media_type=JSON)
