"""Pieces of bytes as one file: what is kept some hundred kilobytes at a time is read as it was sent."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

PIECE = 256 * 1024
"""How many bytes of a file are kept together, before they are compressed."""


def opened_pieces(pieces: Iterator[bytes]) -> BinaryIO:
    """The bytes of some pieces, which is read once; `tell` says how many were read so far."""
    return cast(BinaryIO, io.BufferedReader(_Pieces(pieces), PIECE))


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest, self._place = pieces, memoryview(b""), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._pieces, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest, self._place = self._rest[count:], self._place + count
        return count

    def tell(self) -> int:
        return self._place
