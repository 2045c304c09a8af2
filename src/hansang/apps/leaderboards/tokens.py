"""Play tokens: signed by the game's own server when a play begins, good for one play of one player (X2-19)."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Sequence
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
        self,
        secret: str,
        clock: Clock,
        chance: Callable[[int], str] = token_hex,
        board: str = FIRST,
        boards: Sequence[str] = (),
    ) -> None:
        """`boards` are the names of all boards, the first one first."""
        self._secret, self._clock, self._chance, self._board = secret.encode(), clock, chance, board
        self._others = {FIRST if not place else name: name for place, name in enumerate(boards)}
        self._others.pop(board, None)

    def new(self, player: int) -> str:
        """A token for a play that begins now."""
        if not self._secret:
            raise InvalidInput(
                "There are no play tokens here. Set HANSANG_LEADERBOARDS_TOKEN_SECRET.",
                code="leaderboards.no-tokens",
            )
        began, nonce = int(self._clock()), self._chance(12)
        return f"v1.{began}.{nonce}.{self._signature(player, str(began), nonce, self._board)}"

    def read(self, player: int, token: str | None) -> PlayToken | None:
        """What a token says; None where none is needed. A bad one is InvalidInput."""
        if not self._secret:
            return None
        found = _TOKEN.fullmatch(token or "")
        if found is None:
            raise _bad("A play needs a play token of the form v1.second.nonce.signature.", "token-form")
        began = int(found[1])
        if not self._is_signed(found, player, self._board):
            raise self._foreign(found, player)
        if not -60 <= self._clock() - began <= VALID_SECONDS:
            raise _bad("The play token is more than an hour old.", "token-old")
        return PlayToken(began, found[2])

    def _foreign(self, token: re.Match[str], player: int) -> InvalidInput:
        """Why a token is not good here: it is one of another board, if its signature is."""
        for board, name in self._others.items():
            if self._is_signed(token, player, board):
                return _bad(
                    "The play token is one of the board {board}. Get one for this board.",
                    "token-board",
                    board=name,
                )
        return _bad("The play token was not signed for this player and this board.", "token-signature")

    def _is_signed(self, token: re.Match[str], player: int, board: str) -> bool:
        return hmac.compare_digest(token[3], self._signature(player, str(int(token[1])), token[2], board))

    def _signature(self, player: int, began: str, nonce: str, board: str) -> str:
        told = f"v1.{player}.{began}.{nonce}" + (f".{board}" if board else "")
        return hmac.new(self._secret, told.encode(), sha256).hexdigest()


def _bad(message: str, code: str, **values: str) -> InvalidInput:
    return InvalidInput(message, "token", code=f"leaderboards.{code}", values=values)
