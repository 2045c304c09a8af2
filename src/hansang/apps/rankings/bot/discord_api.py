"""Discord's own API: registering commands, and answers that do not go back with the request."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import orjson
import urllib3
from urllib3.exceptions import HTTPError
from urllib3.filepost import encode_multipart_formdata

from hansang.apps.rankings.bot.answers import BotAnswer
from hansang.apps.rankings.bot.interactions import Interaction
from hansang.errors import InvalidInput, NotAllowed, Unavailable

PICTURE = "ranking.png"
MESSAGE, DEFERRED = 4, 5
_ONLY_YOU = 64
_COLOUR = 0x3261EA
_MOST_TOLD = 300

JsonObject = dict[str, Any]


def message_of(answer: BotAnswer, *, with_picture: bool) -> JsonObject:
    """A message as Discord wants it; it calls nobody, whatever names are in it."""
    embed: JsonObject = {
        "title": answer.title[:256],
        "color": _COLOUR,
        "description": "\n".join(answer.lines)[:4000],
    }
    if answer.link:
        embed["url"] = answer.link
    message: JsonObject = {"embeds": [embed], "allowed_mentions": {"parse": []}}
    if answer.is_private:
        message["flags"] = _ONLY_YOU
    if with_picture and answer.picture is not None:
        embed["image"] = {"url": f"attachment://{PICTURE}"}
        message["attachments"] = [{"id": 0, "filename": PICTURE, "description": answer.alt}]
    return message


class DiscordApi:
    """Requests to Discord, each with a short time to be answered in."""

    def __init__(self, base: str, seconds: float = 2.0) -> None:
        self._base = base.rstrip("/")
        self._http = urllib3.PoolManager(timeout=urllib3.Timeout(seconds), retries=False)

    def close(self) -> None:
        self._http.clear()

    def register(
        self, application: str, token: str, commands: list[JsonObject], guild: str = ""
    ) -> list[str]:
        """Put the commands in place of those registered, everywhere or on one server of Discord; their names."""
        where = f"/guilds/{quote(guild, safe='')}" if guild else ""
        path = f"/applications/{quote(application, safe='')}{where}/commands"
        found = self._send("PUT", path, orjson.dumps(commands), "application/json", token)
        return [str(each["name"]) for each in orjson.loads(found)]

    def respond(self, asked: Interaction, answer: BotAnswer) -> None:
        """Answer an interaction with a message and its picture."""
        payload = {"type": MESSAGE, "data": message_of(answer, with_picture=True)}
        self._send("POST", _callback(asked), *_body(payload, answer))

    def defer(self, asked: Interaction) -> None:
        """Say that the answer takes a while."""
        self._send("POST", _callback(asked), orjson.dumps({"type": DEFERRED}), "application/json")

    def finish(self, asked: Interaction, answer: BotAnswer) -> None:
        """Put the answer in the place of what was deferred."""
        path = (
            f"/webhooks/{quote(asked.application, safe='')}/{quote(asked.token, safe='')}/messages/@original"
        )
        self._send("PATCH", path, *_body(message_of(answer, with_picture=True), answer))

    def _send(self, method: str, path: str, body: bytes, kind: str, token: str = "") -> bytes:
        headers = {"Content-Type": kind, "User-Agent": "DiscordBot (hansang, 1)"}
        if token:
            headers["Authorization"] = f"Bot {token}"
        try:
            answer = self._http.request(method, f"{self._base}{path}", body=body, headers=headers)
        except HTTPError as fault:
            raise Unavailable(
                "Discord cannot be reached. Try again in a moment.", code="rankings.discord-away"
            ) from fault
        if answer.status in (401, 403):
            raise NotAllowed("Discord refuses the token or the application.", code="rankings.discord-refused")
        if answer.status >= 400:
            raise InvalidInput(
                "Discord answered with {status}: {reason}",
                code="rankings.discord-error",
                values={
                    "status": answer.status,
                    "reason": answer.data.decode("utf-8", "replace")[:_MOST_TOLD],
                },
            )
        return answer.data


def _callback(asked: Interaction) -> str:
    return f"/interactions/{quote(asked.ident, safe='')}/{quote(asked.token, safe='')}/callback"


def _body(payload: JsonObject, answer: BotAnswer) -> tuple[bytes, str]:
    """A payload with the picture beside it, if there is one; and the type of both."""
    text = orjson.dumps(payload)
    if answer.picture is None:
        return text, "application/json"
    parts = {
        "payload_json": (None, text, "application/json"),
        "files[0]": (PICTURE, answer.picture, "image/png"),
    }
    return encode_multipart_formdata(parts)  # type: ignore[arg-type]  # a part without a file name is allowed
