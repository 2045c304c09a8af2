"""gzip and deflate, both ways, with a limit on what a small body may grow into."""

from __future__ import annotations

import zlib
from functools import lru_cache

_GZIP = 16 + zlib.MAX_WBITS
_DEFLATE = zlib.MAX_WBITS
FASTEST = zlib.Z_BEST_SPEED
FOR_PAGES = 6
"""How hard a page is compressed: it becomes at least a tenth smaller than at best speed, for half a millisecond more."""


class OversizedError(Exception):
    """The body grows beyond the limit."""


class CorruptError(Exception):
    """The body is not whole, or is not of the coding that it is said to be."""


class Compressor:
    """Compresses a body piece by piece."""

    def __init__(self, level: int = FASTEST) -> None:
        self._stream = zlib.compressobj(level=level, wbits=_GZIP)

    def compress(self, piece: bytes, *, is_last: bool) -> bytes:
        """What there is to send after one more piece, which may be nothing yet."""
        ready = self._stream.compress(piece)
        return ready + self._stream.flush() if is_last else ready


def gzip(body: bytes, level: int = FASTEST) -> bytes:
    """A whole body, compressed."""
    return Compressor(level).compress(body, is_last=True)


def deflate(body: bytes) -> bytes:
    return zlib.compress(body, level=FASTEST)


def gunzip(body: bytes, limit: int) -> bytes:
    """The body as it was before gzip, of one member or of several, never holding more than `limit` bytes."""
    plain = b""
    while True:
        piece, body = _expanded(body, _GZIP, limit - len(plain))
        plain += piece
        if not body:
            return plain


def inflate(body: bytes, limit: int) -> bytes:
    """The body as it was before deflate, never holding more than `limit` bytes of it."""
    plain, rest = _expanded(body, _DEFLATE, limit)
    if rest:
        raise CorruptError
    return plain


def _expanded(body: bytes, wbits: int, limit: int) -> tuple[bytes, bytes]:
    """One stream at the beginning of the body, and what follows it."""
    stream = zlib.decompressobj(wbits=wbits)
    try:
        plain = stream.decompress(body, limit + 1)
    except zlib.error as fault:
        raise CorruptError from fault
    if len(plain) > limit:
        raise OversizedError
    if not stream.eof:
        raise CorruptError
    return plain, stream.unused_data


ENCODERS = {"gzip": gzip, "deflate": deflate}
DECODERS = {"gzip": gunzip, "deflate": inflate}


@lru_cache(256)
def preferred(header: str) -> str | None:
    """The coding that an Accept-Encoding header likes best; of equal ones gzip, and none when plain is better."""
    weights = dict(map(_weighed, header.split(",")))
    others = weights.get("*", 0.0)
    best = max(ENCODERS, key=lambda coding: weights.get(coding, others))
    weight = weights.get(best, others)
    return best if weight > 0 and weight >= weights.get("identity", 0.0) else None


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
