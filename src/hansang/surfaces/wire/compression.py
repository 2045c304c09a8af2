"""gzip, both ways, with a limit on what a small body may grow into."""

from __future__ import annotations

import zlib

THRESHOLD = 4096
"""DynamoDB compresses no answer up to this size."""

_GZIP = 16 + zlib.MAX_WBITS


class OversizedError(Exception):
    """The body grows beyond the limit."""


class CorruptError(Exception):
    """The body is not one whole gzip stream."""


def gzip(body: bytes) -> bytes:
    compressor = zlib.compressobj(level=zlib.Z_BEST_SPEED, wbits=_GZIP)
    return compressor.compress(body) + compressor.flush()


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
