"""Alarms to a webhook: signed, so that whoever gets one knows where it comes from."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import orjson

from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import FIRST
from hansang.clock import Clock
from hansang.parts.retry import retry

_log = logging.getLogger("hansang.leaderboards")
_SECONDS = 10
SIGNATURE = "X-Hansang-Signature"

Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Sends a body to an address; the status of the answer."""


def post(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Send a body, and wait for the answer a while."""
    request = Request(address, body, dict(headers), method="POST")  # noqa: S310 - the settings say http or https
    with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
        return int(answer.status)


class Alarms:
    """Sends what an operator should hear of."""

    def __init__(
        self, settings: LeaderboardsSettings, clock: Clock, send: Post = post, board: str = FIRST
    ) -> None:
        self._settings, self._clock, self._send, self._board = settings, clock, send, board

    def tell(self, kind: str, values: Mapping[str, Any]) -> bool:
        """Send an alarm; whether it was taken. What cannot be sent is logged, and never the fault of the work."""
        if not self._settings.webhook:
            return False
        board = {"board": self._board} if self._board else {}
        body = orjson.dumps({"application": "leaderboards", **board, "alarm": kind, "values": dict(values)})
        at = int(self._clock())
        headers = {"Content-Type": "application/json", SIGNATURE: self.signature(at, body)}
        try:
            status = retry(lambda: self._send(self._settings.webhook, body, headers))
        except (URLError, OSError, ValueError) as fault:
            _log.warning("The alarm %s was not sent to %s: %s", kind, self._settings.webhook, fault)
            return False
        return 200 <= status < 300

    def signature(self, at: int, body: bytes) -> str:
        """`t=<second>,v1=<HMAC-SHA256 of "<second>." and the body>`."""
        signed = hmac.new(self._settings.webhook_secret.encode(), f"{at}.".encode() + body, sha256)
        return f"t={at},v1={signed.hexdigest()}"
