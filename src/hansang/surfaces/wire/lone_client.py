"""Whether one client is alone: then nobody else waits while its write is done where it is read."""

from __future__ import annotations

ENOUGH = 4
"""After how many requests in a row a client counts as alone."""
PAUSE = 100
"""For how many requests, whoever sends them, nobody counts as alone after something was in the way."""


class LoneClient:
    """Counts the requests that have come from one connection, without any from another in between."""

    def __init__(self) -> None:
        self._client: object = None
        self._count = 0

    def heard(self, client: object) -> None:
        """Note whom a request came from."""
        if client == self._client or self._count < 0:
            self._client, self._count = client, self._count + 1
        else:
            self._client, self._count = client, 1

    def is_(self, client: object) -> bool:
        return self._count >= ENOUGH and client == self._client and client is not None

    def pause(self) -> None:
        """Take nobody for alone for a while."""
        self._count = -PAUSE
