"""gzip, both ways, with a limit on what a small body may grow into."""

from __future__ import annotations

import zlib
from functools import lru_cache

_GZIP = 16 + zlib.MAX_WBITS


class OversizedError(Exception):
    """The body grows beyond the limit."""


class CorruptError(Exception):
    """The body is not one whole gzip stream."""


class Compressor:
    """Compresses a body piece by piece."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(level=zlib.Z_BEST_SPEED, wbits=_GZIP)

    def compress(self, piece: bytes, *, is_last: bool) -> bytes:
        """What there is to send after one more piece, which may be nothing yet."""
        ready = self._stream.compress(piece)
        return ready + self._stream.flush() if is_last else ready


def gzip(body: bytes) -> bytes:
    """A whole body, compressed."""
    return Compressor().compress(body, is_last=True)


def gunzip(body: bytes, limit: int) -> bytes:
    """The body as it was before gzip, never holding more than `limit` bytes of it."""
    stream = zlib.decompressobj(wbits=_GZIP)
    try:
        plain = stream.decompress(body, limit + 1)
    except zlib.error as fault:
        raise CorruptError from fault
    if len(plain) > limit:
        raise OversizedError
    if not stream.eof or stream.unused_data:
        raise CorruptError
    return plain


@lru_cache(256)
def accepts_gzip(header: str) -> bool:
    """Whether an Accept-Encoding header welcomes gzip, by name or by `*`, with a weight above zero."""
    weights = dict(map(_weighed, header.split(",")))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weighed(coding: str) -> tuple[str, float]:
    name, _, parameter = coding.partition(";")
    _, _, weight = parameter.partition("=")
    try:
        return name.strip().lower(), float(weight)
    except ValueError:
        return name.strip().lower(), 1.0
