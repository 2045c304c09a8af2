"""Play tokens: signed by the game's own server when a play begins, good for one play of one player (X2-19)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_hex

from hansang.apps.leaderboards.topics import FIRST
from hansang.clock import Clock
from hansang.errors import InvalidInput

LONGEST_TOKEN = 200
VALID_SECONDS = 3600
_TOKEN = re.compile(r"v1\.([0-9]{1,12})\.([0-9a-f]{24})\.([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class PlayToken:
    """A token that was checked: when the play began, and what makes it one of its kind."""

    began_at: int
    nonce: str


class PlayTokens:
    """Makes and checks tokens: `v1.<second>.<nonce>.<signature>`."""

    def __init__(
        self, secret: str, clock: Clock, chance: Callable[[int], str] = token_hex, board: str = FIRST
    ) -> None:
        self._secret, self._clock, self._chance, self._board = secret.encode(), clock, chance, board

    def new(self, player: int) -> str:
        """A token for a play that begins now."""
        if not self._secret:
            raise InvalidInput(
                "There are no play tokens here. Set HANSANG_LEADERBOARDS_TOKEN_SECRET.",
                code="leaderboards.no-tokens",
            )
        began, nonce = int(self._clock()), self._chance(12)
        return f"v1.{began}.{nonce}.{self._signature(player, began, nonce)}"

    def read(self, player: int, token: str | None) -> PlayToken | None:
        """What a token says; None where none is needed. A bad one is InvalidInput."""
        if not self._secret:
            return None
        found = _TOKEN.fullmatch(token or "")
        if found is None:
            raise _bad("A play needs a play token of the form v1.second.nonce.signature.", "token-form")
        began, nonce = int(found[1]), found[2]
        if not hmac.compare_digest(found[3], self._signature(player, began, nonce)):
            raise _bad("The play token was not signed for this player.", "token-signature")
        if not -60 <= self._clock() - began <= VALID_SECONDS:
            raise _bad("The play token is more than an hour old.", "token-old")
        return PlayToken(began, nonce)

    def _signature(self, player: int, began: int, nonce: str) -> str:
        board = f".{self._board}" if self._board else ""
        return hmac.new(self._secret, f"v1.{player}.{began}.{nonce}{board}".encode(), sha256).hexdigest()


def _bad(message: str, code: str) -> InvalidInput:
    return InvalidInput(message, "token", code=f"leaderboards.{code}")
